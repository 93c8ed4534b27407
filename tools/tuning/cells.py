# SPDX-License-Identifier: BSD-3-Clause
# One operation with one number of ranks and one amount of data: who is best there, and what was
# confirmed.
#
# The least of many noisy times is too low: of ten choices that are alike, one always looks faster
# than the shipped one. So nothing replaces the shipped choice that was not faster again, head to
# head. A challenger looks faster than what is shipped; in a duel the two are measured in turn,
# PAIRS times. It has to prevail both in the median pair and at its best: where others disturb a
# machine, pairs differ by more than choices do. The times of a duel serve for nothing else, so that
# the one chosen for its luck has to be as lucky again.
#
# Programs call in several patterns: back to back, after a barrier, from buffers that no cache
# holds. A choice is judged by the pattern in which it falls behind the best one most.
import math
import statistics
from dataclasses import dataclass, field
from typing import Dict, Optional

from .choices import Choice

CLOSE = 1.05  # a choice that is in force stays unless it is this much slower than the best
OFF = 1.1  # times slower than the best: worth saying
JUMP = 1.5  # between neighbours, beyond what their ratio explains
PAIRS = 5  # of a duel
CHALLENGERS = 2  # of a cell, the fastest first; with the first one that prevails the search ends


@dataclass
class Cell:
    times: Dict[Choice, float]  # microseconds, as judged() says
    shipped: Optional[Choice] = None  # what the shipped rules choose
    model: bool = False  # priced, not measured
    duels: Dict[Choice, list] = field(default_factory=dict)  # challenger: [(time of the shipped choice, its own)]


def judged(times):
    """{choice: {pattern: time}} as {choice: time}: how many times longer than the best one a choice
    takes in its worst pattern, times the mean of the best times."""
    if not times:
        return {}
    patterns = set.intersection(*map(set, times.values()))
    best = {pattern: max(min(of[pattern] for of in times.values()), 1e-6) for pattern in patterns}
    usual = mean(best.values())
    return {choice: usual * max(of[pattern] / best[pattern] for pattern in patterns) for choice, of in times.items()}


def fastest(cell):
    return min(cell.times, key=lambda choice: (cell.times[choice], choice))


def challengers(cell):
    """The choices that look faster than the shipped one, the fastest first; none where that was not
    measured."""
    if cell.shipped not in cell.times:
        return []
    limit = cell.times[cell.shipped] / CLOSE
    return [choice for time, choice in sorted((t, c) for c, t in cell.times.items()) if time < limit][:CHALLENGERS]


def lead(cell, choice):
    """How many times faster than the shipped choice it was in its duel; None: that is not over."""
    pairs = cell.duels.get(choice, [])
    if len(pairs) < PAIRS:
        return None
    ours, its = zip(*pairs)
    return min(statistics.median(a / b for a, b in pairs), min(ours) / min(its))


def next_duel(cell):
    """The challenger that has yet to be measured against the shipped choice, or None."""
    for choice in challengers(cell):
        known = lead(cell, choice)
        if known is None:
            return choice
        if known > CLOSE:
            return None
    return None


def successor(cell):
    """The challenger that prevailed, or None: the shipped choice stays."""
    return next((choice for choice in challengers(cell) if (lead(cell, choice) or 0) > CLOSE), None)


def winner(cell, previous=None):
    """The shipped choice or its successor; where nothing is known of what is shipped, the fastest.
    But the one that wins with less data, where it is as good as that successor or that fastest
    one."""
    best = successor(cell) if cell.shipped in cell.times else fastest(cell)
    if best is None:
        return cell.shipped
    return previous if previous in cell.times and cell.times[previous] <= CLOSE * cell.times[best] else best


def rival(cell, chosen):
    """(time, choice) of the best other choice, or None."""
    others = [(time, choice) for choice, time in cell.times.items() if choice != chosen]
    return min(others) if others else None


def mean(times):
    return math.exp(statistics.fmean(math.log(max(time, 1e-6)) for time in times))


def folded_duel(duels):
    """Duels of one challenger with all amounts as one: pair by pair."""
    return [tuple(mean(side) for side in zip(*pairs)) for pairs in zip(*duels)]


def folded(cells):
    """One cell for operations whose rules cannot tell amounts apart: geometric means of the times
    of the choices that were measured with all amounts. What is shipped may be several choices,
    where a component leaves long blocks to the next rule; it goes by the name of the first."""
    common = set.intersection(*(set(cell.times) for cell in cells))
    times = {choice: mean(cell.times[choice] for cell in cells) for choice in common}
    shipped = cells[0].shipped
    if all(cell.shipped in cell.times for cell in cells):
        times[shipped] = mean(cell.times[cell.shipped] for cell in cells)
    duels = {choice: folded_duel([cell.duels.get(choice, []) for cell in cells]) for choice in common}
    return Cell(times, shipped, cells[0].model, duels)
