# SPDX-License-Identifier: BSD-3-Clause
# What was measured, by figure, ranks, size and library; the targets; and the judgement of one by
# the other.
import csv
import statistics
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from .jobs import NO_END

MORE_IS_BETTER = ("GB/s", "M/s", "times")
RULES = ("ratio_at_most", "ratio_at_least", "at_most", "at_least", "growth_at_most")
PATIENCE = 2  # time-outs of one library in one group on one number of ranks, after which it is not asked there again


@dataclass
class Row:
    figure: str
    ranks: int
    size: int
    unit: str
    group: str
    case: tuple  # key of the case that makes this row
    samples: dict = field(default_factory=dict)  # library -> one value per round


class Results:
    def __init__(self, statistic):
        self.statistic = statistic  # "median" or "best"
        self.rows = {}  # (figure, ranks, size) -> Row, in the order of appearance
        self.failures = {}  # (group, figure of the case, ranks, library) -> problem
        self.lines = {}  # library -> core-to-core times just before its runs, in ns
        self.once = {}  # library -> keys of the cases that were not measured again, being far behind
        self.out_of_state = 0  # runs left out, since the machine was not in the state that is wanted
        self.seconds = {}  # group -> time spent on it

    def add(self, case, figure, size, library, value, unit):
        row = self.rows.setdefault((figure, case.ranks, size), Row(figure, case.ranks, size, unit, case.group, case.key()))
        row.samples.setdefault(library, []).append(value)

    def add_time(self, case, seconds):
        self.seconds[case.group] = self.seconds.get(case.group, 0) + seconds

    def fail(self, case, library, problem):
        self.failures[(*case.key(), library)] = problem

    def failed(self, case, library):
        return (*case.key(), library) in self.failures

    def hangs(self, case, library):
        """Why a library is not asked any more, having had no end in this group too often; empty if
        it is."""
        had_no_end = [
            problem
            for (group, _, ranks, name), problem in self.failures.items()
            if (group, ranks, name) == (case.group, case.ranks, library) and problem.startswith(NO_END)
        ]
        return f"{NO_END}: not tried, {PATIENCE} others had none" if len(had_no_end) >= PATIENCE else ""

    def far_behind(self, case, library, factor):
        """Whether a library was `factor` times as slow as another one, or more, in every row of a
        case."""
        rows = [row for row in self.rows.values() if row.case == case.key() and row.samples.get(library)]
        return bool(rows) and all(self.times_slower(row, library) >= factor for row in rows)

    def times_slower(self, row, library):
        ours = self.value(row, library)
        others = [value for value in (self.value(row, name) for name in row.samples if name != library) if value]
        if not others or not ours:
            return 0
        return max(others) / ours if row.unit in MORE_IS_BETTER else ours / min(others)

    def why_missing(self, row, library):
        """The problem that explains a hole in the table, or None."""
        return self.failures.get((*row.case, library))

    def value(self, row, library):
        samples = row.samples.get(library)
        if not samples:
            return None
        if self.statistic == "best":
            return max(samples) if row.unit in MORE_IS_BETTER else min(samples)
        return statistics.median(samples)

    def better_peer(self, row, peers):
        """The value of the better peer, None if none was measured."""
        values = [v for v in (self.value(row, peer) for peer in peers) if v is not None]
        if not values:
            return None
        return max(values) if row.unit in MORE_IS_BETTER else min(values)

    def ratio(self, row, peers):
        """Tessera over the better peer, None if one of the two is missing or zero, and of what is a
        ratio itself."""
        if row.unit == "times":
            return None
        ours, theirs = self.value(row, "tessera"), self.better_peer(row, peers)
        return ours / theirs if ours is not None and theirs else None

    def growth(self, row):
        """Tessera over itself at the smallest size of the same figure."""
        alike = [other for other in self.rows.values() if (other.figure, other.ranks) == (row.figure, row.ranks)]
        ours, first = self.value(row, "tessera"), self.value(min(alike, key=lambda other: other.size), "tessera")
        return ours / first if ours is not None and first else None

    def add_empty_rows(self, all_cases):
        """A case nobody could run is a row too."""
        seen = {row.case for row in self.rows.values()}
        for case in all_cases:
            if case.key() not in seen:
                name = case.row_name(case.figure)
                self.rows[name, case.ranks, 0] = Row(name, case.ranks, 0, "", case.group, case.key())

    def restless(self):
        """How much the core-to-core time changed before the runs: largest over smallest; 1 if
        unknown."""
        samples = [value for values in self.lines.values() for value in values]
        return max(samples) / min(samples) if samples else 1.0


@dataclass
class Target:
    figure: str
    ranks: int
    sizes: tuple  # lowest, highest
    rule: str
    value: float

    def covers(self, row):
        named = fnmatchcase(row.figure, self.figure) and self.ranks == row.ranks
        return named and self.sizes[0] <= row.size <= self.sizes[1]

    def text(self, unit):
        if self.rule == "growth_at_most":
            return f"<= {self.value:g} x the first"
        if self.rule in ("at_most", "at_least"):
            return f"{'<=' if self.rule == 'at_most' else '>='} {self.value:g} {unit}"
        return f"{'<=' if self.rule == 'ratio_at_most' else '>='} {self.value:.2f} x"

    def verdict(self, ours, ratio, growth):
        if ours is None:
            return "not run"
        if self.rule == "growth_at_most":
            return "met" if growth is not None and growth <= self.value else "missed"
        if self.rule == "at_most":
            return "met" if ours <= self.value else "missed"
        if self.rule == "at_least":
            return "met" if ours >= self.value else "missed"
        if ratio is None:
            return "no peer"
        return "met" if (ratio <= self.value) == (self.rule == "ratio_at_most") or ratio == self.value else "missed"


def parse_sizes(text):
    if text == "*":
        return 0, float("inf")
    low, _, high = text.partition("..")
    return int(low), int(high or low)


def parse_target(path, number, fields):
    try:
        figure, ranks, sizes, rule, value = fields
        if rule not in RULES:
            raise ValueError(f"rule '{rule}'")
        return Target(figure, int(ranks), parse_sizes(sizes), rule, float(value))
    except ValueError as error:
        expected = f"figure, ranks, sizes (N, LOW..HIGH or *), rule ({', '.join(RULES)}), value"
        raise ValueError(f"{path}:{number}: {error}; expected five fields separated by tabs: {expected}") from None


def read_targets(path):
    """The rules of a targets file; ValueError names the line that is not one."""
    with open(path, newline="") as file:
        lines = enumerate(csv.reader(file, delimiter="\t"), 1)
        return [parse_target(path, n, f) for n, f in lines if f and not f[0].startswith("#")]


def target_of(targets, row):
    return next((target for target in targets if target.covers(row)), None)
