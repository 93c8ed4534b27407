# SPDX-License-Identifier: BSD-3-Clause
"""Not a test: what MPI adds to the start of a job of 2 x 2 ranks on private hosts. Medians and
quarters of programs of MPI and of /bin/true, started in turn by each engine.

Usage: start_times.py PROGRAM[,PROGRAM...] MPIEXEC [ROUNDS [WAY...]]     more than one program: to compare builds of the library;
                                                                         WAY: a part of the name of an engine, such as pmi2
"""
import contextlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

import private_hosts
import private_slurm
from private_hosts import CLEAN, HAS_SLURM, SHELL

PROGRAMS, MPIEXEC = sys.argv[1].split(","), sys.argv[2]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 15
WAYS = sys.argv[4:]
HYDRA = shutil.which("mpiexec.hydra") is not None


def ways():
    if HYDRA:
        yield "mpiexec.hydra", ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", SHELL, "-hosts", "node1,node2", "-ppn", "2",
                                "-n", "4"]
        yield "mpiexec, Hydra", [MPIEXEC, "--launcher-exec", SHELL, "--host", "node1:2,node2:2"]
    if HAS_SLURM:
        for mpi in ("pmi2", "pmix"):
            yield f"srun --mpi={mpi}", ["srun", f"--mpi={mpi}", "-N", "2", "--ntasks-per-node=2"]


def milliseconds(words):
    """An alarm instead of a timeout of subprocess, which would look for the end every 50 ms
    alone."""
    signal.alarm(60)
    begin = time.monotonic()
    subprocess.run(words, env=CLEAN, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return 1e3 * (time.monotonic() - begin)


def quarter(times):
    return statistics.quantiles(times, n=4)[0]


if not private_hosts.are_here():
    sys.exit(private_hosts.run_again(2, None))
with private_slurm.start(2, CLEAN) if HAS_SLURM else contextlib.nullcontext():
    for name, words in ways():
        if WAYS and not any(way in name for way in WAYS):
            continue
        times = {program: [] for program in ("/bin/true", *PROGRAMS)}
        for _ in range(ROUNDS):
            for program, taken in times.items():
                taken.append(milliseconds([*words, program]))
        nothing = times.pop("/bin/true")
        for program, taken in times.items():
            beyond = [each(taken) - each(nothing) for each in (statistics.median, quarter)]
            print(f"{name:16} /bin/true {statistics.median(nothing):6.1f} ms   MPI {statistics.median(taken):6.1f} ms   beyond "
                  f"{beyond[0]:6.1f} ms, of the quickest quarters {beyond[1]:6.1f}   {program if len(times) > 1 else ''}", flush=True)
