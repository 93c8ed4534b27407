# SPDX-License-Identifier: BSD-3-Clause
"""impi-trace shows what a server and hosts wrote, also where the writer was killed."""
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

TESTER, IMPIRUN = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, str(TESTER.parent))
from impi_tester import wire  # noqa: E402


def record(time, kind, direction, writer, peer, data):
    return struct.pack(">QBBBBII", time, kind, direction, len(writer), len(peer), len(data), len(data)) + writer + peer + data


def show(*words):
    return subprocess.run([sys.executable, "-B", TESTER.parent / "impi-trace", *map(str, words)], capture_output=True, text=True,
                          timeout=240)


class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, *records, cut=0):
        path = self.folder / name
        data = b"IMPITRC1" + b"".join(records)
        path.write_bytes(data[:len(data) - cut])
        return path

    def hosts(self):
        ends = {"source": (bytes(12) + bytes([10, 0, 0, 1]), 7), "target": (bytes(10) + b"\xff\xff" + bytes([10, 0, 0, 2]), 8)}
        data = wire.packet("DATASYNC", data=b"abc", msglen=9, tag=110, cid=1, srqid=5, **ends)
        first = self.write("0", record(2000, 4, 0, b"host 0", b"host 1", data), record(9000, 4, 1, b"host 0", b"host 1", wire.packet("FINI")))
        second = self.write("1", record(3000, 4, 1, b"host 1", b"host 0", data), record(8000, 4, 0, b"host 1", b"host 0", wire.packet("FINI")))
        return first, second

    def test_packets(self):  # req impi 8.1, 8.2
        run = show(*self.hosts())
        self.assertEqual(run.stdout.splitlines(), [
            "  0.000000  host 0 -> host 1  DATASYNC 10.0.0.1/7 -> 10.0.0.2/8 cid 1 rank 0 tag 110 3 of 9 bytes request 5: 61 62 63",
            "  0.000006  host 1 -> host 0  FINI"])

    def test_diagram(self):  # req impi 8.4
        lines = show("--mermaid", *self.hosts()).stdout.splitlines()
        self.assertEqual(lines[:3], ["sequenceDiagram", "  participant p0 as host 0", "  participant p1 as host 1"])
        self.assertEqual(lines[-1], "  p1->>p0: FINI")

    def test_a_cut(self):  # req impi 8.3
        whole = record(1, 5, 0, b"server", b"client 0", b"connected")
        run = show(self.write("cut", whole, whole, cut=3))
        self.assertEqual(run.stdout.count("connected"), 1)
        self.assertEqual(show("--json", self.write("cut", whole, cut=40)).stdout, "[]\n")

    def test_no_trace(self):
        path = self.folder / "x"
        path.write_text("something")
        self.assertEqual(show(path).returncode, 1)
        self.assertIn("no trace", show(path).stderr)

    def test_of_a_server(self):
        path = self.folder / "server"
        server = f"{IMPIRUN} -server {{count}} -bind 127.0.0.1 --trace {path}"
        run = subprocess.run([sys.executable, "-B", TESTER, "server", "--only", "authentication.key", server], capture_output=True,
                             text=True, timeout=240)
        self.assertEqual(run.returncode, 0, run.stdout)
        text = show(path).stdout
        for words in ("AUTH methods key", "method key", "(8 secret bytes)", "IMPI rank 0", "IMPI clients 1", "DONE", "FINI"):
            self.assertIn(words, text)
        self.assertNotIn((5678).to_bytes(8, "big"), path.read_bytes())
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
