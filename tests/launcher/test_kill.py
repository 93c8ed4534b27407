# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 of any part of a job: no process is left, and no file."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from harness import ACTOR, MPIEXEC, REPEAT, LauncherTest, children_of, names_left

RANKS = r"^\S*launcher_actor .*pause tessera-mark-\w+ ?$"

# What each of two ranks runs, and how many processes then wait under its name.
PROGRAMS = {
    "plain": ([ACTOR, "init", "pause", "MARK"], 2),
    "behind a script": (["sh", "-c", f"{ACTOR} init pause MARK; true"], 2),
    "script with helpers": (["sh", "-c", f"{ACTOR} pause MARK & setsid {ACTOR} pause MARK & {ACTOR} init pause MARK; true"], 6),
    "helper without environment": (["sh", "-c", f"env -i setsid {ACTOR} pause MARK & wait; true"], 2),
    "deaf": ([ACTOR, "ignore", 15, "ignore", 2, "ignore", 1, "pause", "MARK"], 2),
}


def kill(victim):
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        pass  # an earlier victim took it along


class Kill(LauncherTest):
    def start_program(self, words):
        return self.start("-n", 2, *[str(word).replace("MARK", self.mark) for word in words])

    def child_of(self, job):
        """The process behind mpiexec."""
        return self.wait_for_processes(1, f"^tessera-job of {job.pid}")[0]

    def kill_and_expect_nothing(self, victims):
        for name, (words, count) in PROGRAMS.items():
            for _ in range(REPEAT):
                with self.subTest(program=name):
                    before = names_left()
                    job = self.start_program(words)
                    waiting = self.wait_for_processes(count, RANKS)
                    for victim in victims(job, waiting):
                        kill(victim)
                    result = self.finish(job)
                    self.assertNotEqual(result.status, 0, result)
                    self.expect_gone()
                    self.assertEqual(names_left() - before, set())

    def test_one_rank(self):
        self.kill_and_expect_nothing(lambda job, waiting: children_of(self.child_of(job))[:1])

    def test_all_ranks(self):
        self.kill_and_expect_nothing(lambda job, waiting: children_of(self.child_of(job)))

    def test_mpiexec(self):
        self.kill_and_expect_nothing(lambda job, waiting: [job.pid])

    def test_the_process_behind_mpiexec(self):
        self.kill_and_expect_nothing(lambda job, waiting: [self.child_of(job)])

    def test_all_named_mpiexec(self):
        def victims(job, waiting):
            named = []
            for entry in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{entry}/comm") as comm, open(f"/proc/{entry}/environ") as environment:
                        if comm.read().startswith("mpiexec") and self.mark in environment.read():
                            named.append(int(entry))
                except OSError:
                    pass
            self.assertEqual(named, [job.pid])
            return named
        self.kill_and_expect_nothing(victims)

    def test_everything_at_once(self):
        self.kill_and_expect_nothing(lambda job, waiting: [job.pid, self.child_of(job), *waiting])

    def test_asked_to_end(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for name, (words, count) in PROGRAMS.items():
                if name == "deaf":
                    continue  # takes its five seconds; see test_exit.py for impatience
                with self.subTest(program=name, signal=number):
                    job = self.start_program(words)
                    self.wait_for_processes(count, RANKS)
                    job.send_signal(number)
                    self.assertEqual(self.finish(job).status, 128 + number)
                    self.expect_gone()

    def test_asked_to_end_before_a_rank_has_started(self):
        with tempfile.TemporaryDirectory() as folder:
            endless = os.path.join(folder, "parameters")
            os.mkfifo(endless)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
                with self.subTest(signal=number):
                    job = self.start("--tune", endless, "-n", 2, ACTOR, "pause", self.mark)
                    self.child_of(job)
                    job.send_signal(number)
                    result = self.finish(job)
                    self.assertEqual((result.status, result.err), (128 + number, ""), result)
                    self.expect_gone()

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    @unittest.skipIf(os.environ.get("TESSERA_TEST_SANITIZED"), "a sanitizer makes files")
    def test_makes_nothing_with_a_name(self):  # but for one abstract address, which vanishes with mpiexec
        with tempfile.NamedTemporaryFile("r") as trace:
            words = ["-n", "3", ACTOR, "init", "say", "x", "finalize"]
            command = ["strace", "-f", "-o", trace.name, "-e", "trace=%file,socket,bind,shmget", MPIEXEC, *words]
            result = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, timeout=240, check=False)
            self.assertEqual((result.returncode, result.stdout), (0, b"x\n" * 3))
            calls = trace.read().splitlines()
        self.assertTrue(any("execve" in call for call in calls))
        makes = r"O_CREAT|O_TMPFILE|/dev/shm|\b(mkdir|mknod|link|symlink)(at)?\(|\b(socket|bind|shmget)\("
        made = [call for call in calls if re.search(makes, call)]
        self.assertEqual(len(made), 2, made)
        self.assertRegex(made[0], r"socket\(AF_UNIX")
        self.assertRegex(made[1], r'bind\(\d+, \{sa_family=AF_UNIX, sun_path=@"tessera/spawn/')

    def test_left_running_at_a_good_end(self):
        job = self.start("-n", 2, "sh", "-c", f"setsid {ACTOR} pause {self.mark} & exit 0")
        self.assertEqual(self.finish(job).status, 0)
        self.expect_gone()


if __name__ == "__main__":
    unittest.main(verbosity=1)
