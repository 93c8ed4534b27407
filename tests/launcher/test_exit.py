# SPDX-License-Identifier: BSD-3-Clause
"""Exit statuses, and the one line that says why a job ended."""
import os
import signal
import subprocess
import tempfile
import unittest

from harness import ACTOR, LauncherTest


class Exit(LauncherTest):
    def test_all_well(self):
        self.expect_ok(self.run_job("-n", 3, "true"))
        self.expect_ok(self.run_actor(3, "init", "finalize"))

    def test_exit_status_is_passed_on(self):
        for ranks in (1, 2, 8):
            for status in (1, 3, 255):
                with self.subTest(ranks=ranks, status=status):
                    result = self.run_actor(ranks, "exit", status)
                    self.assertEqual(result.status, status)
                    self.expect_line(result, rf"^mpiexec: rank \d \(pid \d+ on .+\) ended with exit status {status}\b")

    def test_one_failing_rank_ends_the_others(self):
        result = self.run_job("-n", 1, ACTOR, "exit", 3, ":", "-n", 3, ACTOR, "pause")
        self.assertEqual(result.status, 3)
        self.expect_line(result, r"rank 0 .* exit status 3; ending the other 3 ranks")

    def test_death_by_signal(self):
        for ranks in (1, 2, 8):
            for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM):
                with self.subTest(ranks=ranks, signal=number):
                    result = self.run_job("-n", 1, ACTOR, "signal", int(number),
                                          *([":", "-n", ranks - 1, ACTOR, "pause"] if ranks > 1 else []))
                    self.assertEqual(result.status, 128 + number)
                    self.expect_line(result, rf"rank 0 .* was killed by signal {int(number)} \(")

    def test_ranks_that_ignore_the_request_are_killed(self):
        job = self.start("-n", 1, "sh", "-c", "read line; exit 3",
                         ":", "-n", 2, ACTOR, "ignore", 15, "say", "ready", "pause", stdin=subprocess.PIPE)
        self.read_until(job.stdout, b"ready\nready\n")
        self.assertEqual(self.finish(job, b"go\n").status, 3)

    def test_end_without_finalize(self):
        result = self.run_job("-n", 1, ACTOR, "init", ":", "-n", 2, ACTOR, "init", "pause")
        self.assertEqual(result.status, 1)
        self.expect_line(result, r"rank 0 .* ended without calling MPI_Finalize or MPI_Session_finalize; ending the other 2 ranks")

    def test_failure_after_finalize_ends_nobody(self):
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "f")
            os.mkfifo(fifo)
            # Rank 1 goes on only after mpiexec has reported the end of rank 0.
            job = self.start("-n", 1, ACTOR, "init", "finalize", "exit", 5,
                             ":", "-n", 1, "sh", "-c", f"read line < {fifo}; echo late")
            report = self.read_until(job.stderr, b"\n").decode()
            self.assertRegex(report, r"rank 0 .* exit status 5 after MPI_Finalize")
            with open(fifo, "w") as file:
                file.write("go\n")
            result = self.finish(job)
        self.assertEqual((result.status, result.out), (5, "late\n"))

    def test_abort(self):
        """req errata 2.44, 2.45"""
        for ranks in (1, 2, 8):
            with self.subTest(ranks=ranks):
                result = self.run_job("-n", 1, ACTOR, "init", "words", "last", "abort", 7,
                                      *([":", "-n", ranks - 1, ACTOR, "init", "pause"] if ranks > 1 else []))
                self.assertEqual((result.status, result.out), (7, "last"))
                self.expect_line(result, r"rank 0 .* called MPI_Abort with code 7")

    def test_abort_behind_a_script_that_goes_on(self):
        result = self.run_job("-n", 1, "sh", "-c", f"{ACTOR} init abort 9; sleep 1000", ":", "-n", 1, ACTOR, "init", "pause")
        self.assertEqual(result.status, 9)
        self.expect_line(result, r"rank 0 .* called MPI_Abort with code 9")

    def test_abort_code_that_fits_no_exit_status(self):
        for code, status in ((512, 1), (0, 1), (300, 44), (-1, 255)):
            with self.subTest(code=code):
                self.assertEqual(self.run_actor(2, "init", "abort", code).status, status)

    def test_script_that_hides_the_death(self):
        result = self.run_job("-n", 2, "sh", "-c", f"{ACTOR} init signal 9; exit 0")
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"mpiexec: rank \d .* ended without calling MPI_Finalize")

    def test_script_that_outlives_the_program(self):
        """Its own end would tell more, so mpiexec waits some seconds for it."""
        hide = f"{ACTOR} init signal 9; exec sleep 1000"
        result = self.run_job("-n", 2, "sh", "-c", hide)
        self.assertEqual(result.status, 1)
        lines = [line for line in result.err.splitlines() if line.startswith("mpiexec")]
        self.assertEqual(len(lines), 1, result)
        self.assertRegex(lines[0], r"rank \d .* has lost its MPI process \d+, .* the script that started it goes on; ending the other rank")

    def test_script_that_outlives_the_program_with_recovery(self):
        job = self.start("--enable-recovery", "-n", 2, "sh", "-c", f"{ACTOR} init pause; exit 0",
                         ":", "-n", 1, "sh", "-c", f"{ACTOR} init signal 9; exec sleep 1000")
        report = self.read_until(job.stderr, b"go on\n").decode()
        self.assertRegex(report, r"mpiexec: rank 2 .* has lost its MPI process \d+, .*; the other 2 ranks go on\n$")
        self.assertNotRegex(report, "rank [01]")
        os.kill(job.pid, signal.SIGTERM)
        self.assertEqual(self.finish(job).status, 128 + signal.SIGTERM)

    def test_script_that_leaves_the_program_running(self):
        with tempfile.TemporaryDirectory() as folder:
            for end, status in (("finalize", 0), ("exit 4", 4), ("exit 0", 1)):
                with self.subTest(end=end):
                    file = os.path.join(folder, f"started{status}")
                    script = f"{ACTOR} init touch {file} orphan say done {end} & " \
                             f"while ! test -e {file}; do sleep 0.01; done"
                    result = self.run_job("-n", 1, "sh", "-c", script)
                    self.assertEqual((result.status, result.out), (status, "done\n"), result)

    def test_second_mpi_program_in_one_rank(self):
        result = self.run_job("-n", 1, "sh", "-c", f"{ACTOR} init finalize; {ACTOR} init")
        self.assertEqual(result.status, 91)
        self.assertRegex(result.err, r"rank 0 of this job is already process \d+")

    def test_program_that_does_not_exist(self):
        for name in ("no-such-program", "./no/such"):
            result = self.run_job("-n", 2, name)
            self.assertEqual(result.status, 127)
            self.expect_line(result, rf"there is no program '{name}'")

    def test_program_that_may_not_be_executed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data")
            with open(path, "w") as file:
                file.write("no program\n")
            result = self.run_job("-n", 2, path)
            self.assertEqual(result.status, 126)
            self.expect_line(result, r"may not be executed")

    @unittest.skipIf("thread" in os.environ.get("TESSERA_TEST_SANITIZED", ""), "it forks for vfork(2): a child tells its parent nothing")
    def test_file_that_is_no_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "broken")
            with open(path, "wb") as file:
                file.write(b"#!/no/such/interpreter\n")
            os.chmod(path, 0o755)
            result = self.run_job("-n", 2, path)
            self.assertEqual(result.status, 127)
            self.expect_line(result, r"rank 0: cannot execute '.*broken': No such file or directory")

    def test_script_without_interpreter_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "script")
            with open(path, "w") as file:
                file.write('echo "got $1"\n')
            os.chmod(path, 0o755)
            result = self.run_job("-n", 2, path, "it")
            self.expect_ok(result)
            self.assertEqual(result.out, "got it\n" * 2)

    def test_timeout_says_where_ranks_are(self):
        result = self.run_job("--timeout", "0.5", "-n", 1, ACTOR, "init", "blocked", "MPI_Recv", "pause",
                              ":", "-n", 2, ACTOR, "ignore", 15, "pause", ":", "-n", 1, "true")
        self.assertEqual(result.status, 124, result)
        self.assertRegex(result.err, r"has not ended within 0.5 s")
        self.assertRegex(result.err, r"rank 0: running, in MPI_Recv \(peer 1, tag 7")
        self.assertRegex(result.err, r"ranks 1-2: started, MPI not initialised")
        self.assertRegex(result.err, r"rank 3: ended")

    def test_timeout_from_the_environment(self):
        result = self.run_job("-n", 1, ACTOR, "pause", env={"MPIEXEC_TIMEOUT": "0.2"})
        self.assertEqual(result.status, 124)
        self.assertEqual(self.run_job("-n", 1, "true", env={"MPIEXEC_TIMEOUT": "soon"}).status, 2)

    def test_status_of_a_killed_mpiexec_child(self):
        job = self.start("-n", 2, ACTOR, "pause")
        self.wait_for_processes(2, r"^\S*launcher_actor ")
        child = self.wait_for_processes(1, "^tessera-job")[0]
        os.kill(child, signal.SIGKILL)
        result = self.finish(job)
        self.assertEqual(result.status, 137)
        self.expect_line(result, r"was killed by signal 9")

    def test_signals_to_mpiexec(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(signal=number):
                job = self.start("-n", 2, ACTOR, "pause")
                self.wait_for_processes(2, r"^\S*launcher_actor ")
                job.send_signal(number)
                result = self.finish(job)
                self.assertEqual(result.status, 128 + number)
                self.expect_line(result, rf"mpiexec: got signal {number:d} \(.*\); ending the job")

    def test_a_second_signal_does_not_wait(self):
        job = self.start("-n", 2, ACTOR, "ignore", 15, "say", "ready", "pause")
        self.read_until(job.stdout, b"ready\nready\n")
        while job.poll() is None:
            job.terminate()
            try:
                job.wait(0.05)
            except subprocess.TimeoutExpired:
                pass
        self.assertEqual(self.finish(job).status, 128 + signal.SIGTERM)

    def test_ignored_signals_stay_ignored(self):
        job = self.start("-n", 1, "sh", "-c", "echo ready; read line", stdin=subprocess.PIPE,
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.read_until(job.stdout, b"ready\n")
        job.send_signal(signal.SIGHUP)
        self.expect_ok(self.finish(job, b"go\n"))

    def test_user_signals_reach_the_ranks(self):
        job = self.start("-n", 2, "sh", "-c", "trap 'echo got it; exit' USR1; echo ready; while :; do sleep 0.01; done")
        self.read_until(job.stdout, b"ready\nready\n")
        job.send_signal(signal.SIGUSR1)
        result = self.finish(job)
        self.expect_ok(result)
        self.assertEqual(result.out, "got it\n" * 2)

    def test_ranks_start_with_the_signals_of_mpiexec(self):
        job = self.start("-n", 2, ACTOR, "say", "ready", "pause")
        self.read_until(job.stdout, b"ready\nready\n")
        job.send_signal(signal.SIGUSR2)
        self.assertEqual(self.finish(job).status, 128 + signal.SIGUSR2)

    def test_signals_reach_the_program_behind_a_script(self):
        job = self.start("-n", 2, "sh", "-c", f"trap '' USR1; {ACTOR} init say ready pause; echo after; exit 0")
        self.read_until(job.stdout, b"ready\nready\n")
        job.send_signal(signal.SIGUSR2)
        self.assertEqual(self.finish(job).status, 128 + signal.SIGUSR2)


if __name__ == "__main__":
    unittest.main(verbosity=1)
