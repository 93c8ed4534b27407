# SPDX-License-Identifier: BSD-3-Clause
"""Collective calls that do not match are told, with both ranks and both values; those that match,
with nothing."""
import re
import subprocess
import sys
import unittest

MPIEXEC, PROGRAM, *OPTIONS = sys.argv[1:]  # options of mpiexec

# What the report says, by case: of the two ranks concerned, the lower one first.
TOLD = {
    "operation": ["operation 2 on MPI_COMM_WORLD", "rank 0 calls MPI_Barrier, rank 1 calls MPI_Bcast."],
    "root": ["operation 1 on", "rank 0 calls MPI_Bcast with root 0, rank 1 calls MPI_Bcast with root 1.",
             "Give the same root on all ranks."],
    "reduction": ["rank 0 calls MPI_Allreduce with MPI_SUM, rank 1 calls MPI_Allreduce with MPI_MAX."],
    "count": ["rank 0 calls MPI_Allreduce with count 2 of MPI_INT, rank 1 calls MPI_Allreduce with count 3 of MPI_INT."],
    "nonblocking_count": ["rank 0 calls MPI_Iallreduce with count 2 of MPI_INT, "
                          "rank 1 calls MPI_Iallreduce with count 3 of MPI_INT."],
    "type": ["rank 0 calls MPI_Bcast with count 2 of MPI_INT, rank 1 calls MPI_Bcast with count 2 of MPI_FLOAT."],
    "exchanged": ["rank 0 calls MPI_Allgather with sendcount 2 of MPI_INT, "
                  "rank 1 calls MPI_Allgather with recvcount 1 of a derived type of 6 bytes."],
    "gathered": ["rank 0 calls MPI_Gather with recvcount 1 of MPI_INT, "
                 "rank 1 calls MPI_Gather with sendcount 2 of MPI_INT."],
    "counts": ["rank 0 calls MPI_Allgatherv with recvcounts that add up to 2 of MPI_INT, "
               "rank 1 calls MPI_Allgatherv with recvcounts that add up to 3 of MPI_INT."],
    "in_place": ["rank 0 calls MPI_Alltoall with a send buffer, rank 1 calls MPI_Alltoall with MPI_IN_PLACE."],
    "form": ["rank 0 calls MPI_Ibarrier, rank 1 calls MPI_Barrier.", "blocking, nonblocking and persistent"],
    "persistent": ["rank 0 calls MPI_Barrier_init, rank 1 calls MPI_Barrier."],
    "missing": ["operation 41 on", "rank 0 has ended its use of the communicator, rank 1 calls MPI_Barrier."],
    "never": ["operation 1 on", "rank 0 has ended its use of the communicator, rank 1 calls MPI_Bcast."],
    "freed": ["operation 2 on pairs", "rank 0 has ended its use of the communicator, rank 1 calls MPI_Barrier."],
    "making": ["operation 1 on", "rank 0 calls MPI_Comm_dup, rank 1 calls MPI_Barrier."],
    "reordered": ["a communicator without a name (2 ranks)", "rank 0 (1 in MPI_COMM_WORLD) calls MPI_Bcast with root 0, "
                  "rank 1 (0 in MPI_COMM_WORLD) calls MPI_Bcast with root 1."],
    "across": ["(1 + 1 ranks)", "group", "MPI_Allreduce with count 1 of MPI_INT", "MPI_Allreduce with count 2 of MPI_INT"],
    "returned": ["operation 8 on", "rank 0 calls MPI_Allreduce with MPI_SUM, rank 1 calls MPI_Allreduce with MPI_MAX."],
    "stuck": ["rank 0 calls MPI_Barrier, rank 1 calls MPI_Bcast.", "cannot be left", "MPI_ERRORS_RETURN"],
}


def run(case, ranks=2, check="true"):
    command = [MPIEXEC, "--timeout", "30", "-n", str(ranks), "--mca", "coll_check", check, *OPTIONS, PROGRAM, case]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    return done.returncode, done.stdout, " ".join(done.stderr.split())


class Mismatches(unittest.TestCase):
    def told(self, case, ranks=2, parts=None):
        code, _, said = run(case, ranks)
        self.assertNotEqual(code, 0, said)
        self.assertIn("[coll-mismatch]", said)
        for part in parts or TOLD[case]:
            self.assertIn(part, said)

    def test_every_kind(self):
        for case in TOLD:
            with self.subTest(case=case):
                self.told(case)

    def test_neighbours_of_the_one_who_differs(self):
        for ranks in (3, 8):
            with self.subTest(ranks=ranks):
                self.told("root", ranks, ["rank 1 calls MPI_Bcast with root 1"])
                self.told("operation", ranks, ["rank 0 calls MPI_Barrier,"])
                self.told("count", ranks, ["rank 1 calls MPI_Allreduce with count 3 of MPI_INT"])

    def test_the_call_returns_it(self):
        _, printed, _ = run("returned")
        self.assertRegex(printed, re.compile("returned: MPI_Allreduce: collective operation 8 .*MPI_SUM.*MPI_MAX"))

    def test_nothing_is_said_of_calls_that_match(self):
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                self.assertEqual(run("right", ranks), (0, "", ""))

    def test_nothing_is_compared_unless_asked_for(self):
        self.assertEqual(run("type", check="false"), (0, "", ""))


unittest.main(argv=sys.argv[:1])
