# SPDX-License-Identifier: BSD-3-Clause
"""Programs that verify all data, on paths that are rare by default: next to no room, no direct
copies, no eager messages.

Arguments: mpiexec, the folder of the programs, rounds, and optionally which tests."""
import os
import subprocess
import sys
import unittest

MPIEXEC, PROGRAMS, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])

# What is run, and on how many ranks: all pairs and sizes; order; wild cards; probes; threads.
# Often: also any operation with any datatype, and collective operations.
RUNS = [("mpi_all_pairs", 3), ("mpi1_ordering", 3), ("mpi1_receiving", 2), ("mpi_matched_probe", 4), ("mpi_threads", 2, "3", "5")]
if ROUNDS > 1:
    RUNS += [("mpi_all_pairs", 5), ("mpi1_probe", 3), ("mpi_sweep", 3), ("mpi_collectives", 4)]

TINY_RING = {"btl_sm_ring_size": "1K"}
ONE_SLOT = {"btl_sm_slots": "1"}
NO_COPY = {"btl_sm_single_copy": "none"}
NO_EAGER = {"pml_ob1_eager_limit": "1"}
MESSAGES_ONLY = {"coll": "basic"}  # collective operations have memory of their own otherwise
NARROW_TCP = {"btl": "self,tcp", "btl_tcp_max_packet": "1K", "btl_tcp_queue_limit": "4K", "btl_tcp_sndbuf": "1",
              "btl_tcp_rcvbuf": "1", "btl_tcp_eager_limit": "0"}
LENT = {"btl": "self,tcp", "btl_tcp_eager_limit": "0", "btl_tcp_zero_copy": "1"}
# Other machines than this one.
TWO_SOCKETS = "line_ns=100,wake_ns=60000,copy_far=20000,stream=8000,single_call_ns=600,single=16000,split_call_ns=800,split=27000"
ONE_CHIP = "line_ns=30,wake_ns=5000,stream=25000,single_call_ns=2500,single=14000,split_call_ns=4000,split=20000,second_level=65536"
FAR_CORES = "line_ns=250,wake_ns=400000,copy_far=15000,stream=4000,single_call_ns=3000,single=9000,split_call_ns=4000,split=15000"


def run(program, ranks, words, parameters):
    options = [word for name, value in parameters.items() for word in ("--mca", name, value)]
    command = [MPIEXEC, "--timeout", "60", "-n", str(ranks), *options, os.path.join(PROGRAMS, program), *words]
    environment = {**os.environ, "TESSERA_SWEEP_CASES": "40"}
    return subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment, check=False)


class ForcedVariants(unittest.TestCase):
    def hold(self, **parameters):
        for turn in range(ROUNDS):
            for program, ranks, *words in RUNS:
                with self.subTest(program=program, turn=turn):
                    done = run(program, ranks, words, parameters)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_no_single_copy(self):
        self.hold(**NO_COPY)

    def test_tiny_rings(self):
        self.hold(**TINY_RING)

    def test_tiny_rings_without_single_copy(self):
        self.hold(**TINY_RING, **NO_COPY, **MESSAGES_ONLY)

    def test_messages_that_the_kernel_reads_from_their_place(self):
        self.hold(**LENT)

    def test_one_slot(self):
        self.hold(**ONE_SLOT)

    def test_one_slot_in_tiny_rings(self):
        self.hold(**ONE_SLOT, **TINY_RING, **NO_COPY, **MESSAGES_ONLY)

    def test_no_eager_messages(self):
        self.hold(**NO_EAGER)

    def test_least_of_everything(self):
        self.hold(**ONE_SLOT, **TINY_RING, **NO_COPY, **NO_EAGER, **MESSAGES_ONLY, pml_ob1_unexpected_limit="0")

    def test_split_always(self):
        self.hold(pml_ob1_split="always", btl_sm_get_threshold="1", pml_ob1_copy_piece="4K", **NO_EAGER)

    def test_trials_of_every_way(self):
        self.hold(pml_ob1_split="measured", pml_ob1_trial_interval="1", btl_sm_get_threshold="1", pml_ob1_copy_piece="4K",
                  **NO_EAGER)

    def test_narrow_tcp(self):
        self.hold(**NARROW_TCP)

    def test_narrow_tcp_without_eager_messages(self):
        self.hold(**NARROW_TCP, **NO_EAGER, pml_ob1_unexpected_limit="0")

    def test_both_transports_open(self):
        self.hold(btl="self,sm,tcp")

    def test_two_sockets(self):
        self.hold(machine_figures=TWO_SOCKETS)

    def test_one_chip(self):
        self.hold(machine_figures=ONE_CHIP)

    def test_far_cores(self):
        self.hold(machine_figures=FAR_CORES)

    def test_sleeping_at_once(self):
        self.hold(core_wait="sleep")


unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
