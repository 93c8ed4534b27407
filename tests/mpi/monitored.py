# SPDX-License-Identifier: BSD-3-Clause
"""pml/monitoring: what it counts, its table and its picture, and that it says nothing when it is
off."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

MPIEXEC, PROGRAM = sys.argv[1:3]
RANKS = 4


def run(*options, ranks=RANKS):
    done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", str(ranks), *options, PROGRAM], capture_output=True,
                          text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stderr


def rows(table):
    lines = [line.split("\t") for line in table.splitlines()]
    assert lines[0][0] == "# from", table
    return {(int(f), int(t)): [int(n) for n in numbers] for f, t, *numbers in lines[1:]}


class Monitoring(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def check(self, counted, ranks=RANKS):
        for rank in range(ranks):
            self.assertEqual(counted[rank, (rank + 1) % ranks][:2], [6, 600], counted)
        self.assertEqual(sum(row[0] for row in counted.values()), 6 * ranks)

    def test_every_way_of_sending_is_counted(self):
        self.check(rows(run("--mca", "pml_monitoring_enable", "true")))

    def test_collectives_over_messages_are_counted_apart(self):
        counted = rows(run("--mca", "pml_monitoring_enable", "true", "--mca", "coll", "basic"))
        self.check(counted)
        # The library's own exchanges are among them, hence not exactly.
        self.assertGreaterEqual(sum(row[3] for row in counted.values()), (RANKS - 1) * 100)

    def test_over_tcp(self):
        self.check(rows(run("--mca", "pml_monitoring_enable", "true", "--mca", "btl", "self,tcp")))

    def test_one_process(self):
        self.check(rows(run("--mca", "pml_monitoring_enable", "true", ranks=1)), ranks=1)

    def test_files(self):
        said = run("--mca", "pml_monitoring_enable", "true", "--mca", "pml_monitoring_table", self.path("t"), "--mca",
                   "pml_monitoring_picture", self.path("p.svg"))
        self.assertEqual(said, "")
        with open(self.path("t"), encoding="utf-8") as table:
            self.check(rows(table.read()))
        titles = [one.text for one in xml.etree.ElementTree.parse(self.path("p.svg")).getroot().iter()
                  if one.tag.endswith("title")]
        rows_drawn = re.findall(r"(\d+) to (\d+): (\d+) messages, (\d+) B", str(titles))
        drawn = {(int(f), int(t)): (int(n), int(b)) for f, t, n, b in rows_drawn}
        for rank in range(RANKS):
            messages, size = drawn[rank, (rank + 1) % RANKS]
            # Those of MPI_Finalize are among them, of a byte.
            self.assertEqual((messages >= 6, size // 100), (True, 6), titles)

    def test_a_file_that_cannot_be_written_is_named(self):
        said = run("--mca", "pml_monitoring_enable", "true", "--mca", "pml_monitoring_table", self.path("no/t"))
        self.assertIn(f"cannot write {self.path('no/t')}: No such file or directory", said)

    def test_off_is_silent(self):
        self.assertEqual(run(), "")


unittest.main(argv=sys.argv[:1])
