# SPDX-License-Identifier: BSD-3-Clause
"""Jobs over several hosts with an engine that starts all carriers on this machine: each of them
behaves as on a host of its own."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from harness import MPIEXEC, LauncherTest

FAKE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_hydra.py")
WHERE = os.environ["TESSERA_TEST_WHERE"]
MPI_ENDS = os.environ["TESSERA_TEST_MPI_ENDS"]
CARRIER = os.path.join(os.path.dirname(MPIEXEC), "tessera-carrier")
HOSTS = ("-H", "far1:2,far2:2")


class Carriers(LauncherTest):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        with open(os.path.join(self.folder, "mpiexec.hydra"), "w") as file:
            file.write(f'#!/bin/sh\nexec {sys.executable} -B {FAKE} "$@"\n')
        os.chmod(file.name, 0o755)
        self.environment = {name: value for name, value in self.environment.items() if not name.startswith("SLURM_")}
        self.environment["PATH"] = self.folder + ":" + os.environ["PATH"]

    def test_one_job(self):
        for hosts in ("far1:2,far2:2", "far1:3,far2:1", "far1:1,far2:1,far3:2"):
            with self.subTest(hosts=hosts):
                result = self.run_job("-H", hosts, WHERE)
                self.expect_ok(result)
                local, nodes = hosts[5], hosts.count(",") + 1
                self.assertEqual(result.out, f"size 4 local {local} nodes {nodes} sum 6 wrong 0\n")

    def test_one_other_host(self):
        result = self.run_job("-H", "far:2", WHERE)
        self.expect_ok(result)
        self.assertEqual(result.out, "size 2 local 2 nodes 1 sum 1 wrong 0\n")

    def test_in_turn(self):
        result = self.run_job(*HOSTS, "--map-by", "node", WHERE)
        self.expect_ok(result)
        self.assertEqual(result.out, "size 4 local 2 nodes 2 sum 6 wrong 0\n")

    def test_ranks_named_one_by_one(self):
        path = os.path.join(self.folder, "ranks")
        with open(path, "w") as file:
            file.write("rank 2=far1 slot=0\nrank 0=far2\nrank 1=far1\nrank 3=far2 slot=0\n")
        record = os.path.join(self.folder, "record")
        result = self.run_job("--rankfile", path, WHERE, env={"FAKE_RECORD": record})
        self.expect_ok(result)
        self.assertEqual(result.out, "size 4 local 2 nodes 2 sum 6 wrong 0\n")
        with open(record) as file:
            self.assertIn("far2:1,far1:1", file.read())  # rank 0 is on the first host
        bound = self.run_job("--rankfile", path, "--report-bindings", "sh", "-c", "exit 0")
        self.assertEqual(sorted(re.findall(r"rank (\d): (not bound|package 0 core 0)", bound.err)),
                         [("0", "not bound"), ("1", "not bound"), ("2", "package 0 core 0"), ("3", "package 0 core 0")], bound)
        for words in (("-hosts", "far2,far1", "-rankmap", "(vector,(0,1,1),(1,1,2),(0,1,1))"),
                      ("-H", "far2,far1,far1,far2", "--map-by", "seq"), ("-H", "far2,far1,far1,far2", "--mca", "rmaps", "seq")):
            with self.subTest(words=words):
                result = self.run_job(*words, WHERE)
                self.expect_ok(result)
                self.assertEqual(result.out, "size 4 local 2 nodes 2 sum 6 wrong 0\n")

    def test_slots_that_a_host_has_not(self):
        path = os.path.join(self.folder, "ranks")
        with open(path, "w") as file:
            file.write("rank 0=far1\nrank 1=far2 slot=60000\n")
        result = self.run_job("--rankfile", path, WHERE)
        self.assertEqual(result.status, 2, result)
        self.expect_line(result, rf"{re.escape(path)}:2: there is no core 60000")

    def test_programs_and_tags(self):
        who = ["-n", "1", MPI_ENDS, "who", ":", "-n", "3", MPI_ENDS, "who"]
        result = self.run_job(*HOSTS, "-l", *who)
        self.expect_ok(result)
        self.assertEqual(sorted(result.out.splitlines()), [f"[{i}] {i} of 4, app {min(i, 1)}" for i in range(4)])

    def test_what_ranks_get(self):
        tune = os.path.join(self.folder, "tune.conf")
        with open(tune, "w") as file:
            file.write("core_explain = select\n")
        script = 'echo "$TESSERA_RANK $TESSERA_SIZE $PWD $NEW [$PMI_FD$PMI_RANK$PMI_SIZE]"; cat'
        result = self.run_job(*HOSTS, "-wdir", "/usr", "-x", "NEW=a; b", "sh", "-c", script, given=b"in\n")
        self.expect_ok(result)
        self.assertEqual(sorted(result.out.splitlines()), [f"{i} 4 /usr a; b []" for i in range(4)] + ["in"])
        self.assertRegex(self.run_job(*HOSTS, "--tune", tune, WHERE).err, "sm +among 0-1; among 2-3")

    def test_input_of_any_size(self):  # mpiexec passes it on itself: the engine is given none
        given = os.urandom(1 << 20) * 10
        script = '[ -z "$TESSERA_INPUT_FROM" ] || exit 9; cksum < /dev/stdin'
        result = self.run_job("-H", "far1:2,far2:1", "sh", "-c", script, given=given)
        self.expect_ok(result)
        nothing = subprocess.run(["cksum"], input=b"", capture_output=True, timeout=60, check=True).stdout.decode()
        wanted = subprocess.run(["cksum"], input=given, capture_output=True, timeout=60, check=True).stdout.decode()
        self.assertEqual(sorted(result.out.splitlines(True)), sorted([nothing, nothing, wanted]))
        for words in (("--stdin", "none", "cat"), ("true",)):
            with self.subTest(words=words):
                result = self.run_job(*HOSTS, *words, given=given)
                self.assertEqual((result.status, result.out), (0, ""), result.err[:500])

    def test_ends(self):
        for words, status, line in ((("abort", "9"), 9, "called MPI_Abort with code 9"), (("exit", "3"), 3, "ended with exit status 3"),
                                    (("signal", "9"), 137, r"was killed by signal 9 \(Killed\)")):
            with self.subTest(words=words):
                result = self.run_job(*HOSTS, MPI_ENDS, *words)
                self.assertEqual(result.status, status, result)
                self.assertRegex(result.err, rf"(?m)^mpiexec: rank 0 \(pid \d+ on \S+\) {line}; ending the other 3 ranks$")

    def test_all_exit_codes(self):
        result = self.run_job(*HOSTS, "--print-all-exitcodes", "sh", "-c", "test $TESSERA_RANK != 3 || exit 5; exec sleep 1000")
        self.assertEqual(result.status, 5, result)
        told = sorted(re.findall(r"^mpiexec: rank (\d) (?:was killed by signal|ended with)", result.err, re.M))
        self.assertEqual(told, ["0", "1", "2", "3"], result)

    def test_timeout(self):
        result = self.run_job(*HOSTS, "--timeout", "2", "sleep", "1000")
        self.assertEqual(result.status, 124, result)
        self.assertIn("\n  ranks 0-1: started", result.err)
        self.assertIn("\n  ranks 2-3: started", result.err)

    def test_signal(self):
        job = self.start(*HOSTS, "sh", "-c", "echo ready; exec sleep 1000")
        self.read_until(job.stdout, b"ready\n" * 4)
        os.kill(job.pid, signal.SIGTERM)
        result = self.finish(job)
        self.assertEqual(result.status, 128 + signal.SIGTERM, result)

    def test_what_cannot_start(self):
        result = self.run_job(*HOSTS, "-wdir", "/no/where", "sh", "-c", "exit 0")
        self.assertEqual(result.status, 2, result)
        self.expect_line(result, r"cannot start in '/no/where'")

    def test_store_lost(self):
        for host in ("0", "1"):
            with self.subTest(host=host):
                result = self.run_job(*HOSTS, WHERE, env={"FAKE_LOSES": host})
                self.assertNotEqual(result.status, 0)
                self.assertRegex(result.err, r"the process manager \(PMI\) is gone|is gone, or the network")

    def kill_one(self, pattern, *words):
        job = self.start(*HOSTS, *words, "sh", "-c", "echo ready; exec sleep 1000")
        self.read_until(job.stdout, b"ready\n" * 4)
        os.kill(self.wait_for_processes(2, pattern)[-1], signal.SIGKILL)
        return self.finish(job)

    def test_carrier_killed(self):
        self.assertNotEqual(self.kill_one(r"^\S*/tessera-carrier ").status, 0)

    def test_runner_killed(self):
        self.assertNotEqual(self.kill_one("^tessera-job of").status, 0)

    def test_refused_by_name(self):
        for words in (("--enable-recovery",), ("--on-hang", "stop"), ("--stdin", "1"), ("--rank-by", "core")):
            result = self.run_job(*HOSTS, *words, "sh", "-c", "exit 0")
            self.assertEqual(result.status, 2, result)
            self.expect_line(result, "holds for jobs on one machine only")

    def test_damaged_order(self):
        for word in ("", "AAAA", "!"):
            result = subprocess.run([CARRIER, word], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 2, result)


if __name__ == "__main__":
    unittest.main()
