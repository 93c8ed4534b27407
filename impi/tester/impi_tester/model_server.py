# SPDX-License-Identifier: BSD-3-Clause
"""A small server of our own, and one mistake at a time: what shows that the tests of servers can
fail."""
import argparse
import asyncio
import hashlib
import hmac
import os

from .wire import command, u32

# By class of tests; each test of a class fails with one of them at least.
MISTAKES = {"startup": "tells a wrong size", "labels": "forgets the mask", "authentication": "takes any key",
            "authentication-choice": "chooses a method that was not offered", "challenge": "takes any proof",
            "challenge-nonce": "has one nonce, and proves as a client does", "refused": "lets two clients have one rank",
            "refused-keeps": "leaves connections open that did something wrong", "refused-ends": "ends when a stranger goes",
            "refused-waits": "admits one connection after the other", "lost": "goes on without a client",
            "stream": "does not skip what it does not know", "stream-strict": "closes at a command that it does not know",
            "stream-pieces": "expects whole commands in each segment", "stream-drops": "drops what follows in a segment",
            "stream-impatient": "closes where a client does not read"}
KNOWN = (b"AUTH", b"IMPI", b"COLL", b"DONE", b"FINI")


class Broken(Exception):
    """The client did what the protocol forbids."""


class Server:
    def __init__(self, count, mistake):
        self.count, self.mistake = count, mistake
        self.streams, self.queues, self.last, self.finished = {}, {r: [] for r in range(count)}, {}, set()
        self.started, self.ended = False, asyncio.get_running_loop().create_future()
        self.turn = asyncio.Lock()

    def end(self, status):
        if not self.ended.done():
            self.ended.set_result(status)

    def broadcast(self, data):
        for stream in self.streams.values():
            stream.write(data)
            if self.mistake == "stream-impatient" and stream.transport.get_write_buffer_size() > 1 << 19:
                stream.transport.abort()

    def collect(self):
        while not self.started and len(self.streams) == self.count and all(self.queues.values()):
            heads = {rank: queue[0] for rank, queue in self.queues.items()}
            labels = [head[0] for head in heads.values() if head]
            if not labels:
                self.started = True
                return self.broadcast(command(b"DONE"))
            senders = [rank for rank, head in heads.items() if head and head[0] == min(labels)]
            values = b"".join(self.queues[rank].pop(0)[1] for rank in senders)
            mask = 0 if self.mistake == "labels" else sum(1 << rank for rank in senders)
            self.broadcast(command(b"COLL", u32(min(labels), mask) + values))

    async def read(self, reader, size):
        if self.mistake != "stream-pieces" or not size:
            return await reader.readexactly(size)
        data = await reader.read(size)
        if len(data) < size:
            raise Broken
        return data

    async def read_command(self, reader, first=False):
        while True:
            header = await self.read(reader, 8)
            size = int.from_bytes(header[4:], "big", signed=True)
            if not 0 <= size <= 1 << 20 or (first and header[:4] != b"AUTH"):
                raise Broken
            if header[:4] not in KNOWN and self.mistake == "stream":
                continue
            if header[:4] not in KNOWN and self.mistake == "stream-strict":
                raise Broken
            least, most = {b"AUTH": (4, 128), b"IMPI": (4, 4), b"COLL": (4, 1 << 20)}.get(header[:4], (0, 0))
            if header[:4] in KNOWN and not least <= size <= most:
                raise Broken
            payload = await self.read(reader, size)
            if header[:4] in KNOWN:
                return header[:4], payload

    async def admit(self, reader, writer):
        _, masks = await self.read_command(reader, first=True)
        mine = (1 if "IMPI_AUTH_NONE" in os.environ else 0) | (2 if "IMPI_AUTH_KEY" in os.environ else 0)
        mine |= 1 << 16 if "IMPI_AUTH_SECRET" in os.environ else 0
        both = int.from_bytes(masks[:4], "big") & mine
        if self.mistake == "stream-drops":
            await asyncio.wait_for(reader.read(1 << 20), 1)
        if self.mistake == "authentication-choice":
            return writer.write(u32(0 if both & 2 or not both else 1, 0))
        if not both or len(masks) % 4:
            raise Broken
        if both >> 16:
            nonce = bytes(32) if self.mistake == "challenge-nonce" else os.urandom(32)
            writer.write(u32(16, 32) + nonce)
            theirs, proof = await reader.readexactly(32), await reader.readexactly(32)
            if self.mistake != "challenge" and proof != self.proof(b"client", nonce, theirs):
                raise Broken
            return writer.write(self.proof(b"client" if self.mistake == "challenge-nonce" else b"server", nonce, theirs))
        writer.write(u32(both >> 1, 0))
        if both >> 1:
            key = int.from_bytes(await reader.readexactly(8), "big")
            if key != int(os.environ["IMPI_AUTH_KEY"]) and self.mistake != "authentication":
                raise Broken

    @staticmethod
    def proof(word, server, client):
        return hmac.new(os.environ["IMPI_AUTH_SECRET"].encode(), b"IMPI-16 " + word + server + client, hashlib.sha256).digest()

    async def join(self, reader, writer):
        code, payload = await self.read_command(reader)
        rank = int.from_bytes(payload, "big", signed=True)
        if code != b"IMPI" or not 0 <= rank < self.count or (rank in self.streams and self.mistake != "refused"):
            raise Broken
        self.streams[rank], self.last[rank] = writer, 0
        if len(self.streams) == self.count:
            self.broadcast(command(b"IMPI", u32(self.count + (self.mistake == "startup"))))
            self.collect()
        return rank

    async def follow(self, rank, reader):
        done = False
        while True:
            code, payload = await self.read_command(reader)
            label = int.from_bytes(payload[:4], "big")
            if code == b"FINI" and self.started:
                return
            if code == b"COLL" and not done and label > self.last[rank]:
                self.last[rank] = label
                self.queues[rank].append((label, payload[4:]))
            elif code == b"DONE" and not done:
                done = True
                self.queues[rank].append(None)
            else:
                raise Broken
            self.collect()

    async def serve(self, reader, writer):
        rank = None
        try:
            if self.mistake == "refused-waits":
                async with self.turn:
                    await self.admit(reader, writer)
            else:
                await self.admit(reader, writer)
            rank = await self.join(reader, writer)
            await self.follow(rank, reader)
            self.finished.add(rank)
            if len(self.finished) == self.count:
                self.end(0)
        except (Broken, OSError, asyncio.IncompleteReadError):
            if self.mistake == "refused-keeps":
                return
            if (rank is not None and self.mistake != "lost") or self.mistake == "refused-ends":
                self.end(1)
        writer.close()


async def serve(count, mistake):
    server = Server(count, mistake)
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0, limit=1 << 21)
    print("{}:{}".format(*listener.sockets[0].getsockname()), flush=True)
    return await server.ended


def main(words):
    parser = argparse.ArgumentParser(prog="impi-test model-server")
    parser.add_argument("count", type=int)
    parser.add_argument("--wrong", choices=MISTAKES)
    arguments = parser.parse_args(words)
    return asyncio.run(serve(arguments.count, arguments.wrong))
