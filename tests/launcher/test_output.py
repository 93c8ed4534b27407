# SPDX-License-Identifier: BSD-3-Clause
"""Standard output, error and input of the ranks: whole lines, all of them, at the reader's pace."""
import collections
import fcntl
import os
import re
import select
import signal
import subprocess
import tempfile
import unittest

from harness import ACTOR, LauncherTest


class Output(LauncherTest):
    def check_lines(self, text, ranks, count, size, tag=lambda rank: ""):
        """Every rank's lines are there, whole and in order."""
        next_line = collections.Counter()
        for line in text.splitlines():
            found = re.fullmatch(r"(.*?)(\d+) (\d+) ((.)\5*)", line)
            self.assertIsNotNone(found, line[:200])
            rank, number = int(found[2]), int(found[3])
            self.assertEqual((number, len(found[4]), found[1]), (next_line[rank], size, tag(rank)))
            next_line[rank] += 1
        self.assertEqual(dict(next_line), {rank: count for rank in range(ranks)})

    def test_lines_stay_whole(self):
        result = self.run_actor(4, "lines", 25000, 60)
        self.expect_ok(result)
        self.check_lines(result.out, 4, 25000, 60)

    def test_long_lines_stay_whole(self):
        result = self.run_actor(3, "lines", 40, 200000)
        self.expect_ok(result)
        self.check_lines(result.out, 3, 40, 200000)

    def test_tagged_lines_stay_whole(self):
        result = self.run_job("--tag-output", "-n", 3, ACTOR, "lines", 5000, 60)
        self.expect_ok(result)
        self.check_lines(result.out, 3, 5000, 60, lambda rank: f"[1,{rank}]<stdout>:")

    def test_into_a_file(self):
        with tempfile.TemporaryFile() as file:
            self.expect_ok(self.run_actor(3, "lines", 5000, 60, stdout=file))
            file.seek(0)
            self.check_lines(file.read().decode(), 3, 5000, 60)

    def test_a_line_longer_than_any_buffer(self):
        result = self.run_actor(1, "lines", 1, 5000000)
        self.check_lines(result.out, 1, 1, 5000000)
        result = self.run_job("-l", "-n", 1, ACTOR, "lines", 1, 5000000)
        self.check_lines(result.out, 1, 1, 5000000, lambda rank: f"[{rank}] ")

    def test_last_words(self):
        for ranks in (1, 2, 8):
            with self.subTest(ranks=ranks):
                result = self.run_actor(ranks, "lines", 100, 100, "words", "last words", "signal", 9)
                self.assertEqual(result.status, 137)
                self.assertIn("last words", result.out)

    def test_words_of_a_failing_rank_precede_the_report(self):
        result = self.run_job("-n", 1, ACTOR, "blurt", "it is broken", "exit", 1, ":", "-n", 1, ACTOR, "pause")
        self.assertRegex(result.err, r"^it is broken\nmpiexec: rank 0 ")

    def test_prompt_is_shown(self):
        job = self.start("-n", 2, "sh", "-c", 'test $TESSERA_RANK = 0 || exit 0; printf "name? "; read n; echo "is $n"',
                         stdin=subprocess.PIPE)
        self.read_until(job.stdout, b"name? ")
        result = self.finish(job, b"me\n")
        self.assertEqual((result.status, result.out), (0, "is me\n"))

    def test_streams_are_separate(self):
        result = self.run_actor(2, "say", "to out", "complain", "to err")
        self.assertEqual((result.out, result.err), ("to out\n" * 2, "to err\n" * 2))

    def test_streams_merged(self):
        for ranks in (1, 2):
            result = self.run_job("--merge-stderr-to-stdout", "-n", ranks, ACTOR, "say", "1", "complain", "2", "say", "3")
            self.assertEqual((sorted(result.out), result.err), (sorted("1\n2\n3\n" * ranks), ""))

    def test_order_within_a_rank_where_both_streams_meet(self):
        result = self.run_actor(2, *(["say", "1", "complain", "2"] * 20), stderr=subprocess.STDOUT)
        self.assertEqual(result.out.replace("\n", "").replace("12", ""), result.out.replace("\n", "").replace("12", ""))
        result = self.run_job("-l", "-n", 2, ACTOR, *(["say", "1", "complain", "2"] * 20), stderr=subprocess.STDOUT)
        for rank in "01":
            self.assertEqual(re.findall(rf"^\[{rank}\] (.)$", result.out, re.M), ["1", "2"] * 20)

    def test_tags(self):
        result = self.run_job("--tag-output", "-n", 2, ACTOR, "say", "x", "complain", "y")
        self.assertEqual(sorted(result.out.splitlines()), ["[1,0]<stdout>:x", "[1,1]<stdout>:x"])
        self.assertEqual(sorted(result.err.splitlines()), ["[1,0]<stderr>:y", "[1,1]<stderr>:y"])
        for option in ("-l", "-prepend-rank"):
            result = self.run_job(option, "-n", 2, ACTOR, "say", "x")
            self.assertEqual(sorted(result.out.splitlines()), ["[0] x", "[1] x"])

    def test_tag_of_an_unfinished_line(self):
        result = self.run_job("-l", "-n", 2, ACTOR, "words", "x")
        self.assertEqual(sorted(result.out.splitlines()), ["[0] x", "[1] x"])

    def test_reader_that_waits(self):
        job = self.start("-n", 3, ACTOR, "lines", 3000, 100)
        # All ranks and mpiexec are stuck now, or will be; nothing may be lost when somebody reads
        # at last.
        self.assertIsNone(job.poll())
        self.check_lines(self.finish(job).out, 3, 3000, 100)

    def test_nobody_reads_and_a_signal_comes(self):
        job = self.start("-n", 2, ACTOR, "lines", 100000, 100)
        self.wait_for_processes(2, r"^\S*launcher_actor ")
        job.send_signal(signal.SIGINT)
        job.wait(60)

    def test_reader_that_leaves(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                job = self.start("-n", ranks, "yes")
                self.read_until(job.stdout, b"y\n")
                job.stdout.close()
                self.assertEqual(job.wait(60), 141)
                if ranks > 1:
                    self.assertEqual(job.stderr.read(), b"")

    def test_full_device(self):
        with open("/dev/full", "wb") as full:
            result = self.run_actor(2, "say", "x", stdout=full)
        self.assertNotEqual(result.status, 0)
        self.assertRegex(result.err, r"cannot write the output: No space left")

    def test_full_device_that_ends_the_ranks(self):
        with open("/dev/full", "wb") as full:
            result = self.run_job("-n", 2, "yes", stdout=full)
        self.assertEqual(result.status, 1)
        self.assertRegex(result.err, r"cannot write the output: No space left")

    FULL = r"mpiexec: rank %d: file '%s' for its output: No space left on device$"

    def test_full_file_of_a_rank(self):
        result = self.run_job("--outfile-pattern", "/dev/full", "-n", 1, ACTOR, "say", "x")
        self.assertEqual(result.status, 1)
        self.expect_line(result, self.FULL % (0, "/dev/full"))

    def test_full_file_that_ends_the_ranks(self):
        result = self.run_job("--outfile-pattern", "/dev/full", "-n", 2, "yes")
        self.assertEqual(result.status, 1)
        for line in result.err.splitlines():
            self.assertRegex(line, "^mpiexec: rank [01]: file '/dev/full' for its output: No space left on device$")

    def test_full_copy_leaves_the_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/1/rank.1")
            os.symlink("/dev/full", f"{folder}/1/rank.1/stdout")
            result = self.run_job("--output-filename", folder, "-n", 2, ACTOR, "lines", 100, 60)
            with open(f"{folder}/1/rank.0/stdout", encoding="ascii") as file:
                self.assertEqual(len(file.readlines()), 100)
        self.check_lines(result.out, 2, 100, 60)
        self.assertEqual(result.status, 1)
        self.expect_line(result, self.FULL % (1, f"{folder}/1/rank.1/stdout"))

    def test_file_that_somebody_reads(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/pipe")
            reader = os.open(f"{folder}/pipe", os.O_RDONLY | os.O_NONBLOCK)
            job = self.start("--outfile-pattern", f"{folder}/pipe", "-n", 1, "yes")
            self.until(lambda: select.select([reader], [], [], 0)[0], "output")
            job.send_signal(signal.SIGTERM)  # the pipe is full, or will be, and mpiexec does not wait for its reader
            self.finish(job)
            os.close(reader)

    def test_closed_streams(self):
        script = 'exec "$0" -n 2 "$1" say x <&- >&- 2>&-'
        result = subprocess.run(["sh", "-c", script, os.environ["TESSERA_TEST_MPIEXEC"], ACTOR],
                                env=self.environment, timeout=240, check=False)
        self.assertEqual(result.returncode, 0)

    def test_inherited_descriptors_keep_their_flags(self):
        job = self.start("-n", 2, ACTOR, "lines", 10000, 100)
        self.read_until(job.stdout, b"\n")
        self.assertEqual(fcntl.fcntl(job.stdout.fileno(), fcntl.F_GETFL) & os.O_NONBLOCK, 0)
        reader, writer = os.pipe()
        second = self.start("-n", 2, ACTOR, "say", "x", stdout=writer)
        second.wait(60)
        self.assertEqual(fcntl.fcntl(writer, fcntl.F_GETFL) & os.O_NONBLOCK, 0)
        os.close(writer)
        self.assertEqual(os.read(reader, 100), b"x\nx\n")
        os.close(reader)

    def test_output_into_a_socket(self):
        import socket
        near, far = socket.socketpair()
        job = self.start("-n", 2, ACTOR, "lines", 3000, 100, stdout=far)
        far.close()
        text = b"".join(iter(lambda: near.recv(65536), b""))
        self.assertEqual(job.wait(60), 0)
        near.close()
        self.check_lines(text.decode(), 2, 3000, 100)


class Input(LauncherTest):
    SHOW = 'printf "%s:%s\\n" $TESSERA_RANK "$(cat)"'

    def test_rank_0_reads_the_pipe(self):
        result = self.run_job("-n", 3, "sh", "-c", self.SHOW, given=b"some\ntext")
        self.assertEqual(sorted(result.out.splitlines()), ["0:some", "1:", "2:", "text"])

    def test_rank_0_reads_the_file(self):
        with tempfile.TemporaryFile() as file:
            file.write(b"x" * 300000)
            file.seek(0)
            result = self.run_job("-n", 2, "sh", "-c", "cat | wc -c", stdin=file)
        self.assertEqual(sorted(result.out.split()), ["0", "300000"])

    def test_much_input(self):
        result = self.run_job("-n", 2, "sh", "-c", "cat | cksum", given=bytes(range(256)) * 40000)
        self.assertEqual({line.split()[1] for line in result.out.splitlines()}, {"0", str(256 * 40000)})

    def test_nobody_reads(self):
        result = self.run_job("--stdin", "none", "-n", 1, "sh", "-c", self.SHOW, given=b"text")
        self.assertEqual(result.out, "0:\n")


if __name__ == "__main__":
    unittest.main(verbosity=1)
