#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Hours in minutes: a server accepts clients and spawns children while random processes are killed.

Usage: soak.py MPIEXEC PROGRAM [SECONDS]                              (default: 900 seconds)

The server and its mpiexec live through all of it. Afterwards the server ends in order, no process
is left, and neither the server nor its mpiexec has more memory, descriptors or memory objects than
after the first part, but for the one socket through which a process wakes others, which it opens
when it first finds one asleep.
"""
import contextlib
import os
import random
import signal
import subprocess
import sys
import time

mpiexec, program = sys.argv[1:3]
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 900
NAME = f"soak {os.getpid()}"
MARKER = f"TESSERA_TEST_MARKER=soak.{os.getpid()}"
ENVIRONMENT = dict(os.environ, **dict([MARKER.split("=")]))
GROWTH_KIB = 1024
GROWTH_DESCRIPTORS = 1
clients = {
    "alone": [],
    "job": [mpiexec, "-n", "1"],
    "tcp": [mpiexec, "-n", "1", "--mca", "btl", "self,tcp"],
}


def start(words, **more):
    return subprocess.Popen([str(w) for w in words], env=ENVIRONMENT, stdin=subprocess.DEVNULL, text=True, **more)


def quiet(words):
    return start(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def marked():
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if MARKER.encode() in file.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            pass
    return found


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def size_of(pid):
    """KiB of memory, descriptors, memory objects."""
    with open(f"/proc/{pid}/status") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))
    objects = descriptors = 0
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            objects += "memfd:" in os.readlink(f"/proc/{pid}/fd/{name}")
            descriptors += 1
        except OSError:
            pass
    return memory, descriptors, objects


class Samples:
    """The least of each figure in the second tenth and in the last tenth of the time: what is there
    at all times."""

    def __init__(self, pids):
        self.pids = pids
        self.taken = []

    def take(self, part):
        self.taken.append((part, [size_of(pid) for pid in self.pids]))

    def least(self, begin, end):
        chosen = [sizes for part, sizes in self.taken if begin <= part <= end]
        return [[min(row[i][k] for row in chosen) for k in range(3)] for i in range(len(self.pids))]

    def check(self):
        rows = list(zip(self.pids, self.least(0.1, 0.2), self.least(0.9, 1.1)))
        for pid, before, after in rows:
            print(f"process {pid}: KiB, descriptors, memory objects: {before} -> {after}", flush=True)
        for _, before, after in rows:
            grown = [now - then for then, now in zip(before, after)]
            assert grown[0] <= GROWTH_KIB and grown[1] <= GROWTH_DESCRIPTORS and grown[2] <= 0, (before, after)


def kill_one(protected):
    victims = [pid for pid in marked() if pid not in protected]
    if not victims:
        return 0
    try:
        os.kill(random.choice(victims), signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


def finish(process, counts):
    """Its end, whatever it is; a process that hangs is a failure."""
    try:
        process.wait(timeout=120)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGABRT)
        raise
    counts["ended well" if process.returncode == 0 else "ended badly"] += 1


def soak():
    server = start([mpiexec, "--enable-recovery", "-n", "1", program, "serve", NAME], stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL)
    rank = int(server.stdout.readline())
    keepers = [server.pid, *children(server.pid)]
    samples = Samples([rank, *keepers[1:]])
    counts = {"visits": 0, "spawning programs": 0, "kills": 0, "ended well": 0, "ended badly": 0}
    begin = time.monotonic()
    while (part := (time.monotonic() - begin) / seconds) < 1:
        under_way = [quiet([*clients[random.choice(list(clients))], program, "visit", NAME, 0]) for _ in range(random.choice((1, 2, 3)))]
        counts["visits"] += len(under_way)
        if random.random() < 0.4:
            counts["spawning programs"] += 1
            under_way.append(quiet([*random.choice((clients["alone"], clients["job"])), program, "spawn"]))
        for _ in range(random.choice((0, 1, 1, 2))):
            time.sleep(random.random() * 0.06)
            counts["kills"] += kill_one({rank, *keepers})
        for process in under_way:
            finish(process, counts)
        assert server.poll() is None, server.returncode
        samples.take(part)
    print(counts, flush=True)
    samples.check()
    finish(quiet([program, "visit", NAME, 1]), counts)
    assert server.communicate(timeout=120)[0] == "served\n" and server.returncode == 0, server.returncode
    deadline = time.monotonic() + 60
    while marked() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not marked(), marked()


try:
    soak()
finally:
    for left in marked():
        with contextlib.suppress(ProcessLookupError):
            os.kill(left, signal.SIGKILL)
