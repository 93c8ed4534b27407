# SPDX-License-Identifier: BSD-3-Clause
# The order of a tuning run: everything coarsely first, then closer looks where the best are near each other.
import time
from dataclasses import dataclass, field

from .choices import SHIPPED, candidates, footprint, real_bytes, sensible
from .probing import Failure, kinds
from .rules import Cell

COARSE = (3, 1.0)  # repetitions, and the length of one in milliseconds
CLOSER = (7, 3.0)
NEAR = 1.2  # times slower than the best: measured again


@dataclass
class Settings:
    ranks: list
    sizes: list
    operations: list
    deadline: float  # of time.monotonic()
    rounds: int  # 1: only coarsely
    statistic: str
    memory: int  # bytes that the buffers of all ranks may take
    effort: tuple = ()  # replaces COARSE and CLOSER


@dataclass
class Outcome:
    failures: list = field(default_factory=list)
    interrupted: str = ""  # why not all was done
    others: float = 0.0  # the share of the machine that other programs used


class OutOfTime(Exception):
    pass


class Tuner:
    def __init__(self, settings, offered, knobs_of, prober, store, progress):
        self.settings, self.prober, self.store, self.progress = settings, prober, store, progress
        self.offered, self.knobs_of = offered, knobs_of
        self.outcome = Outcome()
        self.measured = 0
        self.known_keys = {}  # (operation, ranks): all keys
        self.broken = set()  # (ranks, operation): a job failed

    # What there is to measure.

    def sizes(self, operation, ranks):
        """The amounts that are measured; those that do not fit into memory are left out."""
        found = dict.fromkeys(real_bytes(operation, ranks, size) for size in self.settings.sizes)
        return [size for size in found if footprint(operation, ranks, size) <= self.settings.memory]

    def keys(self, operation, ranks):
        """(ranks, operation, bytes, choice) of all that could be measured."""
        if (operation, ranks) not in self.known_keys:
            self.known_keys[operation, ranks] = self.make_keys(operation, ranks)
        return self.known_keys[operation, ranks]

    def make_keys(self, operation, ranks):
        choices = candidates(self.offered, operation, self.knobs_of)
        return [
            (ranks, operation, size, choice)
            for size in self.sizes(operation, ranks)
            for choice in [*choices, SHIPPED]
            if sensible(choice, ranks, size)
        ]

    def pairs(self):
        return [(ranks, operation) for operation in self.settings.operations for ranks in self.settings.ranks]

    def missing(self):
        """Keys that fit, or may fit, and have no time."""
        keys = [key for ranks, operation in self.pairs() for key in self.keys(operation, ranks)]
        return [key for key in keys if self.store.fits.get(key, True) and not self.store.rounds(key)]

    def cell(self, operation, ranks, size):
        """What is known of one field of the decision map; no times: nothing."""
        keys = [key for key in self.keys(operation, ranks) if key[2] == size and key[3] != SHIPPED]
        times = {key[3]: self.store.time(key, self.settings.statistic) for key in keys if self.store.rounds(key)}
        return Cell(times, self.store.ran.get((ranks, operation, size, SHIPPED)))

    def table(self, operation):
        return {
            ranks: {size: self.cell(operation, ranks, size) for size in self.sizes(operation, ranks)}
            for ranks in self.settings.ranks
        }

    # Measuring.

    def left(self):
        seconds = self.settings.deadline - time.monotonic()
        if seconds <= 0:
            raise OutOfTime
        return seconds

    def job(self, keys, act):
        """act(choices, points) for each job that is needed for these keys of one operation and number of ranks."""
        choices = list(dict.fromkeys(key[3] for key in keys))
        for group in kinds(choices):
            points = [(choice, size) for _, _, size, choice in keys if choice in group]
            if points:
                act(group, points)

    def check(self, ranks, operation, keys):
        def act(choices, points):
            for (choice, size), fits, ran in self.prober.check(ranks, operation, choices, points, self.left() + 10):
                self.store.add((ranks, operation, size, choice), fits=fits, ran=ran)

        self.job(keys, act)

    def measure(self, ranks, operation, keys, number, effort):
        effort = self.settings.effort or effort

        def act(choices, points):
            for (choice, size), median, least in self.prober.measure(
                ranks, operation, choices, points, effort, self.left()
            ):
                self.store.add((ranks, operation, size, choice), round=number, median=median, least=least)
                self.measured += 1
                self.progress.step(f"{operation}, {ranks} ranks, {choice.text()}")

        self.job(keys, act)

    def coarse(self, ranks, operation):
        keys = self.keys(operation, ranks)
        unknown = [key for key in keys if key not in self.store.fits]
        if unknown:
            self.check(ranks, operation, unknown)
            self.progress.drop(sum(1 for key in unknown if not self.store.fits.get(key)))
        wanted = [key for key in keys if self.store.fits.get(key) and not self.store.rounds(key)]
        if wanted:
            self.measure(ranks, operation, wanted, 0, COARSE)

    def contested(self, ranks, operation, number):
        """Keys to be measured again in this round: the best and all that are near, and what is shipped."""
        found = []
        for size in self.sizes(operation, ranks):
            cell = self.cell(operation, ranks, size)
            if not cell.times:
                continue
            best = min(cell.times.values())
            near = {choice for choice, time in cell.times.items() if time <= NEAR * best} | {cell.shipped}
            if len(near) > 1:
                keys = [(ranks, operation, size, choice) for choice in [*cell.times, SHIPPED] if choice in near | {SHIPPED}]
                found += [key for key in keys if 0 < self.store.rounds(key) <= number]
        return found

    def closer(self, ranks, operation, number):
        keys = self.contested(ranks, operation, number)
        if keys:
            self.progress.expect(len(keys))
            self.measure(ranks, operation, keys, number, CLOSER)

    def each(self, act, *arguments):
        for ranks, operation in self.pairs():
            if (ranks, operation) in self.broken:
                continue
            try:
                self.left()
                act(ranks, operation, *arguments)
            except Failure as problem:
                if time.monotonic() >= self.settings.deadline:  # it was ended for want of time
                    raise OutOfTime from None
                self.broken.add((ranks, operation))
                self.outcome.failures.append(str(problem))

    def run(self):
        """Measures until all is done, time is up or the user interrupts."""
        self.progress.expect(len(self.missing()))
        try:
            self.each(self.coarse)
            for number in range(1, self.settings.rounds):
                self.each(self.closer, number)
        except OutOfTime:
            self.outcome.interrupted = "the budget is used up"
        except KeyboardInterrupt:
            self.outcome.interrupted = "interrupted"
        self.progress.end()
        return self.outcome
