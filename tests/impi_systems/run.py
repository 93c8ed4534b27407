#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program as one job of several MPI systems on this machine, each started by an impirun of its own.

Usage: run.py [--kill|--kill-launcher|--kill-server] [--mca NAME VALUE]... RANKS,RANKS,... PROGRAM [ARGUMENT...]. Each system has
so many ranks. All must succeed without a word on standard error, the server too. With --kill a rank of the last system is killed
once the program has said on standard output that it is ready: then all others must fail and name that system. With
--kill-launcher that is the fate of its launcher, with --kill-server that of the server.
"""
import os
import signal
import subprocess
import sys
import time

IMPIRUN = os.environ["TESSERA_TEST_IMPIRUN"]
ENVIRONMENT = dict(os.environ, IMPI_AUTH_KEY="20001105")
LIMIT_S = 240


def start(rank, ranks, address, options, command):
    words = [IMPIRUN, "-client", str(rank), address, "--timeout", "90", "-n", ranks, *options, *command]
    return subprocess.Popen(words, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True)


def kill_last(systems):
    """A rank of the last system is killed, not its launcher, which ends the others of that system."""
    pid = int(systems[-1].stdout.readline().split()[1])
    os.kill(pid, signal.SIGKILL)


def kill_launcher(systems):
    """The last system's launcher, which impirun has become; its ranks end with it."""
    systems[-1].stdout.readline()
    systems[-1].kill()


def kill_server(systems, server):
    systems[-1].stdout.readline()
    server.kill()


def expect_success(systems, results):
    for rank, (system, (out, err)) in enumerate(zip(systems, results)):
        if system.returncode != 0 or err:
            yield f"system {rank} ended with {system.returncode}:\n{out}{err}"


def expect_loss(systems, results, name):
    """All end with an error and say who was lost. One that ends late may have seen another one end first."""
    for rank, (system, (out, err)) in enumerate(zip(systems, results)):
        if system.returncode == 0 or (" is lost: " not in err and name not in err):
            yield f"system {rank} ended with {system.returncode} and does not say who was lost:\n{out}{err}"
    if not any(name in err for _, err in results[:len(systems)]):
        yield f"nobody says '{name}'"


def main(arguments):
    kill = arguments.pop(0) if arguments[0].startswith("--kill") else None
    options = []
    while arguments[0] == "--mca":
        options += arguments[:3]
        arguments = arguments[3:]
    sizes = arguments[0].split(",")
    server = subprocess.Popen([IMPIRUN, "-server", str(len(sizes)), "-bind", "127.0.0.1"], env=ENVIRONMENT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    address = server.stdout.readline().strip()
    systems = [start(rank, ranks, address, options, arguments[1:]) for rank, ranks in enumerate(sizes)]
    if kill == "--kill":
        kill_last(systems)
    elif kill == "--kill-launcher":
        kill_launcher(systems)
    elif kill:
        kill_server(systems, server)
    until = time.monotonic() + LIMIT_S
    try:
        results = [system.communicate(timeout=until - time.monotonic()) for system in systems]
        server_err = server.communicate(timeout=30)[1]
    finally:
        for process in (*systems, server):
            if process.poll() is None:
                process.kill()
    if kill in ("--kill", "--kill-launcher"):
        problems = list(expect_loss(systems[:-1], results, f"system {len(systems) - 1} ("))
    elif kill:
        problems = list(expect_loss(systems, results, "the server of this job"))
    else:
        problems = list(expect_success(systems, results))
    if not kill and server.returncode != 0:
        problems.append(f"the server ended with {server.returncode}: {server_err}")
    print("\n".join(problems) or "".join(out for out, _ in results), end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
