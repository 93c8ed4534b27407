# SPDX-License-Identifier: BSD-3-Clause
# Tables in Markdown files that are always those of one run, and the check that what is slow there
# is explained there.
#
# Between `<!-- bench: run -->` and `<!-- end -->` stands how the run was made, after
# `<!-- bench: summary -->` what it says at a glance, after `<!-- bench: GROUP,... -->` the table of
# these groups; `<!-- bench: GROUP,... wide -->` has one line per figure and number of ranks, one
# column per size.
#
# A row that missed its target, or is slower than the better peer, must be named in the section
# EXPLANATIONS: list items there begin with row names in backticks, FIGURE/RANKS/SIZES as in the
# targets (`latency/2/1K..4K`, `loop_*/4..16/*`).
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from . import plan, report, summary
from .results import MORE_IS_BETTER

OF_THE_RUN = ("run", "summary")
EXPLANATIONS = "What is slower than it should be, and why"
BLOCK = re.compile(r"^<!-- bench: ([\w,]+)( wide)? -->\n(.*?)^<!-- end -->$", re.DOTALL | re.MULTILINE)
MARK = re.compile(r"^<!-- (?:bench:|end\b)", re.MULTILINE)
ROW_NAME = re.compile(r"`([\w*]+/[\d.*]+/[\d.KM*]+)`")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
ALIKE = 0.03  # runs of one build differ by as much; wide tables, which have no targets, mark what is further off
REFERENCES = ("_by_hand", "_by_limit")  # ends of figures that compare another one with a loop written by hand


def blocks(text):
    """(what, wide, start and end of what is between the marks) of every block; ValueError names a
    mark that is not one."""
    found = [(m[1], bool(m[2]), m.start(3), m.end(3)) for m in BLOCK.finditer(text)]
    bodies = [text[start:end] for _, _, start, end in found]
    if len(MARK.findall(text)) != 2 * len(found) or any(MARK.search(body) for body in bodies):
        raise ValueError("expected pairs of <!-- bench: run -->, <!-- bench: summary -->, or <!-- bench: GROUP,... [wide] -->, and <!-- end -->")
    for what, _, _, _ in found:
        for group in what.split(","):
            if what not in OF_THE_RUN and group not in plan.GROUPS:
                raise ValueError(f"<!-- bench: {what} -->: expected run, summary or some of {','.join(plan.GROUPS)}")
    return found


def check_groups(text, groups):
    """ValueError if the file has tables that a run of these groups cannot fill: they would be of
    another run."""
    found = blocks(text)
    wanted = {group for what, _, _, _ in found if what not in OF_THE_RUN for group in what.split(",")}
    missing = sorted(wanted - set(groups))
    if missing:
        raise ValueError(f"has tables of {','.join(missing)} as well, which this run does not measure: leave out --only")
    if not found:
        raise ValueError("has no marks; expected <!-- bench: GROUP,... --> and <!-- end --> around each table")


def update(path, run):
    """Fills a file from a run; the problems that remain there."""
    text = fill(path.read_text(), run)
    path.write_text(text)
    return uncovered(text)


def fill(text, run):
    """The text with every block replaced by what the run has for it."""
    for what, wide, start, end in reversed(blocks(text)):
        if what in OF_THE_RUN:
            lines = about(run) if what == "run" else at_a_glance(run)
        else:
            lines = (wide_table if wide else plain_table)(run, what.split(","))
        text = text[:start] + "\n" + "\n".join(lines) + "\n\n" + text[end:]
    return text


def about(run):
    """How the run was made and on what; no date, so that equal runs give equal texts."""
    header = list(report.header_lines(run))
    limits = [*report.limit_lines(run), *report.line_lines(run)]
    return [f"- {line}" for line in [*header, *limits, report.totals(run), *report.notes(run)]]


def at_a_glance(run):
    """The families of figures, and the rows that stand worst."""
    lines = report.markdown_table(*summary.table(run))
    return [*lines, "", "Worst of all, Tessera over the better peer:", "", *[f"- {line}" for line in summary.worst(run)]]


def plain_table(run, groups):
    return report.markdown_table(*report.table(run, groups))


def reference(run, row):
    """How the row stands to a loop written by hand, in brackets; empty if that is not known."""
    for end in REFERENCES:
        other = run.results.rows.get((row.figure + end, row.ranks, row.size))
        if other:
            return f" ({report.number(run.results.value(other, 'tessera'))})"
    return ""


def wide_cell(run, row):
    """All libraries' values; bold where Tessera is slower than the better peer by more than
    ALIKE."""
    values = [report.cell(run, row, name) for name in run.names()]
    text = " / ".join([values[0] + reference(run, row), *values[1:]])
    return f"**{text}**" if slower(report.judgement(run, row)[0], row.unit, ALIKE) else text


def wide_table(run, groups):
    rows = [r for r in run.results.rows.values() if r.group in groups and not r.figure.endswith(REFERENCES)]
    sizes = {row.size: report.size_text(row) for row in sorted(rows, key=lambda row: row.size)}
    lines = []
    for figure, ranks in dict.fromkeys((row.figure, row.ranks) for row in rows):
        by_size = {row.size: wide_cell(run, row) for row in rows if (row.figure, row.ranks) == (figure, ranks)}
        lines.append([figure, str(ranks), *[by_size.get(size, "") for size in sizes]])
    head = ["figure", "ranks", *sizes.values()]
    units = ", ".join(dict.fromkeys(row.unit for row in rows if row.unit))
    legend = f"{units}: {' / '.join(run.names())}; in brackets: of a loop written by hand; bold: {ALIKE:.0%} slower than the better peer, or more."
    return [legend, "", *report.markdown_table(head, lines)]


def slower(ratio_text, unit, tolerance=0.0):
    """Whether a ratio, as printed, is on the wrong side of 1 by more than the tolerance."""
    if not ratio_text:
        return False
    return float(ratio_text) < 1 - tolerance if unit in MORE_IS_BETTER else float(ratio_text) > 1 + tolerance


@dataclass
class Printed:
    """A row as the document has it."""

    figure: str
    ranks: int
    size: int
    complaint: str  # why it must be explained; empty if it need not

    def name(self):
        return f"{self.figure}/{self.ranks}/{self.size}"


def size_of(text):
    """The number in a size column: '16 KiB' is 16384, '1000 msgs' 1000, '' 0."""
    number, _, unit = text.partition(" ")
    return int(number) * UNITS.get(unit, 1) if number else 0


def complaint_of(cells):
    """Why a row of a plain table must be explained: its verdict, or its ratio; empty if it need
    not."""
    if cells["verdict"] in ("missed", "not run"):
        return cells["verdict"]
    return f"ratio {cells['ratio']}" if slower(cells["ratio"], cells["unit"]) else ""


def printed_rows(body, wide):
    table = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in body.splitlines() if line.startswith("|")]
    if not table:
        return
    head, lines = table[0], table[2:]
    for line in lines:
        cells = dict(zip(head, line))
        if wide:
            for size, cell in zip(head[2:], line[2:]):
                yield Printed(line[0], int(line[1]), size_of(size), "slower than the better peer" if cell.startswith("**") else "")
        else:
            yield Printed(cells["figure"], int(cells["ranks"]), size_of(cells["size"]), complaint_of(cells))


def size_number(text):
    scale = {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1)
    return int(text.rstrip("KM")) * scale


def within(text, value, number):
    """Whether a value lies in '*', 'N' or 'LOW..HIGH'."""
    if text == "*":
        return True
    low, _, high = text.partition("..")
    return number(low) <= value <= number(high or low)


def covers(name, row):
    figure, ranks, sizes = name.split("/")
    return fnmatchcase(row.figure, figure) and within(ranks, row.ranks, int) and within(sizes, row.size, size_number)


def explained_names(text):
    """The row names at the beginning of the list items of the section; those later in an item are
    not its subject."""
    _, _, section = text.partition(f" {EXPLANATIONS}\n")
    section = re.split(r"^#", section, maxsplit=1, flags=re.MULTILINE)[0]
    for item in re.findall(r"^- (.*(?:\n  .*)*)", section, flags=re.MULTILINE):
        subject = re.split(r"\*\*\s", item)[0] if item.startswith("**") else ""
        yield from ROW_NAME.findall(subject)


def uncovered(text):
    """Problems, one per line: rows that nothing explains, and explanations of rows that no table
    has."""
    tables = [(text[start:end], wide) for what, wide, start, end in blocks(text) if what not in OF_THE_RUN]
    rows = [row for body, wide in tables for row in printed_rows(body, wide)]
    names = list(explained_names(text))
    for row in rows:
        if row.complaint and not any(covers(name, row) for name in names):
            yield f"{row.name()}: {row.complaint}, and no item of \"{EXPLANATIONS}\" begins with its name"
    for name in names:
        if not any(covers(name, row) for row in rows):
            yield f"\"{EXPLANATIONS}\" explains {name}, a row that no table has"
