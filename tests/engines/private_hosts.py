# SPDX-License-Identifier: BSD-3-Clause
"""Tests on private hosts of this machine, which tests/engines/cluster makes: such a test starts
itself once more on them."""
import os
import pathlib
import shutil
import subprocess
import sys

CLUSTER = pathlib.Path(__file__).resolve().parent / "cluster"
# Without what a job around this test, or its user, has set.
CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("TESSERA_", "PMI", "PMIX", "OMPI_", "PRTE_", "SLURM_"))}
SHELL = os.environ.get("CLUSTER_SHELL", "")  # SHELL HOST COMMAND..., on the hosts
HAS_SLURM = os.geteuid() == 0 and all(shutil.which(each) for each in ("srun", "slurmctld", "slurmd"))
INSIDE = "ON_PRIVATE_HOSTS"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def need(*programs, package=None):
    for program in programs:
        if shutil.which(program) is None:
            skip(f"there is no {program}" + (f" (package {package})" if package else ""))


def need_hosts():
    need("unshare", "nsenter", "ip", "pgrep")
    if subprocess.run([CLUSTER, "2", "true"], env=CLEAN, capture_output=True, timeout=90, stdin=subprocess.DEVNULL).returncode != 0:
        skip("private hosts cannot be made here (network namespaces)")


def are_here():
    return INSIDE in os.environ


def run_again(hosts, limit_s, **environment):
    """This program on as many hosts, with the same words and these variables besides; its
    status."""
    inside = [CLUSTER, str(hosts), sys.executable, "-B", *sys.argv]
    return subprocess.run(inside, env={**CLEAN, INSIDE: "1", **environment}, timeout=limit_s, stdin=subprocess.DEVNULL).returncode
