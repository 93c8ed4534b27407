# SPDX-License-Identifier: BSD-3-Clause
"""Collective operations of the model client, for two processes: who sends what to the other one."""
from .host_job import (ALLGATHER, ALLGATHERV, ALLREDUCE, ALLTOALL, ALLTOALLV, BCAST, GATHER, GATHERV, REDUCE, REDUCE_SCATTER, SCAN,
                       SCATTER, SCATTERV, pattern)
from .wire import u32

TAGS = {BCAST: 120, GATHER: 130, GATHERV: 140, SCATTER: 150, SCATTERV: 160, ALLTOALL: 170, ALLTOALLV: 180, REDUCE: 190,
        SCAN: 200}


class Calls:
    """The operations of one client. `lam`: reductions go in the context of point-to-point
    messages."""

    def __init__(self, client, lam):
        self.client, self.lam = client, lam

    def context(self, what):
        right = 0 if self.lam and what == REDUCE else 1
        return 1 - right if self.client.mistake == "collective" else right

    def send(self, what, data):
        self.client.send(TAGS[what], data, cid=self.context(what))

    def receive(self, what):
        return self.client.receive(TAGS[what], self.context(what))[1]

    def to_root(self, what, root, data):
        """What the root receives of the other one."""
        if self.client.rank == root:
            return self.receive(what)
        self.send(what, data)
        return b""

    def from_root(self, what, root, data):
        if self.client.rank != root:
            return self.receive(what)
        self.send(what, data)
        return data

    def run(self, what, root, size):
        """The sum of the bytes of the result."""
        rank, mine = self.client.rank, pattern(size)
        both = pattern(2 * size)
        blocks = [both[:size], both[size:]]
        if what in (GATHERV, SCATTERV):
            self.from_root(BCAST, root, u32(size if size <= 1024 else 0))
        if what == BCAST:
            return sum(self.from_root(BCAST, root, mine))
        if what in (GATHER, GATHERV):
            got = self.to_root(what, root, mine)
            return sum(got) + sum(mine) if rank == root else 0
        if what in (SCATTER, SCATTERV):
            got = self.from_root(what, root, blocks[1 - root])
            return sum(blocks[root] if rank == root else got)
        if what == REDUCE:
            got = self.to_root(REDUCE, root, mine)
            return sum(a | b for a, b in zip(got, mine)) if rank == root else 0
        if what == ALLREDUCE:
            got = self.to_root(REDUCE, 0, mine)
            return sum(self.from_root(BCAST, 0, bytes(a | b for a, b in zip(got, mine))))
        if what == SCAN:
            return sum(self.from_root(SCAN, 0, mine))
        if what == ALLGATHER:
            return sum(self.from_root(BCAST, 0, mine + self.to_root(GATHER, 0, mine)))
        if what == ALLGATHERV:
            self.from_root(BCAST, 0, u32(size if size <= 1024 else 0))
            return sum(self.from_root(BCAST, 0, mine + self.to_root(GATHERV, 0, mine)))
        if what == REDUCE_SCATTER:
            got = self.to_root(REDUCE, 0, both)
            whole = bytes(a | b for a, b in zip(got, both))
            self.from_root(BCAST, 0, u32(size if size <= 1024 else 0))
            got = self.from_root(SCATTERV, 0, whole[size:])
            return sum(whole[:size] if rank == 0 else got)
        self.send(what, blocks[1 - rank])
        return sum(blocks[rank]) + sum(self.receive(what))
