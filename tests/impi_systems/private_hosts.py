# SPDX-License-Identifier: BSD-3-Clause
"""Systems on private hosts: namespaces with an address each, joined by a bridge. Process ids repeat
from host to host.

Usage: private_hosts.py IMPIRUN MPIEXEC CLUSTER TESTS CG MATRIX     exits 77 where such hosts cannot be made

Inside (--inside, started by this script on the head of the cluster), each job has a server on the
head and a system on each host, behind links of 10 ms where the job says so.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import slow_links

HEAD = "10.77.0.254"
JOBS = [("p2p", (1, 2), False), ("modes", (2, 1, 2), False), ("coll", (3, 1, 2), False), ("make", (2, 3), False), ("own", (1, 2, 1), False),
        ("p2p", (2, 1), True), ("coll", (1, 2), True), ("cg", (2, 2), False), ("cg", (3, 1, 5), True)]


def residual(text):
    return [float(line.split()[-1]) for line in text.splitlines() if "residual" in line]


def run_job(impirun, name, command, sizes, slow):
    """What the job printed. Nobody may say a word on standard error, or fail."""
    pipes = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    server = subprocess.Popen([impirun, "-server", str(len(sizes)), "-bind", HEAD], **pipes)
    address = server.stdout.readline().strip()
    if slow:
        address = slow_links.SlowLinks(address, sizes, HEAD).address
    systems = [subprocess.Popen([os.environ["CLUSTER_SHELL"], f"node{rank + 1}",
                                 f"{impirun} -client {rank} {address} --timeout 90 -n {size} {command}"], **pipes)
               for rank, size in enumerate(sizes)]
    try:
        ends = [process.communicate(timeout=120) for process in (*systems, server)]
    finally:
        for process in (*systems, server):
            process.kill()
    for process, (out, err) in zip((*systems, server), ends):
        assert process.returncode == 0 and not err, (name, sizes, process.args, process.returncode, out, err)
    return "".join(out for out, _ in ends)


def inside(impirun, mpiexec, tests, cg, matrix):
    for name, sizes, slow in JOBS:
        command = f"{cg} -q {matrix}" if name == "cg" else f"{tests}/impi_{name}"
        text = run_job(impirun, name, command, sizes, slow)
        print(name, sizes, "10 ms" if slow else "", text.strip())
        if name != "cg":
            continue
        one = subprocess.run([mpiexec, "-n", str(sum(sizes)), *command.split()], capture_output=True, text=True, timeout=120)
        seen, wanted = residual(text), residual(one.stdout)
        assert wanted and len(seen) == len(wanted) and all(abs(a - b) <= 1e-3 * abs(b) for a, b in zip(seen, wanted)), (text, one.stdout)


def outside(impirun, mpiexec, cluster, *others):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TESSERA_", "PMI", "OMPI_", "SLURM_", "IMPI_"))}
    if any(shutil.which(tool) is None for tool in ("unshare", "nsenter", "ip")) or subprocess.run(
            [cluster, "3", "true"], env=clean, capture_output=True, timeout=60).returncode != 0:
        print("skipped: private hosts cannot be made here (network namespaces)")
        return 77
    words = [sys.executable, "-B", str(pathlib.Path(__file__).resolve()), "--inside", impirun, mpiexec, *others]
    return subprocess.run([cluster, "3", *words], env=dict(clean, IMPI_AUTH_SECRET="only-these-hosts-know"), timeout=280).returncode


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        inside(*sys.argv[2:])
    else:
        sys.exit(outside(*sys.argv[1:]))
