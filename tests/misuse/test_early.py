# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec --check says of receive buffers that are touched too early; programs that are right
get their data without a word."""
import os
import platform
import re
import shutil
import unittest

from harness import LauncherTest

PROGRAM = os.environ["TESSERA_TEST_EARLY"]
RIGHT_PROGRAM = os.environ["TESSERA_TEST_PATIENT"]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "early.c")
SEGMENTATION_FAULT = 128 + 11
X86 = platform.machine() == "x86_64"
TRANSPORTS = ((1, "self"), (2, "self,sm"), (2, "self,tcp"))
RIGHT = ("lengths", "completions", "told_of_completions", "persistent", "cancelled", "matched", "failed", "types", "memories",
         "freed_requests", "countless", "threads", "other_names")


def line_of(function, text):
    """Where in a function of the source a text stands."""
    inside = False
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            inside = inside or re.match(rf"static void\*? {function}\(", line) is not None
            if inside and text in line:
                return number
    raise KeyError((function, text))


def at(function, text):
    return rf"early\.c:{line_of(function, text)} \({function}\)" if shutil.which("addr2line") else ".*"


class Early(LauncherTest):
    def check(self, *words, ranks=1, options=(), program=PROGRAM):
        return self.run_job("--timeout", 60, "--check", *options, "-n", ranks, program, *words)

    def expect_told(self, result, case, call, verb, place=None):
        """One line of each rank that has come so far."""
        verb = verb if X86 else "read or written"
        told = (f"{call} at {at(case, call)}: its receive buffer was {verb} at {at(place or case, '/* too early')} "
                "before the operation was completed; what ")
        lines = [line for line in result.err.splitlines() if line.startswith("mpiexec --check:")]
        ranks = [line.split(": ")[1] for line in lines]
        self.assertTrue(lines and len(set(ranks)) == len(ranks), result)
        for line in lines:
            self.assertRegex(line, rf"^mpiexec --check: rank \d: {told}")
        return ranks

    def test_who_touches_a_buffer_too_early_is_named(self):
        for case, call, verb in (("read_early", "MPI_Irecv", "read"), ("write_early", "MPI_Start", "written"),
                                 ("copy_early", "MPI_Irecv", "read"), ("reduce_early", "MPI_Irecv", "read")):
            for ranks, transports in TRANSPORTS:
                with self.subTest(case=case, transports=transports):
                    result = self.check(case, ranks=ranks, options=("--mca", "btl", transports))
                    self.assertEqual(result.status, 0, result)
                    self.assertEqual(len(self.expect_told(result, case, call, verb)), ranks, result)

    def test_several_threads_at_once(self):
        result = self.check("threads_read_early", ranks=2)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(len(self.expect_told(result, "threads_read_early", "MPI_Irecv", "read", "reads_shared")), 2, result)

    def test_programs_that_end_before_another_call(self):
        self.expect_told(self.check("ends_early"), "ends_early", "MPI_Irecv", "read")
        result = self.check("aborts_early")
        self.assertEqual(result.status, 3, result)
        self.expect_told(result, "aborts_early", "MPI_Irecv", "read")
        result = self.check("crashes_early")
        self.assertEqual(result.status, SEGMENTATION_FAULT, result)
        self.assertRegex(result.err, r"(?m)^mpiexec --check: rank 0: MPI_Irecv: its receive buffer was .* at \S*misuse_early\+0x[0-9a-f]+ "
                                     r"before the operation was completed$")

    def test_memory_that_mpi_uses_twice_is_not_guarded(self):
        for ranks, transports in TRANSPORTS:
            with self.subTest(transports=transports):
                result = self.check("send_of_a_guarded_buffer", ranks=ranks, options=("--mca", "btl", transports))
                self.assertEqual(result.status, 0, result)
                self.assertEqual(result.err.count("its send buffer overlaps the receive buffer of MPI_Irecv"), ranks, result)
                self.assertNotIn("before the operation was completed", result.err)

    def test_memory_that_is_gone(self):
        result = self.check("frees_early", ranks=2)
        self.assertEqual((result.status, result.out, result.err), (0, "alive\n" * 2, ""), result)

    def test_the_system_has_no_access(self):
        result = self.check("writes_to_a_pipe_early")
        self.assertEqual((result.status, result.out, result.err), (0, "no access\n", ""), result)

    def test_other_faults_come_to_where_they_came_before(self):
        result = self.check("no_handler")
        self.assertEqual(result.status, SEGMENTATION_FAULT, result)
        self.assertNotIn("mpiexec --check", result.err)
        for case in ("handler_before", "handler_after", "sent_signal"):
            with self.subTest(case=case):
                result = self.check(case)
                before = "as without the check\n" if case == "handler_after" else ""
                self.assertEqual(result.out, before + "handler of the program\n", result)
                self.assertNotIn("mpiexec --check", result.err)

    def test_faults_in_mpi_are_told_as_before(self):
        result = self.check("fault_in_mpi")
        self.assertEqual(result.status, SEGMENTATION_FAULT, result)
        self.assertRegex(result.err, "(?m)^(MPI_Reduce_local|a function of MPI): rank 0 of the job touched address 0x")

    def test_nothing_is_said_of_right_programs(self):
        for ranks, transports in TRANSPORTS:
            for case in RIGHT:
                with self.subTest(case=case, transports=transports):
                    result = self.check(case, ranks=ranks, options=("--mca", "btl", transports), program=RIGHT_PROGRAM)
                    self.assertEqual((result.status, result.out, result.err), (0, "", ""), result)


if __name__ == "__main__":
    unittest.main(verbosity=1)
