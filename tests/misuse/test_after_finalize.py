# SPDX-License-Identifier: BSD-3-Clause
"""Calls after MPI_Finalize are errors that say so, whatever they are made with; those that MPI
allows at any time work."""
import os
import unittest

from harness import LauncherTest

PROGRAM = os.environ["TESSERA_TEST_AFTER_FINALIZE"]
RETURN = ("-x", "TESSERA_INITIAL_ERRHANDLER=mpi_errors_return")


class AfterFinalize(LauncherTest):
    def lines(self, case, *options):
        result = self.run_job("--timeout", 60, *options, "-n", 1, PROGRAM, case)
        self.assertEqual((result.status, result.err), (0, ""), result)
        return result.out.splitlines()

    def expect_refused(self, lines, least):
        self.assertGreaterEqual(len(lines), least, lines)
        for line in lines:
            self.assertRegex(line, r"^(MPI_\w+): \1: called after MPI_Finalize(; call it before)?( \[after MPI_Finalize\])?$")

    def test_what_the_program_has_left_behind(self):
        self.expect_refused(self.lines("own", *RETURN), 45)

    def test_what_is_predefined(self):
        self.expect_refused(self.lines("predefined", *RETURN), 25)

    def test_without_the_checks_of_arguments(self):
        lines = self.lines("own", *RETURN, "--mca", "mpi_argument_check", "false")
        self.expect_refused([line for line in lines if not line.endswith(": no error")], 35)
        for line in lines:
            self.assertRegex(line, r"^MPI_(Wait|Test): no error$|called after MPI_Finalize")

    def test_what_may_be_called_at_any_time(self):
        lines = self.lines("always")
        self.assertEqual(len(lines), 14, lines)
        self.assertEqual([line for line in lines if not line.endswith(": no error")], [])

    def test_a_session_lets_calls_be_made_again(self):
        lines = self.lines("after_session", *RETURN)
        closed = lines.index("closed")
        self.assertEqual([line for line in lines[:closed] if not line.endswith(": no error")], [])
        self.expect_refused(lines[closed + 1:], 45)

    def test_the_job_ends_by_default(self):
        result = self.run_job("--timeout", 60, "-n", 2, PROGRAM, "own")
        self.assertNotEqual(result.status, 0, result)
        self.assertIn("MPI_Comm_rank: called after MPI_Finalize", result.err)


if __name__ == "__main__":
    unittest.main(verbosity=1)
