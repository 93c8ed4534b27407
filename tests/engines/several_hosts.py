# SPDX-License-Identifier: BSD-3-Clause
"""One job over private hosts of this machine: namespaces with an interface each, joined by a
bridge.

Usage: several_hosts.py PROGRAM MPIEXEC                 exits 77 where hosts or launchers cannot be had
"""
import shutil
import subprocess
import sys

import private_hosts
from private_hosts import CLEAN, CLUSTER

program, mpiexec = sys.argv[1:3]

def on_hosts(count, command, limit=90):
    return subprocess.run([CLUSTER, str(count), "sh", "-c", command], env=CLEAN, capture_output=True, text=True,
                          timeout=limit, stdin=subprocess.DEVNULL)


private_hosts.need_hosts()

COMMANDS = [
    ("mpiexec.hydra", "mpiexec.hydra -launcher ssh -launcher-exec $CLUSTER_SHELL -hosts {slots} -n {ranks} {program}"),
    ("mpirun.openmpi", "mpirun.openmpi --allow-run-as-root --mca plm_rsh_agent $CLUSTER_SHELL --host {slots} -np {ranks} {program}"),
    ("mpiexec.hydra", "{mpiexec} --launcher hydra --launcher-exec $CLUSTER_SHELL --host {slots} {program}"),
    ("mpirun.openmpi", "{mpiexec} --launcher openmpi --launcher-exec $CLUSTER_SHELL --host {slots} {program}"),
]
ran = 0
for launcher, command in COMMANDS:
    if shutil.which(launcher) is None:
        print(f"without {launcher}")
        continue
    for counts in ((2, 2), (3, 1), (1, 3), (2, 2, 2, 2)):
        slots = ",".join(f"node{i + 1}:{count}" for i, count in enumerate(counts))
        ranks = sum(counts)
        line = command.format(slots=slots, ranks=ranks, program=program, mpiexec=mpiexec)
        done = on_hosts(len(counts), line)
        wanted = f"size {ranks} local {counts[0]} nodes {len(counts)} sum {ranks * (ranks - 1) // 2} wrong 0"
        assert done.returncode == 0 and done.stdout.strip() == wanted, (line, done.returncode, done.stdout, done.stderr)
        ran += 1
if not ran:
    private_hosts.skip("neither mpiexec.hydra (package mpich) nor mpirun.openmpi (package openmpi-bin) is installed")
