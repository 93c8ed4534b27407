# SPDX-License-Identifier: BSD-3-Clause
"""The same jobs over four private hosts under every engine that is installed: who ranks are, and
the solver of the demo, which finds the same solution everywhere.

Usage: every_engine.py WHERE CG MATRIX MPIEXEC          exits 77 where hosts or engines cannot be had
"""
import contextlib
import re
import shutil
import subprocess
import sys
import unittest

import private_hosts
import private_slurm
import ways
from private_hosts import CLEAN

WHERE, CG, MATRIX, MPIEXEC = sys.argv[1:5]
HOSTS = 4
WAYS = ways.ways(MPIEXEC)

AS_IT_IS = ("Hydra", "srun with pmi2")  # these run a command in front of the program as it is


def run(words):
    return subprocess.run([*map(str, words)], env=CLEAN, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


class EveryEngine(unittest.TestCase):
    def under_each(self, check, names=WAYS):
        for way in names:
            program, words = WAYS[way]
            if ways.is_there(program):
                with self.subTest(way=way):
                    check(words)

    def good(self, words):
        """What the job prints. Open MPI's mpirun sometimes has a word of its own to say of its
        shells."""
        done = run(words)
        told = [line for line in done.stderr.splitlines() if not re.match(r"\[head:\d+\] plm:[rs]sh: Warning: ", line)]
        self.assertEqual((done.returncode, told), (0, []), (words, done.stdout))
        return done.stdout

    def test_who_ranks_are(self):
        def check(words):
            self.assertEqual(self.good([*words(2, 2), WHERE]), "size 4 local 2 nodes 2 sum 6 wrong 0\n")
            self.assertEqual(self.good([*words(4, 1), WHERE]), "size 4 local 1 nodes 4 sum 6 wrong 0\n")
            self.assertEqual(self.good([*words(1, 4), WHERE]), "size 4 local 4 nodes 1 sum 6 wrong 0\n")
        self.under_each(check)

    def test_the_demo(self):
        """Other algorithms add in another order, so the last digits of a residual may differ."""
        local = self.solution([MPIEXEC, "-n", 4])

        def check(words):
            iterations, residual = self.solution(words(4, 1))
            self.assertEqual(iterations, local[0])
            self.assertAlmostEqual(residual / local[1], 1, delta=1e-3)
        self.under_each(check)

    def solution(self, words):
        out = self.good([*words, CG, MATRIX])
        return int(re.search(r"^iterations\s+(\d+)", out, re.M)[1]), float(re.search(r"^residual\s+(\S+)", out, re.M)[1])

    def test_both_versions_of_pmi(self):
        def check(words):
            for version in (1, 2):
                chosen = [*words(2, 2), "env", f"TESSERA_MCA_boot_pmi_version={version}", "TESSERA_MCA_core_explain=select", WHERE]
                done = run(chosen)
                self.assertEqual((done.returncode, done.stdout), (0, "size 4 local 2 nodes 2 sum 6 wrong 0\n"), done.stderr)
                self.assertIn(f"PMI-{version}", done.stderr)
        self.under_each(check, AS_IT_IS)

    @unittest.skipUnless(ways.HAS_SLURM, "slurm-wlm is not installed, or this is not root")
    def test_srun(self):
        for mpi in ("pmi2", "pmix"):
            with self.subTest(mpi=mpi):
                begin = ["srun", "-Q", f"--mpi={mpi}", "-N", 2]
                self.assertEqual(self.good([*begin, "--ntasks-per-node", 2, "-m", "cyclic", WHERE]), "size 4 local 2 nodes 2 sum 6 wrong 0\n")
                self.assertEqual(self.good([*begin, "-n", 3, "-m", "block", WHERE]), "size 3 local 2 nodes 2 sum 3 wrong 0\n")
        self.assertEqual(self.good(["srun", "-Q", "--mpi=none", "-N", 1, "-n", 4, WHERE]), "size 4 local 4 nodes 1 sum 6 wrong 0\n")
        self.assertEqual(self.good(["srun", "-Q", "--mpi=none", "-N", 1, "-n", 1, WHERE]), "size 1 local 1 nodes 1 sum 0 wrong 0\n")
        two = run(["srun", "-Q", "--mpi=none", "-N", 2, "-n", 2, WHERE])
        self.assertNotEqual(two.returncode, 0)
        self.assertIn("--mpi=pmi2", two.stderr)

    def test_ranks_in_namespaces_of_their_own(self):
        apart = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--ipc"]
        self.under_each(lambda words: self.assertEqual(self.good([*words(1, 4), *apart, WHERE]),
                                                       "size 4 local 4 nodes 1 sum 6 wrong 0\n"), AS_IT_IS)

    def test_ranks_that_cannot_meet(self):
        """Hydra kills all when the first one gives up, and what that has said may be lost."""
        def check(words):
            done = run([*words(1, 4), "env", "TESSERA_MCA_boot_patience=3", "unshare", "--net", WHERE])
            self.assertNotEqual(done.returncode, 0)
            if "srun" in words(1, 4):
                self.assertRegex(done.stderr, "waited in vain for .*boot_share")
        self.under_each(check, AS_IT_IS)

    @unittest.skipUnless(ways.HAS_SLURM, "slurm-wlm is not installed, or this is not root")
    def test_two_jobs_at_once(self):
        words = ["srun", "-Q", "--mpi=pmi2", "--overcommit", "--overlap", "-N", "2", "--ntasks-per-node=2", WHERE]
        jobs = [subprocess.Popen(words, env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) for _ in range(3)]
        for job in jobs:
            self.assertEqual(job.communicate(timeout=120)[0], "size 4 local 2 nodes 2 sum 6 wrong 0\n")


def outside():
    engines = [program for program in ("mpiexec.hydra", "mpirun.openmpi", "prterun") if shutil.which(program)]
    if not engines and not ways.HAS_SLURM:
        private_hosts.skip("no engine is installed (packages mpich, openmpi-bin, slurm-wlm)")
    private_hosts.need_hosts()
    print("engines:", ", ".join(engines + ["srun"] * ways.HAS_SLURM), flush=True)
    sys.exit(private_hosts.run_again(HOSTS, 840))


if not private_hosts.are_here():
    outside()
with private_slurm.start(HOSTS, CLEAN) if ways.HAS_SLURM else contextlib.nullcontext():
    result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
sys.exit(not result.wasSuccessful())
