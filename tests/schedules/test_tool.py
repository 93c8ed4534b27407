#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The program tessera-schedule from outside: text, pictures, exit status and messages.

Usage: test_tool.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

PROGRAM = sys.argv.pop(1)
LAUNCHER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "schedule"

GOLDEN = """\
bcast binomial, 3 ranks, 24 B, root 1
rank 0: 1 step
    0  recv   from 1     receive[0..24)
rank 1: 2 steps
    0  send   to   0     receive[0..24)
    1  send   to   2     receive[0..24)
rank 2: 1 step
    0  recv   from 1     receive[0..24)
"""


def run(*args, program=PROGRAM, **more):
    return subprocess.run([program, *args], capture_output=True, text=True, timeout=240, **more)


class Tool(unittest.TestCase):
    def fine(self, *args):
        done = run(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def test_alone_it_prints_its_help(self):
        self.assertIn("draw", self.fine())
        self.assertEqual(self.fine(), self.fine("--help"))

    def refused(self, *args):
        done = run(*args)
        self.assertEqual((done.returncode, done.stdout), (2, ""), args)
        return done.stderr

    def test_shows_steps(self):
        self.assertEqual(self.fine("show", "bcast", "binomial", "-n", "3", "--root", "1"), GOLDEN)

    def test_shows_predecessors(self):
        text = self.fine("show", "allreduce", "ring", "-n", "4", "--rank", "2")
        self.assertIn("rank 2", text)
        self.assertNotIn("rank 1:", text)
        self.assertIn("after ~", text)

    def test_shows_one_of_many(self):
        self.assertIn("only one is shown", self.fine("show", "barrier", "dissemination", "-n", "1000"))

    def test_lists(self):
        self.assertIn("needs an operation that commutes", self.fine("list", "allreduce"))
        self.assertEqual([line.split()[0] for line in self.fine("machines").splitlines()], ["cluster", "laptop", "systems"])

    def test_every_algorithm_can_be_shown(self):
        for line in self.fine("list").splitlines():
            operation, algorithm = line.split()[:2]
            done = run("show", operation, algorithm, "-n", "2", "--rank", "1")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            for ranks, output in (("2", "two.svg"), ("32", "many.svg")):
                file = pathlib.Path(folder) / output
                self.fine("draw", "allreduce", "recursive_doubling", "-n", ranks, "-o", str(file))
                picture = xml.dom.minidom.parse(str(file))
                lanes = [t for t in picture.getElementsByTagName("text") if t.firstChild.data.startswith("rank ")]
                self.assertEqual(len(lanes), int(ranks))

    def test_checks(self):
        self.assertIn("calls checked", self.fine("check", "bcast", "all", "--ranks", "1..6"))

    def test_prices(self):
        prices = json.loads(self.fine("price", "allreduce", "--ranks", "2..64", "--bytes", "1K", "--json"))["prices"]
        ring = [p["seconds"] for p in prices if p["algorithm"] == "ring"]
        self.assertEqual(len(ring), 6)
        self.assertEqual(ring, sorted(ring))
        self.assertTrue(all(1e-8 < seconds < 1 for seconds in ring))

    def test_extrapolation_is_marked(self):
        text = self.fine("price", "allgather", "ring", "--ranks", "16384", "--steps", "2000", "--machine", "laptop")
        self.assertIn("~", text)
        self.assertIn("extrapolated", text)

    def test_plots(self):
        with tempfile.TemporaryDirectory() as folder:
            for algorithm, ranks, amounts in (("all", "2..64", "8"), ("all", "8", "8..64K"), ("best", "2..64", "8..64K")):
                file = str(pathlib.Path(folder) / "plot.svg")
                self.fine("price", "bcast", algorithm, "--ranks", ranks, "--bytes", amounts, "--plot", file)
                xml.dom.minidom.parse(file)

    def test_names_what_is_wrong(self):
        self.assertIn("did you mean bcast", self.refused("show", "bcas", "ring"))
        self.assertIn("did you mean binomial", self.refused("show", "bcast", "binomal"))
        self.assertIn("needs a power of two", self.refused("show", "allgather", "recursive_doubling", "-n", "6"))
        self.assertIn("the ranks are 0 to 3", self.refused("show", "bcast", "binomial", "-n", "4", "--root", "4"))
        self.assertIn("'8x' is not a number", self.refused("price", "bcast", "--bytes", "8x"))
        self.assertIn("neither a file nor one of", self.refused("price", "bcast", "--machine", "toaster"))
        self.assertIn("cannot write", self.refused("draw", "bcast", "binomial", "-o", "/nonexistent/f.svg"))

    def test_wrong_machines_are_errors_with_a_line(self):
        good = "name: m\nlevels:\n  - {name: a, latency: 1, overhead: 1, gap: 1, gap_per_byte: 1}\n"
        costs = "copy: {fixed: 0, per_byte: 0}\nreduce: {fixed: 0, per_byte: 0}\n"
        for text, message in ((good + costs + "latencies: 3\n", ":6: unknown key 'latencies'"),
                              (good.replace("gap: 1", "gap: -1") + costs, ":3: 'gap' must be a number"),
                              (good, "'copy' is missing"), ("levels: [", ":1:")):
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write(text)
                file.flush()
                self.assertIn(file.name + message if message.startswith(":") else message,
                              self.refused("price", "bcast", "--machine", file.name))

    def test_launcher_finds_the_program_or_says_how_to_build_it(self):
        build = str(pathlib.Path(PROGRAM).parents[1])
        self.assertIn("ring", run("--build", build, "list", "allreduce", program=str(LAUNCHER)).stdout)
        done = run("--build", "/nonexistent", "list", program=str(LAUNCHER))
        self.assertEqual(done.returncode, 2)
        self.assertIn("does not exist", done.stderr)


if __name__ == "__main__":
    unittest.main()
