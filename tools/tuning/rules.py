# SPDX-License-Identifier: BSD-3-Clause
# From times to rules: who wins where, ranges between what was measured, and the file.
import math
import re
from dataclasses import dataclass, field
from typing import Optional

from .cells import folded, rival, winner
from .choices import SIZED, Choice, size_text


@dataclass
class Bin:
    """A range of amounts (both ends belong to it; None: open) that has one winner."""

    low: Optional[int]
    high: Optional[int]
    winner: Choice
    cells: list = field(default_factory=list)  # (amount, Cell)


@dataclass
class Row:
    """A range of numbers of processes with its bins."""

    low: Optional[int]
    high: Optional[int]
    bins: list
    model: bool
    oversubscribed: bool = False  # more ranks than processors


def ranges(values):
    """[(low, high)] around ascending values, split at geometric means; open at both ends."""
    splits = [math.floor(math.sqrt(a * b)) for a, b in zip(values, values[1:])]
    return list(zip([None] + [split + 1 for split in splits], splits + [None]))


def merged(bins):
    """Neighbouring bins with one winner become one."""
    result = []
    for each in bins:
        if result and result[-1].winner == each.winner:
            result[-1] = Bin(result[-1].low, each.high, each.winner, result[-1].cells + each.cells)
        else:
            result.append(each)
    return result


def bins_of(operation, cells):
    """The bins of one number of ranks; `cells`: {amount: Cell}, at least one with times."""
    cells = {amount: cell for amount, cell in sorted(cells.items()) if cell.times}
    if operation not in SIZED:
        together = folded(list(cells.values()))
        return [Bin(None, None, winner(together), [(None, together)])] if together.times else []
    bins, previous = [], None
    for (amount, cell), (low, high) in zip(cells.items(), ranges(list(cells))):
        previous = winner(cell, previous)
        bins.append(Bin(low, high, previous, [(amount, cell)]))
    return merged(bins)


def same_bins(a, b):
    return [(x.low, x.high, x.winner) for x in a] == [(x.low, x.high, x.winner) for x in b]


def process_ranges(known, model):
    """[(low, high)] around ascending numbers of ranks. What was measured says something up to half
    an octave beyond the last one, prices from half an octave below the first one on, and without
    end; what lies between is left to the shipped rules."""
    found = ranges(known)
    for i, ranks in enumerate(known):
        low, high = found[i]
        if not model[i] and (high is None or model[i + 1]):
            beyond = math.floor(ranks * math.sqrt(2))
            high = beyond if high is None else min(high, beyond)
        if model[i] and i > 0 and not model[i - 1]:
            low = max(low, math.ceil(ranks / math.sqrt(2)))
        found[i] = low, high
    return found


def rows_of(operation, table, cpus):
    """The rows of an operation; `table`: {ranks: {amount: Cell}}."""
    known = [ranks for ranks in sorted(table) if any(cell.times for cell in table[ranks].values())]
    models = [all(cell.model for cell in table[ranks].values()) for ranks in known]
    rows = []
    for ranks, model, (low, high) in zip(known, models, process_ranges(known, models)):
        row = Row(low, high, bins_of(operation, table[ranks]), model, oversubscribed=not model and ranks > cpus)
        last = rows[-1] if rows else None
        if last and same_bins(last.bins, row.bins) and (last.model, last.oversubscribed) == (model, row.oversubscribed):
            together = [Bin(a.low, a.high, a.winner, a.cells + b.cells) for a, b in zip(last.bins, row.bins)]
            rows[-1] = Row(last.low, high, together, model, row.oversubscribed)
        else:
            rows.append(row)
    return rows


def range_text(low, high, text=str):
    if low is not None and low == high:
        return text(low)
    return f"{'' if low is None else text(low)}..{'' if high is None else text(high)}"


def times_text(one):
    """What the comment of a rule says: the times, and how near the next best came."""
    first, last = one.cells[0], one.cells[-1]
    words = f"{first[1].times[one.winner]:.4g} us"
    if first is not last and one.cells[0][0] != one.cells[-1][0]:
        words += f" at {size_text(first[0])} to {last[1].times[one.winner]:.4g} us at {size_text(last[0])}"
    found = [(rival(cell, one.winner), amount, cell.times[one.winner]) for amount, cell in one.cells]
    rivals = [(other[0] / own, other, amount) for other, amount, own in found if other]
    if not rivals:
        return words + ", the only one"
    _, (time, choice), amount = min(rivals, key=lambda entry: entry[0])
    where = f" at {size_text(amount)}" if len(one.cells) > 1 and amount is not None else ""
    return words + f", next best {choice.text()} {time:.4g} us{where}"


def choice_keys(choice):
    keys = [f"component: {choice.component}"] if choice.component != "basic" else []
    keys += [f"algorithm: {choice.algorithm}"] if choice.algorithm else []
    keys += [f"segment: {size_text(choice.segment)}"] if choice.segment else []
    return keys + ([f"radix: {choice.radix}"] if choice.radix else [])


def rule_text(row, one):
    keys = choice_keys(one.winner)
    if not row.model:  # all that was measured ran on one node, and the job had no other ranks
        keys += ["nodes: 1", f"oversubscribed: {'yes' if row.oversubscribed else 'no'}"]
    if (row.low, row.high) != (None, None):
        keys.append(f"processes: {range_text(row.low, row.high)}")
    if (one.low, one.high) != (None, None):
        keys.append(f"bytes: {range_text(one.low, one.high, size_text)}")
    return f"  - {{{', '.join(keys)}}}  # {'model' if row.model else 'measured'}: {times_text(one)}"


def shipped_rules(lines, components):
    """{operation: its lines} of the shipped file, as far as they name components that are there."""
    found, operation = {}, None
    for line in lines:
        named = re.search(r"component: (\w+)", line)
        if line.strip().endswith(":") and not line.startswith((" ", "#")):
            operation = line.strip()[:-1]
            found[operation] = []
        elif operation and line.startswith("  - ") and (not named or named[1] in components):
            found[operation].append(line.rstrip())
    return found


def file_text(header, tables, shipped, cpus):
    """The file of rules; `tables`: {operation: table as in rows_of}. What no rule of ours admits
    goes as it is shipped."""
    parts = ["# SPDX-License-Identifier: BSD-3-Clause", *(f"# {line}".rstrip() for line in header)]
    for operation, table in tables.items():
        rows = rows_of(operation, table, cpus)
        rules = [rule_text(row, one) for row in rows for one in row.bins]
        if rules:
            parts += ["", f"{operation}:", *rules, *(f"{line}  # shipped" for line in shipped.get(operation, []))]
    return "\n".join(parts) + "\n"
