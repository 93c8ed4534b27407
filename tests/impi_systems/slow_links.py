# SPDX-License-Identifier: BSD-3-Clause
"""Slow links between the systems of a job: each byte from host to host comes 10 ms late, and is
counted.

A relay stands before the server. It passes on what client and server say, but for the addresses and
ports of the hosts: in their place it puts its own, behind which the connections to the hosts are
slow.
"""
import collections
import queue
import socket
import struct
import threading
import time

DELAY_S = 0.010
H_IPV6, H_PORT = 0x2000, 0x2100
HOST_ID_BYTES = 16
CHALLENGE, PROOF_BYTES = 16, 32  # the method in which the server proves that it knows the secret
HEADER_BYTES, CARRY_DATA = 128, (0, 1)


def read(connected, count):
    data = b""
    while len(data) < count:
        part = connected.recv(count - len(data))
        if not part:
            return b""
        data += part
    return data


class Count:
    """Reads one direction of a stream between hosts, packet by packet."""

    def __init__(self, note):
        self.note, self.buffer, self.skip = note, b"", 0

    def feed(self, data):
        self.buffer += data
        while True:
            step = min(self.skip, len(self.buffer))
            self.buffer, self.skip = self.buffer[step:], self.skip - step
            if self.skip or len(self.buffer) < HEADER_BYTES:
                return
            kind, length = struct.unpack_from(">II", self.buffer)
            (tag,) = struct.unpack_from(">i", self.buffer, 84)
            (cid,) = struct.unpack_from(">Q", self.buffer, 88)
            self.skip = HEADER_BYTES + (length if kind in CARRY_DATA else 0)
            if kind in CARRY_DATA:
                self.note(cid, tag, length)


class SlowLinks:
    """`sizes`: how many hosts each system has; `server`: the address of the true one. All can reach
    this machine at `here`."""

    def __init__(self, server, sizes, here="127.0.0.1"):
        host, _, port = server.rpartition(":")
        self.server, self.lock, self.here, self.ports, self.hosts = (host, int(port)), threading.Lock(), here, {}, []
        self.system_of = [system for system, size in enumerate(sizes) for _ in range(size)]
        self.bytes = collections.Counter()  # by (tag, system, system), of collective operations
        self.listener = socket.create_server((here, 0))
        self.address = "%s:%d" % self.listener.getsockname()
        self.start(self.accept, self.listener, self.relay)

    @staticmethod
    def start(body, *arguments):
        threading.Thread(target=body, args=arguments, daemon=True).start()

    def accept(self, listener, body, *arguments):
        while True:
            connected, _ = listener.accept()
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.start(body, connected, *arguments)

    # Between a client and the server.
    def relay(self, client):
        server = socket.create_connection(self.server)
        self.start(self.copy, client, server)
        chosen = read(server, 8)
        client.sendall(chosen + read(server, int.from_bytes(chosen[4:], "big")))
        if int.from_bytes(chosen[:4], "big") == CHALLENGE:
            client.sendall(read(server, PROOF_BYTES))
        while header := read(server, 8):
            payload = read(server, int.from_bytes(header[4:], "big"))
            label = int.from_bytes(payload[:4], "big") if header[:4] == b"COLL" else None
            if label == H_IPV6:
                self.hosts = [socket.inet_ntoa(payload[at - 4:at]) for at in range(8 + HOST_ID_BYTES, len(payload) + 1, HOST_ID_BYTES)]
                payload = payload[:8] + len(self.hosts) * (bytes(10) + b"\xff\xff" + socket.inet_aton(self.here))
            elif label == H_PORT:
                ports = struct.unpack(f">{len(payload) // 4 - 2}I", payload[8:])
                payload = payload[:8] + struct.pack(f">{len(ports)}I", *map(self.slow_port, range(len(ports)), ports))
            client.sendall(header + payload)
        client.close()

    @staticmethod
    def copy(origin, target):
        try:
            while data := origin.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one of the two has gone

    def slow_port(self, host, port):
        with self.lock:
            if host not in self.ports:
                listener = socket.create_server((self.here, 0))
                self.ports[host] = listener.getsockname()[1]
                self.start(self.accept, listener, self.connect, host, port)
            return self.ports[host]

    # Between two hosts.
    def connect(self, connected, host, port):
        target = socket.create_connection((self.hosts[host], port))
        target.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        rank = read(connected, 4)
        target.sendall(rank)
        systems = self.system_of[int.from_bytes(rank, "big")], self.system_of[host]
        for origin, end, ends in ((connected, target, systems), (target, connected, systems[::-1])):
            late = queue.Queue()
            self.start(self.receive, origin, late, Count(lambda *of, ends=ends: self.note(ends, *of)))
            self.start(self.send, end, late)

    def note(self, ends, cid, tag, length):
        if cid % 2 == 1 and length:
            with self.lock:
                self.bytes[(tag, *ends)] += length

    @staticmethod
    def receive(origin, late, count):
        try:
            while data := origin.recv(1 << 16):
                count.feed(data)
                late.put((time.monotonic() + DELAY_S, data))
        except OSError:
            pass
        late.put((0, b""))

    @staticmethod
    def send(end, late):
        try:
            while True:
                due, data = late.get()
                if not data:
                    return end.shutdown(socket.SHUT_WR)
                time.sleep(max(0, due - time.monotonic()))
                end.sendall(data)
        except OSError:
            pass
