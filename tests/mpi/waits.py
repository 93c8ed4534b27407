#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec --timeout says of ranks that wait: function, peer, tag, amount, communicator by
name.

Usage: waits.py MPIEXEC PROGRAM [unittest arguments]
"""
import subprocess
import sys
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]


class Waits(unittest.TestCase):
    def report(self, *options):
        run = subprocess.run([MPIEXEC, "--timeout", "4", "-n", "3", *options, PROGRAM], capture_output=True, text=True,
                             timeout=240)
        self.assertEqual(run.returncode, 124, run.stderr)
        return run.stderr

    def expect(self, text):
        """The report at the time-out, not the verdict before it."""
        self.assertRegex(text, r"rank 0: in MPI_Recv .*, waiting for a message from rank 2 \(0 in the communicator\) "
                               r"\(tag 7, 800 bytes, backwards\), for")
        self.assertRegex(text, r"rank 1: in MPI_Waitall .*, waiting for a message .* and .* and .*, for")
        self.assertRegex(text, r"rank 2: in MPI_Allreduce .*, waiting for ranks 0, 1 to come to collective call 2 on "
                               r"MPI_COMM_WORLD, for")

    def test_memory(self):
        self.expect(self.report())

    def test_sockets(self):
        self.expect(self.report("--mca", "btl", "self,tcp"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
