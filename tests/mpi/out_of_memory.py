# SPDX-License-Identifier: BSD-3-Clause
"""Allocations of MPI_Init fail, one in each run: the process ends well, or with an error that says
so, never by a signal and never by hanging. All of MPI_Init is looked at but for its beginning:
where parameters and components are read.

Usage: out_of_memory.py MPIEXEC PROGRAM PRELOADED [RUNS]      RUNS allocations, evenly spread, fail (default: 60; 0: every one)
"""
import os
import signal
import subprocess
import sys
import unittest

PROGRAM, PRELOADED = sys.argv[2:4]
RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 60


def run(**settings):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TESSERA_", "OMPI_", "PMI"))}
    return subprocess.run([PROGRAM], env={**environment, "LD_PRELOAD": PRELOADED, **settings}, capture_output=True, text=True, timeout=120)


class OutOfMemory(unittest.TestCase):
    def test_each_failure_is_an_error_or_harmless(self):
        whole = run(ALLOCATIONS_TO="1")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        allocations = int(whole.stdout)
        self.assertGreater(allocations, 100)
        reported = 0
        first, last = allocations * 30 // 100, allocations
        for number in range(first, last, max(1, (last - first) // RUNS) if RUNS else 1):
            with self.subTest(allocation=number):
                ended = run(ALLOCATION_FAILS=str(number))
                self.assertGreaterEqual(ended.returncode, 0, f"{signal.Signals(max(1, -ended.returncode)).name}: {ended.stderr}")
                if ended.returncode != 0:
                    self.assertIn("MPI_ERR_", ended.stderr)
                    reported += 1
        self.assertGreater(reported, 0, "no failure was noticed")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
