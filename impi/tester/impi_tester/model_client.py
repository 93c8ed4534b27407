# SPDX-License-Identifier: BSD-3-Clause
"""A small client of our own with one process, and one mistake at a time. It obeys the orders of
host_job.py as impi-test-program does under a real MPI."""
import argparse
import os
import select
import socket
import struct
import time

from . import model_collectives, model_communicators, wire
from .host_job import BARRIER, BCAST, BURST, CANCEL, DUP, ECHO, EXIT, ORDER_TAG, PROBE, RECV, REPORT_TAG, SEND, SSEND, pattern
from .wire import Packet, command, u32

# By class of tests; each test of a class fails with one of them at least.
MISTAKES = {"dance": "sends its host rank little-endian", "dance-silent": "takes no connection of another host",
            "dance-waits": "reads the rank of one host after the other", "short": "sends synchronous messages as others",
            "short-rank": "says another rank than its own", "short-status": "tells wrong sources, tags and sizes",
            "long": "does not echo the receiver's request", "long-first": "takes the first packet for the message",
            "cancel": "always answers CANCELNO", "cancel-older": "cancels the first of several messages with a request",
            "cancel-reverse": "gives and takes answers the other way round",
            "flow": "ignores hiwater and does not acknowledge", "hostile": "takes any packet",
            "hostile-lengths": "reads data behind packets that have none", "hostile-calm": "ends well when the other one is lost",
            "shutdown": "sends no FINI", "collective": "uses the other context",
            "communicator": "makes communicators in the other context", "communicator-own": "takes its own highest id, not that of all"}
ACKMARK, HIWATER, DATALEN = 10, 20, 65536


class Lost(Exception):
    """The other side ended or broke the protocol."""


class Stream:
    def __init__(self, connected):
        self.socket = connected
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise Lost
            data += part
        return data


class Client:
    def __init__(self, rank, address, mistake, lam=False):
        self.rank, self.mistake = rank, mistake
        self.collectives = model_collectives.Calls(self, lam)
        self.communicators = model_communicators.Makers(self)
        self.server = Stream(socket.create_connection(address))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.me = (bytes(10) + b"\xff\xff" + bytes([127, 0, 0, 1]), os.getpid())
        self.sent = self.received = self.requests = 0
        self.arrived, self.last, self.acks, self.rest, self.ended = [], {}, {}, {}, False

    # Start-up.
    def agree(self):
        self.server.socket.sendall(command(b"AUTH", u32(1)))
        self.server.read(8)
        self.server.socket.sendall(command(b"IMPI", u32(self.rank)))
        self.server.read(12)
        mine = {0x1000: u32(0, 0), 0x1100: u32(1), 0x1200: u32(1), 0x1300: u32(DATALEN), 0x1400: u32(0x7FFFFFFF), 0x1500: u32(-1),
                0x1600: u32(-1), 0x2000: self.me[0], 0x2100: u32(self.listener.getsockname()[1]), 0x2200: u32(1),
                0x2300: u32(ACKMARK), 0x2400: u32(HIWATER), 0x3000: self.me[0], 0x3100: struct.pack(">q", self.me[1])}
        both = {}
        for label, value in mine.items():
            self.server.socket.sendall(command(b"COLL", u32(label) + value))
            size = int.from_bytes(self.server.read(8)[4:], "big")
            both[label] = self.server.read(size)[8:]
        self.server.socket.sendall(command(b"DONE"))
        self.server.read(8)
        return {label: (value[:len(value) // 2], value[len(value) // 2:]) for label, value in both.items()}

    def join(self):
        both, other = self.agree(), 1 - self.rank
        least = {label: min(int.from_bytes(value, "big") for value in both[label]) for label in (0x1300, 0x2300, 0x2400)}
        self.datalen, self.ackmark, self.hiwater = least[0x1300], least[0x2300], least[0x2400]
        self.other = (both[0x3000][other], struct.unpack(">q", both[0x3100][other])[0])
        if self.rank == 1:
            self.host = Stream(socket.create_connection((both[0x2000][0][12:] and socket.inet_ntoa(both[0x2000][0][12:]),
                                                         int.from_bytes(both[0x2100][0], "big"))))
            self.host.socket.sendall(u32(1)[::-1] if self.mistake == "dance" else u32(1))
            return
        self.host = Stream(self.await_host())

    def await_host(self):
        """Connections say their rank side by side: one that is silent keeps no other one
        waiting."""
        said = {}
        while self.mistake == "dance-silent":
            time.sleep(1)
        while self.mistake == "dance-waits":
            connected = self.listener.accept()[0]
            if connected.recv(4, socket.MSG_WAITALL) == u32(1):
                return connected
        while True:
            for ready in select.select([self.listener, *said], [], [])[0]:
                if ready is self.listener:
                    said[ready.accept()[0]] = b""
                    continue
                part = ready.recv(4 - len(said[ready]))
                said[ready] += part
                if said[ready] == u32(1) or self.mistake == "dance":
                    return ready
                if not part or len(said[ready]) == 4:
                    del said[ready]
                    ready.close()

    # Packets.
    def emit(self, kind, data=b"", **fields):
        if kind not in ("PROTOACK", "FINI"):
            while self.sent >= self.hiwater and self.mistake != "flow":
                self.progress()
            self.sent += 1
        self.host.socket.sendall(wire.packet(kind, self.me, self.other, data, **fields))

    def check(self, packet):
        good = packet.type < 8 and (packet.type > 1 or (
            packet.length <= min(self.datalen, packet.msglen) and (packet.length or not packet.msglen) and packet.tag >= 0))
        named = packet.type == 7 or ((packet.src_host, packet.src_pid), (packet.dst_host, packet.dst_pid)) == (self.other, self.me)
        if not (good and named) and self.mistake != "hostile":
            raise Lost

    def progress(self):
        """One packet of the other host."""
        packet = Packet._make(wire.HEADER.unpack(self.host.read(128)))
        self.check(packet)
        data = self.host.read(packet.length) if packet.type < 2 or self.mistake == "hostile-lengths" else b""
        if packet.type not in (2, 7):
            self.received += 1
            if self.received % self.ackmark == 0 and self.mistake != "flow":
                self.emit("PROTOACK")
        if packet.type == 2:
            self.sent -= self.ackmark
        elif packet.type == 7:
            self.ended = True
        elif packet.type == 4:
            last = self.last.get(packet.srqid)
            if self.mistake == "cancel-older":
                last = next((m for m in self.arrived if m[0].srqid == packet.srqid), None)
            gone = any(message is last for message in self.arrived) and self.mistake != "cancel"
            if gone:
                self.arrived = [message for message in self.arrived if message is not last]
            yes = gone != (self.mistake == "cancel-reverse")
            self.emit("CANCELYES" if yes else "CANCELNO", srqid=packet.srqid)
        elif packet.type in (3, 5, 6):
            self.acks[(packet.srqid, packet.type)] = packet
        elif packet.type == 0 and packet.drqid in self.rest:
            if packet.length + len(self.rest[packet.drqid]) > packet.msglen and self.mistake != "hostile":
                raise Lost
            self.rest[packet.drqid] += data
        else:
            self.start_message(packet, data)

    def start_message(self, packet, data):
        if packet.type == 0 and packet.length != packet.msglen and self.mistake != "hostile":
            raise Lost
        self.arrived.append((packet, bytearray(data)))
        self.last[packet.srqid] = self.arrived[-1]

    def await_ack(self, request, *kinds):
        while not any((request, kind) in self.acks for kind in kinds):
            self.progress()
        return next(self.acks.pop((request, kind)) for kind in kinds if (request, kind) in self.acks)

    # Messages.
    def start_send(self, tag, data, sync=False, cid=0, lsrank=None):
        self.requests += 1
        whole = len(data) <= self.datalen
        kind = "DATASYNC" if not whole or (sync and self.mistake != "short") else "DATA"
        rank = (self.rank if lsrank is None else lsrank) + (self.mistake == "short-rank")
        self.emit(kind, data[:self.datalen], tag=tag, cid=cid, lsrank=rank, srqid=self.requests, msglen=len(data))
        return self.requests

    def finish_send(self, request, data):
        drqid = self.await_ack(request, 3).drqid if self.mistake != "long" else 0
        for at in range(self.datalen, len(data), self.datalen):
            self.emit("DATA", data[at:at + self.datalen], srqid=request, drqid=drqid, lsrank=self.rank, msglen=len(data))

    def send(self, tag, data, sync=False, cid=0, lsrank=None):
        request = self.start_send(tag, data, sync, cid, lsrank)
        if len(data) > self.datalen or (sync and self.mistake != "short"):
            self.finish_send(request, data)

    def find(self, tag, cid=0):
        while True:
            for message in self.arrived:
                if message[0].tag == tag and message[0].cid == cid:
                    return message
            self.progress()

    def receive(self, tag, cid=0):
        packet, data = message = self.find(tag, cid)
        self.arrived.remove(message)
        if packet.type == 1:
            self.requests += 1
            self.rest[self.requests] = data
            self.emit("SYNCACK", srqid=packet.srqid, drqid=self.requests)
            while len(data) < packet.msglen and self.mistake != "long-first":
                self.progress()
        return packet, bytes(data)

    def report(self, *numbers):
        numbers = [number + (self.mistake == "short-status") for number in numbers]
        self.send(REPORT_TAG, struct.pack(f">{len(numbers)}i", *numbers))

    def barrier(self):
        cid = 0 if self.mistake == "collective" else 1
        if self.rank == 1:
            self.send(110, b"", cid=cid)
            self.receive(110, cid)
        else:
            self.receive(110, cid)
            self.send(110, b"", cid=cid)

    def obey(self, what, *numbers):
        tag = numbers[0] if numbers else 0
        if what == ECHO:
            self.send(tag, self.receive(tag)[1])
        elif what == SEND:
            self.send(tag, pattern(numbers[1]))
        elif what == SSEND:
            self.send(tag, pattern(numbers[1]), sync=True)
            self.send(tag + 1, b"")
        elif what == RECV:
            packet, data = self.receive(tag)
            self.report(packet.lsrank, packet.tag, len(data))
        elif what == PROBE:
            packet, _ = self.find(tag)
            self.report(packet.lsrank, packet.tag, packet.msglen)
        elif what == BURST:
            for _ in range(numbers[1]):
                self.send(tag, pattern(numbers[2]))
            self.report(numbers[1])
        elif what >= DUP:
            self.communicators.run(what, *numbers)
        elif what >= BCAST:
            self.report(self.collectives.run(what, *numbers))
        elif what == BARRIER:
            self.barrier()
        elif what == CANCEL:
            data = pattern(numbers[1])
            request = self.start_send(tag, data)
            self.emit("CANCEL", srqid=request)
            yes = (self.await_ack(request, 5, 6).type == 5) != (self.mistake == "cancel-reverse")
            if not yes:
                self.finish_send(request, data)
            self.report(int(yes))

    def run(self):
        self.join()
        while True:
            order = self.receive(ORDER_TAG)[1]
            numbers = struct.unpack(f">{len(order) // 4}i", order)
            if numbers[0] == EXIT:
                break
            self.obey(*numbers)
        self.barrier()
        if self.mistake != "shutdown":
            self.emit("FINI")
        while not self.ended:
            self.progress()
        self.host.socket.close()
        self.server.socket.sendall(command(b"FINI"))


def main(words):
    parser = argparse.ArgumentParser(prog="impi-test model-client")
    parser.add_argument("rank", type=int)
    parser.add_argument("server")
    parser.add_argument("--wrong", choices=MISTAKES)
    parser.add_argument("--lam", action="store_true", help="the other system is LAM/MPI")
    arguments = parser.parse_args(words)
    host, _, port = arguments.server.rpartition(":")
    try:
        Client(arguments.rank, (host, int(port)), arguments.wrong, arguments.lam).run()
    except (Lost, OSError):
        return 0 if arguments.wrong == "hostile-calm" else 1
    return 0
