# SPDX-License-Identifier: BSD-3-Clause
"""Not a test: what MPI adds to the start of a job of 2 x 2 ranks on private hosts. Medians of a program of MPI and of /bin/true,
started in turn by each engine.

Usage: start_times.py PROGRAM MPIEXEC [ROUNDS]
"""
import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import private_slurm

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM, MPIEXEC = sys.argv[1:3]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 15
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("TESSERA_", "PMI", "PMIX", "OMPI_", "SLURM_"))}
SLURM = os.geteuid() == 0 and all(shutil.which(each) for each in ("srun", "slurmctld", "slurmd"))
HYDRA = shutil.which("mpiexec.hydra") is not None


def ways():
    shell = os.environ["CLUSTER_SHELL"]
    if HYDRA:
        yield "mpiexec.hydra", ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", shell, "-hosts", "node1,node2", "-ppn", "2",
                                "-n", "4"]
        yield "mpiexec, Hydra", [MPIEXEC, "--launcher-exec", shell, "--host", "node1:2,node2:2"]
    if SLURM:
        for mpi in ("pmi2", "pmix"):
            yield f"srun --mpi={mpi}", ["srun", f"--mpi={mpi}", "-N", "2", "--ntasks-per-node=2"]


def seconds(words):
    begin = time.monotonic()
    subprocess.run(words, env=CLEAN, check=True, timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


if "START_TIMES_INSIDE" not in os.environ:
    inside = [str(HERE / "cluster"), "2", sys.executable, "-B", __file__, *sys.argv[1:]]
    sys.exit(subprocess.run(inside, env=dict(CLEAN, START_TIMES_INSIDE="1"), stdin=subprocess.DEVNULL).returncode)
with private_slurm.start(2, CLEAN) if SLURM else contextlib.nullcontext():
    for name, words in ways():
        nothing, program = [], []
        for _ in range(ROUNDS):
            nothing.append(1e3 * seconds([*words, "/bin/true"]))
            program.append(1e3 * seconds([*words, PROGRAM]))
        middle = [statistics.median(each) for each in (nothing, program)]
        print(f"{name:20} /bin/true {middle[0]:6.1f} ms   MPI {middle[1]:6.1f} ms   beyond {middle[1] - middle[0]:6.1f} ms "
              f"(least {min(program) - min(nothing):.1f})", flush=True)
