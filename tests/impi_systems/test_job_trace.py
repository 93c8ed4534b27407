# SPDX-License-Identifier: BSD-3-Clause
"""impirun --trace: what a server and two systems write about one job, shown by impi-trace, is what
the protocol wants.

What each one sends to another one is compared in its order: who of two participants is first is
nobody's business. Ports, process ids, numbers of requests and times differ from run to run, and are
replaced. With TESSERA_TEST_UPDATE=1 the golden files are written.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

IMPIRUN, FEW, TRACE = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
KEY = 20001105
UPDATE = os.environ.get("TESSERA_TEST_UPDATE")


def show(*words):
    run = subprocess.run([sys.executable, "-B", TRACE, *map(str, words)], capture_output=True, text=True, timeout=240)
    assert run.returncode == 0, run.stderr
    return run.stdout


def in_general(text):
    """Without what differs from run to run."""
    text = re.sub(r"127\.0\.0\.1:\d+", "ADDRESS", text)
    text = re.sub(r"127\.0\.0\.1/\d+", "127.0.0.1/PID", text)
    text = re.sub(r"(H_PORT|P_PID)( of clients \{0, 1\})?: [\d, ]+", r"\1\2: NUMBERS", text)
    return re.sub(r"(request|for) \d+", lambda m: m[1] + (" 0" if m[0].endswith(" 0") else " ID"), text)


def by_pair(text):
    """The lines of each sender and receiver together, without times."""
    pairs = {}
    for line in text.splitlines():
        found = re.match(r" *[\d.]+ +(\S+(?: \d+)? -> \S+(?: \d+)?) +(.*)", line)
        if found and not found[2].startswith("PROTOACK"):  # it leaves among what is sent meanwhile
            pairs.setdefault(found[1], []).append(found[2])
    parts = [f"{ends}\n" + "".join(f"  {what}\n" for what in whats) for ends, whats in pairs.items()]
    return "".join(sorted(map(in_general, parts)))


class Traces(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.files = [pathlib.Path(folder.name, name) for name in ("server", "0", "1")]
        environment = dict(os.environ, IMPI_AUTH_KEY=str(KEY))
        pipes = {"env": environment, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        server = subprocess.Popen([IMPIRUN, "-server", "2", "-bind", "127.0.0.1", "--trace", cls.files[0]], **pipes)
        address = server.stdout.readline().strip()
        systems = [subprocess.Popen([IMPIRUN, "--trace", cls.files[1 + rank], "-client", str(rank), address, "--timeout", "90",
                                     "--mca", "impi_datalen", "128", "-n", "1", FEW], **pipes) for rank in (0, 1)]
        try:
            for process in (*systems, server):
                out, err = process.communicate(timeout=240)
                assert process.returncode == 0 and not out and not err, (process.args, out, err)
        finally:
            for process in (*systems, server):
                process.kill()

    def compare(self, name, text):
        if UPDATE:
            (GOLDEN / name).write_text(text)
        self.assertMultiLineEqual((GOLDEN / name).read_text(), text)

    def test_packets_between_systems(self):  # req impi 8.6
        for rank in (0, 1):  # each one alone sees all
            text = by_pair(show(self.files[1 + rank]))
            hosts = text[text.index("host 0 -> host 1"):text.index("server -> ")]
            self.compare("packets.txt", hosts)

    def test_every_tenth_packet_is_acknowledged(self):  # req impi 5.1
        text = show(self.files[1])
        for one, other in (("0", "1"), ("1", "0")):
            sent = [line for line in text.splitlines() if f"host {one} -> host {other}" in line and "I am" not in line]
            acknowledged = sum(" PROTOACK " in line for line in text.splitlines() if f"host {other} -> host {one}" in line)
            counted = sum(" PROTOACK " not in line and " FINI" not in line for line in sent)
            self.assertGreater(counted, 30)
            self.assertEqual(acknowledged, counted // 10)

    def test_all_together_is_once(self):  # req impi 8.2, 8.6, 20.9
        self.compare("job.txt", by_pair(show(*self.files)))

    def test_diagram(self):  # req impi 8.4
        lines = in_general(show("--mermaid", *self.files[1:])).splitlines()
        self.assertEqual(lines[0], "sequenceDiagram")
        names = {line.split(" as ")[1] for line in lines if line.startswith("  participant")}
        self.assertLessEqual({"host 0", "host 1", "client 0", "client 1", "server"}, names)
        self.assertEqual(sum("FINI" in line for line in lines), 4)  # two systems: to each other, to the server

    def test_no_secret_and_private(self):  # req impi 8.5
        for file in self.files:
            self.assertNotIn(KEY.to_bytes(8, "big"), file.read_bytes())
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)

    def test_a_trace_that_cannot_be_made(self):
        server = subprocess.Popen([IMPIRUN, "-server", "1", "-bind", "127.0.0.1"], env=dict(os.environ, IMPI_AUTH_KEY="1"), text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        address = server.stdout.readline().strip()
        run = subprocess.run([IMPIRUN, "--trace", "/nowhere/file", "-client", "0", address, "-n", "1", FEW], capture_output=True,
                             env=dict(os.environ, IMPI_AUTH_KEY="1"), text=True, timeout=240)
        server.kill()  # it waits for a client that says its rank
        server.communicate()
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("the trace '/nowhere/file' cannot be made: No such file or directory", run.stderr)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
