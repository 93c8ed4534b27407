# SPDX-License-Identifier: BSD-3-Clause
"""impirun as a user and an attacker meet it: what it prints, how it ends, what it does not let
happen."""
import contextlib
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

IMPIRUN = sys.argv.pop(1)
PATIENCE = 150  # of a test that fails; no test waits that long otherwise


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("IMPI_", "TESSERA_MCA_"))}
    return {**kept, **more}


def command(code, payload=b""):
    return code + struct.pack(">i", len(payload)) + payload


class Server:
    def __init__(self, *words, **variables):
        self.process = subprocess.Popen([IMPIRUN, *words, "-bind", "127.0.0.1"], env=environment(**variables), text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        host, _, port = self.process.stdout.readline().strip().partition(":")
        self.address = (host, int(port or 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def connect(self, send=b""):
        client = socket.create_connection(self.address, timeout=PATIENCE)
        client.sendall(send)
        return client

    def end(self):
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


def read(client, count):
    data = b""
    while len(data) < count:
        part = client.recv(count - len(data))
        if not part:
            raise EOFError(data)
        data += part
    return data


def read_command(client):
    code, size = struct.unpack(">4si", read(client, 8))
    return code, read(client, size)


def closed(client):
    try:
        while client.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True


def quiet_port():
    """A port that nobody holds, and that the system gives to no connection of other programs."""
    for port in range(20000 + os.getpid() % 5000, 32768):
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            return str(port)
    raise AssertionError("all ports from 20000 to 32767 are in use")


NONE = command(b"AUTH", struct.pack(">I", 1))


def join(rank):
    return NONE + command(b"IMPI", struct.pack(">i", rank))


class ServerTests(unittest.TestCase):
    def test_a_job_of_two(self):  # req impi 1.1, 1.5, 1.6, 2.8, 2.9
        with Server("-server", "2", IMPI_AUTH_NONE="1") as server:
            second, first = server.connect(join(1)), server.connect(join(0))
            for client in (first, second):
                self.assertEqual(read(client, 8), bytes(8))
                self.assertEqual(read_command(client), (b"IMPI", struct.pack(">i", 2)))
            first.sendall(command(b"COLL", struct.pack(">II", 0x1100, 3)) + command(b"DONE"))
            second.sendall(command(b"COLL", struct.pack(">II", 0x1100, 2)) + command(b"DONE"))
            for client in (first, second):
                self.assertEqual(read_command(client), (b"COLL", struct.pack(">IIII", 0x1100, 3, 3, 2)))
                self.assertEqual(read_command(client), (b"DONE", b""))
                client.sendall(command(b"FINI"))
            status, out, err = server.end()
            self.assertEqual((status, out), (0, ""))
            self.assertEqual(err.count("was admitted without authentication"), 2)

    def test_a_lost_client_is_named(self):  # req impi 1.7
        with Server("-server", "2", IMPI_AUTH_NONE="1") as server:
            first, second = server.connect(join(0)), server.connect(join(1))
            read(second, 8 + 12)
            first.close()
            self.assertTrue(closed(second))
            status, _, err = server.end()
            self.assertEqual(status, 1)
            self.assertIn("client 0 (127.0.0.1:", err)

    def test_a_reset_is_a_loss(self):
        with Server("-server", "2", IMPI_AUTH_NONE="1") as server:
            first, second = server.connect(join(0)), server.connect(join(1))
            read(second, 8 + 12)
            first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            first.close()
            self.assertTrue(closed(second))
            status, _, err = server.end()
            self.assertEqual(status, 1)
            self.assertIn("client 0 (127.0.0.1:", err)

    def test_a_killed_server_leaves_its_port(self):
        port = quiet_port()
        with Server("-server", "2", "-port", port, IMPI_AUTH_NONE="1") as server:
            client = server.connect(join(0))
            read(client, 8)
            server.process.kill()
            server.process.wait(PATIENCE)  # the system closes its sockets in any order
            self.assertTrue(closed(client))
            with Server("-server", "1", "-port", port, IMPI_AUTH_NONE="1") as again:
                self.assertEqual(again.address, server.address)

    def test_who_is_missing(self):  # req impi 1.8
        with Server("-server", "3", "-timeout", "1", IMPI_AUTH_NONE="1") as server:
            client = server.connect(join(1))
            self.assertTrue(closed(client))
            status, _, err = server.end()
            self.assertEqual(status, 1)
            self.assertIn("client 0 and client 2 of 3 did not come within 1 s", err)

    def test_a_signal_ends_it(self):  # req impi 1.10
        with Server("-server", "2", IMPI_AUTH_NONE="1") as server:
            client = server.connect(join(0))
            read(client, 8)
            server.process.send_signal(signal.SIGTERM)
            self.assertTrue(closed(client))
            self.assertEqual(server.end()[0], 128 + signal.SIGTERM)

    def test_keys(self):  # req impi 2.6, 2.7
        with Server("-server", "1", IMPI_AUTH_KEY="5678") as server:
            wrong = server.connect(command(b"AUTH", struct.pack(">I", 2)) + struct.pack(">Q", 5679))
            self.assertEqual(read(wrong, 8), struct.pack(">II", 1, 0))
            self.assertTrue(closed(wrong))
            right = server.connect(command(b"AUTH", struct.pack(">I", 3)) + struct.pack(">Q", 5678) + join(0)[12:])
            self.assertEqual(read(right, 8), struct.pack(">II", 1, 0))
            self.assertEqual(read_command(right)[0], b"IMPI")
            right.sendall(command(b"DONE") + command(b"FINI"))
            # FINI before the answer to DONE is a mistake of the client.
            status, _, err = server.end()
            self.assertIn("it sent a wrong key", err)
            self.assertNotIn("5678", err)

    def test_strangers_change_nothing(self):  # req impi 2.2, 2.3, 2.4, 2.5, 2.10
        bad = [b"GET / HTTP/1.1\r\n\r\n", join(0)[12:], command(b"AUTH", struct.pack(">I", 2)), join(7), join(-1),
               NONE + NONE, NONE + command(b"DONE"), b"AUTH\xff\xff\xff\xff", b"AUTH\x7f\xff\xff\xff", command(b"WHAT", b"???")]
        with Server("-server", "1", IMPI_AUTH_NONE="1") as server:
            for words in bad:
                self.assertTrue(closed(server.connect(words)))
            idle = [server.connect() for _ in range(100)]  # more than are kept
            client = server.connect(join(0) + command(b"WHAT", b"???") + command(b"DONE"))
            self.assertEqual(read(client, 8), bytes(8))
            self.assertEqual(read_command(client)[0], b"IMPI")
            self.assertEqual(read_command(client)[0], b"DONE")
            client.sendall(command(b"FINI"))
            self.assertEqual(server.end()[0], 0)
            for connection in idle:
                connection.close()

    def test_wrong_use(self):  # req impi 1.2, 1.4
        cases = [("-server", "0"), ("-server", "33"), ("-server", "x"), ("-server",), (), ("-client", "0"),
                 ("-client", "0", "127.0.0.1:5"), ("-client", "32", "127.0.0.1:5", "x"), ("-server", "2", "-client", "1"),
                 ("-server", "2", "-auth", "99"), ("-server", "2", "-auth", "1"), ("-server", "2", "-what"),
                 ("-client", "0", "127.0.0.1", "x")]
        for words in cases:
            run = subprocess.run([IMPIRUN, *words], env=environment(IMPI_AUTH_NONE="1"), capture_output=True, text=True,
                                 timeout=PATIENCE)
            self.assertEqual((run.returncode, run.stdout), (2, ""), words)
            self.assertTrue(run.stderr.startswith("impirun: "), words)
        run = subprocess.run([IMPIRUN, "-server", "2"], env=environment(), capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, 2)
        self.assertIn("IMPI_AUTH_SECRET_FILE", run.stderr)

    def test_the_client_starts_mpiexec(self):  # req impi 1.9
        with tempfile.TemporaryDirectory() as folder:
            beside = pathlib.Path(folder, "impirun")
            beside.write_bytes(pathlib.Path(IMPIRUN).read_bytes())
            beside.chmod(0o755)
            mpiexec = pathlib.Path(folder, "mpiexec")
            mpiexec.write_text('#!/bin/sh\nprintf "%s\\n" "$*"\nenv | grep ^TESSERA_MCA_ | sort\n')
            mpiexec.chmod(0o755)
            run = subprocess.run([beside, "--auth=1", "--trace", "t", "-client", "3", "127.0.0.1:5000", "-n", "2", "./a.out", "-x"],
                                 env=environment(IMPI_AUTH_KEY="77"), capture_output=True, text=True, cwd=folder, timeout=PATIENCE)
            self.assertEqual(run.stderr, "")
            self.assertEqual(run.stdout.splitlines(), [
                "-n 2 ./a.out -x", "TESSERA_MCA_coll_hierarchy_system=3", "TESSERA_MCA_impi_auth=1", "TESSERA_MCA_impi_rank=3",
                "TESSERA_MCA_impi_server=127.0.0.1:5000", f"TESSERA_MCA_impi_trace={os.path.realpath(folder)}/t"])

    def test_no_mpi_and_no_engine(self):
        run = subprocess.run(["ldd", IMPIRUN], capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotIn("tessera", run.stdout)
        self.assertNotIn("mpi_abi", run.stdout)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
