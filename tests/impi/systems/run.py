#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program as one job of several MPI systems on this machine, each under an mpiexec of its own.

Usage: run.py [--kill] [--mca NAME VALUE]... RANKS,RANKS,... PROGRAM [ARGUMENT...]. Each system has so many ranks. All must
succeed without a word on standard error, the server too. With --kill the last system is killed once the program has said on
standard output that it is ready: then all others must fail and name it.
"""
import os
import signal
import subprocess
import sys
import time

MPIEXEC = os.environ["TESSERA_TEST_MPIEXEC"]
SERVER = [sys.executable, "-B", os.path.join(os.path.dirname(os.path.abspath(__file__)), "minimal_server.py")]
LIMIT_S = 100


def start(rank, ranks, address, options, command):
    environment = dict(os.environ, IMPI_AUTH_NONE="1", TESSERA_MCA_impi_server=address, TESSERA_MCA_impi_rank=str(rank))
    return subprocess.Popen([MPIEXEC, "--timeout", "90", "-n", ranks, *options, *command], env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def kill_last(systems):
    """A rank of the last system is killed, not its launcher, which ends the others of that system."""
    pid = int(systems[-1].stdout.readline().split()[1])
    os.kill(pid, signal.SIGKILL)


def expect_success(systems, results):
    for rank, (system, (out, err)) in enumerate(zip(systems, results)):
        if system.returncode != 0 or err:
            yield f"system {rank} ended with {system.returncode}:\n{out}{err}"


def expect_loss(systems, results):
    name = f"system {len(systems) - 1} ("
    for rank, (system, (out, err)) in enumerate(zip(systems[:-1], results)):
        if system.returncode == 0 or name not in err or "is lost" not in err:
            yield f"system {rank} ended with {system.returncode} and does not name system {len(systems) - 1}:\n{out}{err}"


def main(arguments):
    kill = "--kill" in arguments
    if kill:
        arguments.remove("--kill")
    options = []
    while arguments[0] == "--mca":
        options += arguments[:3]
        arguments = arguments[3:]
    sizes = arguments[0].split(",")
    server = subprocess.Popen([*SERVER, str(len(sizes))], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    address = server.stdout.readline().strip()
    systems = [start(rank, ranks, address, options, arguments[1:]) for rank, ranks in enumerate(sizes)]
    if kill:
        kill_last(systems)
    until = time.monotonic() + LIMIT_S
    try:
        results = [system.communicate(timeout=until - time.monotonic()) for system in systems]
        server_err = server.communicate(timeout=30)[1]
    finally:
        for process in (*systems, server):
            if process.poll() is None:
                process.kill()
    problems = list((expect_loss if kill else expect_success)(systems, results))
    if not kill and server.returncode != 0:
        problems.append(f"the server ended with {server.returncode}: {server_err}")
    print("\n".join(problems) or "".join(out for out, _ in results), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
