# SPDX-License-Identifier: BSD-3-Clause
# What a tuning run says: progress, what is missing, and the fields of the map.
import collections
import datetime
import os
import pathlib
import sys
import time

from .cells import folded, rival, winner
from .choices import SIZED, size_text
from .decision_map import Field, Panel

LINES = 5.0  # seconds between lines of progress where nobody watches


class Progress:
    """A bar that is overwritten on a terminal; elsewhere a line now and then. To standard error:
    nothing if quiet."""

    def __init__(self, quiet):
        self.quiet, self.total, self.done = quiet, 0, 0
        self.bar = sys.stderr.isatty()
        self.start = self.last = time.monotonic()

    def expect(self, count):
        self.total += count

    def drop(self, count):
        self.total -= count

    def step(self, what):
        self.done += 1
        now = time.monotonic()
        if self.quiet or now - self.last < (0.1 if self.bar else LINES):
            return
        self.last = now
        share = min(1.0, self.done / max(self.total, 1))
        if self.bar:
            filled = round(30 * share)
            line = f"[{'#' * filled}{'.' * (30 - filled)}] {100 * share:3.0f} %  {now - self.start:.0f} s  {what}"
            print(f"\r\033[K{line[:110]}", end="", file=sys.stderr, flush=True)
        else:
            print(f"tune: {self.done} of {self.total} measured, {now - self.start:.0f} s, {what}", file=sys.stderr)

    def note(self, what):
        if not self.quiet:
            print(f"tune: {what}", file=sys.stderr, flush=True)

    def end(self):
        if self.bar and not self.quiet:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model", "cpu model")):
            return " ".join(line.partition(":")[2].split())
    return os.uname().machine


def header(identity, command, settings, model):
    lines = [
        f"Rules for collective operations, made by `{command}`",
        f"on {datetime.date.today().isoformat()}. Machine: {identity['machine']}. {identity['version']}.",
        f"Numbers of ranks measured: {', '.join(map(str, settings.ranks))}; times are "
        + ("the least of all calls." if settings.statistic == "best" else "medians."),
        "",
        "To use them: mpiexec --mca coll_rules FILE. The shipped choice was kept where no other prevailed by more than 5 %.",
    ]
    return lines + ([f"Lines marked `model` are prices of the cost model for the machine '{model}'."] if model else [])


def too_large(tuner):
    """A line for each operation whose buffers would need too much memory."""
    for ranks, operation in tuner.pairs():
        left_out = set(tuner.settings.sizes) - set(tuner.sizes(operation, ranks))
        if operation not in ("barrier", "reduce_scatter_block") and left_out:
            amounts = ", ".join(map(size_text, sorted(left_out)))
            yield f"  {operation} on {ranks} ranks: {amounts} bytes need too much memory"


def missing_text(tuner):
    """What is not measured."""
    groups = collections.Counter((operation, ranks) for ranks, operation, _, _ in tuner.missing())
    whole, lines = {}, []
    for (operation, ranks), count in groups.items():
        points = len(tuner.keys(operation, ranks))
        if count == points:
            whole.setdefault(operation, []).append(str(ranks))
        else:
            lines.append(f"  {operation} on {ranks} ranks: {count} of {points} points")
    if whole:
        lines.append("  nothing of: " + ", ".join(f"{name} ({' '.join(ranks)} ranks)" for name, ranks in whole.items()))
    lines += too_large(tuner)
    return "\n".join(["Not measured:", *lines]) + "\n" if lines else ""


def others_text(share):
    """Times of a busy machine mislead."""
    if share < 0.1:
        return ""
    return f"Other programs used {100 * share:.0f} % of the machine meanwhile: these times may mislead.\n"


def field_of(cell, previous):
    chosen = winner(cell, previous)
    title = f"{chosen.text()}: {cell.times[chosen]:.4g} us"
    second = rival(cell, chosen)
    title += f"; next best {second[1].text()}: {second[0]:.4g} us" if second else ""
    title += f"; shipped: {cell.shipped.text()}" if cell.shipped else ""
    return chosen, Field(chosen.text(), title + ("; model" if cell.model else ""), cell.model)


def panel(operation, table):
    """The fields of one operation; `table` as in rules.rows_of."""
    rows = {}
    for ranks, cells in sorted(table.items()):
        known = {size: cell for size, cell in sorted(cells.items()) if cell.times}
        if known and operation not in SIZED:
            known = {None: folded(list(known.values()))}
        previous = None
        for size, cell in known.items():
            previous, rows.setdefault(ranks, {})[size] = field_of(cell, previous)
    return Panel(operation, rows)
