# SPDX-License-Identifier: BSD-3-Clause
# Where the time of what is shipped jumps between neighbouring amounts of data or numbers of ranks,
# and whose jump it is.
#
# From one amount to the next the time may grow by JUMP times as much as the amount, and shrink by
# JUMP; from one number of ranks to the next it may grow by JUMP times as much as the number. What
# exceeds this is a jump. If the best choices at both ends jump as well, it is the machine's: more
# ranks than processors, data that leaves a cache. If they do not, and the choice at the slow end is
# more than 10 % slower than the best there, it is the choice's, and the rules are wrong. What lost
# its duel is no better choice.
from dataclasses import dataclass

from .cells import JUMP, OFF, folded, lead, next_duel, successor
from .choices import SIZED, size_text


@dataclass
class End:
    """One amount of data on one number of ranks."""

    ranks: int
    bytes: int
    shipped: float  # microseconds
    best: float


@dataclass
class Jump:
    operation: str
    low: End
    high: End
    fast: End  # low and high by their times
    slow: End
    limit: float

    def ratio(self):
        return self.slow.shipped / self.fast.shipped

    def best_ratio(self):
        return self.slow.best / self.fast.best

    def of_the_choice(self):
        return self.best_ratio() <= self.limit and self.slow.shipped > OFF * self.slow.best


def better_choice(cell):
    """One that prevailed over the shipped choice, or whose duel is to come; None: the shipped
    choice is the best."""
    return successor(cell) or next_duel(cell)


def best_time(cell, better):
    if better is None:
        return cell.times[cell.shipped]
    ahead = lead(cell, better)
    return cell.times[cell.shipped] / ahead if ahead else cell.times[better]


def ends_of(operation, ranks, cells):
    """[End] of ascending amounts; `cells`: {bytes: Cell}."""
    known = {size: cell for size, cell in sorted(cells.items()) if cell.shipped in cell.times}
    if operation in SIZED or not known:
        better = {size: better_choice(cell) for size, cell in known.items()}
    else:
        better = dict.fromkeys(known, better_choice(folded(list(known.values()))))
    return [
        End(ranks, size, cell.times[cell.shipped], best_time(cell, better[size])) for size, cell in known.items()
    ]


def jump(operation, low, high, fast, limit):
    slow = high if fast is low else low
    return [Jump(operation, low, high, fast, slow, limit)] if slow.shipped > limit * fast.shipped else []


def between_amounts(operation, ends):
    """`ends`: of one number of ranks."""
    found = []
    for low, high in zip(ends, ends[1:]):
        found += jump(operation, low, high, low, JUMP * high.bytes / low.bytes)
        found += jump(operation, low, high, high, JUMP)
    return found


def apart(one, other):
    """How many times as much data the one has; barriers have none."""
    return max(one.bytes, other.bytes) / min(one.bytes, other.bytes) if one.bytes != other.bytes else 1.0


def partner(low, ends):
    """The end with the amount of `low`, or None. Those of reduce_scatter_block are multiples of the
    number of ranks, so that the nearest one has to do."""
    nearest = min(ends, key=lambda end: apart(low, end), default=None)
    return nearest if nearest and apart(low, nearest) <= nearest.ranks / low.ranks else None


def between_ranks(operation, low_ends, high_ends):
    """`..._ends`: of neighbouring numbers of ranks."""
    found = []
    for low in low_ends:
        high = partner(low, high_ends)
        if high:
            more_data = apart(low, high) if high.bytes > low.bytes else 1.0
            found += jump(operation, low, high, low, JUMP * more_data * high.ranks / low.ranks)
    return found


def jumps_of(tables):
    """`tables`: {operation: {ranks: {bytes: Cell}}}. Those of the choice come first."""
    found = []
    for operation, table in tables.items():
        rows = [ends_of(operation, ranks, cells) for ranks, cells in sorted(table.items())]
        found += [one for ends in rows for one in between_amounts(operation, ends)]
        found += [one for low, high in zip(rows, rows[1:]) for one in between_ranks(operation, low, high)]
    return sorted(found, key=lambda one: not one.of_the_choice())


def span(low, high, text=str):
    return text(low) if low == high else f"{text(low)} to {text(high)}"


def row_text(one):
    low, high = one.low, one.high
    times = f"{low.shipped:.4g} to {high.shipped:.4g}"
    ratios = f"{one.ratio():.2f}", f"{one.limit:.2f}", f"{one.best_ratio():.2f}"
    whose = "choice" if one.of_the_choice() else "machine"
    return one.operation, span(low.ranks, high.ranks), span(low.bytes, high.bytes, size_text), times, *ratios, whose


def jumps_text(jumps, all_of_them):
    """How many there are, and a table; not `all_of_them`: only of those of the choice. Nothing
    where there is no jump."""
    if not jumps:
        return ""
    own = [one for one in jumps if one.of_the_choice()]
    listed = jumps if all_of_them else own
    form = "{:22} {:>8} {:>12}  {:>18}  {:>6} {:>6} {:>6}  {}"
    lines = [f"What is shipped jumps in {len(jumps)} places; in {len(own)} of them the best choices do not."]
    if listed:
        lines.append(form.format("operation", "ranks", "bytes", "us", "ratio", "limit", "best", "whose"))
    return "\n".join(lines + [form.format(*row_text(one)) for one in listed]) + "\n"
