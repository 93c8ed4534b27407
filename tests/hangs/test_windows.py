# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec says about waits on windows that never end, in shared memory and by messages."""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest

from harness import LauncherTest

WINDOWS = os.environ["TESSERA_TEST_WINDOWS"]
STATUS = os.environ["TESSERA_TEST_STATUS"]
AT_ONCE = 6  # they sleep
BOTH = "all of its 2 ranks"
GRID = 'on window "grid"'
HELD = f"the exclusive lock of rank 1 {GRID} \\(held by rank 1, MPI_LOCK_EXCLUSIVE\\)"
# Name of the hang, ranks, and what the report says, in shared memory and over TCP.
ON_WINDOWS = (
    ("lock_cycle", 2, BOTH, f"rank 0 is in MPI_Win_(un)?lock at windows.c:\\d+ \\(want\\), .*waiting for {HELD}", "in the same order"),
    ("lock_cycle_of_three", 3, "all of its 3 ranks", f"the shared lock of rank 1 {GRID} \\(held by rank 1, MPI_LOCK_EXCLUSIVE\\)"),
    ("holder_receives", 2, BOTH, f"the exclusive lock of rank 1 {GRID} \\(held by rank 0, MPI_LOCK_EXCLUSIVE\\)", "rank 0 is in MPI_Recv",
     "whose holder cannot come to its MPI_Win_unlock"),
    ("target_computes", 3, "2 of its 3 ranks", f"the shared lock of rank 2 {GRID} \\(held by rank 0, MPI_LOCK_EXCLUSIVE\\)"),
    ("shared_against_exclusive", 3, "all of its 3 ranks", f"rank 2 is .* the exclusive lock of rank 2 {GRID} \\(held by ranks 0, 1, MPI_LOCK_SHARED\\)"),
    ("lock_all_against_exclusive", 2, BOTH,
     f"rank 1 is in MPI_Win_lock_all .* the shared lock of (rank 1 {GRID} \\(held by rank 0, MPI_LOCK_EXCLUSIVE\\)"
     f"|all ranks {GRID} \\(held by rank 0, MPI_LOCK_EXCLUSIVE of rank 1\\))"),
    ("exclusive_against_lock_all", 2, BOTH, f"rank 1 is .* the exclusive lock of rank 0 {GRID} \\(held by rank 0, MPI_Win_lock_all\\)"),
    ("lock_flushed", 2, BOTH, f"rank 0 is in MPI_Win_(lock|flush) at windows.c:\\d+ \\(lock_flushed\\), .*waiting for {HELD}"),
    ("lock_fetched", 2, BOTH, f"rank 0 is in (MPI_Win_lock|MPI_Fetch_and_op) at windows.c:\\d+ \\(lock_fetched\\), .*waiting for {HELD}"),
    ("start_without_post", 2, BOTH, f"rank 0 is in MPI_Win_start .* for MPI_Win_post by rank 1 {GRID}"),
    ("one_has_not_posted", 3, "all of its 3 ranks", f"rank 0 is in MPI_Win_start .* for MPI_Win_post by rank 2 {GRID}",
     f"rank 1 is in MPI_Win_wait .* for MPI_Win_complete by rank 0 {GRID}"),
    ("one_has_not_completed", 3, "all of its 3 ranks", f"rank 0 is in MPI_Win_wait .* for MPI_Win_complete by rank 2 {GRID}"),
    ("fence_without_one", 3, "all of its 3 ranks", f"rank 1 is in MPI_Win_fence .* for rank 0 to come to MPI_Win_fence {GRID}",
     "must come to this call"),
    ("free_without_one", 2, BOTH, f"rank 1 is in MPI_Win_free .* for rank 0 to come to MPI_Win_free {GRID}"),
)


class Windows(LauncherTest):
    """Waits on windows, in shared memory and by messages."""
    # Over TCP the verdict depends on all threads of a process. TSan's own thread, which wakes by
    # itself, rules a verdict out.
    WAYS = ((),) if "thread" in os.environ["TESSERA_TEST_SANITIZED"] else ((), ("--mca", "btl", "self,tcp"))

    def hang(self, way, name, ranks, *expected):
        result = self.run_job("--timeout", 60, "--on-hang", "abort", *way, "-n", ranks, WINDOWS, name)
        with self.subTest(hang=name, way=way):
            self.assertEqual(result.status, 124, result)
            self.assertNotIn("has not ended within", result.err)
            self.assertEqual(result.err.count("the job hangs"), 1, result)
            for text in expected:
                self.assertRegex(result.err, text)

    def test_each_is_named(self):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for done in [pool.submit(self.hang, way, *seed) for way in self.WAYS for seed in ON_WINDOWS]:
                done.result()

    def test_a_window_without_a_name(self):
        result = self.run_job("--on-hang", "abort", "-n", 2, WINDOWS, "lock_cycle", "unnamed")
        self.assertRegex(result.err, "the exclusive lock of rank 1 on an unnamed window of 2 processes \\(MPI_Win_allocate\\) \\(held by")

    def test_report_for_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "hang.json")
            self.run_job("--on-hang", "abort", "--hang-report", file, "-n", 2, WINDOWS, "lock_cycle")
            with open(file, encoding="utf-8") as text:
                rank = json.load(text)["ranks"][0]
            wait = rank["waits"][0]
            self.assertEqual((wait["kind"], wait["window"]["name"], wait["peer"]), ("exclusive lock", "grid", 1))
            self.assertEqual(rank["holds"], [{"kind": "exclusive lock", "window": wait["window"]["number"], "rank": 0}])

    def test_what_status_says(self):
        job = self.start("--on-hang", "ignore", "-n", 2, WINDOWS, "lock_cycle")
        def answered():
            said = subprocess.run([STATUS, str(job.pid)], capture_output=True, text=True, timeout=60, check=False)
            return re.search(HELD, said.stdout)
        self.until(answered, "an answer of rank 0")
        job.send_signal(signal.SIGTERM)
        self.finish(job)


if __name__ == "__main__":
    unittest.main(verbosity=1)
