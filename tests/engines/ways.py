# SPDX-License-Identifier: BSD-3-Clause
"""The ways to start a job over the private hosts that tests/engines/cluster makes: engines by
themselves, and mpiexec."""
import shutil

from private_hosts import HAS_SLURM, SHELL


def names(hosts, ranks=None):
    return ",".join(f"node{i + 1}" + (f":{ranks}" if ranks else "") for i in range(hosts))


def ways(mpiexec):
    """Of each way in: the program that it needs, and the words for as many ranks on each host."""
    def through(engine):
        return lambda hosts, ranks: [mpiexec, "--launcher", engine, "--launcher-exec", SHELL, "--host", names(hosts, ranks)]

    def pmix(program, mca):
        agent = "plm_rsh_agent" if mca == "--mca" else "plm_ssh_agent"
        return lambda hosts, ranks: [program, "--allow-run-as-root", mca, agent, SHELL, "--bind-to", "none", "--host", names(hosts, ranks),
                                     "-n", hosts * ranks]

    def srun(mpi):
        return lambda hosts, ranks: ["srun", "-Q", f"--mpi={mpi}", "-N", hosts, "--ntasks-per-node", ranks]

    return {
        "Hydra": ("mpiexec.hydra", lambda hosts, ranks: ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", SHELL, "-hosts",
                                                         names(hosts), "-ppn", ranks, "-n", hosts * ranks]),
        "mpirun of Open MPI": ("mpirun.openmpi", pmix("mpirun.openmpi", "--mca")),
        "prterun": ("prterun", pmix("prterun", "--prtemca")),
        "mpiexec with Hydra": ("mpiexec.hydra", through("hydra")),
        "mpiexec with mpirun": ("mpirun.openmpi", through("openmpi")),
        "mpiexec with prterun": ("prterun", through("prte")),
        "srun with pmi2": ("srun", srun("pmi2")),
        "srun with pmix": ("srun", srun("pmix")),
        "mpiexec in an allocation": ("srun", lambda hosts, ranks: ["salloc", "-Q", "-N", hosts, "--ntasks-per-node", ranks, mpiexec]),
    }


def is_there(program):
    return HAS_SLURM if program == "srun" else shutil.which(program) is not None
