# SPDX-License-Identifier: BSD-3-Clause
"""Constructors of communicators of two processes, packet by packet, with the context ids that they
agree on.

The order of each test has the client make a communicator, meet the tester in a barrier on it,
report its rank and size, and free it.
"""
import struct

from .host_job import CREATE, DUP, INTER, SPLIT, pattern
from .wire import u32

BARRIER, BCAST, GATHER, REDUCE, INTER_DUP, MERGE, FREE = 110, 120, 130, 190, 210, 220, 230


def u64(*numbers):
    return struct.pack(f">{len(numbers)}Q", *numbers)


class Ids:
    """The highest context id that the tester has heard of. The client's own may be higher."""

    def __init__(self, job, highest):
        self.job, self.highest = job, highest

    def heard(self, number):
        odd = number % 2 == 1
        self.job.run.step("host", "offers an odd context id", "odd", "odd" if odd else f"{number}")
        return max(self.highest, number)

    def agreed(self, most):
        """The collective id of the new communicator; that for other messages is one less."""
        self.highest = most + 2
        return self.highest

    def by_allreduce(self):
        """On MPI_COMM_WORLD: to rank 0, and from there."""
        job = self.job
        if job.rank == 0:
            job.send("DATA", u64(self.highest), tag=REDUCE, cid=1)
            job.next("DATA", tag=BCAST, cid=1, lsrank=0, msglen=8)
            most = self.heard(*struct.unpack(">Q", job.body))
            job.run.step("host", "agrees on the highest id", f"at least {self.highest}",
                         f"at least {self.highest}" if most >= self.highest and u64(most) == job.body else job.body.hex())
        else:
            job.next("DATA", tag=REDUCE, cid=1, lsrank=1, msglen=8)
            most = self.heard(*struct.unpack(">Q", job.body))
            job.send("DATA", u64(most), tag=BCAST, cid=1)
        return self.agreed(most)

    def by_exchange(self, tag, cid, more=b"", theirs=None, **fields):
        """Each leader tells its highest id, and what else there is."""
        job = self.job
        job.send("DATA", u64(self.highest) + more, tag=tag, cid=cid, **fields)
        wanted = more if theirs is None else theirs
        job.next("DATA", tag=tag, cid=cid, msglen=8 + len(wanted), **({"lsrank": 0} if fields else {"lsrank": job.rank}))
        most = self.heard(*struct.unpack(">Q", job.body[:8]))
        job.run.step("host", "says what else there is", wanted.hex(), job.body[8:].hex())
        return self.agreed(most)


def use(job, cid, rank, size=2):
    """A barrier, the report, and the barrier of MPI_Comm_free; a communicator of one process needs
    no packets."""
    if size == 2:
        barrier(job, cid, rank)
    job.report(*((rank, size) if size else (-1, 0)))
    if size == 2:
        barrier(job, cid, rank)


def barrier(job, cid, rank):
    if rank == 1:
        job.next("DATA", b"", tag=BARRIER, cid=cid, lsrank=1)
        job.send("DATA", tag=BARRIER, cid=cid, lsrank=0)
    else:
        job.send("DATA", tag=BARRIER, cid=cid, lsrank=1)
        job.next("DATA", b"", tag=BARRIER, cid=cid, lsrank=0)


def dup(job, ids):
    job.order(DUP)
    use(job, ids.by_allreduce(), job.rank)


def split(job, ids, theirs, mine):
    """Colour and key of the client and of the tester; a negative colour stands for MPI_UNDEFINED,
    whose number is anybody's."""
    job.order(SPLIT, *theirs)
    cid = ids.by_allreduce()
    own = struct.pack(">3i", *mine, 1 - job.rank)
    if job.rank == 0:
        job.send("DATA", own, tag=GATHER, cid=1)
        job.next("DATA", tag=BCAST, cid=1, lsrank=0, msglen=24)
        seen, other = job.body[:12], job.body[12:]
        job.run.step("host", "passes on what it was told", own.hex(), other.hex())
    else:
        job.next("DATA", tag=GATHER, cid=1, lsrank=1, msglen=12)
        seen = job.body
        job.send("DATA", own + seen, tag=BCAST, cid=1)
    color, key, rank = struct.unpack(">3i", seen)
    job.run.step("host", "says colour, key and rank", str((max(theirs[0], -1), theirs[1], job.rank)), str((max(color, -1), key, rank)))
    if theirs[0] < 0:
        return use(job, cid, -1, 0)
    if theirs[0] != mine[0]:
        return use(job, cid, 0, 1)
    return use(job, cid, int((theirs[1], job.rank) > (mine[1], 1 - job.rank)))


def create(job, ids, alone):
    job.order(CREATE, alone)
    cid = ids.by_allreduce()
    if alone < 0:
        return use(job, cid, 1 - job.rank)
    return use(job, cid, 0, 1) if alone == job.rank else use(job, cid, -1, 0)


def inter(job, ids, high, mine):
    """Each process is a group. The intercommunicator, its duplicate, a message over it, and both
    merged."""
    tag = 77
    job.order(INTER, tag, high)
    first = ids.by_exchange(tag, 1, u64(1))
    job.send("DATA", u32(1 - job.rank), tag=tag, cid=1)
    job.next("DATA", u32(job.rank), tag=tag, cid=1, lsrank=job.rank)
    copy = ids.by_exchange(INTER_DUP, first, lsrank=0)
    job.next("DATA", pattern(3), tag=tag, cid=copy - 1, lsrank=0)
    merged = ids.by_exchange(MERGE, copy, u64(mine), u64(high), lsrank=0)
    use(job, merged, job.rank if high == mine else high)
    for cid in (copy, first):
        job.send("DATA", tag=FREE, cid=cid, lsrank=0)
        job.next("DATA", b"", tag=FREE, cid=cid, lsrank=0)


CASES = {
    "dup": lambda job, ids: dup(job, ids),
    "split-keys-reverse": lambda job, ids: split(job, ids, (3, 5 * (1 - job.rank)), (3, 5 * job.rank)),
    "split-equal-keys": lambda job, ids: split(job, ids, (0, -7), (0, -7)),
    "split-apart": lambda job, ids: split(job, ids, (1, 0), (2, 0)),
    "split-undefined": lambda job, ids: split(job, ids, (-1, 4), (2, 0)),
    "create-reversed": lambda job, ids: create(job, ids, -1),
    "create-of-client": lambda job, ids: create(job, ids, job.rank),
    "create-of-tester": lambda job, ids: create(job, ids, 1 - job.rank),
    "intercommunicator-high": lambda job, ids: inter(job, ids, 1, 0),
    "intercommunicator-low": lambda job, ids: inter(job, ids, 0, 1),
    "intercommunicator-equal": lambda job, ids: inter(job, ids, 1, 1),
}


def add(test):
    """`test` registers one: test(group, name, rank)(body). Each is done twice: with a low id and
    with a high one of the tester."""
    for rank in (0, 1):
        for name, case in CASES.items():
            def body(job, case=case):
                ids = Ids(job, 1)
                case(job, ids)
                ids.highest += 1 << 20
                case(job, ids)
                job.finish()
            test("communicator", f"{name}-rank-{rank}", rank)(body)
