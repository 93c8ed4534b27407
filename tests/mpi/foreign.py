# SPDX-License-Identifier: BSD-3-Clause
"""A program started by another library's launcher says so instead of being rank 0 of 1 many times
over.

Usage: foreign.py PROGRAM
"""
import os
import subprocess
import sys

environment = dict(os.environ, OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_SIZE="4")
run = subprocess.run([sys.argv[1]], env=environment, capture_output=True, text=True, timeout=30)
assert run.returncode != 0, "it started as a job of its own"
assert "Open MPI" in run.stderr and "mpiexec" in run.stderr, run.stderr
alone = subprocess.run([sys.argv[1]], env=dict(os.environ, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="1"), capture_output=True,
                       text=True, timeout=30)
assert alone.returncode == 0 and alone.stderr == "", alone.stderr
