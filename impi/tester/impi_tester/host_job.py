# SPDX-License-Identifier: BSD-3-Clause
"""A job of two clients: the one under test, and the tester as server, as the other client and as
its host."""
import socket
import struct

from . import script, wire
from .wire import LABELS, command, u32

EXIT, ECHO, SEND, SSEND, RECV, CANCEL, PROBE, BURST, BARRIER, FLOOD = range(10)
BCAST, GATHER, SCATTER, REDUCE, ALLREDUCE, SCAN, ALLGATHER, ALLTOALL, GATHERV, SCATTERV = range(20, 30)
ALLTOALLV, ALLGATHERV, REDUCE_SCATTER = range(30, 33)
DUP, SPLIT, CREATE, INTER = range(40, 44)
ORDER_TAG, REPORT_TAG = 1, 2
MINE = (bytes(10) + b"\xff\xff" + bytes([127, 0, 0, 1]), 4242)

LAM = {0x1300: u32(65536), 0x1400: u32(2147483647), 0x2000: bytes(12) + MINE[0][12:], 0x3000: bytes(12) + MINE[0][12:]}


def pattern(size):
    return bytes(i % 251 for i in range(size))


def listen():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, listener.getsockname()[1]


class Job:
    """`rank` is that of the client under test; `mine` are values of labels that differ from the
    usual ones."""

    def __init__(self, run, template, rank, mine=None):
        self.run, self.rank, self.received, self.acknowledges, self.sent = run, rank, 0, True, 0
        server, port = listen()
        self.hosts, host_port = listen()
        run.start(template, rank=rank, server=f"127.0.0.1:{port}", environment={"IMPI_AUTH_NONE": "1"})
        self.client = self.accept(server, "client")
        values = {0x1000: u32(0, 0), 0x1100: u32(1), 0x1200: u32(1), 0x1300: u32(64), 0x1400: u32(50000), 0x1500: u32(-1),
                  0x1600: u32(-1), 0x2000: MINE[0], 0x2100: u32(host_port), 0x2200: u32(1), 0x2300: u32(10), 0x2400: u32(20),
                  0x3000: MINE[0], 0x3100: struct.pack(">q", MINE[1]), **(mine or {})}
        self.me = (values[0x3000][:16], MINE[1])
        self.theirs = self.serve(values)
        self.proc = (self.theirs[0x3000], struct.unpack(">q", self.theirs[0x3100])[0])
        self.datalen = min(int.from_bytes(values[0x1300], "big"), int.from_bytes(self.theirs[0x1300], "big"))
        self.ackmark = min(int.from_bytes(values[0x2300], "big"), int.from_bytes(self.theirs[0x2300], "big"))
        self.hiwater = min(int.from_bytes(values[0x2400], "big"), int.from_bytes(self.theirs[0x2400], "big"))

    def accept(self, listener, name):
        listener.settimeout(self.run.patience)
        try:
            connected, _ = listener.accept()
        except socket.timeout:
            self.run.step(name, "connects", "a connection", "nothing")
        self.run.peers.append(script.Peer(self.run, name, connected))
        return self.run.peers[-1]

    def serve(self, values):
        """What the client sent for each label. It may wait for replies or not."""
        self.client.expect(command(b"AUTH", u32(1)), "AUTH none")
        self.client.send(u32(0, 0), "the choice of none")
        self.client.expect(command(b"IMPI", u32(self.rank)), f"IMPI {self.rank}")
        self.client.send(command(b"IMPI", u32(2)), "IMPI 2")
        theirs, last = {}, 0
        while True:
            header = self.client.read(8) or b""
            payload = self.client.read(int.from_bytes(header[4:], "big")) if header[4:] != bytes(4) else b""
            if header == command(b"DONE"):
                break
            label = int.from_bytes((payload or b"")[:4], "big")
            self.run.step("client", "receive COLL", "COLL, ascending", "COLL, ascending" if header[:4] == b"COLL" and label > last
                          else repr(header))
            last, theirs[label] = label, payload[4:]
            if label in values:
                both = [values[label], payload[4:]] if self.rank else [payload[4:], values[label]]
                self.client.send(command(b"COLL", u32(label, 3) + b"".join(both)), LABELS[label])
        missing = [LABELS[label] for label in LABELS if label not in theirs]
        self.run.step("client", "sends all labels", "[]", str(missing))
        self.client.send(command(b"DONE"), "DONE")
        return theirs

    def meet(self):
        """The stream between the two hosts: the higher rank connects."""
        if self.rank == 1:
            self.host = self.accept(self.hosts, "host")
            self.host.expect(u32(1), "its host rank")
        else:
            self.host = self.run.connect("host", ("127.0.0.1", int.from_bytes(self.theirs[0x2100], "big")))
            self.host.send(u32(1), "host rank 1")
        return self

    def send(self, kind, data=b"", **fields):
        if kind not in ("PROTOACK", "FINI"):
            if self.sent >= self.hiwater:
                self.next("PROTOACK")
            self.sent += 1
        text = f"{kind} " + " ".join(f"{key} {value}" for key, value in fields.items())
        self.host.send(wire.packet(kind, self.me, self.proc, data, **{"lsrank": 1 - self.rank, **fields}), text)

    def context_of(self, what):
        """The id of the context in which a collective operation travels."""
        return 1

    def order(self, *numbers):
        self.send("DATA", struct.pack(f">{len(numbers)}i", *numbers), tag=ORDER_TAG)

    def next(self, kind, data=None, **fields):
        """The next packet besides acknowledgements; it is acknowledged when ackmark are reached."""
        while True:
            seen, body = self.host.read_packet()
            if seen.type != 2:
                break
            self.sent -= self.ackmark
            if kind == "PROTOACK":
                break
        if seen.type not in (2, 7):
            self.received += 1
            if self.acknowledges and self.received % self.ackmark == 0:
                self.send("PROTOACK")
        wanted = {"type": kind, **fields}
        found = {"type": wire.TYPES[seen.type] if seen.type < 8 else seen.type, **{key: getattr(seen, key) for key in fields}}
        if data is not None:
            wanted["data"], found["data"] = data.hex(), body.hex()
        self.run.step("host", f"receive {kind}", str(wanted), str(found))
        self.body = body
        return seen

    def next_any(self):
        """The next packet besides acknowledgements, of any type."""
        while True:
            seen, _ = self.host.read_packet()
            if seen.type != 2:
                return seen
            self.sent -= self.ackmark

    def quiet(self):
        """Nothing comes: an order to a process that may not send is not answered. The wait is a
        part of the patience."""
        patience, self.run.patience = self.run.patience, 0.3
        seen = self.host.read(1)
        self.run.patience = patience
        self.run.step("host", "receive nothing", "nothing", "nothing" if seen is None else "bytes")

    def report(self, *numbers):
        return self.next("DATA", struct.pack(f">{len(numbers)}i", *numbers), tag=REPORT_TAG, cid=0)

    def barrier(self):
        """Linear, tag 110, on the collective context."""
        if self.rank == 1:
            self.next("DATA", b"", tag=110, cid=1, lsrank=1)
            self.send("DATA", tag=110, cid=1)
        else:
            self.send("DATA", tag=110, cid=1)
            self.next("DATA", b"", tag=110, cid=1, lsrank=0)

    def finish(self):
        self.order(EXIT)
        self.barrier()
        self.next("FINI")
        self.send("FINI")
        self.host.expect_end()
        self.client.expect(command(b"FINI"), "FINI")
        self.run.ends(0)
