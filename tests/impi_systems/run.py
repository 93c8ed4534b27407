#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program as one job of several MPI systems on this machine, each started by an impirun of
its own.

Usage: run.py [--kill|--kill-first|--kill-middle|--kill-launcher|--kill-server|--slow|--as-one]
[--mca NAME VALUE]... RANKS,RANKS,... PROGRAM [ARGUMENT...]

Each system has so many ranks. All must succeed without a word on standard error, the server too; no
process and no temporary file is left. With --slow, each byte between systems comes 10 ms late. With
--as-one, the program says numbers: those of the job must be those of one system with as many ranks,
but for the last digits. With --kill a rank of the last system is killed once the program has said
on standard output that it is ready: then all others must fail and name that system. With
--kill-first and --kill-middle it is a rank of another system; with --kill-launcher that is the fate
of the last one's launcher, with --kill-server that of the server.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import slow_links

IMPIRUN = os.environ["TESSERA_TEST_IMPIRUN"]
MARK = f"TESSERA_TEST_MARK={os.getpid()}.{time.time_ns()}"
ENVIRONMENT = dict(os.environ, IMPI_AUTH_KEY="20001105", **dict([MARK.split("=")]))
LIMIT_S = 240
VICTIMS = {"--kill": lambda systems: systems - 1, "--kill-first": lambda systems: 0, "--kill-middle": lambda systems: systems // 2}
KINDS = (*VICTIMS, "--kill-launcher", "--kill-server", "--slow", "--as-one")


def start(words):
    return subprocess.Popen(words, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def kill_rank(system):
    """A rank of the system is killed, not its launcher, which ends the others of that system."""
    pid = int(system.stdout.readline().split()[1])
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
    """All end with an error and say who was lost. One that ends late may have seen another one end
    first."""
    for rank, (system, (out, err)) in enumerate(zip(systems, results)):
        if system.returncode == 0 or (" is lost: " not in err and name not in err):
            yield f"system {rank} ended with {system.returncode} and does not say who was lost:\n{out}{err}"
    if not any(name in err for _, err in results[:len(systems)]):
        yield f"nobody says '{name}'"


def expect_server_names(server, error):
    """It may have seen another client end first, for the same reason."""
    if server.returncode in (0, None) or not re.search(r"client \d+ \(.*\) was lost", error):
        yield f"the server ended with {server.returncode} and does not say who was lost:\n{error}"


def marked():
    """The processes of this job that still exist."""
    left = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and MARK.encode() in (folder / "environ").read_bytes().split(b"\0"):
                left.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it has ended, or is another user's
    return left


def expect_nothing_left(folder):
    until = time.monotonic() + LIMIT_S / 4  # what was killed needs a while to go
    while (processes := marked()) and time.monotonic() < until:
        time.sleep(0.05)
    for process in processes:
        yield f"a process is left: {process}"
    for file in os.listdir(folder):
        yield f"a file is left: {file}"


def numbers_of(text):
    return [float(word) for word in re.findall(r"[-+\d.]+(?:e[-+]\d+)?", text)]


def expect_as_one(sizes, command, results):
    ranks = sum(map(int, sizes))
    one = subprocess.run([str(pathlib.Path(IMPIRUN).with_name("mpiexec")), "-n", str(ranks), *command], capture_output=True,
                         text=True, timeout=LIMIT_S)
    seen, wanted = (numbers_of(text) for text in ("".join(out for out, _ in results), one.stdout))
    if one.returncode != 0 or len(seen) != len(wanted) or not wanted or any(
            abs(a - b) > 1e-3 * abs(b) for a, b in zip(seen, wanted)):
        yield f"one system says {one.stdout!r}, several say {seen}"


def job(kind, options, sizes, command):
    """The problems of one job, and what it printed."""
    server = start([IMPIRUN, "-server", str(len(sizes)), "-bind", "127.0.0.1"])
    address = server.stdout.readline().strip()
    if kind == "--slow":
        address = slow_links.SlowLinks(address, [int(size) for size in sizes]).address
    victim = VICTIMS.get(kind, VICTIMS["--kill"])(len(sizes))
    if kind in VICTIMS:
        command = [*command, str(sum(map(int, sizes[:victim + 1])) - 1)]
    systems = [start([IMPIRUN, "-client", str(rank), address, "--timeout", "90", "-n", ranks, *options, *command])
               for rank, ranks in enumerate(sizes)]
    if kind in VICTIMS:
        kill_rank(systems[victim])
    elif kind == "--kill-launcher":
        kill_launcher(systems)
    elif kind == "--kill-server":
        kill_server(systems, server)
    until = time.monotonic() + LIMIT_S
    try:
        results = [system.communicate(timeout=until - time.monotonic()) for system in systems]
        server_error = server.communicate(timeout=30)[1]
    finally:
        for process in (*systems, server):
            if process.poll() is None:
                process.kill()
    output = "".join(out for out, _ in results)
    if kind in (*VICTIMS, "--kill-launcher"):
        others = [(system, result) for k, (system, result) in enumerate(zip(systems, results)) if k != victim]
        return [*expect_loss(*zip(*others), f"system {victim} ("), *expect_server_names(server, server_error)], output
    if kind == "--kill-server":
        return list(expect_loss(systems, results, "the server of this job")), output
    problems = list(expect_success(systems, results))
    if server.returncode != 0:
        problems.append(f"the server ended with {server.returncode}: {server_error}")
    if kind == "--as-one":
        problems += expect_as_one(sizes, command, results)
    return problems, output


def main(arguments):
    kind = arguments.pop(0) if arguments[0] in KINDS else None
    options = []
    while arguments[0] == "--mca":
        options += arguments[:3]
        arguments = arguments[3:]
    with tempfile.TemporaryDirectory() as folder:
        ENVIRONMENT["TMPDIR"] = folder
        problems, output = job(kind, options, arguments[0].split(","), arguments[1:])
        problems += expect_nothing_left(folder)
    print("\n".join(problems) or output, end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
