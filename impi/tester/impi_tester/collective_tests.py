# SPDX-License-Identifier: BSD-3-Clause
"""Collective operations of two processes, packet by packet, at sizes around the threshold between
the short and the long form."""
from .host_job import (ALLGATHER, ALLGATHERV, ALLREDUCE, ALLTOALL, ALLTOALLV, BCAST, GATHER, GATHERV, REDUCE, REDUCE_SCATTER, SCAN,
                       SCATTER, SCATTERV, pattern)
from .wire import u32

TAGS = {BCAST: 120, GATHER: 130, GATHERV: 140, SCATTER: 150, SCATTERV: 160, ALLTOALL: 170, ALLTOALLV: 180, REDUCE: 190,
        SCAN: 200}
SIZES = (0, 1, 1023, 1024, 1025, 5000)
ONE_PACKET = {0x1300: u32(65536)}


def sees(job, what, data):
    """The next packet is that of an operation: its tag, the collective context, and no synchronous
    one."""
    job.next("DATA", data, tag=TAGS[what], cid=job.context_of(what), lsrank=job.rank, msglen=len(data))


def says(job, what, data):
    job.send("DATA", data, tag=TAGS[what], cid=job.context_of(what))


def block(rank, size):
    """What belongs to a rank of all that a process has."""
    return pattern(2 * size)[rank * size:(rank + 1) * size]


def bcast(job, root, size):
    job.order(BCAST, root, size)
    (sees if root == job.rank else says)(job, BCAST, pattern(size))
    job.report(sum(pattern(size)))


def gather(job, root, size, what=GATHER):
    job.order(what, root, size)
    agree(job, root, size, what == GATHERV)
    (says if root == job.rank else sees)(job, what, pattern(size))
    job.report(2 * sum(pattern(size)) if root == job.rank else 0)


def scatter(job, root, size, what=SCATTER):
    job.order(what, root, size)
    agree(job, root, size, what == SCATTERV)
    if root == job.rank:
        sees(job, what, block(1 - root, size))
    else:
        says(job, what, block(job.rank, size))
    job.report(sum(block(job.rank, size)))


def agree(job, root, size, wanted):
    """Where blocks may differ the root says the longest first, or 0 where that is above the
    threshold."""
    if wanted:
        (sees if root == job.rank else says)(job, BCAST, u32(size if size <= 1024 else 0))


def gatherv(job, root, size):
    gather(job, root, size, GATHERV)


def scatterv(job, root, size):
    scatter(job, root, size, SCATTERV)


def reduce(job, root, size):
    job.order(REDUCE, root, size)
    (says if root == job.rank else sees)(job, REDUCE, pattern(size))
    job.report(sum(pattern(size)) if root == job.rank else 0)


def allreduce(job, _, size):
    """To rank 0, and from there."""
    job.order(ALLREDUCE, 0, size)
    if job.rank == 0:
        says(job, REDUCE, pattern(size))
        sees(job, BCAST, pattern(size))
    else:
        sees(job, REDUCE, pattern(size))
        says(job, BCAST, pattern(size))
    job.report(sum(pattern(size)))


def scan(job, _, size):
    job.order(SCAN, 0, size)
    (sees if job.rank == 0 else says)(job, SCAN, pattern(size))
    job.report(sum(pattern(size)))


def allgather(job, _, size):
    job.order(ALLGATHER, 0, size)
    if job.rank == 0:
        says(job, GATHER, pattern(size))
        sees(job, BCAST, 2 * pattern(size))
    else:
        sees(job, GATHER, pattern(size))
        says(job, BCAST, 2 * pattern(size))
    job.report(2 * sum(pattern(size)))


def alltoall(job, _, size):
    job.order(ALLTOALL, 0, size)
    says(job, ALLTOALL, block(job.rank, size))
    sees(job, ALLTOALL, block(1 - job.rank, size))
    job.report(2 * sum(block(job.rank, size)))


def alltoallv(job, _, size):
    """Always directly."""
    job.order(ALLTOALLV, 0, size)
    says(job, ALLTOALLV, block(job.rank, size))
    sees(job, ALLTOALLV, block(1 - job.rank, size))
    job.report(2 * sum(block(job.rank, size)))


def allgatherv(job, _, size):
    """As the operations of which it consists: to rank 0, and from there."""
    job.order(ALLGATHERV, 0, size)
    agree(job, 0, size, True)
    if job.rank == 0:
        says(job, GATHERV, pattern(size))
        sees(job, BCAST, 2 * pattern(size))
    else:
        sees(job, GATHERV, pattern(size))
        says(job, BCAST, 2 * pattern(size))
    job.report(2 * sum(pattern(size)))


def reduce_scatter(job, _, size):
    job.order(REDUCE_SCATTER, 0, size)
    (says if job.rank == 0 else sees)(job, REDUCE, pattern(2 * size))
    agree(job, 0, size, True)
    (sees if job.rank == 0 else says)(job, SCATTERV, block(1, size))
    job.report(sum(block(job.rank, size)))


ROOTED = (bcast, gather, gatherv, scatter, scatterv, reduce)
UNROOTED = (allreduce, scan, allgather, alltoall, alltoallv, allgatherv, reduce_scatter)


def add(test):
    """`test` registers one: test(group, name, rank, mine)(body)."""
    for rank in (0, 1):
        cases = [(operation, f"{operation.__name__}-root-{place}", root) for operation in ROOTED
                 for place, root in (("tester", 1 - rank), ("client", rank))]
        for operation, name, root in cases + [(operation, operation.__name__, 0) for operation in UNROOTED]:
            def body(job, operation=operation, root=root):
                for size in SIZES:
                    operation(job, root, size)
                job.finish()
            test("collective", f"{name}-rank-{rank}", rank, ONE_PACKET)(body)
