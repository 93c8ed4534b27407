# SPDX-License-Identifier: BSD-3-Clause
# Prints results: one aligned table, the same as Markdown, and everything, with all samples, as
# JSON.
import json
import math
import os
import platform
import statistics
from dataclasses import asdict, dataclass

from .jobs import NO_END
from .plan import NATIVE
from .results import Results, Row, target_of
from .rounds import FAR_BEHIND

SIZE_UNITS = {"posted_queue": "msgs", "unexpected_queue": "msgs", "wake_up": "ms", "waiting_processor": "ms", "limit_wake": "ms"}


@dataclass
class Run:
    """What the reports are made from."""

    results: object
    targets: list
    libraries: list
    versions: dict
    made: list  # (command line, rounds in which all take turns) of every time it measured
    others: float  # share of the processors that other programs used meanwhile
    machine: str = ""  # where it was measured; empty: here

    def names(self):
        return [library.name for library in self.libraries]

    def peers(self):
        return [name for name in self.names() if name != "tessera"]


def size_text(row):
    if row.figure in SIZE_UNITS:
        return f"{row.size} {SIZE_UNITS[row.figure]}"
    if row.size == 0 and row.figure != "latency":
        return ""
    for unit, bytes_per_unit in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if row.size >= bytes_per_unit and row.size % bytes_per_unit == 0:
            return f"{row.size // bytes_per_unit} {unit}"
    return f"{row.size} B"


def number(value):
    """Three significant digits, without an exponent."""
    if value is None:
        return ""
    digits = 2 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{min(max(digits, 0), 6)}f}"


def cell(run, row, library):
    value = run.results.value(row, library)
    if value is not None:
        return number(value)
    problem = run.results.why_missing(row, library)
    if problem is None:
        return "-"
    if problem.startswith("skipped: "):
        return "skipped"
    return "time-out" if problem.startswith(NO_END) else "failed"


def judgement(run, row):
    """Ratio, target and verdict of a row, as text."""
    ratio = run.results.ratio(row, run.peers())
    ratio_text = f"{ratio:.2f}" if ratio is not None else ""
    target = target_of(run.targets, row)
    if target is None:
        return [ratio_text, "", ""]
    verdict = target.verdict(run.results.value(row, "tessera"), ratio, run.results.growth(row))
    return [ratio_text, target.text(row.unit), verdict]


def table(run, groups=None):
    """Head and rows, of some groups or all, as text cells. The first column is the figure; limits
    stand in their own list."""
    head = ["figure", "ranks", "size", "unit", *run.names(), "ratio", "target", "verdict"]
    rows = [
        [row.figure, str(row.ranks), size_text(row), row.unit]
        + [cell(run, row, name) for name in run.names()]
        + judgement(run, row)
        for row in run.results.rows.values()
        if row.group != "limits" and (groups is None or row.group in groups)
    ]
    return head, rows


def limit_lines(run):
    """One line per raw limit of the machine, with its range over the rounds."""
    for row in run.results.rows.values():
        samples = row.samples.get(NATIVE)
        if row.group == "limits" and samples:
            spread = f"{number(min(samples))}..{number(max(samples))}" if len(samples) > 1 else "one round"
            yield f"{row.figure} {size_text(row)}: {number(run.results.value(row, NATIVE))} {row.unit} ({spread})"


def line_lines(run):
    """The core-to-core times just before the runs of each library: figures compare only where these
    agree."""
    for library, values in run.results.lines.items():
        middle = number(statistics.median(values))
        yield f"limit_line before runs of {library}: {middle} ns ({number(min(values))}..{number(max(values))})"


def failures_by_reason(run):
    """{(library, problem): the cases it struck}."""
    reasons = {}
    for (_, figure, ranks, library), problem in run.results.failures.items():
        reasons.setdefault((library, problem), []).append(f"{figure} on {ranks}" if ranks > 1 else figure)
    return reasons


def notes(run):
    """What a reader must know before believing the table."""
    if run.results.out_of_state:
        yield f"{run.results.out_of_state} runs were left out: a cache line did not take as long as --line says"
    if run.others > 0.05:
        yield (
            f"other programs used {run.others:.0%} of the processors meanwhile: the figures are not to be trusted; "
            "repeat on a quiet machine"
        )
    restless = run.results.restless()
    if restless > 1.5:
        yield (
            f"the time of a cache line from core to core changed by a factor of {restless:.1f} between runs: the "
            "machine did not stay in one state; repeat, or take more rounds and --statistic best"
        )
    for library, keys in run.results.once.items():
        yield f"{library}, {len(keys)} cases: {FAR_BEHIND} times as slow as another library or slower, measured in one round only"
    for (library, problem), cases in failures_by_reason(run).items():
        everywhere = library in run.versions and run.versions[library] == problem
        yield f"{library}: {problem}" if everywhere else f"{library}, {', '.join(cases)}: {problem}"


def processor_name():
    try:
        with open("/proc/cpuinfo") as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "unknown")
    except OSError:
        return "unknown"


def this_machine(processors, processor, kernel):
    return f"{processors} x {processor}, Linux {kernel}"


def header_lines(run):
    yield f"machine: {run.machine or this_machine(len(os.sched_getaffinity(0)), processor_name(), platform.release())}"
    for name, version in run.versions.items():
        yield f"{name}: {version}"
    for command in dict.fromkeys(command for command, _ in run.made):
        rounds = [number for made, number in run.made if made == command]
        times = f" at {len(rounds)} times" if len(rounds) > 1 else ""
        yield f"{sum(rounds)} rounds{times}, {run.results.statistic} of them; command: {command}"


def totals(run):
    """'17 targets met, 3 missed' over the rows that have one."""
    verdicts = [judgement(run, row)[2] for row in run.results.rows.values()]
    parts = [f"{verdicts.count(v)} {v}" for v in ("met", "missed", "no peer", "not run") if v in verdicts]
    return "targets: " + (", ".join(parts) if parts else "none apply")


def durations(run):
    """How long each group took, the longest first."""
    parts = sorted(run.results.seconds.items(), key=lambda part: -part[1])
    return "time: " + ", ".join(f"{group} {seconds:.0f} s" for group, seconds in parts)


def aligned(head, rows):
    widths = [max(len(line[i]) for line in [head, *rows]) for i in range(len(head))]
    left = {0} | {i for i, name in enumerate(head) if name in ("target", "verdict")}
    for line in [head, ["-" * width for width in widths], *rows]:
        cells = [c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))]
        yield "  ".join(cells).rstrip()


def text(run, summary=()):
    """Everything; `summary`: lines that a person reads first, put where the screen ends."""
    lines = [*header_lines(run), "", *limit_lines(run), *line_lines(run), "", *aligned(*table(run)), ""]
    lines += [*summary, "", totals(run), durations(run)]
    return "\n".join(lines + [f"note: {note}" for note in notes(run)])


def markdown_table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *["| " + " | ".join(row) + " |" for row in rows]]


def markdown(run):
    lines = [f"- {line}" for line in [*header_lines(run), *limit_lines(run), *line_lines(run)]]
    lines += ["", *markdown_table(*table(run))]
    return "\n".join([*lines, "", totals(run), "", *[f"- {note}" for note in notes(run)]]) + "\n"


def as_json(run):
    rows = [
        {**asdict(row), "values": {n: run.results.value(row, n) for n in row.samples}, "judgement": judgement(run, row)}
        for row in run.results.rows.values()
    ]
    failures = [
        {"group": g, "figure": f, "ranks": r, "library": name, "problem": problem}
        for (g, f, r, name), problem in run.results.failures.items()
    ]
    about = {"made": run.made, "statistic": run.results.statistic, "versions": run.versions}
    about |= {"others": run.others, "seconds": run.results.seconds}
    machine = {"processor": processor_name(), "processors": len(os.sched_getaffinity(0)), "kernel": platform.release()}
    return json.dumps({**about, "machine": machine, "lines": run.results.lines, "rows": rows, "failures": failures}, indent=1) + "\n"


@dataclass
class Measured:
    """A library as far as reports need it."""

    name: str


def require_alike(data):
    """ValueError if what several runs have measured is not of one statistic, machine and set of
    libraries."""
    versions = {}
    for one in data:
        for what in ("statistic", "machine"):
            if one[what] != data[0][what]:
                raise ValueError(f"--from: {what} {one[what]} and {data[0][what]}: expected runs that differ in nothing but time and cases")
        for name, version in one["versions"].items():
            if versions.setdefault(name, version) != version:
                raise ValueError(f"--from: {name} is {version} and {versions[name]}: expected runs of the same libraries")
    return versions


def add_rows(collected, rows):
    for row in rows:
        key = (row["figure"], row["ranks"], row["size"])
        made = collected.rows.setdefault(key, Row(*key, row["unit"], row["group"], tuple(row["case"])))
        for library, samples in row["samples"].items():
            made.samples.setdefault(library, []).extend(samples)


def from_json(texts, targets):
    """The run that as_json() has written, without which cases were measured once; or several as
    one: a row has the samples of all. ValueError if they do not go together."""
    data = [json.loads(text) for text in texts]
    versions = require_alike(data)
    collected = Results(data[0]["statistic"])
    for one in data:
        add_rows(collected, one["rows"])
        for failure in one["failures"]:
            collected.failures[failure["group"], failure["figure"], failure["ranks"], failure["library"]] = failure["problem"]
        for library, values in one["lines"].items():
            collected.lines.setdefault(library, []).extend(values)
        for group, seconds in one["seconds"].items():
            collected.seconds[group] = collected.seconds.get(group, 0) + seconds
    made = [tuple(each) for one in data for each in one["made"]]
    others = max(one["others"] for one in data)
    libraries = [Measured(name) for name in versions]
    return Run(collected, targets, libraries, versions, made, others, this_machine(**data[0]["machine"]))
