# SPDX-License-Identifier: BSD-3-Clause
"""Reductions by other operations, last calls whose data nobody reads, and messages of other types
are told; what matches is not."""
import os
import unittest

from harness import LauncherTest

PROGRAM = os.environ["TESSERA_TEST_MISMATCHES"]
WAYS = ("expected", "unexpected", "synchronous", "matched", "persistent", "completed")


class Mismatches(LauncherTest):
    def run_case(self, *words, ranks=2, options=()):
        return self.run_job("--timeout", 60, *options, "-n", ranks, PROGRAM, *words)

    def reduction_told(self, function, *words, name="MPI_MAX", ranks=2, options=()):
        result = self.run_case(*words, ranks=ranks, options=options)
        self.assertNotEqual(result.status, 0, result)
        said = " ".join(result.err.split())
        self.assertRegex(said, rf"{function}: collective calls do not match: rank \d of the communicator calls {function} with "
                               rf"({name}, this one with MPI_SUM|MPI_SUM, this one with {name}); all processes of a communicator")

    def test_other_reductions(self):
        for case, function in (("reduce", "MPI_Reduce"), ("allreduce", "MPI_Allreduce"), ("reduce_scatter", "MPI_Reduce_scatter"),
                               ("reduce_scatter_block", "MPI_Reduce_scatter_block"), ("scan", "MPI_Scan"), ("exscan", "MPI_Exscan")):
            for ranks in (2, 3):
                for count in (1, 500, 100000):
                    with self.subTest(case=case, ranks=ranks, count=count):  # through shared memory, whatever the rules say
                        self.reduction_told(function, case, count, ranks=ranks, options=("--mca", f"coll_sm_{case}_limit", "8M"))
        self.reduction_told("MPI_Allreduce", "own_reduction", name="an operation of the program's own")

    def test_amounts_of_operations_that_are_waited_for(self):
        for case, form in (("iallreduce", "nonblocking allreduce"), ("ibarrier", "nonblocking (barrier|allreduce)"),
                           ("allreduce_init", "persistent allreduce")):
            for ranks in (2, 3):
                with self.subTest(case=case, ranks=ranks):
                    result = self.run_case(case, ranks=ranks)
                    self.assertNotEqual(result.status, 0, result)
                    self.assertRegex(" ".join(result.err.split()),
                                     rf"MPI_Wait: {form}: rank \d sent (more than the|\d+ bytes where this operation expects) \d+.*: "
                                     r"it calls a different operation, or passes a different amount of data ")

    def test_calls_that_go_as_messages(self):
        for case, function, theirs, mine in (
                ("other_root", "MPI_Barrier", "MPI_Bcast with root 0", "with root 1"),
                ("other_reduction", "MPI_Barrier", "MPI_Allreduce with MPI_SUM", "with MPI_MAX"),
                ("other_operation", "MPI_Barrier", "MPI_Reduce", "MPI_Gather"),
                ("other_init", "MPI_Finalize", "MPI_Bcast with root 0", "with root 1")):
            for ranks in (2,) if case == "other_operation" else (2, 3):
                with self.subTest(case=case, ranks=ranks):
                    result = self.run_case(case, 2000, ranks=ranks)
                    self.assertNotEqual(result.status, 0, result)
                    said = " ".join(result.err.split())
                    start = rf"{function}: .*collective calls do not match: in an earlier call, nonblocking, persistent or sent as messages, "
                    call, _, what = theirs.partition(" ")
                    back = f"{call} {mine}, this one {what}" if what else f"{mine}, this one {call}"
                    self.assertRegex(said, start + rf"rank \d of the communicator calls ({theirs}, this one {mine}|{back});")

    def test_short_nonblocking_calls(self):
        for ranks in (2, 3):
            with self.subTest(ranks=ranks):
                result = self.run_case("other_reduction", ranks=ranks)
                self.assertNotEqual(result.status, 0, result)
                said = " ".join(result.err.split())
                self.assertRegex(said, r"MPI_Wait: nonblocking allreduce: collective calls do not match: rank \d of the communicator "
                                       r"calls MPI_Allreduce with MPI_(SUM, this one with MPI_MAX|MAX, this one with MPI_SUM);")

    def last_call_told(self, case, ending, call, on=""):
        for ranks in (2, 3):
            with self.subTest(case=case, ranks=ranks):
                result = self.run_case(case, ranks=ranks)
                self.assertNotEqual(result.status, 0, result)
                said = " ".join(result.err.split())
                self.assertRegex(said, rf"{ending}: {on}collective calls do not match: rank \d of the communicator calls {call} "
                                       r"with root (0, this one with root 1|1, this one with root 0);")

    def test_last_calls_that_nobody_reads(self):
        self.last_call_told("bcast", "MPI_Finalize", "MPI_Bcast", "on MPI_COMM_WORLD, ")
        self.last_call_told("scatter", "MPI_Finalize", "MPI_Scatter", "on MPI_COMM_WORLD, ")
        self.last_call_told("empty_gather", "MPI_Finalize", "MPI_Gather", "on MPI_COMM_WORLD, ")
        self.last_call_told("freed", "MPI_Comm_free", "MPI_Bcast")
        self.last_call_told("never_freed", "MPI_Finalize", "MPI_Bcast", "on halo, ")

    def test_roots_of_many_ranks(self):
        result = self.run_case("bcast", ranks=130)  # an announcement has seven bits for the root
        self.assertNotEqual(result.status, 0, result)
        self.assertRegex(" ".join(result.err.split()),
                         r"calls MPI_Bcast with root (0 modulo 128, this one with root 1|1 modulo 128, this one with root 0) modulo 128;")

    def test_a_call_that_one_rank_makes(self):
        result = self.run_case("one_more")
        self.assertNotEqual(result.status, 0, result)
        self.assertRegex(" ".join(result.err.split()),
                         r"rank (0 of the communicator calls MPI_Bcast, this one MPI_Barrier|"
                         r"1 of the communicator calls MPI_Barrier, this one MPI_Bcast);")

    def test_the_last_one_to_leave_is_told(self):
        result = self.run_case("returned", ranks=3)
        self.assertEqual((result.status, result.err), (0, ""), result)
        lines = sorted(result.out.splitlines())
        self.assertEqual(len(lines), 3, result)
        self.assertRegex(lines[0], "^freed: MPI_Comm_free: collective calls do not match: ")
        self.assertEqual(lines[1:], ["freed: no error"] * 2)

    def test_types_of_messages(self):
        for btl in ("self,sm", "self,tcp"):
            with self.subTest(btl=btl):
                result = self.run_case("types", options=("--check", "--mca", "btl", btl))
                self.assertEqual((result.status, result.err), (0, ""), result)
                lines = result.out.splitlines()
                for way in WAYS:
                    function = {"unexpected": "MPI_Recv", "matched": "MPI_Mrecv", "completed": "MPI_Waitall"}.get(way, "MPI_Wait")
                    for size, sent, wanted in (("short", "16 bytes of MPI_INT", "MPI_FLOAT"), ("middle", "2000 bytes of MPI_INT", "MPI_FLOAT"),
                                               ("long", "1048576 bytes of MPI_INT", "MPI_FLOAT"),
                                               ("struct", "36 bytes of several types", "another sequence of types"),
                                               ("part", "8 bytes of MPI_INT", "MPI_DOUBLE")):
                        found = [line for line in lines if line.startswith(f"{size} {way}: ")]
                        self.assertEqual(len(found), 1, (size, way, lines))
                        self.assertIn(f"{function}: the message from source 0 with tag 3 has {sent}, but the receive takes {wanted}; "
                                      "what is received must have the types that were sent [", found[0])
                self.assertEqual(len(lines), 5 * len(WAYS), lines)

    def test_types_that_fit(self):
        for btl in ("self,sm", "self,tcp"):
            with self.subTest(btl=btl):
                result = self.run_case("types_that_fit", options=("--check", "--mca", "btl", btl))
                self.assertEqual((result.status, result.err), (0, ""), result)
                lines = result.out.splitlines()
                self.assertEqual(len(lines), 11 * len(WAYS), lines)
                self.assertEqual([line for line in lines if not line.endswith(": no error")], [])

    def test_types_of_buffered_messages(self):
        result = self.run_case("buffered", options=("--check",))
        self.assertEqual((result.status, result.err), (0, ""), result)
        lines = result.out.splitlines()
        for line, name in zip(lines, ("other", "vector")):
            self.assertRegex(line, f"^{name}: MPI_Recv: the message .* has 16 bytes of MPI_INT, but the receive takes MPI_FLOAT; ")
        self.assertRegex(lines[2], "^several: MPI_Recv: the message .* has 24 bytes of several types, but the receive takes another sequence of types; ")
        self.assertEqual(lines[3:], [f"{name}: no error" for name in ("same", "same several", "bytes")])

    def test_types_of_partitioned_messages(self):
        result = self.run_case("partitions", options=("--check",))
        self.assertEqual((result.status, result.err), (0, ""), result)
        lines = result.out.splitlines()
        for line, name in zip(lines, ("other", "other", "several", "several")):
            sent, wanted = ("MPI_INT", "MPI_FLOAT") if name == "other" else ("several types", "another sequence of types")
            self.assertIn(f"{name}: MPI_Wait: the partitioned send has {sent}, but the receive takes {wanted}; "
                          "what is received must have the types that were sent", line)
        self.assertEqual(lines[4:], [f"{name}: no error" for name in ("same", "same several", "more", "bytes") for _ in range(2)])
        result = self.run_case("partitions")
        self.assertEqual([line for line in result.out.splitlines() if not line.endswith(": no error")], [])

    def test_types_are_compared_when_asked_for(self):
        result = self.run_case("types")
        self.assertEqual([line for line in result.out.splitlines() if not line.endswith(": no error")], [])

    def test_nothing_is_said_of_what_matches(self):
        for ranks in (2, 3, 5):
            for options in ((), ("--mca", "coll_sm_direct", "false"), ("--mca", "btl", "self,tcp"), ("--mca", "coll_check", "true")):
                with self.subTest(ranks=ranks, options=options):
                    result = self.run_case("matching", ranks=ranks, options=options)
                    self.assertEqual((result.status, result.err), (0, ""), result)


if __name__ == "__main__":
    unittest.main(verbosity=1)
