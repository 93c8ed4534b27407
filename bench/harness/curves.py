# SPDX-License-Identifier: BSD-3-Clause
# Draws SVG curves over the message size with gnuplot: one file per figure or set of collectives.
import pathlib
import shutil
import tempfile

from . import jobs

CURVES = {
    "latency": "one-way latency",
    "bandwidth": "bandwidth, window of 64",
    "bidirectional": "bandwidth, both directions",
    "tcp_latency": "one-way latency, TCP on the loopback interface",
    "tcp_bandwidth": "bandwidth, TCP on the loopback interface",
    "veth_latency": "one-way latency, two hosts and a wire",
    "veth_bandwidth": "bandwidth, two hosts and a wire",
}
COLUMNS = 3  # of diagrams on the sheet of collective operations
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")  # told apart by the colour-blind too
STYLE = """set terminal svg size {width},{height} font 'sans,12' background 'white'
set output '{file}'
set logscale xy
set format x '%.0b %BB'
set xtics nomirror logscale 16
unset mxtics
set grid
set key {key}
"""


def curve_rows(run, figure, ranks):
    rows = [r for r in run.results.rows.values() if (r.figure, r.ranks) == (figure, ranks) and r.size > 0]
    return sorted(rows, key=lambda row: row.size)


def data_block(run, name, rows, library):
    """A gnuplot data block of (size, value), or None if there is nothing to draw."""
    points = [(row.size, run.results.value(row, library)) for row in rows]
    lines = [f"{size} {value:g}" for size, value in points if value]
    return f"${name} << E\n" + "\n".join(lines) + "\nE\n" if lines else None


def panel(run, figure, ranks, title):
    """The commands that draw one diagram, with a curve per library; empty if nothing was
    measured."""
    rows = curve_rows(run, figure, ranks)
    blocks, curves = [], []
    for i, library in enumerate(run.names()):
        block = data_block(run, f"{figure}_{i}", rows, library)
        if block:
            blocks.append(block)
            style = f"with linespoints pt 7 ps 0.5 lw 2 lc rgb '{COLOURS[i % len(COLOURS)]}'"
            curves.append(f"${figure}_{i} using 1:2 {style} title '{library}' noenhanced")
    if not curves:
        return ""
    return "".join(blocks) + f"set title '{title}' noenhanced\nset ylabel '{rows[0].unit}'\nplot " + ", ".join(curves) + "\n"


def single(run, figure, folder):
    body = panel(run, figure, 2, CURVES[figure])
    style = STYLE.format(width=720, height=460, file=folder / f"{figure}.svg", key="top left")
    return style + body if body else ""


def collective_sheet(run, ranks, folder):
    """All collectives on one number of ranks, as a sheet of small diagrams."""
    rows = [r for r in run.results.rows.values() if r.group == "collectives" and r.ranks == ranks and r.size > 0]
    figures = dict.fromkeys(row.figure for row in rows)
    panels = [p for p in (panel(run, figure, ranks, f"{figure}, {ranks} ranks") for figure in figures) if p]
    if not panels:
        return ""
    lines = -(-len(panels) // COLUMNS)
    style = STYLE.format(width=400 * COLUMNS, height=300 * lines, file=folder / f"collectives-{ranks}.svg", key="below")
    return style + f"set multiplot layout {lines},{COLUMNS}\n" + "".join(panels) + "unset multiplot\n"


def quoted(path):
    """gnuplot has no way to write a quote inside a quoted file name."""
    if "'" in str(path):
        raise ValueError(f"--plot {path}: expected a folder without ' in its name")
    return path


def draw(run, folder):
    """Writes the SVG files. Returns their paths; ValueError says what is missing."""
    if not shutil.which("gnuplot"):
        raise ValueError("--plot needs gnuplot, which is not installed: apt-get install gnuplot-nox")
    folder = quoted(pathlib.Path(folder))
    folder.mkdir(parents=True, exist_ok=True)
    ranks = dict.fromkeys(row.ranks for row in run.results.rows.values() if row.group == "collectives")
    sheets = [single(run, figure, folder) for figure in CURVES] + [collective_sheet(run, n, folder) for n in ranks]
    written = []
    for script in filter(None, sheets):
        with tempfile.NamedTemporaryFile("w", suffix=".gnuplot") as file:
            file.write(script)
            file.flush()
            outcome = jobs.run(["gnuplot", file.name], 60)
        if outcome.problem:
            raise ValueError(f"gnuplot: {outcome.problem}: {outcome.errors.strip()[:300]}")
        written.append(script.partition("set output '")[2].partition("'")[0])
    return written
