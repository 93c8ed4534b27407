# SPDX-License-Identifier: BSD-3-Clause
"""Processes that the processes of an engine's job start: through PMI-1 under Hydra, through PMIx
under Open MPI's mpirun, not under Slurm.

Usage: spawning.py hydra|openmpi|slurm SPAWN CORNERS            exits 77 where the engine is not installed
"""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import private_hosts
from private_hosts import CLEAN

engine, spawn, corners = sys.argv[1:4]
LAUNCHERS = {
    "hydra": ["mpiexec.hydra"],
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"],
    "slurm": ["srun"],
}
PACKAGES = {"hydra": "mpich", "openmpi": "openmpi-bin", "slurm": "slurm-wlm"}
SLURM_CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MailProg=/bin/true
ReturnToService=2
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool
TmpFS={folder}/tmp
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def run(words, ranks, program, *arguments, **more):
    """Processes that Open MPI 4.1 spawns, its own programs among them, wait in PMIx_Init for ever
    in one of some fifty spawns; once in some hundreds mpirun itself does not come to an end."""
    for attempts_left in (2, 1, 0) if engine == "openmpi" else (0,):
        try:
            done = subprocess.run([*words, "-n", str(ranks), program, *map(str, arguments)],
                                  env=dict(CLEAN, TESSERA_MCA_core_spawn_timeout="20", **more), capture_output=True, text=True,
                                  timeout=60 if attempts_left else 120, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            if not attempts_left:
                raise
            continue
        if "(core_spawn_timeout)" not in done.stderr:
            break
    return done


def good(words, ranks, *arguments, **more):
    done = run(words, ranks, *arguments, **more)
    assert (done.returncode, done.stderr) == (0, ""), (words, ranks, arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def slurm():
    """A controller and a node of this machine, which end with the test."""
    with tempfile.TemporaryDirectory() as folder:
        conf = pathlib.Path(folder, "slurm.conf")
        for name in ("spool", "tmp"):
            pathlib.Path(folder, name).mkdir()
        conf.write_text(SLURM_CONF.format(host=socket.gethostname(), folder=folder, ports=(free_port(), free_port())))
        CLEAN["SLURM_CONF"] = str(conf)
        quiet = {"env": CLEAN, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        daemons = [subprocess.Popen(["slurmctld", "-D", "-c"], **quiet), subprocess.Popen(["slurmd", "-D", "-N", socket.gethostname()], **quiet)]
        try:
            yield wait_for_node()
        finally:
            for daemon in daemons:
                daemon.terminate()
            for daemon in daemons:
                daemon.wait(timeout=60)


def wait_for_node():
    for _ in range(300):
        shown = subprocess.run(["sinfo", "-h", "-o", "%t"], env=CLEAN, capture_output=True, text=True, timeout=60)
        if shown.stdout.strip() == "idle":
            return True
        time.sleep(0.1)
    return False


def refused_by_slurm():
    """Each process manager interface of srun: an error that names the way that works, and the
    parents go on."""
    ran = 0
    for interface in ("pmi2", "pmix", "none"):
        words = ["srun", f"--mpi={interface}"]
        if interface not in subprocess.run(["srun", "--mpi=list"], env=CLEAN, capture_output=True, text=True).stderr + "none":
            continue
        shown = good(words, 2, corners, "refused")
        assert "salloc" in shown and "mpiexec" in shown, (interface, shown)
        ran += 1
    assert ran
    shown = subprocess.run(["salloc", "-n", "2", mpiexec, "-n", "1", spawn, "exchange"], env=CLEAN, capture_output=True, text=True,
                           timeout=120)
    assert shown.returncode == 0, (shown.stdout, shown.stderr)


def starts_processes():
    launcher = LAUNCHERS[engine]
    for case in ("exchange", "merge", "chain", "words", "environment", "multiple", "soft"):
        good(launcher, 1, spawn, case)
    for case in ("exchange", "merge"):
        good(launcher, 2, spawn, case)
        good(launcher, 2, spawn, case, TESSERA_MCA_btl="self,tcp")
    for case in ("identity", "finalize"):
        good(launcher, 1, corners, case)
    shown = good(launcher, 2, corners, "missing")
    for words in ("/no/such/program", "may not be executed", "/no/such/directory"):
        assert words in shown, shown


mpiexec = os.environ["TESSERA_TEST_MPIEXEC"]
if shutil.which(LAUNCHERS[engine][0]) is None:
    private_hosts.skip(f"there is no {LAUNCHERS[engine][0]} (package {PACKAGES[engine]})")
if engine == "slurm":
    if os.geteuid() != 0 or shutil.which("slurmctld") is None or shutil.which("slurmd") is None:
        private_hosts.skip("a controller of Slurm needs root, slurmctld and slurmd")
    with slurm() as ready:
        if not ready:
            private_hosts.skip("the node of Slurm does not come up here")
        refused_by_slurm()
else:
    starts_processes()
