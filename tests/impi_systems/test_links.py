# SPDX-License-Identifier: BSD-3-Clause
"""Each link between systems carries each byte of a collective operation once; links are slow, and
bytes are counted."""
import collections
import itertools
import os
import subprocess
import sys
import unittest

import slow_links

IMPIRUN, LINKS = sys.argv.pop(1), sys.argv.pop(1)
BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLTOALL, ALLTOALLV, REDUCE, SCAN = 120, 130, 140, 150, 160, 170, 180, 190, 200
LINEAR, SHORT, SIZE_BYTES = 4, 1024, 4  # systems, bytes, bytes


class Expected:
    """The bytes that each link carries. All operations have root 0, in system 0; `sizes` are the
    processes of each system."""

    def __init__(self, sizes, block):
        self.sizes, self.block, self.tree = sizes, block, len(sizes) > LINEAR
        self.bytes, self.others = collections.Counter(), range(1, len(sizes))
        whole = block * sum(sizes)
        for operation in (self.bcast, self.reduce):
            operation(whole)
        self.gather(GATHER), self.scatter(SCATTER), self.exchange(ALLTOALL)
        for system in self.others:
            self.bytes[(SCAN, system - 1, system)] += block
        self.reduce(whole), self.bcast(whole)  # allreduce
        self.reduce(whole), self.bcast(SIZE_BYTES), self.scatter(SCATTERV)  # reduce_scatter
        self.gather(GATHER), self.bcast(whole)  # allgather
        self.bcast(SIZE_BYTES), self.gather(GATHERV), self.bcast(whole)  # allgatherv
        self.bcast(SIZE_BYTES), self.gather(GATHERV)
        self.bcast(SIZE_BYTES), self.scatter(SCATTERV)
        self.exchange(ALLTOALLV)

    def bcast(self, count):
        for system in self.others:
            parent = system ^ 1 << system.bit_length() - 1 if self.tree else 0
            self.bytes[(BCAST, parent, system)] += count

    def up(self, system):
        """Towards the root, in the trees of operations that collect."""
        return system & system - 1 if self.tree else 0

    def reduce(self, count):
        for system in self.others:
            self.bytes[(REDUCE, system, self.up(system))] += count

    def gather(self, tag):
        """A short block goes by way of others, a long one straight to the root."""
        for origin in self.others:
            system = origin
            while system != 0:
                parent = self.up(system) if self.block < SHORT else 0
                self.bytes[(tag, system, parent)] += self.block * self.sizes[origin]
                system = parent

    def scatter(self, tag):
        for system in self.others:
            self.bytes[(tag, 0, system)] += self.block * self.sizes[system]

    def exchange(self, tag):
        for a, b in itertools.permutations(range(len(self.sizes)), 2):
            self.bytes[(tag, a, b)] += self.block * self.sizes[a] * self.sizes[b]


class Links(unittest.TestCase):
    def count(self, sizes, block):
        pipes = {"env": dict(os.environ, IMPI_AUTH_KEY="7"), "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        processes = [subprocess.Popen([IMPIRUN, "-server", str(len(sizes)), "-bind", "127.0.0.1"], **pipes)]
        links = slow_links.SlowLinks(processes[0].stdout.readline().strip(), sizes)
        processes += [subprocess.Popen([IMPIRUN, "-client", str(rank), links.address, "--timeout", "90", "-n", str(size), LINKS,
                                        str(block)], **pipes) for rank, size in enumerate(sizes)]
        try:
            for process in processes[1:] + processes[:1]:
                out, err = process.communicate(timeout=240)
                self.assertEqual((process.returncode, err), (0, ""), out)
        finally:
            for process in processes:
                process.kill()
        return dict(links.bytes)

    # req impi 20.10
    def check(self, sizes, block):
        self.assertEqual(self.count(sizes, block), dict(Expected(sizes, block).bytes))

    def test_short_blocks(self):
        self.check((2, 3), 100)

    def test_long_blocks(self):
        self.check((2, 3), 3000)

    def test_three_systems(self):
        self.check((2, 1, 2), 1000)

    def test_trees(self):
        self.check((1, 1, 2, 1, 1), 500)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
