# SPDX-License-Identifier: BSD-3-Clause
# What a tuning run says: progress, where the shipped rules were off, what is missing, and the fields of the map.
import collections
import datetime
import os
import pathlib
import statistics
import sys
import time

from .choices import SHIPPED, SIZED, size_text
from .decision_map import Field, Panel
from .rules import folded, rival, winner

OFF = 1.1  # times slower than the best: worth saying
LINES = 5.0  # seconds between lines of progress where nobody watches


class Progress:
    """A bar that is overwritten on a terminal; elsewhere a line now and then. To standard error: nothing if quiet."""

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
        "To use them: mpiexec --mca coll_rules FILE. A choice that was within 5 % of the best was kept as it is shipped.",
    ]
    return lines + ([f"Lines marked `model` are prices of the cost model for the machine '{model}'."] if model else [])


def shipped_time(tuner, operation, ranks, size, cell):
    """The time of what is shipped: as it is, or of the same choice among the others, whichever is shorter."""
    times = [tuner.store.time((ranks, operation, size, SHIPPED), tuner.settings.statistic), cell.times.get(cell.shipped)]
    return min((t for t in times if t is not None), default=None)


def bins_to_judge(tuner, operation, ranks, cells):
    """(amount as text, cell, time of what is shipped) of each bin that rules can tell apart."""
    known = [
        (size, cell, shipped_time(tuner, operation, ranks, size, cell)) for size, cell in cells.items() if cell.times
    ]
    known = [entry for entry in known if entry[2] is not None]
    if operation in SIZED or not known:
        return [(size_text(size), cell, time_shipped) for size, cell, time_shipped in known]
    together = folded([cell for _, cell, _ in known])
    mean = statistics.geometric_mean([max(time_shipped, 1e-6) for _, _, time_shipped in known])
    return [("any", together, mean)] if together.times else []


def off_bins(tuner):
    """(operation, ranks, amount, shipped, its time, best, its time), the worst first."""
    found = []
    for operation in tuner.settings.operations:
        for ranks, cells in tuner.table(operation).items():
            for size, cell, time_shipped in bins_to_judge(tuner, operation, ranks, cells):
                best = winner(cell)
                if best != cell.shipped and time_shipped > OFF * cell.times[best]:
                    found.append((operation, ranks, size, cell.shipped, time_shipped, best, cell.times[best]))
    return sorted(found, key=lambda row: row[6] / row[4])


def off_text(rows, measured):
    """`measured`: whether there is anything to compare."""
    if not measured:
        return ""
    if not rows:
        return "The shipped rules are within 10 % of the best everywhere measured.\n"
    lines = ["The shipped rules were more than 10 % off here:"]
    form = "{:22} {:>5} {:>6}  {:24} {:>10}  {:30} {:>10}  {}"
    lines.append(form.format("operation", "ranks", "bytes", "shipped", "us", "best", "us", "ratio"))
    for operation, ranks, size, shipped, time_shipped, best, time_best in rows:
        numbers = f"{time_shipped:.4g}", best.text(), f"{time_best:.4g}", f"{time_shipped / time_best:.2f}"
        lines.append(form.format(operation, ranks, size, shipped.text() if shipped else "?", *numbers))
    return "\n".join(lines) + "\n"


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
    fields, columns = {}, []
    for ranks, cells in sorted(table.items()):
        known = {size: cell for size, cell in sorted(cells.items()) if cell.times}
        if known and operation not in SIZED:
            known = {None: folded(list(known.values()))}
        previous = None
        for size, cell in known.items():
            previous, found = field_of(cell, previous)
            name = "any" if size is None else size_text(size)
            fields[ranks, name] = found
            columns += [(size or 0, name)]
    names = [name for _, name in sorted(set(columns))]
    return Panel(operation, names, sorted({ranks for ranks, _ in fields}), fields)
