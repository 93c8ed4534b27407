# SPDX-License-Identifier: BSD-3-Clause
"""No healthy job is declared dead: ranks on private hosts compute for up to 30 s while megabytes
are under way to them, and are stopped and continued, with a btl_tcp_silence of 5 s.

Usage: healthy.py PROGRAM MPIEXEC SECONDS            exits 77 where hosts or Hydra cannot be had
"""
import os
import random
import re
import signal
import subprocess
import sys
import threading

import private_hosts
from private_hosts import CLEAN, SHELL

PROGRAM, MPIEXEC, SECONDS = sys.argv[1:4]


def outside():
    private_hosts.need("mpiexec.hydra")
    private_hosts.need_hosts()
    sys.exit(private_hosts.run_again(2, float(SECONDS) + 240))


def stop_and_continue(over, chosen):
    """One rank at a time, longer than the silence that a dead one would keep."""
    times = 0
    while not over.is_set():
        found = subprocess.run(["pgrep", "-f", "^" + re.escape(PROGRAM) + " labour"], capture_output=True, text=True, timeout=60)
        ranks = [int(each) for each in found.stdout.split()]
        if not ranks:
            break
        rank = chosen.choice(ranks)
        try:
            os.kill(rank, signal.SIGSTOP)
            over.wait(chosen.uniform(1, 20))
            os.kill(rank, signal.SIGCONT)
            times += 1
        except ProcessLookupError:
            break
        over.wait(chosen.uniform(0, 5))
    print(f"stopped and continued {times} times", flush=True)


if not private_hosts.are_here():
    outside()
seed = random.randrange(1 << 30)
print(f"seed {seed}", flush=True)
words = [MPIEXEC, "--launcher-exec", SHELL, "--host", "node1:2,node2:2",
         "--mca", "btl_tcp_silence", "5", PROGRAM, "labour", SECONDS]
job = subprocess.Popen(words, env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
assert job.stdout.readline() == "labouring\n", job.communicate()
over = threading.Event()
stopper = threading.Thread(target=stop_and_continue, args=(over, random.Random(seed)))
stopper.start()
out, err = job.communicate(timeout=float(SECONDS) + 180)
over.set()
stopper.join()
print(out, flush=True)
assert job.returncode == 0 and err == "", (job.returncode, err)
