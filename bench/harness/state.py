# SPDX-License-Identifier: BSD-3-Clause
# The state of the machine while something is measured: how long a cache line takes from one
# processor to another. On virtual machines it changes by a factor of ten within seconds.
import time

from . import jobs

LOOKS = 120  # a second apart, before the machine is given up on
TRIES = 5  # runs of one case of a library, in one round
SAME = "same"  # wanted of all libraries in a case
ALIKE = 1.6  # factor between the times of a line in one state


class State:
    """`native`: the folder of the programs without MPI; `wanted`: the least and the most ns of a
    line where a run counts, SAME: what all libraries have in one case, None: wherever it is; `look`
    returns ns, None if they cannot be measured."""

    def __init__(self, native, wanted=None, look=None, sleep=time.sleep):
        self.native, self.wanted, self.sleep = native, wanted, sleep
        self.look = look or self.measure

    def measure(self):
        command = [f"{self.native}/limits", "--only", "limit_line", "--budget", "0.02"]
        return next((value for _, _, value, _ in jobs.run(command, 10).figures()), None)

    def as_wanted(self):
        now = self.look()
        return now is not None and self.wanted[0] <= now <= self.wanted[1]

    def comes(self):
        """Waits for the state that is wanted; whether it has come."""
        for _ in range(LOOKS):
            if self.as_wanted():
                return True
            self.sleep(1)
        return False

    def measured_in(self, run):
        """What run() returns, if the machine was in that state before and after it; it is repeated
        otherwise. None if that did not happen."""
        if self.wanted in (None, SAME):
            return run()
        for _ in range(TRIES):
            if not self.comes():
                return None
            outcome = run()
            if self.as_wanted():
                return outcome
        return None

    def taken_in_turn(self, runs):
        """What all of them return, if the machine stayed in one state from before the first to
        behind the last, or a run failed; they are repeated otherwise. None if neither happened."""
        if self.wanted != SAME:
            return [run() for run in runs]
        for _ in range(TRIES):
            looks, outcomes = [self.look()], []
            for run in runs:
                outcomes.append(run())
                looks.append(self.look())
            alike = None not in looks and max(looks) <= ALIKE * min(looks)
            if alike or any(outcome.problem for outcome in outcomes):
                return outcomes
        return None


def parse(text):
    """(least, most) of "30-60" or "60", or SAME; ValueError if that is not what it is."""
    if text == SAME:
        return SAME
    least, _, most = text.rpartition("-")
    wanted = (float(least or 0), float(most))
    if not 0 <= wanted[0] < wanted[1]:
        raise ValueError(text)
    return wanted
