# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls that do not match, a cleared environment, a rank that is killed: each is told.
Jobs run without /proc, memfd_create and fallocate."""
import os
import shutil
import subprocess
import unittest

from harness import MPIEXEC, LauncherTest

DENIED = os.environ["TESSERA_TEST_DENIED"]
PROGRAM = os.environ["TESSERA_TEST_WRONG_CALLS"]


class WrongCalls(LauncherTest):
    def run_case(self, case, *options):
        return self.run_job("--timeout", 60, "-n", 2, *options, PROGRAM, case)

    def test_collective_calls_that_do_not_match(self):
        other_amount = "with another amount of data than this one"
        for case, said in (("other_operation", r"rank [01] of the communicator calls MPI_(Allreduce|Barrier), "
                                               r"this one MPI_(Allreduce|Barrier)"),
                           ("other_root", "one of the calls before did not match"),
                           ("twice_the_data", other_amount), ("other_allreduce", other_amount),
                           ("other_bcast", other_amount), ("other_reduce", other_amount)):
            with self.subTest(case=case):
                result = self.run_case(case)
                self.assertNotEqual(result.status, 0, result)
                words = " ".join(result.err.split())
                self.assertIn("collective calls do not match", words)
                self.assertRegex(words, said)

    def test_a_handle_that_was_freed_stands_for_nothing(self):
        for case, answers in (("stale_handles", 6), ("stale_op", 1), ("stale_window", 1), ("stale_file", 1), ("stale_request", 5),
                              ("other_kind", 5)):
            with self.subTest(case=case):
                result = self.run_job("--timeout", 60, "-n", 1, PROGRAM, case)
                self.assertEqual((result.status, result.err), (0, ""), result)
                self.assertEqual(result.out.count(" is refused\n"), answers, result)
                self.assertNotIn("answers", result.out)

    def test_calls_that_match_in_other_words(self):
        result = self.run_case("all_match")
        self.assertEqual((result.status, result.err), (0, ""), result)

    def test_a_cleared_environment(self):
        result = self.run_case("cleared")
        self.assertEqual(result.status, 0, result)
        words = " ".join(result.err.split())
        self.assertIn("mpiexec has started 2 processes, but the environment variable TESSERA_JOB", words)
        self.assertIn("as rank 0 of 1", words)

    def test_the_killed_rank_is_blamed(self):
        for _ in range(5):
            result = self.run_case("killed", "--mca", "btl", "self,tcp")
            self.assertEqual(result.status, 128 + 9, result)
            self.assertRegex(result.err, r"mpiexec: rank 1 \(pid \d+ on .*\) was killed by signal 9")

    def wrapped(self, *wrapper):
        """A job whose mpiexec runs under another program."""
        done = subprocess.run([*wrapper, MPIEXEC, "--timeout", "60", "-n", "3", PROGRAM, "all_match"],
                              capture_output=True, text=True, timeout=240, env=self.environment)
        if done.returncode == 77:
            self.skipTest("the system does not let us take this away")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_without_memfd_and_fallocate(self):
        self.wrapped(DENIED)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    def test_without_proc(self):
        if subprocess.run(["unshare", "-m", "umount", "-l", "/proc"], capture_output=True, check=False).returncode != 0:
            self.skipTest("the system does not let us take /proc away")
        self.wrapped("unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh")


if __name__ == "__main__":
    unittest.main(verbosity=1)
