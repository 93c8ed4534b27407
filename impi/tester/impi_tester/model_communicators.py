# SPDX-License-Identifier: BSD-3-Clause
"""Constructors of communicators of the model client, for two processes."""
import struct

from .host_job import CREATE, DUP, SPLIT, pattern

BARRIER, BCAST, GATHER, REDUCE, INTER_DUP, MERGE, FREE = 110, 120, 130, 190, 210, 220, 230


class Makers:
    def __init__(self, client):
        self.client, self.highest = client, 1
        self.world = 0 if client.mistake == "communicator" else 1

    def say(self, tag, cid, form, *numbers, rank=None):
        self.client.send(tag, struct.pack(form, *numbers), cid=cid, lsrank=rank)

    def hear(self, tag, cid, form):
        return struct.unpack(form, self.client.receive(tag, cid)[1])

    def agreed(self, most):
        self.highest = (self.highest if self.client.mistake == "communicator-own" else most) + 2
        return self.highest

    def by_allreduce(self):
        if self.client.rank == 0:
            most = max(self.highest, *self.hear(REDUCE, self.world, ">Q"))
            self.say(BCAST, self.world, ">Q", most)
        else:
            self.say(REDUCE, self.world, ">Q", self.highest)
            most, = self.hear(BCAST, self.world, ">Q")
        return self.agreed(most)

    def by_exchange(self, tag, cid, *more, rank=None):
        form = f">{1 + len(more)}Q"
        self.say(tag, cid, form, self.highest, *more, rank=rank)
        heard, *theirs = self.hear(tag, cid, form)
        return self.agreed(max(self.highest, heard)), theirs

    def barrier(self, cid, rank):
        if rank == 1:
            self.say(BARRIER, cid, "", rank=1)
        self.hear(BARRIER, cid, "")
        if rank == 0:
            self.say(BARRIER, cid, "", rank=0)

    def use(self, cid, rank, size=2):
        if size == 2:
            self.barrier(cid, rank)
        self.client.report(*((rank, size) if size else (-1, 0)))
        if size == 2:
            self.barrier(cid, rank)

    def split(self, color, key):
        me, cid = self.client.rank, self.by_allreduce()
        mine = (color, key, me)
        if me == 0:
            other = self.hear(GATHER, self.world, ">3i")
            self.say(BCAST, self.world, ">6i", *mine, *other)
        else:
            self.say(GATHER, self.world, ">3i", *mine)
            other = self.hear(BCAST, self.world, ">6i")[:3]
        if color < 0:
            self.use(cid, -1, 0)
        elif other[0] != color:
            self.use(cid, 0, 1)
        else:
            self.use(cid, int((key, me) > other[1:]))

    def create(self, alone):
        cid = self.by_allreduce()
        if alone < 0:
            self.use(cid, 1 - self.client.rank)
        else:
            self.use(cid, *((0, 1) if alone == self.client.rank else (-1, 0)))

    def inter(self, tag, high):
        me = self.client.rank
        first, _ = self.by_exchange(tag, self.world, 1)
        self.say(tag, self.world, ">i", me)
        self.hear(tag, self.world, ">i")
        copy, _ = self.by_exchange(INTER_DUP, first, rank=0)
        self.client.send(tag, pattern(3), cid=copy - 1, lsrank=0)
        merged, (theirs,) = self.by_exchange(MERGE, copy, high, rank=0)
        self.use(merged, me if high == theirs else high)
        for cid in (copy, first):
            self.say(FREE, cid, "", rank=0)
            self.hear(FREE, cid, "")

    def run(self, what, *numbers):
        if what == DUP:
            self.use(self.by_allreduce(), self.client.rank)
        elif what == SPLIT:
            self.split(*numbers)
        elif what == CREATE:
            self.create(*numbers)
        else:
            self.inter(*numbers)
