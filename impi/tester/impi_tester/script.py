# SPDX-License-Identifier: BSD-3-Clause
"""One test: its peers on the wire, what they expect and see, step by step."""
import hashlib
import os
import re
import shlex
import signal
import socket
import subprocess
import time

from . import wire


class Failed(Exception):
    """Something else was seen than expected; the steps say what."""


def bytes_text(data):
    """All of short data; of long data the begin and a digest."""
    if len(data) <= 256:
        return data.hex(" ")
    return f"{data[:32].hex(' ')} ... ({len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()[:16]})"


class Run:
    """The steps of one test, the program under test, and the connections to it. All end with the
    test."""

    def __init__(self, patience, verbose_to=None):
        self.patience, self.steps, self.peers, self.process, self.verbose_to = patience, [], [], None, verbose_to
        self.address = None

    def step(self, who, what, expected, seen):
        good = expected is None or seen == expected
        self.steps.append({"who": who, "step": what, "expected": expected, "seen": seen, "ok": good})
        if not good:
            raise Failed(f"{who}: {what}: expected {expected}, seen {seen}")

    def start(self, template, **names):
        """The program under test in its own group, so that all of it ends with the test."""
        words = [word.format(**names) for word in shlex.split(template)]
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("IMPI_", "TESSERA_MCA_"))}
        self.process = subprocess.Popen(words, env={**kept, **names.get("environment", {})}, text=True, start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def start_server(self, template, count, environment):
        self.start(template, count=count, environment=environment)
        line = self.process.stdout.readline()
        match = re.fullmatch(r"(\d+\.\d+\.\d+\.\d+):(\d+)\n", line)
        self.step("server", "prints address and port", "IPV4:PORT", "IPV4:PORT" if match else repr(line))
        self.address = (match[1], int(match[2]))

    def ends(self, status):
        try:
            self.process.communicate(timeout=self.patience)
            seen = "status 0" if self.process.returncode == 0 else "a status that is not 0"
        except subprocess.TimeoutExpired:
            seen = "it runs"
        self.step("program", "ends", "status 0" if status == 0 else "a status that is not 0", seen)

    def lives(self):
        self.step("program", "runs", "it runs", "it runs" if self.process.poll() is None else "it has ended")

    def connect(self, name, address=None):
        peer = Peer(self, name, socket.create_connection(address or self.address, timeout=self.patience))
        self.peers.append(peer)
        return peer

    def close(self):
        for peer in self.peers:
            peer.socket.close()
        if self.process:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()


class Peer:
    """One stream; what it cannot read in time is seen as 'nothing'."""

    def __init__(self, run, name, connected):
        self.run, self.name, self.socket = run, name, connected
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.late = b""

    def send(self, data, what=None):
        self.run.step(self.name, f"send {what or data[:24].hex(' ')}", None, None)
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # what the other side did then shows in what is read

    def read(self, count):
        deadline = time.monotonic() + self.run.patience
        while len(self.late) < count:
            self.socket.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                part = self.socket.recv(1 << 16)
            except socket.timeout:
                return None
            except OSError:
                part = b""
            if not part:
                return self.late
            self.late += part
        data, self.late = self.late[:count], self.late[count:]
        return data

    def expect(self, data, what):
        seen = self.read(len(data))
        text = "nothing" if seen is None else "the end" if not seen else bytes_text(seen)
        self.run.step(self.name, f"receive {what[:200]}", bytes_text(data), text)

    def expect_end(self):
        seen = self.read(1)
        self.run.step(self.name, "stream ends", "the end", "nothing" if seen is None else "the end" if not seen else "more bytes")

    def expect_command(self, code, payload=b""):
        frame = wire.command(code, payload)
        self.expect(frame, wire.command_text(frame, reply=True))

    def read_packet(self):
        """(fields, data) of the next packet, or None with a failed step."""
        header = self.read(128)
        if not header or len(header) < 128:
            self.run.step(self.name, "receive a packet", "a packet", "nothing" if header is None else "the end")
        fields = wire.Packet._make(wire.HEADER.unpack(header))
        data = self.read(fields.length) if fields.type < 2 and fields.length else b""
        return fields, data or b""

    def expect_packet(self, kind, data=None, **expected):
        """The next packet has this type, these fields, this data."""
        fields, seen = self.read_packet()
        name = wire.TYPES[fields.type] if fields.type < 8 else str(fields.type)
        wanted = {"type": kind, **expected}
        found = {"type": name, **{key: getattr(fields, key) for key in expected}}
        if data is not None:
            wanted["data"], found["data"] = data[:64].hex(), seen[:64].hex() if seen[64:] == data[64:] else "other data"
        self.run.step(self.name, f"receive {kind}", str(wanted), str(found))
        return fields
