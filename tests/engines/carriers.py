# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec over private hosts of this machine: its carriers under Hydra, Open MPI, PRRTE or Slurm.
What ranks get, how jobs end, and what is left when somebody is killed.

Usage: carriers.py hydra|openmpi|prte|slurm PROGRAM MPIEXEC        exits 77 where hosts or the engine cannot be had
"""
import contextlib
import hashlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import private_hosts
import private_slurm
from private_hosts import CLEAN

ENGINE, PROGRAM, MPIEXEC = sys.argv[1:4]
NEEDS = {"hydra": (["mpiexec.hydra"], "mpich"), "prte": (["prterun"], "openmpi-bin of Debian 13"),
         "openmpi": (["mpirun.openmpi"], "openmpi-bin"),
         "slurm": (["srun", "slurmctld", "slurmd"], "slurm-wlm")}
HOSTS = 3


def outside():
    """Starts this program once more, on hosts."""
    programs, package = NEEDS[ENGINE]
    private_hosts.need(*programs, package=package)
    if ENGINE == "slurm" and os.geteuid() != 0:
        private_hosts.skip("a controller of Slurm needs root")
    private_hosts.need_hosts()
    sys.exit(private_hosts.run_again(HOSTS, 540))


def command(slots, *words):
    """mpiexec over as many ranks per host."""
    hosts = ",".join(f"node{i + 1}:{count}" for i, count in enumerate(slots))
    if ENGINE != "slurm":
        return [MPIEXEC, "--launcher", ENGINE, "--launcher-exec", os.environ["CLUSTER_SHELL"], "--host", hosts, *map(str, words)]
    return ["salloc", "-Q", "-N", str(HOSTS), "--ntasks-per-node=4", MPIEXEC, "--host", hosts, *map(str, words)]


def run(slots, *words, given=None, **extra):
    more = {"input": given} if given is not None else {"stdin": subprocess.DEVNULL}
    done = subprocess.run(command(slots, *words), env=dict(CLEAN, **extra), capture_output=True, text=True, timeout=120, **more)
    done.stderr = re.sub(r"^\[head:\d+\] plm:[rs]sh: Warning: setpgid.*\n", "", done.stderr, flags=re.M)  # PRRTE, of its shells
    return done


def processes(pattern):
    found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True, timeout=60).stdout.split()
    return [int(each) for each in found if alive(int(each))]


def alive(pid):
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def wait_for(question, what, limit=60):
    end = time.monotonic() + limit
    while not question():
        assert time.monotonic() < end, what()
        time.sleep(0.02)


class Carriers(unittest.TestCase):
    def good(self, slots, *words, **extra):
        done = run(slots, *words, **extra)
        self.assertEqual((done.returncode, done.stderr), (0, ""), (words, done.stdout, done.stderr))
        return done.stdout

    def test_shares(self):
        for slots in ((2, 2), (3, 1), (1, 3), (1, 1, 2)):
            ranks = sum(slots)
            wanted = f"size {ranks} local {slots[0]} nodes {len(slots)} sum {ranks * (ranks - 1) // 2} wrong 0\n"
            self.assertEqual(self.good(slots, PROGRAM), wanted)
        self.assertEqual(self.good((2, 2), "--map-by", "node", PROGRAM), "size 4 local 2 nodes 2 sum 6 wrong 0\n")

    def test_ranks_named_one_by_one(self):
        script = "echo $(hostname)"
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("rank 2=node1 slot=0\nrank 0=node2\nrank 1=node1\nrank 3=+n2 slot=1\n")
            file.flush()
            named = ["--rankfile", file.name]
            self.assertEqual(sorted(self.good((2, 2, 2), *named, "-l", "sh", "-c", script).splitlines()),
                             ["[0] node2", "[1] node1", "[2] node1", "[3] node3"])
            self.assertEqual(self.good((2, 2, 2), *named, PROGRAM), "size 4 local 1 nodes 3 sum 6 wrong 0\n")
            bound = run((2, 2, 2), *named, "--report-bindings", "true")
            places = re.findall(r"rank (\d): (not bound|package \d cores? [0-9-]+)", bound.stderr)
            self.assertEqual(sorted(places), [("0", "not bound"), ("1", "not bound"), ("2", "package 0 core 0"),
                                              ("3", "package 0 core 1")], bound.stderr)
        mapped = ["--rankmap", "(vector,(1,1,1),(0,2,1))"]
        self.assertEqual(sorted(self.good((2, 2), *mapped, "-n", "3", "-l", "sh", "-c", script).splitlines()),
                         ["[0] node2", "[1] node1", "[2] node2"])
        self.assertEqual(sorted(self.good((1, 1, 1), "--map-by", "seq", "-n", "2", "-l", "sh", "-c", script).splitlines()),
                         ["[0] node1", "[1] node2"])

    def test_where_ranks_are(self):
        script = "echo $(hostname) $TESSERA_SIZE"
        self.assertEqual(sorted(self.good((2, 1), "-l", "sh", "-c", script).splitlines()),
                         ["[0] node1 3", "[1] node1 3", "[2] node2 3"])
        self.assertEqual(sorted(self.good((2, 2), "--map-by", "node", "-l", "sh", "-c", script).splitlines()),
                         ["[0] node1 4", "[1] node2 4", "[2] node1 4", "[3] node2 4"])
        programs = ["-n", "1", "echo", "one", ":", "-n", "3", "echo", "other"]
        self.assertEqual(sorted(self.good((2, 2), "-l", *programs).splitlines()),
                         ["[0] one", "[1] other", "[2] other", "[3] other"])

    def test_environment_and_streams(self):
        with tempfile.TemporaryDirectory() as folder:
            script = 'echo "$PWD $NEW [$PMI_FD$PMI_RANK$SLURM_PROCID]"'
            self.assertEqual(self.good((1, 1), "--wdir", folder, "-x", "NEW=a; b", "sh", "-c", script), f"{folder} a; b []\n" * 2)
            self.good((2, 2), "--output-filename", f"{folder}/out", "sh", "-c", "echo $TESSERA_RANK")
            files = sorted(pathlib.Path(folder, "out").rglob("stdout"))
            self.assertEqual([file.read_text() for file in files], ["0\n", "1\n", "2\n", "3\n"])
        done = run((2, 2), "cat", given="in\n" * 1_000)
        self.assertEqual((done.returncode, done.stdout), (0, "in\n" * 1_000), done.stderr)

    def test_input_of_ten_megabytes(self):
        given = "".join(f"{i:09}\n" for i in range(1_000_000))
        wanted = hashlib.md5(given.encode()).hexdigest() + "  -\n"
        for words in (("md5sum",), ("sh", "-c", "md5sum /dev/stdin | sed 's:/dev/stdin:-:'")):
            done = run((2, 2), "-n", "1", *words, ":", "-n", "3", "cat", given=given)
            self.assertEqual((done.returncode, done.stdout), (0, wanted), done.stderr)
        done = run((2, 2), "true", given=given)  # nobody reads it
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(ENGINE in ("openmpi", "prte"), "these read the output from terminals, and cut it where a read ends")
    def test_lines_are_whole(self):
        length = 900 if ENGINE == "slurm" else 3000
        script = f"import os\nfor i in range(300): print(os.environ['TESSERA_RANK'] * {length})"
        lines = self.good((2, 2), "python3", "-c", script).splitlines()
        whole = sorted(lines) == sorted(str(rank) * length for rank in range(4) for _ in range(300))
        self.assertTrue(whole, f"{sum(len(line) == length for line in lines)} of {len(lines)} lines are whole")

    def test_ends(self):
        for how, status, words in (("abort", 7, "called MPI_Abort with code 7"), ("exit", 3, "ended with exit status 3"),
                                   ("kill", 137, r"was killed by signal 9 \(Killed\)")):
            done = run((2, 2), PROGRAM, how)
            self.assertEqual(done.returncode, status, (how, done.stderr))
            self.assertRegex(done.stderr, rf"mpiexec: rank 3 \(pid \d+ on node2\) {words}; ending the other 3 ranks\n")
        self.assertEqual(run((2, 2), "sh", "-c", "test $TESSERA_RANK != 2 || exit 5; exec sleep 1000").returncode, 5)
        self.assertEqual(processes("^sleep 1000"), [])

    def test_all_exit_codes(self):
        done = run((1, 2), "--print-all-exitcodes", PROGRAM, "exit")
        told = sorted(line for line in done.stderr.splitlines() if re.match(r"mpiexec: rank \d (was|ended)", line))
        self.assertEqual([line[:15] for line in told], ["mpiexec: rank 0", "mpiexec: rank 1", "mpiexec: rank 2"], done.stderr)
        self.assertEqual(told[2], "mpiexec: rank 2 ended with exit status 3")

    def test_timeout_says_where_all_ranks_are(self):
        done = run((2, 2), "--timeout", "2", "sleep", "1000")
        self.assertEqual(done.returncode, 124)
        self.assertIn("ranks 0-1: started", done.stderr)
        self.assertIn("ranks 2-3: started", done.stderr)
        self.assertEqual(processes("^sleep 1000"), [])

    def test_what_cannot_start(self):
        for words, status, text in ((["/no/such"], 127, "there is no program '/no/such'"),
                                    (["--wdir", "/no/where", "true"], 2, "cannot start in '/no/where'")):
            done = run((1, 1), *words)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(text, done.stderr)
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:  # which the hosts do not see
            only_here = pathlib.Path(folder, "program")
            only_here.write_text("#!/bin/sh\n")
            only_here.chmod(0o755)
            done = run((1, 1), str(only_here))
            self.assertEqual(done.returncode, 127, done.stderr)
            self.assertRegex(done.stderr, f"node[12]: there is no program '{only_here}'")

    def test_places(self):
        done = run((2, 1), "--bind-to", "core", "--report-bindings", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(re.findall(r"mpiexec: rank (\d): package", done.stderr)), ["0", "1", "2"])

    def test_processes_are_spawned(self):
        """Children run on the host of their parents."""
        if not (spawn := os.environ.get("CARRIERS_SPAWN")):
            self.skipTest("CARRIERS_SPAWN names no program")
        for case in ("exchange", "merge", "chain", "multiple"):
            self.good((1, 1), spawn, case)

    def test_hangs_of_a_host_are_found(self):
        if not (hang := os.environ.get("CARRIERS_HANG")):
            self.skipTest("CARRIERS_HANG names no program")
        with tempfile.TemporaryDirectory() as folder:
            done = run((2,), "--on-hang", "abort", "--hang-report", f"{folder}/report", hang, "two_receives")
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stderr, r"MPI_Recv")
            self.assertIn("MPI_Recv", pathlib.Path(folder, "report").read_text())

    def test_hangs_over_hosts_are_found(self):
        """A wait for ranks of other hosts, by messages and by collective operations, with the
        places in the program."""
        if not (hang := os.environ.get("CARRIERS_HANG")):
            self.skipTest("CARRIERS_HANG names no program")
        for case, slots, call in (("two_receives", (1, 1), "MPI_Recv"), ("ring", (1, 1, 1), "MPI_Recv"),
                                  ("wrong_tag", (1, 1), "MPI_Recv"), ("left_out_of_barrier", (2, 1), "MPI_Barrier")):
            done = run(slots, "--on-hang", "abort", hang, case)
            self.assertEqual(done.returncode, 124, (case, done.stdout, done.stderr))
            self.assertIn("the job hangs", done.stderr)
            for rank in range(sum(slots)):
                self.assertIn(f"rank {rank}", done.stderr)
            self.assertRegex(done.stderr, rf"{call}.* at hang\.c:\d+")
            self.assertNotIn("running", done.stderr)

    def killed(self, victim, number=signal.SIGKILL):
        """Starts sleepers on two hosts, kills what `victim` finds, and sees that all of it ends."""
        job = subprocess.Popen(command((2, 2), "sleep", "1000"), env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        wait_for(lambda: len(processes("^sleep 1000")) == 4, lambda: "the ranks do not start")
        os.kill(victim(job), number)
        told = job.communicate(timeout=60)[1]
        left = lambda: processes(r"^sleep 1000|tessera-carrier|^tessera-job|hydra_pmi_proxy|^\S*(prted|orted) ")
        wait_for(lambda: not left(), lambda: subprocess.run(["ps", "-ef"], capture_output=True, text=True, timeout=60).stdout)
        return job.returncode, told

    def test_rank_killed(self):
        status, told = self.killed(lambda job: processes("^sleep 1000")[-1])
        self.assertEqual(status, 137)
        self.assertRegex(told, r"rank \d \(pid \d+ on node\d\) was killed by signal 9")

    def test_mpiexec_killed(self):
        self.killed(lambda job: processes("^" + re.escape(MPIEXEC) + " .*sleep 1000")[0])

    def test_mpiexec_told_to_end(self):
        status, _ = self.killed(lambda job: processes("^" + re.escape(MPIEXEC) + " .*sleep 1000")[0], signal.SIGTERM)
        self.assertEqual(status, 128 + signal.SIGTERM)

    def test_engine_killed(self):
        pattern = {"hydra": r"^\S*mpiexec\.hydra ", "prte": r"^\S*prterun ", "openmpi": r"^\S*mpirun\.openmpi ", "slurm": r"^\S*srun "}[ENGINE]
        status, _ = self.killed(lambda job: processes(pattern)[0])
        self.assertNotEqual(status, 0)

    def test_carrier_killed(self):
        status, _ = self.killed(lambda job: processes("^" + re.escape(os.path.join(os.path.dirname(MPIEXEC), "tessera-carrier")))[-1])
        self.assertNotEqual(status, 0)

    def test_runner_killed(self):
        status, told = self.killed(lambda job: processes("^tessera-job of")[-1])
        self.assertNotEqual(status, 0)
        self.assertRegex(told, "was killed by signal 9|is gone")

    def test_engine_of_a_host_killed(self):
        daemon = {"hydra": "hydra_pmi_proxy", "prte": r"^\S*prted ", "openmpi": r"^\S*orted ", "slurm": "^slurmstepd: "}[ENGINE]
        status, _ = self.killed(lambda job: processes(daemon)[-1])
        self.assertNotEqual(status, 0)

    def test_zz_host_killed(self):
        host = int(pathlib.Path("/run/cluster/node2.pid").read_text())
        status, _ = self.killed(lambda job: host)
        self.assertNotEqual(status, 0)


if not private_hosts.are_here():
    outside()
with private_slurm.start(HOSTS, CLEAN) if ENGINE == "slurm" else contextlib.nullcontext():
    result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
sys.exit(not result.wasSuccessful())
