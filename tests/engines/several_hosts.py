# SPDX-License-Identifier: BSD-3-Clause
"""One job over private hosts of this machine: namespaces with an interface each, joined by a bridge.

Usage: several_hosts.py PROGRAM                 exits 77 where hosts or launchers cannot be had
"""
import os
import pathlib
import shutil
import subprocess
import sys

program = sys.argv[1]
cluster = pathlib.Path(__file__).parent / "cluster"
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("TESSERA_", "PMI", "PMIX", "OMPI_", "SLURM_"))}


def on_hosts(count, command, limit=90):
    return subprocess.run([str(cluster), str(count), "sh", "-c", command], env=CLEAN, capture_output=True, text=True,
                          timeout=limit, stdin=subprocess.DEVNULL)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


for tool in ("unshare", "nsenter", "ip"):
    if shutil.which(tool) is None:
        skip(f"there is no {tool}")
if on_hosts(2, "true").returncode != 0:
    skip("private hosts cannot be made here (network namespaces)")

COMMANDS = {
    "mpiexec.hydra": "mpiexec.hydra -launcher ssh -launcher-exec $CLUSTER_SHELL -hosts {hosts} -ppn 2 -n {ranks} {program}",
    "mpirun.openmpi": "mpirun.openmpi --allow-run-as-root --mca plm_rsh_agent $CLUSTER_SHELL --host {slots} -np {ranks} {program}",
}
ran = 0
for launcher, command in COMMANDS.items():
    if shutil.which(launcher) is None:
        print(f"without {launcher}")
        continue
    for hosts in (2, 4):
        names = [f"node{i + 1}" for i in range(hosts)]
        line = command.format(hosts=",".join(names), slots=",".join(name + ":2" for name in names), ranks=2 * hosts,
                              program=program)
        done = on_hosts(hosts, line)
        ranks = 2 * hosts
        wanted = f"size {ranks} local 2 nodes {hosts} sum {ranks * (ranks - 1) // 2} wrong 0"
        assert done.returncode == 0 and done.stdout.strip() == wanted, (line, done.returncode, done.stdout, done.stderr)
        ran += 1
if not ran:
    skip("neither mpiexec.hydra (package mpich) nor mpirun.openmpi (package openmpi-bin) is installed")
