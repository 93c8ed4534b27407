# SPDX-License-Identifier: BSD-3-Clause
"""What a server must do, as tests: start-up in all orders, labels, authentication, bad and hostile
input."""
import hashlib
import hmac
import itertools
import random

from .wire import LABELS, command, u32

NONE = {"IMPI_AUTH_NONE": "1"}
KEY = {"IMPI_AUTH_KEY": "5678"}
SECRET = {"IMPI_AUTH_SECRET": "a secret of the tester"}
AUTH_NONE = command(b"AUTH", u32(1))
KEY_BYTES = (5678).to_bytes(8, "big")
TESTS = []


def test(group, name, count=2, environment=None):
    """Registers body(run, count); each test has a server of its own."""
    def register(body):
        TESTS.append((group, f"{group}.{name}", count, environment or NONE, body))
        return body
    return register


def impi(rank):
    return command(b"IMPI", u32(rank))


def coll(label, values):
    return command(b"COLL", u32(label) + values)


def join(run, rank, how=AUTH_NONE):
    peer = run.connect(f"client {rank}")
    peer.send(how, "AUTH none")
    peer.expect(u32(0, 0), "the choice of none")
    peer.send(impi(rank), f"IMPI {rank}")
    return peer


def join_all(run, count, order=None):
    peers = {rank: join(run, rank) for rank in order or range(count)}
    for rank in sorted(peers):
        peers[rank].expect_command(b"IMPI", u32(count))
    return [peers[rank] for rank in range(count)]


def finish(run, peers):
    for peer in peers:
        peer.send(command(b"DONE"), "DONE")
    for peer in peers:
        peer.expect_command(b"DONE")
    for peer in peers:
        peer.send(command(b"FINI"), "FINI")
    run.ends(0)


def reply(peers, label, mask, values):
    for peer in peers:
        peer.expect_command(b"COLL", u32(label, mask) + values)


def startup_tests():
    orders = [order for count in (1, 2, 3) for order in itertools.permutations(range(count))]
    for order in [*orders, (3, 2, 1, 0), (1, 3, 0, 2), tuple(reversed(range(32)))]:
        def body(run, count, order=order):
            finish(run, join_all(run, count, order))
        name = "order-" + ("-".join(map(str, order)) if len(order) < 5 else f"of-{len(order)}")
        test("startup", name, len(order))(body)

    @test("startup", "size-waits-for-all", 2)
    def size_waits(run, count):
        first = join(run, 0)
        first.send(coll(0x1100, u32(1)) + command(b"DONE"), "labels before the size")
        second = join(run, 1)
        for peer in (first, second):
            peer.expect_command(b"IMPI", u32(count))
        second.send(command(b"DONE"), "DONE")
        reply([first, second], 0x1100, 1, u32(1))
        for peer in (first, second):
            peer.expect_command(b"DONE")

    @test("startup", "fini-one-after-the-other", 3)
    def fini(run, count):
        peers = join_all(run, count)
        for peer in peers:
            peer.send(command(b"DONE"), "DONE")
        for peer in peers:
            peer.expect_command(b"DONE")
        for peer in reversed(peers):
            run.lives()
            peer.send(command(b"FINI"), "FINI")
        run.ends(0)


def label_tests():
    for label, name in LABELS.items():
        width = 16 if name.endswith("IPV6") else 8 if name in ("C_VERSION", "P_PID") else 4
        for senders in ((0, 1), (0,), (1,)):
            def body(run, count, label=label, width=width, senders=senders):
                peers = join_all(run, count)
                values = [bytes([65 + rank]) * width * (rank + 1) for rank in range(count)]
                for rank in reversed(senders):
                    peers[rank].send(coll(label, values[rank]), LABELS[label])
                for peer in peers:
                    peer.send(command(b"DONE"), "DONE")
                reply(peers, label, sum(1 << s for s in senders), b"".join(values[s] for s in senders))
                for peer in peers:
                    peer.expect_command(b"DONE")
            test("labels", f"{name}-of-{'-'.join(map(str, senders))}")(body)
    for label, size in ((0x7F000001, 5), (0x7FFFFFFF, 0), (0xFFFFFFFF, 3), (1, 7), (0x1101, 4), (0x7F000002, 1 << 19)):
        def body(run, count, label=label, size=size):
            peers = join_all(run, count)
            peers[1].send(coll(label, b"x" * size) + command(b"DONE"), hex(label))
            peers[0].send(command(b"DONE"), "DONE")
            reply(peers, label, 2, b"x" * size)
            peers[0].expect_command(b"DONE")
        test("labels", f"unknown-{label:x}-of-{size}-bytes")(body)

    @test("labels", "all-at-once", 3)
    def all_at_once(run, count):
        peers = join_all(run, count)
        for rank, peer in enumerate(peers):
            peer.send(b"".join(coll(label, u32(rank)) for label in LABELS) + command(b"DONE"), "all labels")
        for label in LABELS:
            reply(peers, label, 7, u32(0, 1, 2))
        for peer in peers:
            peer.expect_command(b"DONE")

    @test("labels", "complete-when-a-higher-one-came", 2)
    def higher(run, count):
        peers = join_all(run, count)
        peers[0].send(coll(0x1000, b"A"), "0x1000")
        peers[1].send(coll(0x1200, b"B"), "0x1200")
        reply(peers, 0x1000, 1, b"A")
        peers[0].send(coll(0x1300, b"C"), "0x1300")
        reply(peers, 0x1200, 2, b"B")


def authentication_tests():
    @test("authentication", "key", 1, KEY)
    def key(run, _):
        peer = run.connect("client 0")
        peer.send(command(b"AUTH", u32(2)), "AUTH key")
        peer.expect(u32(1, 0), "the choice of key")
        peer.send(KEY_BYTES + impi(0), "key and rank")
        peer.expect_command(b"IMPI", u32(1))
        finish(run, [peer])

    for name, wrong in (("one-more", (5679).to_bytes(8, "big")), ("little-endian", KEY_BYTES[::-1]), ("zero", bytes(8))):
        def body(run, _, wrong=wrong):
            peer = run.connect("stranger")
            peer.send(command(b"AUTH", u32(2)), "AUTH key")
            peer.expect(u32(1, 0), "the choice of key")
            peer.send(wrong + impi(0), "a wrong key")
            peer.expect_end()
            run.lives()
        test("authentication", f"wrong-key-{name}", 1, KEY)(body)
    masks = [("key-before-none", {**NONE, **KEY}, 3, 1), ("none-of-both", {**NONE, **KEY}, 1, 0),
             ("unknown-bits", NONE, 0x7FFFFFF1, 0), ("all-bits", KEY, 0xFFFFFFFF, 1)]
    for name, environment, mask, choice in masks:
        def body(run, _, mask=mask, choice=choice):
            peer = run.connect("client")
            peer.send(command(b"AUTH", u32(mask)), f"AUTH {mask:x}")
            peer.expect(u32(choice, 0), f"the choice of {choice}")
        test("authentication", name, 1, environment)(body)
    for name, environment, mask in (("key-is-not-none", KEY, 1), ("none-is-not-key", NONE, 2), ("no-bit", NONE, 0)):
        def body(run, _, mask=mask):
            peer = run.connect("stranger")
            peer.send(command(b"AUTH", u32(mask)), f"AUTH {mask:x}")
            peer.expect_end()
            run.lives()
        test("authentication", f"nothing-in-common-{name}", 1, environment)(body)

    @test("authentication", "two-words", 1)
    def two_words(run, _):
        peer = run.connect("client 0")
        peer.send(command(b"AUTH", u32(1, 0x80000000)), "AUTH of two words")
        peer.expect(u32(0, 0), "the choice of none")


def challenge_tests():
    def meet(run):
        peer = run.connect("client 0")
        peer.send(command(b"AUTH", u32(1 << 16)), "AUTH challenge")
        peer.expect(u32(16, 32), "the choice of the challenge")
        return peer, peer.read(32)

    def proof(word, server, client, secret=SECRET["IMPI_AUTH_SECRET"]):
        return hmac.new(secret.encode(), b"IMPI-16 " + word + server + client, hashlib.sha256).digest()

    @test("challenge", "both-know-the-secret", 1, SECRET)
    def both(run, _):
        peer, server = meet(run)
        peer.send(bytes(32) + proof(b"client", server, bytes(32)) + impi(0), "a proof")
        peer.expect(proof(b"server", server, bytes(32)), "the proof of the server")
        peer.expect_command(b"IMPI", u32(1))
        finish(run, [peer])

    for name, make in (("another-secret", lambda s: proof(b"client", s, bytes(32), "another one, as long")),
                       ("the-server's-word", lambda s: proof(b"server", s, bytes(32))), ("zeros", lambda s: bytes(32))):
        def body(run, _, make=make):
            peer, server = meet(run)
            peer.send(bytes(32) + make(server), "a wrong proof")
            peer.expect_end()
            run.lives()
        test("challenge", f"wrong-{name}", 1, SECRET)(body)

    @test("challenge", "never-the-same-nonce", 1, SECRET)
    def nonces(run, _):
        seen = {meet(run)[1] for _ in range(4)}
        run.step("server", "nonces differ", "4", str(len(seen)))


def refused_tests():
    """What closes a connection that has no rank yet, and does no harm to the job."""
    bad = {"http": b"GET / HTTP/1.1\r\n\r\n", "no-auth": impi(0), "unknown-first": command(b"WHAT", b"?"),
           "auth-empty": command(b"AUTH"), "auth-odd": command(b"AUTH", b"12345"), "auth-twice": AUTH_NONE + AUTH_NONE,
           "auth-huge": b"AUTH" + u32(0x7FFFFFFF), "auth-negative": b"AUTH" + u32(-1), "coll-first": AUTH_NONE + coll(0x1000, b""),
           "done-first": AUTH_NONE + command(b"DONE"), "fini-first": AUTH_NONE + command(b"FINI"),
           "rank-beyond": AUTH_NONE + impi(2), "rank-negative": AUTH_NONE + impi(-1), "rank-huge": AUTH_NONE + impi(0x7FFFFFFF),
           "rank-short": AUTH_NONE + b"IMPI" + u32(3), "rank-long": AUTH_NONE + b"IMPI" + u32(8), "rank-taken": AUTH_NONE + impi(0)}
    for seed in range(4):
        bad[f"noise-{seed}"] = b"\x80" + random.Random(seed).randbytes(200)
    for name, words in bad.items():
        def body(run, count, words=words):
            first = join(run, 0)
            stranger = run.connect("stranger")
            stranger.send(words)
            if words.startswith(AUTH_NONE):
                stranger.expect(u32(0, 0), "the choice of none")
            stranger.expect_end()
            second = join(run, 1)
            for peer in (first, second):
                peer.expect_command(b"IMPI", u32(count))
            finish(run, [first, second])
        test("refused", name)(body)
    for cut in (1, 4, 7, 8, 11):
        def body(run, count, cut=cut):
            run.connect("stranger").send(AUTH_NONE[:cut], f"{cut} bytes of AUTH")
            run.peers[-1].socket.close()
            finish(run, join_all(run, count))
        test("refused", f"cut-after-{cut}")(body)

    @test("refused", "hundred-silent-ones")
    def silent(run, count):
        for i in range(100):
            run.connect(f"silent {i}")
        finish(run, join_all(run, count))


def lost_tests():
    """What a client with a rank must not do: the job ends, everybody sees it."""
    bad = {"closes": None, "label-falls": coll(0x1100, b"") + coll(0x1000, b""), "label-twice": coll(0x1100, b"") * 2,
           "label-0": coll(0, b""), "label-after-done": command(b"DONE") + coll(0x1000, b""), "done-twice": command(b"DONE") * 2,
           "fini-early": command(b"FINI"), "rank-again": impi(0), "auth-again": AUTH_NONE, "coll-negative": b"COLL" + u32(-8),
           "coll-huge": b"COLL" + u32(0x7FFFFFFF), "coll-empty": command(b"COLL"), "done-with-payload": command(b"DONE", b"x"),
           "unknown-huge": b"WHAT" + u32(0x7FFFFFFF)}
    for name, words in bad.items():
        def body(run, count, words=words):
            peers = join_all(run, count)
            if words is None:
                peers[0].socket.close()
            else:
                peers[0].send(words)
                peers[0].expect_end()
            peers[1].expect_end()
            run.ends(1)
        test("lost", name)(body)

    @test("lost", "after-done")
    def after_done(run, count):
        peers = join_all(run, count)
        for peer in peers:
            peer.send(command(b"DONE"), "DONE")
        for peer in peers:
            peer.expect_command(b"DONE")
        peers[1].send(command(b"FINI"), "FINI")
        peers[0].socket.close()
        run.ends(1)


def stream_tests():
    @test("stream", "byte-by-byte", 1)
    def byte_by_byte(run, _):
        peer = run.connect("client 0")
        for byte in AUTH_NONE + impi(0) + coll(0x1000, bytes(8)) + command(b"DONE"):
            peer.send(bytes([byte]))
        peer.expect(u32(0, 0), "the choice of none")
        peer.expect_command(b"IMPI", u32(1))
        peer.expect_command(b"COLL", u32(0x1000, 1, 0, 0))
        peer.expect_command(b"DONE")

    @test("stream", "all-in-one", 1)
    def all_in_one(run, _):
        peer = run.connect("client 0")
        peer.send(AUTH_NONE + impi(0) + coll(0x1000, bytes(8)) + command(b"DONE"), "everything")
        peer.expect(u32(0, 0), "the choice of none")
        peer.expect_command(b"IMPI", u32(1))
        peer.expect_command(b"COLL", u32(0x1000, 1, 0, 0))
        peer.expect_command(b"DONE")

    @test("stream", "slow-reader", 2)
    def slow(run, count):
        peers = join_all(run, count)
        peers[1].send(command(b"DONE"), "DONE")
        labels = range(0x7F000001, 0x7F000019)
        for label in labels:
            peers[0].send(coll(label, b"x" * (1 << 19)), hex(label))
            reply(peers[:1], label, 1, b"x" * (1 << 19))
        for label in labels:
            reply(peers[1:], label, 1, b"x" * (1 << 19))
        peers[0].send(command(b"DONE"), "DONE")
        for peer in peers:
            peer.expect_command(b"DONE")

    for size in (0, 1, 100000):
        def body(run, count, size=size):
            peers = join_all(run, count)
            peers[0].send(command(b"WHAT", b"?" * size), f"an unknown command of {size} bytes")
            finish(run, peers)
        test("stream", f"unknown-command-of-{size}")(body)


for add in (startup_tests, label_tests, authentication_tests, challenge_tests, refused_tests, lost_tests, stream_tests):
    add()
