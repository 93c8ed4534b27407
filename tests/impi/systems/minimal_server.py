#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The least that a server of IMPI does, in lock step: relays labels, wants each system to say goodbye.

Usage: minimal_server.py SYSTEMS. Prints HOST:PORT. Exits with 1 when a system leaves without goodbye.
"""
import socket
import struct
import sys

AUTH, IMPI, COLL, DONE, FINI = (int.from_bytes(word, "big") for word in (b"AUTH", b"IMPI", b"COLL", b"DONE", b"FINI"))


def receive(client, count):
    data = b""
    while len(data) < count:
        piece = client.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def command(client):
    code, length = struct.unpack(">II", receive(client, 8))
    return code, receive(client, length)


def admit(listener, count):
    """All systems by their rank; nobody is authenticated."""
    clients = {}
    while len(clients) < count:
        client = listener.accept()[0]
        code, mask = command(client)
        assert code == AUTH and mask[-1] & 1
        client.sendall(struct.pack(">II", 0, 0))
        code, rank = command(client)
        assert code == IMPI
        clients[struct.unpack(">i", rank)[0]] = client
    return [clients[rank] for rank in range(count)]


def serve(count):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    print("127.0.0.1:%d" % listener.getsockname()[1], flush=True)
    clients = admit(listener, count)

    def tell(code, payload):
        for client in clients:
            client.sendall(struct.pack(">II", code, len(payload)) + payload)

    tell(IMPI, struct.pack(">i", count))
    while True:
        heard = [command(client) for client in clients]
        if heard[0][0] == DONE:
            break
        values = b"".join(payload[4:] for _, payload in heard)
        tell(COLL, heard[0][1][:4] + struct.pack(">I", (1 << count) - 1) + values)
    tell(DONE, b"")
    for client in clients:
        assert command(client)[0] == FINI


try:
    serve(int(sys.argv[1]))
except EOFError:
    sys.exit("a system has gone without goodbye")
