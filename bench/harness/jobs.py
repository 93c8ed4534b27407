# SPDX-License-Identifier: BSD-3-Clause
# Runs one command with a hard time limit, and sees to it that none of its processes outlives it.
import ctypes
import os
import pathlib
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

PR_SET_CHILD_SUBREAPER = 36
NO_END = "no end"  # how the problem of a job that had to be killed begins


@dataclass
class Outcome:
    """What a command left: `problem` is empty when all went well, and otherwise says in one line
    what did not."""

    output: str
    errors: str
    problem: str

    def figures(self):
        """(figure, size, value, unit) of every line of that form; other lines are not ours."""
        for line in self.output.splitlines():
            fields = line.split("\t")
            if len(fields) == 4:
                try:
                    yield fields[0], int(fields[1]), float(fields[2]), fields[3]
                except ValueError:
                    continue


def adopt_orphans():
    """Makes this process the parent of orphaned descendants, so that daemons of a dead launcher can
    be found and ended."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def parents():
    """{pid: parent pid} of every process that can be seen."""
    result = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                result[int(entry.name)] = int(fields[1])
            except (OSError, IndexError):
                pass  # it ended meanwhile
    return result


def descendants(root):
    """Pids of all processes below `root`."""
    parent_of = parents()
    found, frontier = set(), {root}
    while frontier:
        frontier = {pid for pid, parent in parent_of.items() if parent in frontier} - found
        found |= frontier
    return found


def kill(pids, signal_number):
    for pid in pids:
        try:
            os.kill(pid, signal_number)
        except ProcessLookupError:
            pass


def reap():
    """Collects the exit status of adopted processes; they would stay zombies."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def end_all(process, sweeping=True):
    """Asks a job to end, so that it can clean up, and kills whatever of it is left two seconds
    later; with `sweeping` whatever is left of all jobs."""
    family = descendants(process.pid)
    process.terminate()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        pass
    kill(family | descendants(process.pid) | {process.pid} if process.poll() is None else family, signal.SIGKILL)
    process.wait()
    if sweeping:
        sweep()


def wait_for_descendants(seconds):
    """Gives descendants time to end by themselves. Returns those that have not."""
    deadline = time.monotonic() + seconds
    while True:
        reap()
        left = descendants(os.getpid())
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.01)


def sweep():
    """Ends what is still there below this process after a job, two seconds after it. Returns how
    many processes were killed."""
    left = wait_for_descendants(2)
    kill(left, signal.SIGKILL)
    wait_for_descendants(5)
    return len(left)


class OthersWatch:
    """Finds out how much of the machine other programs use meanwhile."""

    def __init__(self):
        self.start = self.now()

    @staticmethod
    def now():
        """Wall seconds, busy processor seconds of the machine, and those of this process and its
        ended children."""
        ticks = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        busy = (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")  # without idle and waiting for disks
        usage = os.times()
        own = usage.user + usage.system + usage.children_user + usage.children_system
        return time.monotonic(), busy, own

    def share(self):
        """Processor time used by others since the start, of all there was: 0 to 1."""
        wall, busy, own = (end - start for end, start in zip(self.now(), self.start))
        return min(1.0, max(0.0, busy - own) / max(wall * os.cpu_count(), 0.01))


def describe(status):
    if status < 0:
        return f"killed by signal {-status} ({signal.Signals(-status).name})"
    return f"exit status {status}"


def settle(process, seconds):
    """Waits for a job. Returns what was wrong, or an empty string."""
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        end_all(process)
        return f"{NO_END} after {seconds:g} s, killed"
    except BaseException:
        end_all(process)
        raise
    left = sweep()
    if status != 0:
        return describe(status)
    return f"left {left} processes behind" if left else ""


def run(command, seconds, environment=None):
    """Runs `command` for at most `seconds`; what it printed before a time-out is kept."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=environment, start_new_session=True
            )
        except OSError as error:
            return Outcome("", "", f"cannot run {command[0]}: {error.strerror}")
        problem = settle(process, seconds)
        output.seek(0)
        errors.seek(0)
        return Outcome(output.read(), errors.read(), problem)
