# SPDX-License-Identifier: BSD-3-Clause
"""What is left on hosts when processes of a job are killed, and jobs of many ranks on one host:
directly under engines.

Usage: remains.py PROGRAM [ROUNDS]             exits 77 where hosts or engines cannot be had; ROUNDS: jobs of which one dies
"""
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import private_hosts
import private_slurm
from private_hosts import CLEAN, HAS_SLURM, SHELL

PROGRAM = sys.argv[1]
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
HAS_HYDRA = shutil.which("mpiexec.hydra") is not None


def ways(hosts, ranks):
    if HAS_HYDRA:
        names = ",".join(f"node{i + 1}" for i in range(hosts))
        yield "Hydra", ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", SHELL, "-hosts", names, "-ppn", str(ranks),
                        "-n", str(hosts * ranks)]
    if HAS_SLURM:
        yield "srun", ["srun", "-Q", "--mpi=pmi2", "--overcommit", "-N", str(hosts), "-n", str(hosts * ranks)]


def ranks_running():
    """Neither the shells in front of them nor those that have ended."""
    found = subprocess.run(["pgrep", "-r", "R,S,D,T", "-f", "^" + re.escape(PROGRAM) + " iterate$"], capture_output=True, text=True, timeout=60)
    return [int(each) for each in found.stdout.split()]


def traces():
    """Of Tessera on each host: abstract addresses, shared memory, files."""
    look = "grep -a tessera /proc/net/unix | sed 's/.*@/@/'; ls -A /dev/shm /var/tmp; ls -d /tmp/*tessera* 2> /dev/null"
    return [subprocess.run([SHELL, f"node{host}", look], env=CLEAN, capture_output=True, text=True, timeout=60,
                           stdin=subprocess.DEVNULL).stdout for host in (1, 2)]


class Remains(unittest.TestCase):
    def kill_one(self, words, chosen):
        job = subprocess.Popen([*words, PROGRAM, "iterate"], env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.assertEqual(job.stdout.readline(), "iterating\n")
        os.kill(chosen.choice(ranks_running()), signal.SIGKILL)
        job.communicate(timeout=60)
        self.assertNotEqual(job.returncode, 0)
        end = time.monotonic() + 60
        while ranks_running():
            self.assertLess(time.monotonic(), end, "ranks live on")
            time.sleep(0.02)

    def test_a_rank_is_killed(self):
        seed = random.randrange(1 << 30)
        print(f"seed {seed}", flush=True)
        chosen = random.Random(seed)
        for way, words in ways(2, 2):
            with self.subTest(way=way):
                before = traces()
                for _ in range(ROUNDS):
                    self.kill_one(words, chosen)
                self.assertEqual(traces(), before)

    def test_many_ranks_on_one_host(self):
        """One host needs nothing of the engine's store."""
        for way, words in ways(1, 32):
            with self.subTest(way=way):
                done = subprocess.run([*words, PROGRAM], env=CLEAN, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "size 32 local 32 nodes 1 sum 496 wrong 0\n", ""))

    @unittest.skipUnless(shutil.which("strace"), "there is no strace")
    def test_what_ranks_ask_of_the_store(self):
        """One process of each host puts one value; each gets the map of hosts, and a value for each
        other host at most."""
        for way, words in ways(2, 3):
            with self.subTest(way=way):
                trace = ["strace", "-qq", "-e", "trace=sendto", "-s", "60"]
                done = subprocess.run([*words, *trace, PROGRAM], env=CLEAN, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, done.stderr)
                counted = {each: len(re.findall(rf'"cmd={each} ', done.stderr)) for each in ("put", "get")}
                pieces = len(set(re.findall(r"key=0\.node\.(\d+)", done.stderr)))
                self.assertGreater(pieces, 0, done.stderr)
                self.assertEqual(counted["put"], 2 * pieces)
                self.assertLessEqual(counted["get"], 6 * (1 + pieces))
                commands = done.stderr.count('"cmd=') / 6
                print(f"{way}: {commands:.1f} commands for each rank", flush=True)

    @unittest.skipUnless(shutil.which("strace"), "there is no strace")
    def test_who_does_nothing_asks_for_little(self):
        """Five commands for each rank, and three for each host; one connection between two
        hosts."""
        for way, words in ways(2, 3):
            with self.subTest(way=way):
                trace = ["strace", "-qq", "-e", "trace=sendto,connect", "-s", "60"]
                done = subprocess.run([*words, *trace, PROGRAM, "nothing"], env=CLEAN, capture_output=True, text=True, timeout=120,
                                      stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, done.stderr)
                pieces = len(set(re.findall(r"key=0\.node\.(\d+)", done.stderr)))
                self.assertEqual(done.stderr.count('"cmd='), 6 * 5 + 2 * (1 + 2 * pieces), done.stderr)
                self.assertEqual(len(re.findall(r"connect\(.*AF_INET", done.stderr)), 1, done.stderr)


def outside():
    if not HAS_HYDRA and not HAS_SLURM:
        private_hosts.skip("no engine is installed (packages mpich, slurm-wlm)")
    private_hosts.need_hosts()
    sys.exit(private_hosts.run_again(2, 240 + 20 * ROUNDS))


if not private_hosts.are_here():
    outside()
with private_slurm.start(2, CLEAN) if HAS_SLURM else contextlib.nullcontext():
    result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
sys.exit(not result.wasSuccessful())
