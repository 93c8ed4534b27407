# SPDX-License-Identifier: BSD-3-Clause
"""Slurm on the private hosts that tests/engines/cluster makes, without munge."""
import contextlib
import os
import pathlib
import subprocess
import tempfile
import time

SLURM_CONF = """ClusterName=c
SlurmctldHost=head
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MailProg=/bin/true
ReturnToService=2
KillWait=2
SlurmdTimeout=10
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool/%n
TmpFS={folder}/tmp/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
NodeName=node[1-{hosts}] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@contextlib.contextmanager
def start(hosts, environment):
    """For `with`: a controller on the head, a daemon on each of `hosts`. Sets SLURM_CONF in
    `environment`."""
    with tempfile.TemporaryDirectory() as folder:
        conf = pathlib.Path(folder, "slurm.conf")
        for kind in ("spool", "tmp"):
            for i in range(hosts):
                pathlib.Path(folder, kind, f"node{i + 1}").mkdir(parents=True)
        conf.write_text(SLURM_CONF.format(folder=folder, hosts=hosts))
        environment["SLURM_CONF"] = str(conf)
        quiet = {"env": environment, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        daemons = [subprocess.Popen(["slurmctld", "-D", "-c"], **quiet)]
        shell = os.environ["CLUSTER_SHELL"]
        for i in range(hosts):
            daemons.append(subprocess.Popen([shell, f"node{i + 1}", f"SLURM_CONF={conf} exec slurmd -D -N node{i + 1}"], **quiet))
        for _ in range(600):
            shown = subprocess.run(["sinfo", "-h", "-o", "%t %D"], env=environment, capture_output=True, text=True, timeout=60).stdout
            if shown.strip() == f"idle {hosts}":
                break
            time.sleep(0.1)
        else:
            raise AssertionError(f"Slurm does not start: {shown}")
        try:
            yield
        finally:
            for daemon in daemons:
                daemon.kill()
            for daemon in daemons:
                daemon.wait(timeout=60)
