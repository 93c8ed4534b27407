# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec says about ranks with several threads: those that hang, in MPI and in locks of their
own, and those that only wait."""
import concurrent.futures
import os
import unittest

from harness import LauncherTest

THREADS = os.environ["TESSERA_TEST_THREADS"]
AT_ONCE = 6  # they sleep
BOTH = "all of its 2 ranks"
# Of hangs_threads. The second half of its programs waits for long, and ends.
THREADS_HANG = (
    ("lost_wake", BOTH, "rank 0 is in MPI_Recv at .*, waiting for a message from rank 1 \\(tag 3.*; outside MPI, a thread sleeps until "
                        "another thread of this rank wakes it", "a thread that sleeps outside MPI is to make the call"),
    ("lost_wake_outside", BOTH, "rank 0 is outside MPI: 2 threads sleep until another thread of this rank wakes them",
     "all threads of this rank sleep until one of them wakes another", "behind them:\n  rank 1 is in MPI_Recv"),
    ("all_receive", BOTH, "rank 0 is in MPI_Recv.*tag [34].*; another thread is in MPI_Recv, waiting for a message from rank 1 \\(tag [34]",
     "one of them must send first"),
    ("semaphore", BOTH, "rank 0 is outside MPI: a thread sleeps until another thread of this rank wakes it"),
    ("receive_under_lock", BOTH, "; outside MPI, a thread sleeps"),
)
THREADS_LEGAL = ("told_late", "idle_threads", "told_by_alarm", "told_by_a_process", "timed_waits")


class Threads(LauncherTest):
    def job(self, name, options=()):
        return name, self.run_job("--timeout", 100, "--on-hang", "abort", *options, "-n", 2, THREADS, name)

    @unittest.skipIf("thread" in os.environ["TESSERA_TEST_SANITIZED"], "TSan runs a thread in each process that wakes by itself")
    def test_those_that_hang_are_named(self):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            jobs = [pool.submit(self.job, seed[0]) for seed in THREADS_HANG]
            jobs.append(pool.submit(self.job, "all_receive", ("--mca", "btl", "self,tcp")))
            results = [job.result() for job in jobs]
        expected = {name: texts for name, *texts in THREADS_HANG}
        for name, result in results:
            with self.subTest(hang=name):
                self.assertEqual(result.status, 124, result)
                self.assertEqual(result.err.count("the job hangs"), 1, result)
                for text in expected[name]:
                    self.assertRegex(result.err, text)

    def test_those_that_end_are_not(self):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for name, result in [job.result() for job in [pool.submit(self.job, name) for name in THREADS_LEGAL]]:
                with self.subTest(program=name):
                    self.expect_ok(result)
                    self.assertNotIn("hangs", result.err)


if __name__ == "__main__":
    unittest.main(verbosity=1)
