# SPDX-License-Identifier: BSD-3-Clause
# What a run says at a glance: by family of figures how Tessera stands to the better peer, and the rows that stand worst.
#
# A relation is Tessera's time over the better peer's, or for rates the better peer's over Tessera's: below 1 Tessera is ahead.
import math

from . import report
from .results import MORE_IS_BETTER

WORST = 5
FAMILIES = {  # title: groups
    "messages in shared memory": ("p2p", "queues"),
    "messages over TCP": ("tcp", "veth"),
    "start-up, memory, the info tool": ("startup", "memory", "info"),
    "threads": ("threads",),
    "waiting": ("waiting",),
    "collective operations": ("collectives", "star"),
    "datatypes": ("datatype",),
    "reductions": ("reductions",),
}
NOT_COMPARED = ("_by_hand", "_by_limit")  # ends of figures that have no peer's counterpart


def relation(run, row):
    """Tessera against the better peer, below 1 is better; None where one of them is missing."""
    ratio = run.results.ratio(row, run.peers())
    if not ratio or row.figure.endswith(NOT_COMPARED):
        return None
    return 1 / ratio if row.unit in MORE_IS_BETTER else ratio


def relations(run, groups):
    """[(relation, row)] of the groups' rows that can be compared."""
    rows = [row for row in run.results.rows.values() if row.group in groups]
    return [(value, row) for row in rows if (value := relation(run, row))]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def verdicts(run, groups):
    """(targets met, targets of the groups)."""
    judged = [report.judgement(run, row)[2] for row in run.results.rows.values() if row.group in groups]
    judged = [verdict for verdict in judged if verdict]
    return judged.count("met"), len(judged)


def table(run):
    """Head and one line per family, as text cells."""
    head = ["family", "rows", "geometric mean", "above 1.0", "above 1.1", "targets met"]
    lines = []
    for title, groups in FAMILIES.items():
        values = [value for value, _ in relations(run, groups)]
        if values:
            met, judged = verdicts(run, groups)
            behind = [str(sum(value > limit for value in values)) for limit in (1.0, 1.1)]
            lines.append([title, str(len(values)), f"{geometric_mean(values):.2f}", *behind, f"{met} of {judged}" if judged else ""])
    return head, lines


def worst(run):
    """The rows that stand worst of all, worst first: lines of text."""
    everything = [pair for groups in FAMILIES.values() for pair in relations(run, groups)]
    for value, row in sorted(everything, key=lambda pair: -pair[0])[:WORST]:
        where = f"{row.figure}, {row.ranks} ranks" if row.ranks > 1 else row.figure
        size = report.size_text(row)
        yield f"{where}, {size}: {value:.2f}" if size else f"{where}: {value:.2f}"
