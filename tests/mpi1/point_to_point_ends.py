# SPDX-License-Identifier: BSD-3-Clause
"""Programs that deadlock, that fail where no call can say so, and that leave their last message to
MPI_Finalize."""
import os
import unittest

from harness import LauncherTest

PROGRAM = os.environ["TESSERA_TEST_ACTOR"]
VARIANTS = ((), ("--mca", "btl", "self,tcp"), ("--mca", "pml_ob1_eager_limit", "1"))


class Ends(LauncherTest):
    def each(self, *words):
        for variant in VARIANTS:
            with self.subTest(variant=variant, program=words):
                yield self.run_job(*variant, "-n", 2, PROGRAM, *words)

    # ex 2.8: both receive first, and wait for ever, whatever the buffering.
    def test_receive_first(self):
        result = self.run_job("--timeout", 1, "-n", 2, PROGRAM, "receive-first")
        self.assertEqual(result.status, 124, result)
        self.assertEqual(result.out, "", result)

    # req 2.3.36: an operation that fails after its request was freed ends the job, and says what
    # failed.
    def test_fail_unheard(self):
        for result in self.each("fail-unheard"):
            self.assertEqual(result.status, 1, result)
            self.assertIn("failed after its request was freed", result.err)
            self.assertIn("8 bytes", result.err)
            self.assertNotIn("rank 0 went on", result.out)

    # req 2.3.39, req 2.3.35: what was begun is delivered, by MPI_Finalize if nothing else is
    # called.
    def test_finalize_delivers(self):
        for size in ("finalize-short", "finalize-long"):
            for result in self.each(size):
                self.expect_ok(result)
                self.assertEqual(result.out, "delivered\n")


if __name__ == "__main__":
    unittest.main()
