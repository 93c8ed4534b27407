# SPDX-License-Identifier: BSD-3-Clause
# Jobs that measure the same thing by turns, repetition by repetition: what happens to the machine
# meanwhile happens to all of them (see bench/turns.hpp).
import os
import pathlib
import random
import select
import subprocess
import tempfile
import time

from . import jobs


class Job:
    """One that sleeps whenever it has not got its turn. `limit`: seconds for all its turns."""

    def __init__(self, command, ranks, environment, limit):
        self.command, self.ranks, self.environment, self.limit = command, ranks, environment, limit
        self.output, self.errors = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self.folder = tempfile.TemporaryDirectory(prefix="tb-")
        self.process, self.problem, self.seconds = None, None, 0.0
        self.fifos = [self.fifo("go"), self.fifo("done")]

    def fifo(self, name):
        """Open at both ends: neither side has to wait for the other."""
        path = pathlib.Path(self.folder.name) / name
        os.mkfifo(path)
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)

    @property
    def ended(self):
        return self.problem is not None

    def take_turn(self):
        """Starts the job, or wakes its ranks, and waits until they sleep again or the job ends."""
        start = time.monotonic()
        try:
            if self.process:
                os.write(self.fifos[0], bytes(self.ranks))
            else:
                self.start()
            if not self.ended and not self.passed():
                self.end()
        finally:
            self.seconds += time.monotonic() - start

    def start(self):
        environment = {**(self.environment or os.environ), "BENCH_TURNS": self.folder.name}
        try:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.errors,
                                            env=environment, start_new_session=True)
        except OSError as error:
            self.problem = f"cannot run {self.command[0]}: {error.strerror}"

    def passed(self):
        """Whether the job handed its turn on; otherwise it has ended, or has no time left."""
        process = os.pidfd_open(self.process.pid)
        try:
            ready = select.select([self.fifos[1], process], [], [], max(0, self.limit - self.seconds))[0]
            return self.fifos[1] in ready and len(os.read(self.fifos[1], 1)) == 1
        finally:
            os.close(process)

    def end(self):
        status = self.process.poll()
        if status is None:
            jobs.end_all(self.process, sweeping=False)
            self.problem = f"{jobs.NO_END} after {self.limit:g} s, killed"
        else:
            self.problem = jobs.describe(status) if status else ""

    def outcome(self):
        self.output.seek(0)
        self.errors.seek(0)
        return jobs.Outcome(self.output.read(), self.errors.read(), self.problem)

    def close(self):
        if self.process and self.process.poll() is None:
            jobs.end_all(self.process, sweeping=False)
        for file in self.fifos:
            os.close(file)
        self.output.close()
        self.errors.close()
        self.folder.cleanup()


def run(together):
    """Runs these jobs to their ends, each time in another order: what one of them leaves in the
    caches is not always found by the same one. Returns (outcome, seconds it had its turn) of
    each."""
    shuffle = random.Random(len(together)).shuffle
    try:
        while left := [job for job in together if not job.ended]:
            shuffle(left)
            for job in left:
                job.take_turn()
        return [(job.outcome(), job.seconds) for job in together]
    finally:
        for job in together:
            job.close()
        jobs.sweep()
