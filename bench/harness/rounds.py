# SPDX-License-Identifier: BSD-3-Clause
# The rounds in which all libraries take turns, case by case or within one, and what is not asked
# again.
import functools
import os
import time

from . import interleaved, jobs
from .plan import NATIVE
from .state import State

NATIVE_TIMEOUT = 120  # seconds; the limits do not depend on any library
FAR_BEHIND = 20  # times as slow as another library, in every row of a case
LONG = 2  # seconds a case may take in every round though its library is far behind
ENOUGH = 2  # such cases of one group and number of ranks, when there is little time
HASTE = 160  # seconds: what begins later is left out when there is little time
LEAST = 5  # seconds a run may take, however late it is
SKIPPED = 77  # exit status of a program that cannot measure here and says why


def last_words(outcome):
    """The last line a failed command wrote to stderr, to say why."""
    lines = [line.strip() for line in outcome.errors.splitlines() if line.strip(" -\n")]
    return lines[-1][:160] if lines else ""


def problem_of(outcome):
    """In one line why nothing, or not all, was measured; empty if all was."""
    words = last_words(outcome)
    if outcome.problem == jobs.describe(SKIPPED):
        return "skipped: " + words.partition("skipped: ")[2]
    return f"{outcome.problem}: {words}" if outcome.problem and words else outcome.problem


class Rounds:
    """`timeout`: seconds after which a run is killed; `progress`: called with a line when a case
    begins; `hasty`: all ends in about HASTE seconds. A peer that was hopeless in some cases is then
    not asked for others like them, nor one that never gives way where ranks share processors; these
    cases come last, and what has not begun in time is left out."""

    def __init__(self, results, native, timeout, progress, hasty=False, processors=None, clock=time.monotonic, state=None):
        self.results, self.native, self.timeout, self.progress, self.hasty = results, native, timeout, progress, hasty
        self.state = state or State(native)
        self.processors = processors or len(os.sched_getaffinity(0))
        self.clock, self.end = clock, clock() + HASTE
        self.slow = set()  # (case, library) that took longer than LONG
        self.slow_cases = {}  # (group, ranks, library): those cases

    def look_at_line(self, case, libraries):
        """Notes how fast a cache line moves just before these libraries are measured; that decides
        what their small messages can reach."""
        if case.ranks == 2 and case.group in ("p2p", "queues", "collectives"):
            value = self.state.look()
            for library in libraries if value is not None else ():
                self.results.lines.setdefault(library.name, []).append(value)

    def hopeless(self, case, library):
        """A peer that is far behind and slow to measure is not asked again: it would take most of
        the time of the run."""
        if library.name == "tessera" or (case.key(), library.name) not in self.slow:
            return False
        if not self.results.far_behind(case, library.name, FAR_BEHIND):
            return False
        self.results.once.setdefault(library.name, set()).add(case.key())
        return True

    def too_slow_for_haste(self, case, library):
        """Whether the peer was slow to measure and far behind in enough cases like this one."""
        if library.name == "tessera":
            return False
        alike = self.slow_cases.get((case.group, case.ranks, library.name), [])
        return sum(self.results.far_behind(slow, library.name, FAR_BEHIND) for slow in alike) >= ENOUGH

    def why_not_in_haste(self, case, library):
        """Why a case of a library is left out when there is little time; empty if it is not."""
        if not self.hasty:
            return ""
        if self.clock() >= self.end:
            return f"skipped: not begun within {HASTE} s"
        if not library.gives_way and case.ranks > self.processors:
            return f"skipped: does not give way where {case.ranks} ranks share {self.processors} processors"
        if self.too_slow_for_haste(case, library):
            return f"skipped: far slower than the others in {ENOUGH} cases with {case.ranks} ranks"
        return ""

    def limit_of(self, case, library):
        """Seconds after which a run is killed."""
        if not library:
            return max(self.timeout, NATIVE_TIMEOUT)
        limit = min(self.timeout, case.limit)
        return max(LEAST, min(limit, self.end - self.clock())) if self.hasty else limit

    def note_time(self, case, name, seconds):
        self.results.add_time(case, seconds)
        if seconds > LONG:
            self.slow.add((case.key(), name))
            self.slow_cases.setdefault((case.group, case.ranks, name), []).append(case)

    def run_once(self, case, library, name):
        environment = library.full_environment(case.over) if library else None
        start = time.monotonic()
        outcome = jobs.run(case.command(library, self.native), self.limit_of(case, library), environment)
        self.note_time(case, name, time.monotonic() - start)
        return outcome

    def run_interleaved(self, case, runs):
        """All of them at once, by turns."""
        together = [
            interleaved.Job(case.command(library, self.native), case.ranks, library.full_environment(case.over),
                            self.limit_of(case, library))
            for library in runs.values()
        ]
        results = interleaved.run(together)
        for name, (_, seconds) in zip(runs, results):
            self.note_time(case, name, seconds)
        return [outcome for outcome, _ in results]

    def why_not(self, case, library, name):
        """Why a case is not run; empty if it is."""
        problem = (library.problem if library else "") or self.results.hangs(case, name)
        return problem or (self.why_not_in_haste(case, library) if library else "")

    def keep(self, case, name, outcome):
        """Stores what a run has printed; a failure is stored too, and that library is not asked
        again."""
        if outcome is None:
            self.results.out_of_state += 1
            return
        for figure, size, value, unit in outcome.figures():
            self.results.add(case, case.row_name(figure), size, name, value, unit)
        if problem := problem_of(outcome):
            self.results.fail(case, name, problem)

    def due(self, case, libraries):
        """{name: library} of those that are asked; None stands for the programs without one."""
        asked = {}
        for library in libraries:
            name = library.name if library else NATIVE
            if self.results.failed(case, name):
                continue
            if problem := self.why_not(case, library, name):
                self.results.fail(case, name, problem)
            else:
                asked[name] = library
        return asked

    def measure(self, case, libraries):
        """Runs one case once with each library; None: without."""
        asked = self.due(case, libraries)
        if case.turns and len(asked) > 1:
            self.look_at_line(case, asked.values())
            outcomes = self.state.measured_in(lambda: self.run_interleaved(case, asked))
        else:
            outcomes = self.state.taken_in_turn([
                functools.partial(self.run_in_state, case, library, name) for name, library in asked.items()])
        for name, outcome in zip(asked, outcomes or [None] * len(asked)):
            self.keep(case, name, outcome)

    def run_in_state(self, case, library, name):
        if library:
            self.look_at_line(case, [library])
        return self.state.measured_in(lambda: self.run_once(case, library, name))

    def run(self, all_cases, chosen, rounds):
        """All cases in every round; the libraries take turns, and a different one begins each case
        and round: the first one finds a machine that was idle."""
        if self.hasty:
            all_cases = sorted(all_cases, key=lambda case: case.ranks > self.processors)
        for number in range(rounds):
            due = [case for case in all_cases if case.rounds is None or number < case.rounds]
            for i, case in enumerate(due, 1):
                where = f"round {number + 1}/{rounds}, case {i}/{len(due)}"
                self.progress(f"{where}: {case.group}, {case.row_name(case.figure)[:40]}, {case.ranks} ranks")
                if case.native:
                    self.measure(case, [None])
                    continue
                turn = (number + i - 1) % len(chosen) if chosen else 0
                self.measure(case, [library for library in chosen[turn:] + chosen[:turn]
                                    if not number or not self.hopeless(case, library)])
