# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec says about programs that hang, and that it says nothing about those that do not."""
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

from harness import LIMIT_S, LauncherTest, processes_with

HANG = os.environ["TESSERA_TEST_HANG"]
LEGAL = os.environ["TESSERA_TEST_LEGAL"]
STATUS = os.environ["TESSERA_TEST_STATUS"]
SLOW = os.environ["TESSERA_TEST_SLOW_PROGRAM"]
SANITIZED = os.environ["TESSERA_TEST_SANITIZED"] != ""
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hang.c")
AT_ONCE = 6  # they sleep

BOTH = "all of its 2 ranks"
# Name of the hang, ranks, and what the report says.
SEEDED = (
    ("exchange_of_sends", 2, BOTH, "rank 0 is in MPI_Send", "for a receive by rank 1", "4000000 bytes", "they all send"),
    ("synchronous_sends", 2, BOTH, "in MPI_Ssend", "they all send"),
    ("two_receives", 2, BOTH, "rank 1 is in MPI_Recv", "message from rank 0 \\(tag 5", "one of them must send first"),
    ("ring", 3, "all of its 3 ranks", "rank 0 is in MPI_Recv", "message from rank 2", "one of them must send first"),
    ("wrong_tag", 2, BOTH, "near miss: rank 1 has sent rank 0 a message with tag 7 on MPI_COMM_WORLD \\(4 bytes\\), but rank 0 "
                           "waits for tag 8 at .*wrong_tag.*; rank 1 is in MPI_Barrier at .*wrong_tag.* now\n"),
    ("wrong_tag_of_large", 2, BOTH, "near miss: rank 1 has sent rank 0 a message with tag 7 on MPI_COMM_WORLD \\(4000000 bytes\\) "
                                    "at [^;]*wrong_tag_of_large[^;]*, but rank 0 waits for tag 8 at [^;]*wrong_tag_of_large[^;]*\n"),
    ("wrong_communicator", 2, BOTH, "near miss: rank 1 has sent rank 0 a message with tag 7 on twin .* on MPI_COMM_WORLD"),
    ("left_out_of_barrier", 3, "all of its 3", "rank 0 is in MPI_Recv", "rank 0 to come to collective call 2 on MPI_COMM_WORLD",
     "needs all processes of its communicator"),
    ("early_exit", 3, "ranks 0, 2 are in MPI_Recv", "message from rank 1", "is in MPI_Finalize|has called MPI_Finalize",
     "must do its part before MPI_Finalize"),
    ("finalize_against_barrier", 2, "rank 1 is in MPI_Barrier", "makes no call any more"),
    ("to_itself", 2, "rank 0 is in MPI_Ssend", "a rank waits for itself", "behind them"),
    ("from_itself", 2, "rank 1 is in MPI_Recv", "a rank waits for itself"),
    ("starved_wildcard", 3, "message from any rank", "all of its 3 ranks"),
    ("wildcards_all", 2, BOTH, "message from any rank \\(tag 6"),
    ("waitall", 2, BOTH, "in MPI_Waitall", "message from rank 1 \\(tag 1", "has sent rank 0 a message with tag 2"),
    ("waitany", 3, "in MPI_Waitany", " or for a message"),
    ("waitsome", 2, "in MPI_Waitsome"),
    ("wait_for_send", 3, "in MPI_Wait ", "for a receive by rank 1 \\(tag 9"),
    ("probe", 2, BOTH, "in MPI_Probe"),
    ("matched_probe", 2, BOTH, "in MPI_Mprobe"),
    ("sendrecv", 3, "in MPI_Sendrecv", "tag 2"),
    ("nonblocking_barrier", 3, "nonblocking barrier 2 on MPI_COMM_WORLD", "rank 0 is in MPI_Recv"),
    ("two_communicators", 2, BOTH, "collective call [23] on MPI_COMM_WORLD", "on twin"),
    ("subset", 4, "2 of its 4 ranks", "on half|, half\\)"),
    ("split_against_receive", 2, BOTH, "in MPI_Comm_split", "for the other processes of MPI_COMM_WORLD"),
    ("gather_without_root", 2, BOTH, "in MPI_Allgather"),
    ("pending_send_at_finalize", 2, BOTH, "in MPI_Finalize",
     "never received: the message of rank 0 to rank 1 \\(tag 1, 4000000 bytes, MPI_COMM_WORLD\\)", "the matching receive is missing"),
    ("window_locks", 2, BOTH, "in MPI_Win_lock"),
    ("window_fence", 2, BOTH, "in MPI_Win_fence"),
    ("persistent", 2, BOTH, "in MPI_Wait "),
    ("intercommunicator", 2, BOTH, "inter\\)"),
    ("partitions_never_marked", 2, BOTH, "rank 0 is in MPI_Wait ", "for partitions of a message from rank 1 \\(tag 6, 4000 bytes",
     "rank 1 is in MPI_Recv"),
    ("partitions_partly_marked", 2, BOTH, "rank 1 is in MPI_Wait ", "its own MPI_Pready of partitions to rank 0 \\(tag 6",
     "call MPI_Pready for each of them before the wait"),
    ("partitions_nobody_receives", 2, BOTH, "rank 1 is in MPI_Wait ", "for a receive by rank 0 \\(tag 6", "rank 0 is in MPI_Barrier"),
    ("partitions_never_started", 2, BOTH, "rank 1 is in MPI_Wait ", "for partitions of a message from rank 0 \\(tag 6, 4000 bytes, twin",
     "rank 0 is in MPI_Barrier"),
    ("window_lock_chain", 3, "all of its 3 ranks", "in MPI_Win_lock"),
    ("deep_inside", 2, BOTH, "called at hang.c:\\d+ \\(deep_inside\\)"),
)


def lines_of(name):
    """First and last line of a function of the source."""
    first = None
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith(f"static void {name}("):
                first = number
            if first and line == "}\n":
                return first, number
    raise KeyError(name)


def line_with(name, text):
    """The line of a function of the source that has the text."""
    first, _ = lines_of(name)
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if number > first and text in line)


class Seeded(LauncherTest):
    def hang(self, name, ranks, *expected, program=HANG):
        begin = time.monotonic()
        result = self.run_job("--timeout", 60, "--on-hang", "abort", "-n", ranks, program, name)
        seconds = time.monotonic() - begin
        with self.subTest(hang=name, seconds=seconds):
            self.assertEqual(result.status, 124, result)
            self.assertNotIn("has not ended within", result.err)
            self.assertEqual(result.err.count("the job hangs"), 1, result)
            for text in expected:
                self.assertRegex(result.err, text)
            if shutil.which("addr2line"):
                self.expect_place(name, result)
        return name, seconds

    def expect_place(self, name, result):
        """Some call of the report lies in the function that hangs."""
        called = {"deep_inside": "two_receives"}.get(name, name)
        first, last = lines_of(called)
        places = [int(line) for line in re.findall(r"hang\.c:(\d+)", result.err)]
        if name != "pending_send_at_finalize":
            self.assertTrue(any(first < line < last for line in places), (places, first, last, result))

    def test_each_is_named(self):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for done in [pool.submit(self.hang, *seed) for seed in SEEDED]:
                done.result()

    def test_a_program_in_a_folder_of_our_name(self):
        with tempfile.TemporaryDirectory() as root:
            for folder in ("tessera", "tessera/bin"):
                os.makedirs(os.path.join(root, folder))
                program = shutil.copy(HANG, os.path.join(root, folder))
                self.hang("two_receives", 2, BOTH, program=program)


class Legal(LauncherTest):
    def legal(self, name, ranks, *options):
        result = self.run_job("--timeout", 100, *options, "-n", ranks, LEGAL, name)
        with self.subTest(program=name, options=options):
            self.assertEqual(result.status, 0, result)
            self.assertNotIn("hangs", result.err)

    def test_waits_that_end(self):
        names = ("computing_sender", "late_for_barrier", "chain", "generalized", "polls", "one_of_two", "bcast_goes_on")
        jobs = [(name, 4) for name in names] + [("thread_outside", 2), ("marked_by_a_thread", 2)]
        jobs += [("chain", 4, "--mca", "btl", "self,tcp"), ("late_for_barrier", 4, "--mca", "core_wait", "sleep")]
        for name in ("lock_held_for_long", "lock_all_held_for_long", "holder_waits_for_one_that_computes", "late_post", "late_complete",
                     "late_fence", "readers_depend_on_each_other"):
            jobs += [(name, 4), (name, 4, "--mca", "btl", "self,tcp")]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for done in [pool.submit(self.legal, *job) for job in jobs]:
                done.result()

    def test_a_stopped_rank_is_no_hang(self):
        job = self.start("--timeout", 100, "-n", 3, LEGAL, "ping_pong")
        self.wait_for_processes(3, "^[^ ]*hangs_legal ping_pong")
        ranks = [pid for pid, words in processes_with(self.mark).items() if re.search("^[^ ]*hangs_legal", words)]
        os.kill(ranks[0], signal.SIGSTOP)
        time.sleep(6)  # as long as a verdict would take, and more
        os.kill(ranks[0], signal.SIGCONT)
        result = self.finish(job)
        self.expect_ok(result)


class Slow(LauncherTest):
    """A program that is slow and right, whose ranks are stopped, continued and looked at by a
    debugger."""
    def disturb(self, process, number, seconds):
        if number % 2 and shutil.which("gdb"):
            look = ["gdb", "-nx", "-batch", "-p", str(process), "-ex", "bt 3", "-ex", f"shell sleep {seconds}"]
            subprocess.run(look, capture_output=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL, check=False)
            return
        try:
            os.kill(process, signal.SIGSTOP)
            time.sleep(seconds)
            os.kill(process, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def test_no_verdict(self):
        seconds, total = (os.environ["TESSERA_TEST_SLOW"]).split()
        job = self.start("--timeout", 900 + 3 * int(total), "-n", 4, SLOW, seconds, total)
        end = time.monotonic() + int(total)
        draw = random.Random(7)
        disturbed = 0
        while time.monotonic() < end and job.poll() is None:
            ranks = [pid for pid, words in processes_with(self.mark).items() if re.search("^[^ ]*hangs_slow", words)]
            if ranks:
                self.disturb(draw.choice(sorted(ranks)), disturbed, draw.randint(1, 6))
                disturbed += 1
            time.sleep(1)
        result = self.finish(job)
        self.assertGreater(disturbed, 1)
        self.assertEqual((result.status, result.out, result.err), (0, "", ""))


class Asked(LauncherTest):
    def test_by_default_the_job_goes_on(self):
        job = self.start("-n", 2, HANG, "two_receives")
        text = self.read_until(job.stderr, b"the job goes on").decode()
        self.assertIn("the job hangs", text)
        self.assertIsNone(job.poll())
        job.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(job).status, 143)

    def test_stopped_for_a_debugger(self):
        job = self.start("--on-hang", "stop", "-n", 2, HANG, "ring")
        self.read_until(job.stderr, b"lets them go on")
        def stopped():
            states = []
            for pid, words in processes_with(self.mark).items():
                if re.search("^[^ ]*hangs_hang", words):
                    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                        states.append(file.read().rpartition(")")[2].split()[0])
            return len(states) == 2 and set(states) == {"T"}
        self.until(stopped, "ranks stopped")
        job.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(job).status, 143)

    def test_report_for_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "hang.json")
            result = self.run_job("--on-hang", "abort", "--hang-report", file, "-n", 3, HANG, "left_out_of_barrier")
            self.assertEqual(result.status, 124)
            with open(file, encoding="utf-8") as text:
                report = json.load(text)
            self.assertEqual(report["causes"][0]["ranks"], [0, 1])
            self.assertEqual(report["behind"], [2])
            self.assertEqual(report["ranks"][0]["waits"][0]["peer"], 1)
            with open(file + ".dot", encoding="utf-8") as text:
                self.assertIn("0 -> 1;", text.read())

    def near_miss(self, name):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "hang.json")
            self.run_job("--on-hang", "abort", "--hang-report", file, "-n", 2, HANG, name)
            with open(file, encoding="utf-8") as text:
                misses = json.load(text)["near_misses"]
        self.assertEqual(len(misses), 1, misses)
        self.assertEqual((misses[0]["sender"], misses[0]["receiver"]), (1, 0))
        self.assertEqual((misses[0]["sent"]["tag"], misses[0]["waited_for"]["tag"]), (7, 8))
        self.assertEqual(misses[0]["sent"]["communicator"], misses[0]["waited_for"]["communicator"])
        return misses[0]["sent"]

    def test_near_misses_for_programs(self):
        self.assertIn("wrong_tag_of_large", self.near_miss("wrong_tag_of_large")["place"])
        self.assertNotIn("place", self.near_miss("wrong_tag"), "the sender has gone on")

    @unittest.skipIf(SANITIZED, "a sanitizer must be loaded before all other libraries")
    def test_check_knows_from_where_was_sent(self):
        for name in ("wrong_tag", "wrong_communicator"):
            result = self.run_job("--check", "--on-hang", "abort", "-n", 2, HANG, name)
            place = r"hang\.c:(\d+) \(\w+\)" if shutil.which("addr2line") else rf".*{name}.*"
            found = re.search(rf"near miss: rank 1 has sent rank 0 a message with tag 7 on \w+ \(4 bytes\) at {place}, but", result.err)
            self.assertTrue(found, result)
            if shutil.which("addr2line"):
                self.assertEqual(int(found[1]), line_with(name, "MPI_Send"))

    @unittest.skipIf(SANITIZED, "a sanitizer must be loaded before all other libraries")
    def test_sends_that_look_alike_have_no_place(self):
        result = self.run_job("--check", "--on-hang", "abort", "-n", 2, HANG, "wrong_tag_from_two_places")
        self.assertRegex(result.err, r"near miss: rank 1 has sent rank 0 a message with tag 7 on MPI_COMM_WORLD \(4 bytes\), but")

    def test_the_graph_as_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("hang.svg", "hang.dot"):
                file = os.path.join(folder, name)
                result = self.run_job("--on-hang", "abort", "--hang-graph", file, "-n", 3, HANG, "ring")
                self.assertEqual((result.status, os.listdir(folder)), (124, [name]), result)
                if name.endswith(".dot"):
                    with open(file, encoding="utf-8") as text:
                        self.assertIn("1 -> 0;", text.read())
                else:
                    texts = [node.text for node in xml.etree.ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}text")]
                    self.assertEqual(texts.count("message, tag 0"), 3, texts)
                    self.assertEqual(texts.count("MPI_Recv"), 3, texts)
                os.unlink(file)

    def test_report_by_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/report.json"
            self.run_job("-n", 2, "true", env={"MPIEXEC_HANG_REPORT": file})
            self.assertEqual(os.listdir(folder), [], "nothing hangs")
            self.run_job("--on-hang", "abort", "-n", 2, HANG, "ring", env={"MPIEXEC_HANG_REPORT": file})
            with open(file, encoding="utf-8") as report:
                self.assertIn("MPI_", report.read())

    def test_a_report_that_cannot_be_written(self):
        result = self.run_job("--on-hang", "abort", "--hang-report", "/no/such/folder/x", "-n", 2, HANG, "ring")
        self.assertIn("cannot write '/no/such/folder/x': No such file or directory", result.err)
        self.assertEqual(result.status, 124)

    def test_ignored(self):
        result = self.run_job("--timeout", 5, "--on-hang", "ignore", "-n", 2, HANG, "two_receives")
        self.assertEqual(result.status, 124)
        self.assertNotIn("the job hangs", result.err)

    def test_time_is_up(self):
        def told():  # on a busy machine a rank may be too slow to answer
            result = self.run_job("--timeout", 1, "--on-hang", "ignore", "-n", 2, HANG, "two_receives")
            self.assertEqual(result.status, 124, result)
            self.said = result.err.partition("where its ranks are:\n")[2]
            return self.said.count(", waiting for a message from rank ") == 2
        self.until(told, "answers of both ranks")
        line = r"  rank \d: in MPI_Recv at %s.*, waiting for a message from rank \d \(tag .*MPI_COMM_WORLD\), for \d+\.\d s\n"
        self.assertRegex(self.said, 2 * (line % (r"hang\.c:\d+ \(" if shutil.which("addr2line") else "")))
        self.assertNotIn("messages so far", self.said)

    def test_wrong_words(self):
        result = self.run_job("--on-hang", "explode", "-n", 1, "true")
        self.expect_line(result, "'report', 'abort', 'stop' or 'ignore', not 'explode'")

    def test_where_are_you(self):
        job = self.start("--on-hang", "ignore", "-n", 2, HANG, "busy")
        self.wait_for_processes(2, "^[^ ]*hangs_hang busy")
        def told():
            job.send_signal(signal.SIGUSR1)
            text = self.read_until(job.stderr, b"  rank 1 (pid ")  # and the rest of the report, which is written at once
            self.told = text.decode().partition("mpiexec: where the ranks are:\n")[2]
            self.said = subprocess.run([STATUS, str(job.pid)], capture_output=True, text=True, timeout=60, check=True).stdout
            one, other = (re.sub(r", for \d+\.\d s", "", text) for text in (self.told, self.said.partition("\n")[2]))
            return one.count(", waiting for ") == 2 and one == other
        # On a busy machine a rank may be too slow for one, or a message may come between them.
        self.until(told, "the same answers of both ranks to both")
        self.assertIn("rank 0 (pid", self.told)
        self.assertIn("in MPI_Recv at hang.c:" if shutil.which("addr2line") else "in MPI_Recv at", self.told)
        job.send_signal(signal.SIGTERM)
        self.finish(job)


class Status(LauncherTest):
    """tessera-status asks from another terminal."""
    def ask(self, *words, **environment):
        return subprocess.run([STATUS, *map(str, words)], capture_output=True, text=True, timeout=60, env={**os.environ, **environment})

    def test_what_ranks_wait_for(self):
        job = self.start("--on-hang", "ignore", "-n", 2, HANG, "wrong_tag")
        def answered():
            self.said = self.ask(job.pid)
            return "waiting for a message from rank 1 (tag 8" in self.said.stdout
        self.until(answered, "an answer of rank 0")
        self.assertRegex(self.said.stdout, r"job of mpiexec \(pid \d+\) with 2 ranks: .*hangs_hang wrong_tag\n")
        self.assertRegex(self.said.stdout, r"  rank 0 \(pid \d+\): in MPI_Recv at hang\.c:\d+ \(.*MPI_COMM_WORLD\), for \d+\.\d s\n")
        self.assertIn("      arrived, not yet asked for: 1 (from rank 1, tag 7, MPI_COMM_WORLD, 4 bytes)", self.said.stdout)
        self.assertEqual(self.said.returncode, 0)
        self.assertIsNone(job.poll())
        rank = re.search(r"rank 1 \(pid (\d+)\)", self.said.stdout).group(1)
        self.assertIn("wrong_tag", self.ask(rank).stdout)
        self.assertIn("wrong_tag", self.ask().stdout)
        known_as = os.path.join(os.path.dirname(STATUS), "ompi-ps")
        self.assertIn("wrong_tag", subprocess.run([known_as], capture_output=True, text=True, timeout=60, check=True).stdout)
        without = self.ask("--stacks", job.pid, PATH="/no/such/folder")
        self.assertEqual((without.returncode, without.stderr),
                         (1, "tessera-status: --stacks needs gdb, which is not installed (Debian package gdb)\n"))
        job.send_signal(signal.SIGTERM)
        self.finish(job)

    def test_what_else_is_under_way(self):
        job = self.start("--on-hang", "ignore", "-n", 2, HANG, "busy")
        def answered():
            self.said = self.ask(job.pid).stdout
            return "(tag 8" in self.said
        self.until(answered, "an answer of rank 0")
        self.assertRegex(self.said, r"rank 0 .*: in MPI_Recv .*waiting for a message from rank 1 \(tag 8, 4 bytes, MPI_COMM_WORLD\), for")
        self.assertRegex(self.said, r"      receives without a message: 6 \(.*from rank 1, tag 20, MPI_COMM_WORLD, 1 bytes.*; and 2 more\)\n")
        self.assertIn("      sent, not yet received: 1 (to rank 1, tag 9, MPI_COMM_WORLD, 4000000 bytes)\n", self.said)
        job.send_signal(signal.SIGTERM)
        self.finish(job)

    def test_what_ranks_have_open(self):
        job = self.start("--on-hang", "ignore", "-n", 2, HANG, "owner")
        def answered():
            self.said = self.ask(job.pid).stdout
            return "(tag 8" in self.said
        self.until(answered, "an answer of rank 0")
        of_rank_0 = self.said.partition("  rank 1 ")[0]
        self.assertIn("      window halo? of 2 processes, 800 bytes here; open at this process: one begun by MPI_Win_lock of rank 1\n",
                      of_rank_0)
        self.assertIn("      file /proc/self/exe of 1 process, read, at 12 in the view\n", of_rank_0)
        sent = int(re.search(r"      messages so far: (\d+) bytes in \d+ to rank 1 and \d+ in \d+ from it\n", of_rank_0)[1])
        self.assertGreaterEqual(sent, 100)
        job.send_signal(signal.SIGTERM)
        self.finish(job)

    def test_a_rank_that_computes(self):
        job = self.start("-n", 1, HANG, "computes")
        def running():
            self.said = self.ask(job.pid)
            return re.search(r"rank 0 \(pid \d+\): running\n", self.said.stdout)
        self.until(running, "a rank that runs")
        job.send_signal(signal.SIGTERM)
        self.finish(job)

    def test_nothing_to_show(self):
        said = self.ask(os.getpid())
        self.assertEqual((said.returncode, said.stderr),
                         (1, f"tessera-status: process {os.getpid()} belongs to no job of yours on this machine\n"))
        said = self.ask("--what")
        self.assertEqual(said.returncode, 2)
        self.assertIn("'--what' is neither --stacks nor the one PID of a process\nusage: tessera-status", said.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
