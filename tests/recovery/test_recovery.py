# SPDX-License-Identifier: BSD-3-Clause
"""A rank dies inside each kind of communication; the others get MPI_ERR_PROC_ABORTED and go on."""
import itertools
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "launcher"))
from harness import REPEAT, LauncherTest  # noqa: E402

SURVIVE = os.environ["TESSERA_TEST_SURVIVE"]
RANKS = 3

SMALL, STREAMED, LARGE = 24, 24 * 1024, 768 * 1024
POINT_TO_POINT = ["send_recv", "from_victim", "to_victim"]
WAITS = ["probe", "iprobe", "any_source", "wait_any", "test"]
MOVING = ["bcast", "gather", "scatter", "allgather", "alltoall", "gatherv", "scatterv", "allgatherv",
          "alltoallv", "alltoallw"]
REDUCING = ["reduce", "allreduce", "reduce_scatter", "scan", "exscan"]
OTHERS = ["dup", "split", "from_group", "iallreduce"]
INTER = ["inter_dup", "inter_idup", "inter_split", "inter_create", "inter_merge", "inter_from_groups",
         "inter_barrier", "inter_allreduce"]

OVER_TCP = ["--mca", "btl", "self,tcp"]
BY_MESSAGES = ["--mca", "coll", "basic"]


class Recovery(LauncherTest):
    def survive(self, case, size, victim=1, when="absent", options=(), ranks=RANKS):
        with self.subTest(case=case, bytes=size, victim=victim, when=when, options=" ".join(options)):
            job = self.start("-n", ranks, "--enable-recovery", *options, SURVIVE, case, str(size), str(victim), when)
            result = self.finish(job)
            lines = sorted(result.out.splitlines())
            survivors = [rank for rank in range(ranks) if rank != victim]
            self.assertEqual([line.split(":")[:2] for line in lines],
                             [[f"rank {rank}", " aborted"] for rank in survivors], result)
            self.assertEqual(result.status, 0, result)
            self.assertRegex(result.err, rf"^mpiexec: rank {victim} \(.*\) was killed by signal 9 \(Killed\); "
                                         r"the other(s| \d ranks| rank) .*\n$")

    def each(self, cases, sizes, **others):
        for _ in range(REPEAT):
            for case, size, victim in itertools.product(cases, sizes, (0, 1)):
                for when in ("absent", "during"):
                    self.survive(case, size, victim, when, **others)

    def test_point_to_point(self):
        self.each(POINT_TO_POINT, (SMALL, STREAMED, LARGE))

    def test_point_to_point_without_single_copy(self):
        self.each(POINT_TO_POINT, (STREAMED, LARGE), options=["--mca", "btl_sm_single_copy", "none"])

    def test_point_to_point_over_tcp(self):
        self.each(POINT_TO_POINT, (SMALL, LARGE), options=OVER_TCP)

    def test_waits(self):
        self.each(WAITS, (SMALL,))

    def test_barrier(self):
        self.each(["barrier"], (SMALL,))

    def test_collective_movement(self):
        self.each(MOVING, (SMALL, STREAMED, LARGE))

    def test_reductions(self):
        self.each(REDUCING, (SMALL, STREAMED, LARGE))

    def test_neighbourhoods(self):
        self.each(["neighbours"], (SMALL, STREAMED))

    def test_collectives_by_messages(self):
        self.each(["barrier", *MOVING, *REDUCING], (SMALL, LARGE), options=BY_MESSAGES)

    def test_collectives_over_tcp(self):
        self.each(["barrier", *MOVING, *REDUCING], (SMALL,), options=OVER_TCP)

    def test_making_communicators(self):
        self.each(OTHERS, (SMALL,))

    def test_the_same_tag_again(self):
        self.survive("create_group", SMALL, RANKS - 1)

    # A short message may have gone before its sender knows of the death, and does not fail.
    def test_send_and_receive(self):
        for _ in range(REPEAT):
            for case, victim in itertools.product(("isendrecv", "isendrecv_replace"), range(RANKS)):
                self.survive(case, LARGE, victim)

    def test_exposure(self):
        for component in ("sm", "am"):
            self.each(["win_wait", "win_test"], (SMALL,), options=["--mca", "osc", component])

    def test_accept(self):
        for victim in range(RANKS):
            self.survive("accept", SMALL, victim)

    # The victim leads a group, or is its other member.
    def test_intercommunicators(self):
        for _ in range(REPEAT):
            for case, victim, when in itertools.product(INTER, range(4), ("absent", "during")):
                self.survive(case, SMALL, victim, when, ranks=4)

    # The leaders alone know each other: the group of a leader that lives hears of the other one's
    # death.
    def test_leaders(self):
        for _ in range(REPEAT):
            for victim, when in itertools.product((0, 1), ("absent", "during")):
                self.survive("inter_connect", SMALL, victim, when, ranks=4)

    def test_asleep(self):
        self.each(["from_victim", "any_source", "barrier", "iallreduce"], (SMALL,), options=["--mca", "core_wait", "sleep"])

    def test_left_behind(self):
        for victim in range(RANKS):
            self.survive("left_behind", SMALL, victim)

    def test_before_init(self):
        for _ in range(REPEAT):
            for case, victim, options in itertools.product(("send_recv", "barrier"), (0, 1), ((), OVER_TCP)):
                self.survive(case, SMALL, victim, "before_init", options)

    def test_in_finalize(self):
        for _ in range(REPEAT):
            self.survive("nothing", SMALL, 1, "finalize")

    def test_without_the_option_the_job_ends(self):
        job = self.start("-n", RANKS, SURVIVE, "barrier", str(SMALL), "1", "absent")
        result = self.finish(job)
        self.assertEqual(result.status, 137, result)
        self.assertRegex(result.err, r"was killed by signal 9 \(Killed\); ending the other 2 ranks\n$")
        self.assertEqual(result.out, "")

    def test_nobody_survives(self):
        job = self.start("-n", RANKS, "--enable-recovery", "sh", "-c", "exit $((TESSERA_RANK + 3))")
        result = self.finish(job)
        self.assertIn(result.status, (3, 4, 5), result)


if __name__ == "__main__":
    unittest.main()
