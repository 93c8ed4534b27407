#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpi-top in front of a program: top.py MPIEXEC TOOL PROGRAM [ARGUMENT...]. One file per rank, with
the traffic of the program in it."""
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    mpiexec, tool, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "top"
        settings = ["-x", f"LD_PRELOAD={tool}", "-x", f"MPI_TOP_FILE={out}", "-x", "MPI_TOP_INTERVAL=0.01"]
        run = subprocess.run([mpiexec, "-n", "2", *settings, *program], capture_output=True, text=True, timeout=240,
                             env={**os.environ})
        assert run.returncode == 0 and not run.stderr, run
        for rank in range(2):
            lines = [line.split("\t") for line in pathlib.Path(f"{out}.{rank}").read_text().splitlines()]
            assert all(len(line) == 4 and float(line[0]) >= 0 and float(line[2]) >= 0 for line in lines), lines[:3]
            last = {line[1]: float(line[2]) for line in lines}
            assert last["pml_ob1_messages_sent"] == 20000 and last["pml_ob1_bytes_sent"] == 20000 * 64, last
        shown = subprocess.run([mpiexec, "-n", "2", "-x", f"LD_PRELOAD={tool}", "-x", "MPI_TOP_MATCH=messages_sent", *program],
                               capture_output=True, text=True, timeout=240)
        assert shown.returncode == 0 and "pml_ob1_messages_sent\t20000\t" in shown.stderr, shown
        assert "bytes_sent" not in shown.stderr, shown


main()
