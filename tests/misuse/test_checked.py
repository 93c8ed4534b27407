# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec --check says of programs that forget, overlap, change and call from the wrong place,
and of one that is right."""
import os
import re
import shutil
import unittest

from harness import LauncherTest

PROGRAM = os.environ["TESSERA_TEST_CHECKED"]
SESSIONS = os.environ["TESSERA_TEST_CHECKED_SESSIONS"]
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checked.c")


def line_of(function, call):
    """Where in a function of the source a call stands."""
    inside = False
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            inside = inside or re.match(rf"static void\*? {function}\(", line) is not None
            if inside and call in line:
                return number
    raise KeyError((function, call))


class Checked(LauncherTest):
    def checked(self, *words, ranks=1, options=()):
        result = self.run_job("--timeout", 60, "--check", *options, "-n", ranks, PROGRAM, *words)
        self.assertEqual(result.status, 0, result)
        return result.err.splitlines()

    def at(self, call, function, line_in=None):
        place = rf"checked\.c:{line_of(line_in or function, call)} \({function}\)" if shutil.which("addr2line") else ".*"
        return rf"{call} at {place}"

    def expect_one(self, lines, pattern):
        found = [line for line in lines if re.search(pattern, line)]
        self.assertEqual(len(found), 1, (pattern, lines))

    def test_what_was_never_freed(self):  # req io 2.26
        lines = self.checked("leaked_communicators")
        self.expect_one(lines, r"^mpiexec --check: rank 0: 2 communicators of " +
                        self.at("MPI_Comm_dup", "leaked_communicators") + " were never freed; MPI_Comm_free is missing$")
        self.assertEqual(len(lines), 1, lines)
        lines = self.checked("leaked_objects", ranks=2)
        objects = (("group", "MPI_Comm_group", "freed"), ("datatype", "MPI_Type_vector", "freed"),
                   ("info object", "MPI_Info_create", "freed"), ("operation", "MPI_Op_create", "freed"),
                   ("error handler", "MPI_Comm_create_errhandler", "freed"), ("window", "MPI_Win_create", "freed"),
                   ("file", "MPI_File_open", "closed"), ("request", "MPI_Recv_init", "completed or freed"),
                   ("attribute key", "MPI_Comm_create_keyval", "freed"), ("attached buffer", "MPI_Buffer_attach", "detached"))
        for name, call, fate in objects:
            for rank in (0, 1):
                self.expect_one(lines, f"rank {rank}: 1 {name} of " + self.at(call, "leaked_objects") + f" was never {fate};")
        self.assertEqual(len(lines), 2 * len(objects), lines)
        self.expect_one(self.checked("leaked_operation"),
                        "1 request of " + self.at("MPI_Irecv", "leaked_operation") + " was never completed or freed")

    def test_sessions(self):
        group = r"1 group of MPI_Group_from_session_pset at .* was never freed; MPI_Group_free is missing$"
        info = r"1 info object of MPI_Info_create at .* was never freed; MPI_Info_free is missing$"
        left = (r"1 datatype of MPI_Type_contiguous at .* was never freed; MPI_Type_free is missing$",
                r"1 session of MPI_Session_init at .* was never finalized; MPI_Session_finalize is missing$")
        for case, expected in (("alone", (group,)), ("after", (info, group)), ("around", (info,)), ("left_open", left)):
            with self.subTest(case=case):
                ranks = 1 if case == "left_open" else 2  # its end ends the others
                result = self.run_job("--timeout", 60, "--check", "-n", ranks, SESSIONS, case)
                lines = [line for line in result.err.splitlines() if line.startswith("mpiexec --check: ")]
                for rank in range(ranks):
                    mine = [line for line in lines if line.startswith(f"mpiexec --check: rank {rank}: ")]
                    for line, pattern in zip(mine, expected):
                        self.assertRegex(line, pattern)
                    self.assertEqual(len(mine), len(expected), result)

    def test_ten_lines_at_most(self):
        lines = self.checked("leaked_many")
        self.assertEqual(len(lines), 11, lines)
        self.assertIn("2 info objects of MPI_Info_create", lines[0])
        self.assertIn("and 2 more", lines[-1])

    def test_buffers_of_operations_under_way(self):
        for case, call, end in (("changed_send", "MPI_Issend", "MPI_Wait"), ("changed_column", "MPI_Issend", "MPI_Waitall"),
                                ("changed_persistent", "MPI_Start", "MPI_Wait")):
            with self.subTest(case=case):
                lines = self.checked(case)
                self.expect_one(lines, self.at(call, case) + ": its send buffer was changed before " + self.at(end, case) +
                                " completed the operation")
                self.assertEqual(len(lines), 1, lines)
        for case, call, what, other in (
                ("overlapping_receives", "MPI_Irecv", "receive buffer overlaps the receive buffer", "MPI_Irecv"),
                ("send_of_a_receive_buffer", "MPI_Send", "send buffer overlaps the receive buffer", "MPI_Irecv")):
            with self.subTest(case=case):
                lines = self.checked(case)
                self.expect_one(lines, rf"{call} at .*: its {what} of {other} at .*, which is still pending")
                self.assertEqual(len(lines), 1, lines)
        self.expect_one(self.checked("overlapping_sendrecv"),
                        self.at("MPI_Sendrecv", "overlapping_sendrecv") + ": the send buffer and the receive buffer overlap")

    def test_a_thread_that_may_not_call(self):
        place = self.at("MPI_Comm_rank", "asks_for_rank")
        for words, init, level in ((("wrong_thread",), "MPI_Init", "SINGLE"),
                                   (("wrong_thread", "funneled"), "MPI_Init_thread", "FUNNELED")):
            lines = self.checked(*words)
            self.expect_one(lines, place + f" is called by another thread than {init}, which has provided MPI_THREAD_{level}; ask")
            self.assertEqual(len(lines), 1, lines)

    def test_a_call_in_a_reduction_operation(self):
        lines = self.checked("call_in_operation")
        self.expect_one(lines, self.at("MPI_Bcast", "asks") + " is called inside a reduction operation, that of " +
                        self.at("MPI_Op_create", "call_in_operation"))
        self.assertEqual(len(lines), 1, lines)

    def test_the_parameters_are_set(self):
        for case, parameter, ranks, said in (("other_types", "coll_check", 2, "is not the same on all ranks"),
                                             ("put_twice", "osc_check", 1, "both access bytes 0 to 3")):
            command = ("-n", ranks, PROGRAM, case)
            with self.subTest(case=case):
                result = self.run_job("--timeout", 60, "--check", *command)
                self.assertNotEqual(result.status, 0, result)
                self.assertIn(said, " ".join(result.err.split()))
            for options in (("--check", "--mca", parameter, "false"), ("--mca", parameter, "false", "--check"), ()):
                with self.subTest(case=case, options=options):
                    result = self.run_job("--timeout", 60, *options, *command)
                    self.assertEqual((result.status, result.err), (0, ""), result)

    def test_nothing_is_said_of_right_programs(self):
        self.assertEqual(self.checked("right", ranks=2), [])
        self.assertEqual(self.checked("right_cancel"), [])
        self.assertEqual(self.checked("right", ranks=2, options=("--mca", "btl", "self,tcp")), [])

    def test_nothing_is_said_unless_asked(self):
        result = self.run_job("--timeout", 60, "-n", 1, PROGRAM, "leaked_objects")
        self.assertEqual((result.status, result.err), (0, ""), result)

    def test_a_script_between(self):
        result = self.run_job("--timeout", 60, "--check", "-n", 1, "/bin/sh", "-c", f"{PROGRAM} leaked_communicators; true")
        self.assertIn("2 communicators of MPI_Comm_dup", result.err)
        self.assertEqual(result.status, 0, result)


if __name__ == "__main__":
    unittest.main(verbosity=1)
