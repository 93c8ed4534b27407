# SPDX-License-Identifier: BSD-3-Clause
# What a person reads first: per family of figures the geometric mean of the ratios, how many rows
# lose, and the worst ones.
import math

from . import report
from .results import MORE_IS_BETTER

WORST = 5
PATTERNS = ("fixed", "after_barrier", "cold", "new")  # as suffixes of figures: bench/collectives.cpp


def cost_ratio(run, row):
    """Tessera's cost over the better peer's: below 1 is faster, whatever the unit. None without
    both."""
    ratio = run.results.ratio(row, run.peers())
    if not ratio:
        return None
    return 1 / ratio if row.unit in MORE_IS_BETTER else ratio


def family_of(row):
    pattern = next((p for p in PATTERNS if row.figure.endswith(f"_{p}")), None)
    return f"{row.group}, {pattern.replace('_', ' ')}" if pattern else row.group


def by_family(run):
    """{family: [(ratio, row)]}, in the order of the rows."""
    families = {}
    for row in run.results.rows.values():
        ratio = cost_ratio(run, row)
        if row.group != "limits" and ratio is not None:
            families.setdefault(family_of(row), []).append((ratio, row))
    return families


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def targets_met(run, rows):
    """'3 of 4', or nothing where no row has a target."""
    verdicts = [verdict for _, row in rows if (verdict := report.judgement(run, row)[2])]
    return f"{verdicts.count('met')} of {len(verdicts)}" if verdicts else ""


def table(run):
    """Head and one line per family, as text cells."""
    cells = [
        [name, str(len(rows)), f"{geometric_mean([r for r, _ in rows]):.2f}", *[str(sum(r > limit for r, _ in rows)) for limit in (1.0, 1.1)],
         f"{max(r for r, _ in rows):.2f}", targets_met(run, rows)]
        for name, rows in by_family(run).items()
    ]
    return ["family", "rows", "geometric mean", "above 1.0", "above 1.1", "worst", "targets met"], cells


def worst(run):
    """The rows that stand worst of all, worst first: lines of text."""
    everything = [pair for rows in by_family(run).values() for pair in rows]
    for ratio, row in sorted(everything, key=lambda pair: -pair[0])[:WORST]:
        what = " ".join(part for part in (row.figure, report.size_text(row)) if part)
        yield f"{what} on {row.ranks}: {ratio:.2f}"


def lines(run):
    """The table, then the worst rows."""
    head, cells = table(run)
    if not cells:
        return
    yield "time of Tessera over that of the better peer (below 1: faster)"
    yield from report.aligned(head, cells)
    yield "worst: " + ", ".join(worst(run))
