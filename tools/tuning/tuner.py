# SPDX-License-Identifier: BSD-3-Clause
# The order of a tuning run: everything coarsely first, then closer looks where the best are near
# each other, then duels where something looks faster than what is shipped.
import time
from dataclasses import dataclass, field

from .cells import CHALLENGERS, PAIRS, Cell, folded, judged, next_duel
from .choices import SHIPPED, SIZED, candidates, footprint, real_bytes, sensible
from .probing import Failure, kinds

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
    def __init__(self, settings, offered, tuning_of, prober, store, progress):
        self.settings, self.prober, self.store, self.progress = settings, prober, store, progress
        self.offered, self.tuning_of = offered, tuning_of
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
        choices = candidates(self.offered, operation, self.tuning_of)
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
        """What is known of one field of the decision map; no times: nothing. What is shipped was
        measured as it is, and mostly among the others too: the shorter time counts."""
        keys = [key for key in self.keys(operation, ranks) if key[2] == size and self.store.rounds(key)]
        times = {key[3]: self.store.time(key, self.settings.statistic) for key in keys}
        shipped = self.store.ran.get((ranks, operation, size, SHIPPED))
        as_it_is = times.pop(SHIPPED, None)
        if shipped and as_it_is:
            by_name = times.get(shipped, as_it_is)
            times[shipped] = {pattern: min(time, by_name[pattern]) for pattern, time in as_it_is.items()}
        return Cell(judged(times), shipped, duels={key[3]: self.store.pairs(key) for key in keys})

    def table_row(self, operation, ranks):
        return {size: self.cell(operation, ranks, size) for size in self.sizes(operation, ranks)}

    def table(self, operation):
        return {ranks: self.table_row(operation, ranks) for ranks in self.settings.ranks}

    # Measuring.

    def left(self):
        seconds = self.settings.deadline - time.monotonic()
        if seconds <= 0:
            raise OutOfTime
        return seconds

    def job(self, keys, act):
        """act(choices, points) for each job that is needed for these keys of one operation and
        number of ranks."""
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

    def measure(self, ranks, operation, keys, effort, take):
        """take(key, {pattern: (median, least)}) for each key, as soon as known."""
        effort = self.settings.effort or effort

        def act(choices, points):
            for (choice, size), patterns in self.prober.measure(ranks, operation, choices, points, effort, self.left()):
                take((ranks, operation, size, choice), patterns)
                self.measured += 1
                self.progress.step(f"{operation}, {ranks} ranks, {choice.text()}")

        self.job(keys, act)

    def measure_round(self, ranks, operation, keys, number, effort):
        def take(key, patterns):
            self.store.add(key, round=number, patterns=patterns)

        self.measure(ranks, operation, keys, effort, take)

    def coarse(self, ranks, operation):
        keys = self.keys(operation, ranks)
        unknown = [key for key in keys if key not in self.store.fits]
        if unknown:
            self.check(ranks, operation, unknown)
            self.progress.drop(sum(1 for key in unknown if not self.store.fits.get(key)))
        wanted = [key for key in keys if self.store.fits.get(key) and not self.store.rounds(key)]
        if wanted:
            self.measure_round(ranks, operation, wanted, 0, COARSE)

    def contested(self, ranks, operation, number):
        """Keys to be measured again in this round: the best and all that are near, and what is
        shipped."""
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
            self.measure_round(ranks, operation, keys, number, CLOSER)

    def due(self, operation, ranks):
        """Keys of the challengers that have yet to be measured against what is shipped. Where rules
        cannot tell amounts apart, one challenger has to prevail with all of them together."""
        cells = {size: cell for size, cell in self.table_row(operation, ranks).items() if cell.times}
        if operation in SIZED or not cells:
            found = {size: next_duel(cell) for size, cell in cells.items()}
        else:
            together = folded(list(cells.values()))
            found = dict.fromkeys(cells, next_duel(together) if together.times else None)
        return [(ranks, operation, size, choice) for size, choice in found.items() if choice]

    def duel(self, ranks, operation):
        keys = self.due(operation, ranks)
        self.progress.expect(2 * sum(PAIRS - len(self.store.pairs(key)) for key in keys))
        for number in range(PAIRS):
            wanted = [key for key in keys if number not in self.store.duels.get(key, {})]
            if wanted:
                self.pair(ranks, operation, wanted, number)

    def pair(self, ranks, operation, keys, number):
        """What is shipped, and right after it the challengers. Each pair has jobs of its own, in
        which ranks may find themselves on other processors."""
        times = {}

        def take(key, patterns):
            which = 1 if self.settings.statistic == "best" else 0
            times[key] = {pattern: figures[which] for pattern, figures in patterns.items()}

        self.measure(ranks, operation, [(*key[:3], SHIPPED) for key in keys], CLOSER, take)
        self.measure(ranks, operation, keys, CLOSER, take)
        for key in keys:
            ours = times.get((*key[:3], SHIPPED))
            if ours is not None and key in times:
                self.store.add(key, duel=number, shipped=ours, own=times[key])

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
            for _ in range(CHALLENGERS):
                self.each(self.duel)
        except OutOfTime:
            self.outcome.interrupted = "the budget is used up"
        except KeyboardInterrupt:
            self.outcome.interrupted = "interrupted"
        self.progress.end()
        return self.outcome
