# SPDX-License-Identifier: BSD-3-Clause
# Where what is shipped is more than 10 % slower than the best, and was so again in a duel.
import statistics
from dataclasses import dataclass

from .cells import OFF, Cell, fastest, folded, lead, next_duel, successor
from .choices import SIZED, size_text


@dataclass
class Spot:
    """What rules can tell apart, and both what is shipped and its rivals were measured."""

    operation: str
    ranks: int
    amount: str
    cell: Cell


def spots_of_row(operation, ranks, cells):
    """`cells`: {bytes: Cell}."""
    found = {size_text(size): cell for size, cell in cells.items() if cell.times}
    if operation not in SIZED and found:
        found = {"any": folded(list(found.values()))}
    return [Spot(operation, ranks, size, cell) for size, cell in found.items() if cell.shipped in cell.times]


def spots_of(tables):
    """`tables`: {operation: {ranks: {bytes: Cell}}}."""
    rows = [(operation, ranks, cells) for operation, table in tables.items() for ranks, cells in table.items()]
    return [one for row in rows for one in spots_of_row(*row)]


def looks_off(cell):
    return cell.times[cell.shipped] > OFF * cell.times[fastest(cell)]


def is_off(cell):
    return (lead(cell, successor(cell)) or 0) > OFF


def row_text(one):
    """The times are the medians of the duel."""
    cell, best = one.cell, successor(one.cell)
    ours, its = (f"{statistics.median(side):.4g}" for side in zip(*cell.duels[best]))
    return one.operation, one.ranks, one.amount, cell.shipped.text(), ours, best.text(), its, f"{lead(cell, best):.2f}"


def off_text(spots):
    if not spots:
        return ""
    looked = [one for one in spots if looks_off(one.cell)]
    off = sorted((one for one in spots if is_off(one.cell)), key=lambda one: -lead(one.cell, successor(one.cell)))
    undecided = sum(1 for one in looked if next_duel(one.cell))
    lines = [f"The shipped rules looked more than 10 % off in {len(looked)} of {len(spots)} bins."]
    if undecided:
        lines.append(f"There was no time to measure {undecided} of them head to head.")
    lines.append(f"Head to head they are more than 10 % off in {len(off)} bins{':' if off else '.'}")
    form = "{:22} {:>5} {:>6}  {:24} {:>10}  {:30} {:>10}  {}"
    if off:
        lines.append(form.format("operation", "ranks", "bytes", "shipped", "us", "best", "us", "ratio"))
    return "\n".join(lines + [form.format(*row_text(one)) for one in off]) + "\n"
