# SPDX-License-Identifier: BSD-3-Clause
"""A crash inside an MPI call names the call; any other crash, and handlers of the program, are left
alone."""
import os
import platform
import unittest

from harness import LauncherTest

MISUSE = os.environ["TESSERA_TEST_MISUSE"]
SEGMENTATION_FAULT = 128 + 11
X86 = platform.machine() == "x86_64"


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

    def told(self, name, signal=11):
        result = self.run_job("--timeout", 60, "-n", 2, MISUSE, name)
        self.assertEqual(result.status, 128 + signal, result)
        return " ".join(result.err.split())

    def test_what_the_call_was_made_with(self):
        for name, advice, arguments in (
                ("send_from_nowhere", "What this call reads (a buffer to send, a handle, an array) is not valid",
                 "called for 1000 elements of 4 bytes, rank 1, tag 0, MPI_COMM_WORLD."),
                ("receive_into_constant", "What this call writes (a buffer to receive into, a status", "")):
            with self.subTest(misuse=name):
                told = self.told(name)
                self.assertIn(advice if X86 else "is not valid, or a count or a displacement is too large", told)
                self.assertIn(arguments, told)

    def test_the_argument_is_named(self):
        for name, argument in (("send_from_nowhere", "buf"), ("receive_into_constant", "buf"),
                               ("reduce_from_nowhere", "sendbuf"), ("gather_into_nowhere", "recvbuf"),
                               ("exchange_into_constant", "recvbuf"),
                               ("exchange_types_into_nowhere", "recvbuf"), ("exchange_types_from_nowhere", "sendbuf")):
            with self.subTest(misuse=name):
                self.assertIn(f" The address lies in its argument `{argument}`.", self.told(name))
        self.assertNotIn("The address lies", self.told("status_nowhere"))

    @unittest.skipUnless(X86, "what a processor says of an address is its own")
    def test_a_handle_that_never_was_one(self):
        self.assertIn("0x123456789a0, which is probably a handle among the arguments of this call, was never one",
                      self.told("garbage_communicator"))

    @unittest.skipUnless(X86, "others say at which address")
    def test_a_buffer_beyond_all_memory(self):
        told = self.told("send_from_beyond_memory")
        self.assertRegex(told, "MPI_Send: rank 0 of the job touched an address that no process can have")
        self.assertIn("called for 1000 elements of 4 bytes", told)
        self.assertNotIn("nil", told)

    def test_a_handle_beyond_all_memory_is_a_wrong_argument(self):
        result = self.run_job("--timeout", 60, "-n", 2, MISUSE, "communicator_beyond_memory")
        self.assertIn("MPI_Barrier: argument `comm` is no communicator: 0xdeadbeef0000dea8 was never a handle", result.err)

    def test_a_stack_that_is_used_up(self):
        told = self.told("no_stack_left")
        self.assertIn("MPI_Sendrecv_replace: rank 0 of the job has no stack left, and is killed by signal 11 (SIGSEGV)", told)
        self.assertIn("ulimit -s", told)

    def test_a_stack_of_the_program_stays(self):
        result = self.run_job("--timeout", 60, "-n", 1, MISUSE, "stack_before")
        self.assertEqual((result.status, result.out), (0, "stack of the program\n"), result)

    def test_memory_that_is_no_more(self):
        told = self.told("operand_beyond_file", 7)
        self.assertRegex(told, "(MPI_Reduce_local|a function of MPI): rank 0 of the job touched address 0x[0-9a-f]+, "
                               "which the process has no memory behind")
        self.assertIn("a mapping that reaches beyond the end of its file", told)

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
