# SPDX-License-Identifier: BSD-3-Clause
"""What a client must do when the other one is LAM/MPI 7.1.4: the tester behaves on the wire as that
one does.

It puts junk into fields that a packet's type does not use, numbers no short message, counts its
packets, knows a host by the address it connects from, lets no message be cancelled, and reduces in
the context of point-to-point messages. It has no probe, no other collective operation than barrier,
bcast, reduce and allreduce, and data that is not bytes has its own byte order: tests keep to what
is left.
"""
from . import collective_tests
from .host_job import BARRIER, BURST, CANCEL, ECHO, EXIT, LAM, RECV, REDUCE, SEND, SSEND, Job, pattern
from .wire import address_text

TESTS = []
JUNK = {"length": 128, "msglen": 128, "cid": 0x0807060504030201, "lsrank": -1}


class LamJob(Job):
    seqnum = 0

    def send(self, kind, data=b"", **fields):
        if kind not in ("DATA", "DATASYNC"):
            fields = {**JUNK, **fields}
        if kind == "FINI":
            fields = {**fields, "src_pid": -1, "dst_pid": -1}
        self.seqnum += 1
        super().send(kind, data, seqnum=self.seqnum, **fields)

    def meet(self):
        super().meet()
        if self.rank == 1:
            self.run.step("host", "connects from the address that it announced", address_text(self.theirs[0x2000]),
                          self.host.socket.getpeername()[0])
        return self

    def context_of(self, what):
        return 0 if what == REDUCE else 1


def test(group, name, rank=1, mine=None, meets=True):
    def register(body):
        TESTS.append((f"lam-{group}", f"lam-{group}.{name}", rank, mine or LAM, meets, body))
        return body
    return register


def message_tests(rank):
    for size in (0, 1, 1024, 65536):
        def echo(job, size=size):
            job.order(ECHO, 9, size)
            job.send("DATA", pattern(size), tag=9)
            job.next("DATA", pattern(size), tag=9, cid=0, lsrank=job.rank, msglen=size)
            job.finish()
        test("message", f"echo-{size}-rank-{rank}", rank)(echo)

    @test("message", f"long-rank-{rank}", rank)
    def long(job):
        """160000 bytes are 65536, 65536 and 28928, in both directions."""
        data = pattern(160000)
        job.order(ECHO, 9, len(data))
        job.send("DATASYNC", data[:65536], tag=9, srqid=7, msglen=len(data))
        handle = job.next("SYNCACK", srqid=7).drqid
        for at in (65536, 131072):
            job.send("DATA", data[at:at + 65536], tag=9, srqid=7, drqid=handle, msglen=len(data))
        seen = job.next("DATASYNC", data[:65536], tag=9, msglen=len(data))
        job.send("SYNCACK", srqid=seen.srqid, drqid=0x7FFF12345678)
        for at in (65536, 131072):
            job.next("DATA", data[at:at + 65536], srqid=seen.srqid, drqid=0x7FFF12345678)
        job.finish()

    @test("message", f"synchronous-rank-{rank}", rank)
    def synchronous(job):
        job.order(SSEND, 0, 5)
        seen = job.next("DATASYNC", pattern(5), tag=0)
        job.send("SYNCACK", srqid=seen.srqid)
        job.next("DATA", b"", tag=1)
        job.send("DATASYNC", b"abc", tag=0, srqid=11)
        job.order(RECV, 0, 3)
        job.next("SYNCACK", srqid=11)
        job.report(1 - job.rank, 0, 3)
        job.finish()

    @test("message", f"no-cancel-rank-{rank}", rank)
    def no_cancel(job):
        """CANCEL is always answered no, also of a message that nobody has received yet."""
        job.order(CANCEL, 9, 70000)
        first = job.next("DATASYNC", tag=9)
        job.next("CANCEL", srqid=first.srqid)
        job.send("CANCELNO", srqid=first.srqid)
        job.send("SYNCACK", srqid=first.srqid, drqid=5)
        job.next("DATA", pattern(70000)[65536:], drqid=5)
        job.report(0)
        job.finish()


def flow_tests(rank):
    @test("flow", f"stops-at-20-goes-on-by-10-rank-{rank}", rank)
    def stops(job):
        job.acknowledges = False
        job.order(BURST, 9, 60, 1)
        for _ in range(20):
            job.next("DATA", pattern(1), tag=9)
        for _ in range(3):
            job.quiet()
            job.send("PROTOACK")
            for _ in range(10):
                job.next("DATA", pattern(1), tag=9)

    @test("flow", f"answers-count-rank-{rank}", rank)
    def answers_count(job):
        """Of the ten packets that are acknowledged, one is a SYNCACK."""
        job.order(SEND, 9, 65537)
        seen = job.next("DATASYNC", pattern(65536), tag=9)
        job.send("SYNCACK", srqid=seen.srqid, drqid=3)
        job.next("DATA", pattern(65537)[65536:], drqid=3)
        for _ in range(8):  # the order and the answer are two
            job.send("DATA", b"x", tag=40)
        job.next("PROTOACK", src_pid=job.proc[1])
        job.finish()


def collective_tests_of_lam(rank):
    for name, root in (("tester", 1 - rank), ("client", rank)):
        for operation in (collective_tests.bcast, collective_tests.reduce):
            def body(job, operation=operation, root=root):
                for size in collective_tests.SIZES:
                    operation(job, root, size)
                job.finish()
            test("collective", f"{operation.__name__}-root-{name}-rank-{rank}", rank)(body)

    @test("collective", f"allreduce-rank-{rank}", rank)
    def allreduce(job):
        for size in collective_tests.SIZES:
            collective_tests.allreduce(job, 0, size)
        job.finish()

    @test("collective", f"barrier-rank-{rank}", rank)
    def barrier(job):
        job.order(BARRIER)
        job.barrier()
        job.finish()


def shutdown_tests(rank):
    @test("shutdown", f"fini-first-rank-{rank}", rank)
    def first(job):
        """It says FINI as soon as the barrier is over, whoever else has said it."""
        job.order(EXIT)
        job.barrier()
        job.send("FINI")
        job.next("FINI")
        job.host.expect_end()
        job.run.ends(0)


for each in (message_tests, flow_tests, collective_tests_of_lam, shutdown_tests):
    for client_rank in (0, 1):
        each(client_rank)
