# SPDX-License-Identifier: BSD-3-Clause
"""Ends of programs that use the MPI functions, under mpiexec and alone."""
import os
import signal
import subprocess
import unittest

from harness import LauncherTest

ENDS = os.environ["TESSERA_TEST_MPI_ENDS"]


class Mpi(LauncherTest):
    def test_well(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.expect_ok(self.run_job("-n", ranks, ENDS, "well"))

    def test_who(self):
        result = self.run_job("-n", 2, ENDS, "who", ":", "-n", 1, ENDS, "who")
        self.expect_ok(result)
        self.assertEqual(sorted(result.out.splitlines()), ["0 of 3, app 0", "1 of 3, app 0", "2 of 3, app 1"])

    def test_ends(self):
        for how, status, text in ((["abort", 7], 7, "called MPI_Abort with code 7"),
                                  (["abort", 0], 1, "called MPI_Abort with code 0"),
                                  (["abort", 256], 1, "called MPI_Abort with code 256"),
                                  (["abort", -1], 255, "called MPI_Abort with code -1"),
                                  (["exit", 3], 3, "ended with exit status 3"),
                                  (["exit", 0], 1, "ended without calling MPI_Finalize"),
                                  (["signal", 11], 139, "was killed by signal 11"),
                                  (["signal", 9], 137, "was killed by signal 9"),
                                  (["abort()"], 134, "was killed by signal 6")):
            for ranks in (1, 2, 4):
                with self.subTest(how=how, ranks=ranks):
                    result = self.run_job("-n", ranks, ENDS, *how)
                    self.assertEqual(result.status, status, result)
                    reports = [line for line in result.err.splitlines() if line.startswith("mpiexec:")]
                    self.assertEqual(len(reports), 1, result)
                    self.assertIn("rank 0 ", reports[0])
                    self.assertIn(text, reports[0])
                    if how[0] == "abort":
                        self.assertIn(f"MPI_Abort: the program ends the job with code {how[1]} ", result.err)

    def test_failure_after_finalize(self):
        result = self.run_job("-n", 2, ENDS, "well", 5)
        self.assertEqual(result.status, 5)

    def test_timeout(self):
        result = self.run_job("--timeout", 1, "-n", 2, ENDS, "hang")
        self.assertEqual(result.status, 124)
        self.assertIn("running", result.err)

    def test_alone(self):
        """req errata 2.45"""
        for how, status in ((["well"], 0), (["abort", 7], 7), (["abort", 0], 1), (["abort", 256], 1), (["abort", -1], 255), (["who"], 0)):
            result = subprocess.run([ENDS, *map(str, how)], env=self.environment, timeout=240, check=False,
                                    stdout=subprocess.PIPE)
            self.assertEqual(result.returncode, status)
        self.assertEqual(result.stdout.decode()[:6], "0 of 1")

    def test_interrupt(self):
        job = self.start("-n", 2, ENDS, "hang")
        self.wait_for_processes(2, "^[^ ]*mpi_ends hang")
        job.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(job).status, 130)


if __name__ == "__main__":
    unittest.main(verbosity=1)
