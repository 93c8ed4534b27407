# SPDX-License-Identifier: BSD-3-Clause
"""A user-defined operation may call MPI_Abort, and the job ends with its code (req 4.3.37)."""
import subprocess
import sys
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]


class OpAbort(unittest.TestCase):
    def test_the_job_ends_with_the_code(self):
        for ranks in ("2", "5"):
            with self.subTest(ranks=ranks):
                ended = subprocess.run([MPIEXEC, "--timeout", "30", "-n", ranks, PROGRAM], capture_output=True, text=True,
                                       timeout=50, check=False)
                self.assertEqual(ended.returncode, 7, ended.stderr)
                self.assertIn("called MPI_Abort with code 7", ended.stderr)
                self.assertNotIn("went on", ended.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
