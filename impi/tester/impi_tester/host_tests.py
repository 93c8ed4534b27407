# SPDX-License-Identifier: BSD-3-Clause
"""What a client and its host must do, packet by packet. Tests: body(job), with the client under
test started."""
from . import collective_tests, communicator_tests, wire
from .host_job import BARRIER, BURST, CANCEL, ECHO, EXIT, LAM, MINE, PROBE, RECV, SEND, SSEND, pattern
from .wire import u32

TESTS = []


def test(group, name, rank=1, mine=None, meets=True):
    def register(body):
        TESTS.append((group, f"{group}.{name}", rank, mine, meets, body))
        return body
    return register


def dance_tests():
    for rank in (0, 1):
        test("dance", f"rank-{rank}", rank)(lambda job: job.finish())
        test("dance", f"lam-{rank}", rank, LAM)(lambda job: job.finish())
    for name, words in (("own-rank", u32(0)), ("beyond", u32(7)), ("negative", u32(-1)), ("cut", b"\0\0")):
        def body(job, name=name, words=words):
            stranger = job.run.connect("stranger", ("127.0.0.1", int.from_bytes(job.theirs[0x2100], "big")))
            stranger.send(words, "a host rank that cannot be")
            if name == "cut":
                stranger.socket.close()
            else:
                stranger.expect_end()
            job.meet().finish()
        test("dance", f"stranger-{name}", 0, None, False)(body)

    @test("dance", "strangers-silent-and-slow", 0, None, False)
    def silent(job):
        port = int.from_bytes(job.theirs[0x2100], "big")
        silent, slow = (job.run.connect(name, ("127.0.0.1", port)) for name in ("silent", "slow"))
        slow.send(u32(7)[:2], "half a host rank")
        job.meet()
        job.order(ECHO, 9, 1)
        job.send("DATA", b"x", tag=9)
        job.next("DATA", b"x", tag=9)
        silent.expect_end()
        slow.expect_end()
        job.finish()


def short_tests():
    for rank in (0, 1):
        for size in (0, 1, 63, 64):
            def body(job, size=size):
                job.order(ECHO, 9, size)
                job.send("DATA", pattern(size), tag=9, srqid=77)
                job.next("DATA", pattern(size), tag=9, cid=0, lsrank=job.rank, msglen=size, src_pid=job.proc[1], dst_pid=MINE[1])
                job.finish()
            test("short", f"echo-{size}-rank-{rank}", rank)(body)

    @test("short", "synchronous-send")
    def ssend(job):
        job.order(SSEND, 9, 5)
        seen = job.next("DATASYNC", pattern(5), tag=9, msglen=5)
        job.send("SYNCACK", srqid=seen.srqid)
        job.next("DATA", b"", tag=10)
        job.finish()

    @test("short", "synchronous-receive")
    def srecv(job):
        job.send("DATASYNC", b"abc", tag=9, srqid=123456789012345)
        job.order(RECV, 9, 3)
        job.next("SYNCACK", srqid=123456789012345, src_pid=job.proc[1], dst_pid=MINE[1])
        job.report(1 - job.rank, 9, 3)
        job.finish()

    @test("short", "wildcard-and-order")
    def order(job):
        for size in (1, 2, 3):
            job.send("DATA", pattern(size), tag=20 + size)
        for size in (1, 2, 3):
            job.order(RECV, 20 + size, 8)
            job.report(1 - job.rank, 20 + size, size)
        job.finish()

    @test("short", "by-tag-not-by-arrival")
    def by_tag(job):
        job.send("DATA", b"a", tag=21)
        job.send("DATA", b"bb", tag=22)
        for tag, size in ((22, 2), (21, 1)):
            job.order(RECV, tag, 8)
            job.report(1 - job.rank, tag, size)
        job.finish()

    @test("short", "probe")
    def probe(job):
        job.send("DATASYNC", pattern(64), tag=30, srqid=5, msglen=200)
        job.order(PROBE, 30)
        job.report(1 - job.rank, 30, 200)


def long_tests():
    for size in (65, 128, 129, 1000):
        def out(job, size=size):
            job.order(SEND, 9, size)
            seen = job.next("DATASYNC", pattern(size)[:64], tag=9, msglen=size)
            job.send("SYNCACK", srqid=seen.srqid, drqid=0x1122334455667788)
            for at in range(64, size, 64):
                job.next("DATA", pattern(size)[at:at + 64], msglen=size, srqid=seen.srqid, drqid=0x1122334455667788)
            job.finish()
        test("long", f"send-{size}")(out)
        for piece in (64, 17):
            def into(job, size=size, piece=piece):
                data = pattern(size)
                job.order(ECHO, 9, size)
                job.send("DATASYNC", data[:piece], tag=9, srqid=7, msglen=size)
                handle = job.next("SYNCACK", srqid=7).drqid
                for at in range(piece, size, piece):
                    job.send("DATA", data[at:at + piece], tag=9, srqid=7, drqid=handle, msglen=size)
                job.next("DATASYNC", data[:64], tag=9, msglen=size)
            test("long", f"receive-{size}-by-{piece}")(into)

    @test("long", "eager-only-after-match")
    def waits(job):
        job.order(SEND, 9, 65)
        seen = job.next("DATASYNC", tag=9)
        job.send("DATA", b"", tag=1000)  # the rest comes after SYNCACK only
        job.send("SYNCACK", srqid=seen.srqid, drqid=3)
        job.next("DATA", pattern(65)[64:], drqid=3)
        job.finish()


def cancel_tests():
    for kind, yes in (("CANCELYES", 1), ("CANCELNO", 0)):
        def body(job, kind=kind, yes=yes):
            job.order(CANCEL, 9, 100)
            first = job.next("DATASYNC", tag=9)
            job.next("CANCEL", srqid=first.srqid, src_pid=job.proc[1])
            if not yes:
                job.send("SYNCACK", srqid=first.srqid, drqid=1)
            job.send(kind, srqid=first.srqid)
            if not yes:
                job.next("DATA", pattern(100)[64:], drqid=1)
            job.report(yes)
            job.finish()
        test("cancel", f"sent-{kind}")(body)

    @test("cancel", "unmatched")
    def unmatched(job):
        job.send("DATA", b"abc", tag=9, srqid=7)
        job.send("CANCEL", srqid=7)
        job.next("CANCELYES", srqid=7, src_pid=job.proc[1], dst_pid=MINE[1])
        job.send("CANCEL", srqid=7)
        job.next("CANCELNO", srqid=7)
        job.finish()

    @test("cancel", "matched")
    def matched(job):
        job.send("DATASYNC", b"abc", tag=9, srqid=7)
        job.order(RECV, 9, 3)
        job.next("SYNCACK", srqid=7)
        job.send("CANCEL", srqid=7)
        seen = {wire.TYPES[job.next_any().type] for _ in range(2)}
        job.run.step("host", "receive the report and CANCELNO", "['CANCELNO', 'DATA']", str(sorted(seen)))
        job.finish()


def equal_request_tests():
    """Numbers of requests are used again: CANCEL means the last message that has one."""
    @test("cancel", "the-last-of-equal-requests")
    def last(job):
        job.send("DATA", b"a", tag=9, srqid=7)
        job.send("DATA", b"bb", tag=9, srqid=7)
        job.send("CANCEL", srqid=7)
        job.next("CANCELYES", srqid=7)
        job.order(RECV, 9, 8)
        job.report(1 - job.rank, 9, 1)
        job.finish()

    @test("cancel", "matched-leaves-an-older-one-alone")
    def older(job):
        job.send("DATA", b"a", tag=9, srqid=7)
        for tag, early in ((10, True), (11, False)):  # it comes before its receive, or after
            if not early:
                job.order(RECV, tag, 8)
            job.send("DATA", b"bb", tag=tag, srqid=7)
            if early:
                job.order(RECV, tag, 8)
            job.report(1 - job.rank, tag, 2)
            job.send("CANCEL", srqid=7)
            job.next("CANCELNO", srqid=7)
        job.order(RECV, 9, 8)
        job.report(1 - job.rank, 9, 1)
        job.finish()

    @test("cancel", "across-contexts")
    def contexts(job):
        """The last one is meant, though the message before it is in another context."""
        job.send("DATA", b"a", tag=9, srqid=7)
        job.send("DATA", b"", tag=110, srqid=7, cid=3)
        job.send("CANCEL", srqid=7)
        job.next("CANCELYES", srqid=7)
        job.order(RECV, 9, 8)
        job.report(1 - job.rank, 9, 1)
        job.finish()


def flow_tests():
    for ackmark, hiwater in ((10, 20), (1, 1), (3, 7), (20, 20)):
        mine = {0x2300: u32(ackmark), 0x2400: u32(hiwater)}

        def sends(job):
            job.acknowledges = False
            job.order(BURST, 9, 3 * job.hiwater, 1)
            for _ in range(job.hiwater):
                job.next("DATA", pattern(1), tag=9)
            job.quiet()
            job.send("PROTOACK")
            for _ in range(job.ackmark):
                job.next("DATA", pattern(1), tag=9)
            job.quiet()
        test("flow", f"stops-at-{hiwater}-goes-on-by-{ackmark}", 1, mine)(sends)

        def acknowledges(job):
            for i in range(1, 3 * job.ackmark + 1):
                job.send("DATA", b"x", tag=40)
                if i % job.ackmark == 0:
                    job.next("PROTOACK", src_pid=job.proc[1], dst_pid=MINE[1])
        test("flow", f"acknowledges-by-{ackmark}", 1, mine)(acknowledges)


def hostile_tests():
    bad = {"type-8": (8, b"", {}), "too-long": ("DATA", b"x" * 65, {}), "longer-than-message": ("DATA", b"xx", {"msglen": 1}),
           "empty-fragment": ("DATA", b"", {"msglen": 9}), "negative-tag": ("DATA", b"", {"tag": -1}),
           "unknown-source": ("DATA", b"", {"src_pid": 1}), "unknown-target": ("DATA", b"", {"dst_pid": 1})}
    for name, (kind, data, fields) in bad.items():
        def body(job, kind=kind, data=data, fields=fields):
            job.send(kind, data, **fields)
            job.host.expect_end()
            job.run.ends(1)
        test("hostile", name)(body)

    @test("hostile", "part-nobody-asked-for")
    def part(job):
        job.send("DATA", b"x", msglen=9, drqid=99)
        job.run.ends(1)

    @test("hostile", "more-than-the-message")
    def more(job):
        job.order(ECHO, 9, 70)
        job.send("DATASYNC", pattern(64), tag=9, srqid=7, msglen=70)
        handle = job.next("SYNCACK", srqid=7).drqid
        job.send("DATA", pattern(7), tag=9, srqid=7, drqid=handle, msglen=70)
        job.host.expect_end()
        job.run.ends(1)

    @test("hostile", "junk-lengths-of-lam")
    def junk(job):
        job.acknowledges = False
        job.order(BURST, 9, job.ackmark, 1)
        for _ in range(job.ackmark):
            job.next("DATA", pattern(1), tag=9)
        job.send("PROTOACK", msglen=128, length=128, cid=99, tag=-1)
        job.report(job.ackmark)
        job.finish()

    @test("hostile", "end-without-fini")
    def lost(job):
        job.host.socket.close()
        job.run.ends(1)


def shutdown_tests():
    @test("shutdown", "acknowledges-after-fini")
    def after_fini(job):
        job.order(EXIT)
        job.barrier()
        job.next("FINI")
        for _ in range(2 * job.ackmark):
            job.send("DATA", b"x", tag=50)
        job.next("PROTOACK")
        job.send("FINI")

    @test("shutdown", "barrier")
    def barrier(job):
        for _ in range(3):
            job.order(BARRIER)
            job.barrier()
        job.finish()


for add in (dance_tests, short_tests, long_tests, cancel_tests, equal_request_tests, flow_tests, hostile_tests, shutdown_tests):
    add()
collective_tests.add(test)
communicator_tests.add(test)
