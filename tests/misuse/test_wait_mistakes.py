# SPDX-License-Identifier: BSD-3-Clause
"""A wait on a thread that may not call, or inside a reduction operation, is told without any
option; other waits are not."""
import os
import unittest

from harness import LauncherTest

PROGRAM = os.environ["TESSERA_TEST_WAIT_MISTAKES"]
THREAD = r"waits in this call on another thread than that of MPI_Init"
OPERATION = r"waits in this call inside the function of a reduction operation"


class WaitMistakes(LauncherTest):
    def lines(self, *words):
        """What one rank says that waits until the job is found to hang."""
        result = self.run_job("--timeout", 60, "--on-hang", "abort", "-n", 1, PROGRAM, *words)
        self.assertEqual(result.status, 124, result)
        self.assertIn("rank 0 is in MPI_Recv", result.err)
        return [line for line in result.err.splitlines() if "waits in this call" in line]

    def test_a_thread_that_may_not_call(self):
        for words, level in ((("in_thread",), "SINGLE"), (("in_thread", "funneled"), "FUNNELED")):
            lines = self.lines(*words)
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], f"^MPI_Recv: rank 0 of the job {THREAD}, which has provided MPI_THREAD_{level}; ask")

    def test_a_call_in_a_reduction_operation(self):
        for level in ((), ("serialized",)):
            lines = self.lines("in_operation", *level)
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], f"^MPI_Recv: rank 0 of the job {OPERATION}")

    def test_nothing_is_said_of_others(self):
        for words in (("in_thread", "serialized"), ("after_operation",)):
            self.assertEqual(self.lines(*words), [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
