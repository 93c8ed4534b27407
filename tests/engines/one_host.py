# SPDX-License-Identifier: BSD-3-Clause
"""One job with shared memory under a launcher that is not ours, on this machine.

Usage: one_host.py hydra|openmpi PROGRAM MPIEXEC        exits 77 where the launcher is not installed
"""
import re
import shutil
import subprocess
import sys

from private_hosts import CLEAN

ENGINES = {
    "hydra": ("mpiexec.hydra", "mpich", []),
    "openmpi": ("mpirun.openmpi", "openmpi-bin", ["--allow-run-as-root", "--oversubscribe"]),
}
engine, program, mpiexec = sys.argv[1:4]
launcher, package, options = ENGINES[engine]
if shutil.which(launcher) is None:
    print(f"skipped: there is no {launcher} (package {package})")
    sys.exit(77)


def run(ranks, *words, limit=60, **extra):
    return subprocess.run([launcher, *options, "-n", str(ranks), *words], env=dict(CLEAN, **extra), capture_output=True,
                          text=True, timeout=limit, stdin=subprocess.DEVNULL)


def expect(done, line):
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    assert done.stdout.strip() == line, (done.stdout, done.stderr)
    assert done.stderr == "", done.stderr


def refused(words, **extra):
    """A job that ends in MPI_Init and says why. Hydra may drop what a rank wrote just before it
    ended the job, and fail an assertion of its own instead, so that both are tried again; other
    words are not."""
    for _ in range(20):
        done = run(2, program, **extra)
        assert done.returncode != 0
        if done.stderr and "pmiserv" not in done.stderr:
            break
    assert words in done.stderr, done.stderr


def names_left():
    """Abstract addresses of meetings that are still there: tessera/USER/NUMBER."""
    with open("/proc/net/unix") as table:
        return [line for line in table if re.search(r"@tessera/\d+/", line)]


expect(run(4, program), "size 4 local 4 nodes 1 sum 6 wrong 0")
expect(run(1, program), "size 1 local 1 nodes 1 sum 0 wrong 0")
expect(run(2, program, TESSERA_MCA_boot_share="no"), "size 2 local 1 nodes 2 sum 1 wrong 0")
expect(run(2, program, TESSERA_MCA_btl="self,tcp"), "size 2 local 2 nodes 1 sum 1 wrong 0")
two_programs = run(1, program, "attributes", ":", "-n", "2", program, "attributes")
assert re.fullmatch(r"apps 0 1 1 universe \d+\n", two_programs.stdout), (two_programs.stdout, two_programs.stderr)
if engine == "hydra":
    expect(run(2, "-usize", "7", program, "attributes"), "apps 0 0 universe 7")

# Hydra may lose the code of the abort and end with its own, 1, without a word.
aborted = run(2, program, "abort")
for _ in range(20):
    if (aborted.returncode, aborted.stderr) != (1, "") and "pmiserv" not in aborted.stderr:
        break
    aborted = run(2, program, "abort")
assert aborted.returncode == 7, (aborted.returncode, aborted.stderr)
for how in ("kill", "exit"):
    failed = run(3, program, how)
    assert failed.returncode != 0, (how, failed.stderr)

refused("boot_share=perhaps: write yes or no", TESSERA_MCA_boot_share="perhaps")
refused("nothing", TESSERA_MCA_boot="nothing")

# Our mpiexec asks the same engine, and says nothing itself.
asked = subprocess.run([mpiexec, "--launcher", engine, "-n", "4", program], env=CLEAN, capture_output=True, text=True,
                       timeout=240, stdin=subprocess.DEVNULL)
expect(asked, "size 4 local 4 nodes 1 sum 6 wrong 0")

told = run(2, program, TESSERA_MCA_core_explain="select")
assert "2 ranks on 1 host" in told.stderr, told.stderr
assert not names_left(), names_left()
