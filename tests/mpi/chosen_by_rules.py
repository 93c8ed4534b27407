# SPDX-License-Identifier: BSD-3-Clause
"""Rules files and forced algorithms, as a user meets them. Arguments: mpiexec, a program with
collective operations."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]


def run(*options, ranks=4):
    command = [MPIEXEC, "--timeout", "60", "-n", str(ranks), *options, PROGRAM]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def words(text):
    return " ".join(text.split())


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="mine.yaml"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def test_come_before_those_that_are_shipped(self):
        path = self.file("allreduce:\n  - {algorithm: ring, processes: 4, commutative: yes}\n")
        done = run("--mca", "coll_rules", path, "--explain=coll")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(words(done.stderr), r"which algorithm runs allreduce[^?]*?basic yes[^:]*: ring \(" + re.escape(path) + r":2\)")

    def test_the_first_file_comes_first(self):
        first = self.file("barrier:\n  - {algorithm: linear}\n", "first.yaml")
        second = self.file("barrier:\n  - {algorithm: tree}\n", "second.yaml")
        done = run("--mca", "coll_rules", f"{first},{second}", "--explain=coll")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("linear (", words(done.stderr))

    def test_are_checked_before_the_job_starts(self):
        mistakes = {
            "bcast:\n  - {algorithm: bynomial}\n": ":2: bcast of component basic has no algorithm 'bynomial' (did you mean 'binomial'?)",
            "bcast:\n  - {component: smm}\n": ":2: there is no component 'smm' (did you mean 'sm'?)",
            "bcast:\n  - {component: sm, algorithm: flat}\n": ":2: bcast of component sm has no algorithms to choose from",
            "bcast:\n  - {bytes: ..4K}\n": ":2: a rule for basic names an algorithm: one of",
            "scatterv:\n  - {algorithm: linear, radix: 2}\n": ":2: no algorithm of scatterv in component basic has a radix",
            "bcast: {\n": ":",
        }
        for text, what in mistakes.items():
            with self.subTest(text):
                path = self.file(text)
                done = run("--mca", "coll_rules", path)
                self.assertEqual(done.returncode, 2)
                self.assertIn("".join((path + what).split()), "".join(done.stderr.split()))
                self.assertIn("[coll-rules-bad]", done.stderr)

    def test_must_exist(self):
        done = run("--mca", "coll_rules", "/nowhere.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot read '/nowhere.yaml': No such file or directory", words(done.stderr))

    def test_a_wish_that_does_not_fit_is_named_once(self):
        done = run("--mca", "coll_basic_allgather_algorithm", "recursive_doubling", ranks=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = "coll_basic_allgather_algorithm = recursive_doubling needs a power of two of processes; by rule instead."
        self.assertEqual(words(done.stderr).count(text), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
