# SPDX-License-Identifier: BSD-3-Clause
"""A crash inside an MPI call names the call; any other crash, and handlers of the program, are left alone."""
import os
import unittest

from harness import LauncherTest

MISUSE = os.environ["TESSERA_TEST_MISUSE"]
SEGMENTATION_FAULT = 128 + 11


class Faults(LauncherTest):
    def test_the_call_is_named(self):
        for name, call in (("send_in_place", "MPI_Send"), ("send_from_nowhere", "MPI_Send"),
                           ("receive_into_constant", "MPI_Recv"), ("garbage_communicator", "MPI_Barrier"),
                           ("status_nowhere", "MPI_Sendrecv"), ("free_after_finalize", "MPI_Comm_free")):
            with self.subTest(misuse=name):
                result = self.run_job("--timeout", 60, "-n", 2, MISUSE, name)
                if "touched address" not in result.err:  # the arguments were found wrong
                    self.assertRegex(result.err, f"{call}: (argument|called after MPI_Finalize)")
                    continue
                self.assertEqual(result.status, SEGMENTATION_FAULT, result)
                self.assertRegex(result.err, f"(?m)^({call}|a function of MPI): rank [01] of the job touched address 0x")
                self.assertIn("was killed by signal 11", result.err)

    def test_ranks_of_the_same_number_are_told_apart(self):
        result = self.run_job("--timeout", 60, "-n", 2, MISUSE, "wrong_rank_on_self")
        self.assertRegex(result.err, r"argument `dest` is 7.*\[communicator MPI_COMM_SELF, rank 0 \(rank 1 of the job\)\]")

    def test_nothing_is_said_of_other_crashes(self):
        for name in ("outside", "in_callback", "sent_from_outside"):
            with self.subTest(misuse=name):
                result = self.run_job("--timeout", 60, "-n", 2, MISUSE, name)
                self.assertEqual(result.status, SEGMENTATION_FAULT, result)
                self.assertNotIn("touched address", result.err)

    def test_handlers_of_the_program_stay(self):
        for name in ("handler_before", "handler_after"):
            with self.subTest(misuse=name):
                result = self.run_job("--timeout", 60, "-n", 2, MISUSE, name)
                self.assertEqual(result.status, 7, result)
                self.assertIn("handler of the program", result.err)
                self.assertNotIn("touched address", result.err)


if __name__ == "__main__":
    unittest.main(verbosity=1)
