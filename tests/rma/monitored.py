# SPDX-License-Identifier: BSD-3-Clause
"""osc/monitoring: what it counts, where it tells, the windows in the table of pml/monitoring, and
that it is silent when it is off."""
import os
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, PROGRAM, *WAY = sys.argv[1:]
RANKS = 3
ON = ("--mca", "osc_monitoring_enable", "true")
PML = ("--mca", "pml_monitoring_enable", "true")
OPERATIONS = {"put": (3, 204), "get": (1, 40), "accumulate": (1, 32), "get_accumulate": (1, 16), "fetch_and_op": (1, 4),
              "compare_and_swap": (1, 4), "flush": (1, 0), "flush_local": (1, 0), "lock": (1, 0), "unlock": (1, 0)}
OF_ALL = {"flush": (1, 0), "fence": (2, 0), "lock_all": (1, 0), "unlock_all": (1, 0)}
OF_NEIGHBOURS = {"post": (1, 0), "start": (1, 0), "complete": (1, 0), "wait": (1, 0)}


def run(*options, ranks=RANKS, arguments=()):
    done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", str(ranks), *WAY, *options, PROGRAM, *arguments],
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stderr


def rows(table):
    """(flavor, process, target) -> {what: (calls, bytes)}"""
    counted = {}
    for line in table.splitlines():
        process, _, flavor, target, what, calls, size, time = line.split()
        if process == "process":
            continue
        assert float(time) >= 0, line
        counted.setdefault((flavor, int(process), target), {})[what] = (int(calls), int(size))
    return counted


class Monitoring(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def check(self, table, ranks=RANKS):
        expected = {}
        for rank in range(ranks):
            to = str((rank + 1) % ranks)
            expected["allocate", rank, to] = OPERATIONS
            expected["allocate", rank, "-"] = OF_ALL
            expected["create", rank, to] = {"put": (1, 4 * (rank + 1))}
            expected["create", rank, "-"] = OF_NEIGHBOURS
        self.assertEqual(rows(table), expected)
        self.assertEqual(table.count("microseconds"), 2, table)

    def test_every_call_is_counted(self):
        self.check(run(*ON))

    def test_one_process(self):
        self.check(run(*ON, ranks=1), ranks=1)

    def test_a_window_that_is_not_freed_is_told_of_at_the_end(self):
        self.check(run(*ON, "--mca", "osc_monitoring_table", self.path("t"), arguments=["keep"]) + self.read("t"))

    def test_to_a_file(self):
        self.assertEqual(run(*ON, "--mca", "osc_monitoring_table", self.path("t")), "")
        self.check(self.read("t"))

    def test_a_file_that_cannot_be_written_is_named(self):
        said = run(*ON, "--mca", "osc_monitoring_table", self.path("no/t"))
        self.assertIn(f"osc/monitoring: cannot write {self.path('no/t')}: No such file or directory", said)

    def test_windows_stand_in_the_table_of_messages(self):
        self.assertEqual(run(*ON, *PML, "--mca", "osc_monitoring_table", self.path("w"), "--mca", "pml_monitoring_table",
                             self.path("m")), "")
        self.check(self.read("w"))
        head, *lines = [line.split("\t") for line in self.read("m").splitlines()]
        self.assertEqual(head[-2:], ["window_operations", "window_bytes"])
        windows = {(int(line[0]), int(line[1])): [int(n) for n in line[-2:]] for line in lines}
        for rank in range(RANKS):
            self.assertEqual(windows.pop((rank, (rank + 1) % RANKS)), [9, 300 + 4 * (rank + 1)])
        self.assertEqual([numbers for numbers in windows.values() if numbers != [0, 0]], [])

    def test_without_it_the_table_of_messages_says_nothing_of_windows(self):
        run(*PML, "--mca", "pml_monitoring_table", self.path("m"))
        self.assertNotIn("window", self.read("m"))

    def test_explain_names_it(self):
        said = run(*ON, "--explain=select", "--mca", "osc_monitoring_table", self.path("t"))
        self.assertIn("counted by osc/monitoring; ", said)

    def test_off_is_silent(self):
        self.assertEqual(run(), "")

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()


unittest.main(argv=sys.argv[:1])
