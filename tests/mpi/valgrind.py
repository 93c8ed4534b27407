# SPDX-License-Identifier: BSD-3-Clause
"""With the suppressions that are shipped, Memcheck has nothing to say about a program, over memory
and over sockets.

Usage: valgrind.py MPIEXEC PROGRAM SUPPRESSIONS
"""
import shutil
import subprocess
import sys

MPIEXEC, PROGRAM, SUPPRESSIONS = sys.argv[1:]


def run(*options):
    memcheck = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all", f"--suppressions={SUPPRESSIONS}"]
    # Memcheck does not see what another process writes into this one.
    no_writes = ["--mca", "pml_ob1_split", "never", "--mca", "coll_sm_direct", "false"]
    command = [MPIEXEC, "--timeout", "120", "-n", "2", *no_writes, *options, *memcheck, PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr[:8000]}")


if shutil.which("valgrind") is None:
    sys.exit(77)
run()
run("--mca", "btl", "self,tcp")
