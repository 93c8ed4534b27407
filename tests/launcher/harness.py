# SPDX-License-Identifier: BSD-3-Clause
"""Starts mpiexec for a test, with a hard limit on time, and finds what it left behind."""
import os
import re
import select
import signal
import subprocess
import time
import unittest
import uuid

MPIEXEC = os.environ["TESSERA_TEST_MPIEXEC"]
ACTOR = os.environ["TESSERA_TEST_ACTOR"]
REPEAT = int(os.environ.get("TESSERA_TEST_REPEAT", "1"))
LIMIT_S = int(os.environ.get("TESSERA_TEST_LIMIT", "150"))  # for anything that must end; far more than it needs on a busy machine


def processes_with(mark):
    """The processes that carry the mark in their environment or arguments: {pid: arguments}."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                if file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X"):
                    continue
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                arguments = file.read()
            with open(f"/proc/{entry}/environ", "rb") as file:
                environment = file.read()
        except OSError:
            continue
        if mark.encode() in arguments or mark.encode() in environment:
            found[int(entry)] = arguments.replace(b"\0", b" ").decode(errors="replace")
    return found


def children_of(parent):
    """The processes that this one has started (or adopted), in order of their ids."""
    children = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:
                if int(file.read().rpartition(b")")[2].split()[1]) == parent:
                    children.append(int(entry))
        except OSError:
            pass
    return sorted(children)


def names_left():
    """What a job of ours might leave in the usual places; what others put there meanwhile does not
    count."""
    return {os.path.join(place, name) for place in ("/dev/shm", "/tmp", "/var/tmp", os.getcwd())
            if os.path.isdir(place) for name in os.listdir(place) if re.search("tessera.?job", name, re.I)}


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class LauncherTest(unittest.TestCase):
    """Every test gets a mark that all its processes carry; none may be left at its end."""

    def setUp(self):
        self.mark = "tessera-mark-" + uuid.uuid4().hex
        self.environment = {k: v for k, v in os.environ.items()
                            if not re.match("TESSERA_|OMPI_|PMI|MPIEXEC_(?!HANG_REPORT)", k)}
        self.environment["TESTMARK"] = self.mark
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait(LIMIT_S)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()
        self.expect_gone()

    def start(self, *words, **options):
        """Popen of mpiexec; its output comes as bytes."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        environment = dict(self.environment, **options.pop("env", {}))
        process = subprocess.Popen([MPIEXEC, *map(str, words)], env=environment, **options)
        self.started.append(process)
        return process

    def finish(self, process, given=None):
        try:
            out, err = process.communicate(given, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self.fail(f"did not end: {process.args}; processes: {processes_with(self.mark)}")
        status = process.returncode
        return Result(128 - status if status < 0 else status, (out or b"").decode(), (err or b"").decode())

    def run_job(self, *words, given=None, **options):
        if given is not None:
            options["stdin"] = subprocess.PIPE
        return self.finish(self.start(*words, **options), given)

    def run_actor(self, ranks, *words, **options):
        return self.run_job("-n", ranks, ACTOR, *words, **options)

    def until(self, condition, what):
        limit = time.monotonic() + LIMIT_S
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > limit:
                self.fail("did not happen: " + what)
            time.sleep(0.002)

    def read_until(self, stream, text):
        """Reads until the text has come; what was read."""
        got = b""
        def come():
            nonlocal got
            if select.select([stream], [], [], 0.05)[0]:
                got += os.read(stream.fileno(), 65536)
            return text in got
        self.until(come, f"{text} in the output")
        return got

    def wait_for_processes(self, count, pattern):
        """Waits until `count` processes of this test match; their ids."""
        def matching():
            found = [pid for pid, words in processes_with(self.mark).items() if re.search(pattern, words)]
            return found if len(found) >= count else None
        return self.until(matching, f"{count} processes like {pattern}")

    def expect_gone(self):
        limit = time.monotonic() + LIMIT_S
        while True:
            left = processes_with(self.mark)
            if not left:
                return
            if time.monotonic() > limit:
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
                self.fail(f"processes left behind: {left}")
            time.sleep(0.002)

    def expect_ok(self, result):
        self.assertEqual(result.status, 0, result)
        self.assertEqual(result.err, "", result)

    def expect_line(self, result, pattern):
        """Exactly one line on standard error, and it matches."""
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 1, result)
        self.assertRegex(lines[0], pattern)
