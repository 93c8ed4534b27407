# SPDX-License-Identifier: BSD-3-Clause
# The decision map: for each operation, who wins with which amount of data on how many ranks. An SVG
# file.
import math
from dataclasses import dataclass
from html import escape

from .choices import size_text

# Told apart by the colour-blind as far as so many can be; the label of a field is written into it
# as well.
COLOURS = (
    "#56b4e9 #e69f00 #4cc29f #f0e442 #cc79a7 #e8804a #6fa8dc #bdbdbd #8dd3c7 #bebada #fb8072 #b3de69 #fccde5 #c49c6c "
    "#a6cee3 #e5c494 #b2df8a #fb9a99 #fdbf6f #cab2d6 #ffff99 #d9d9d9 #ccebc5 #80b1d3"
).split()
COLUMNS = 3
FIELD_HEIGHT, WIDTH, GAP, LEFT, TOP, TICK_ROOM = 18, 330, 34, 46, 22, 26


@dataclass
class Field:
    label: str  # the choice
    title: str  # shown when the pointer rests on it
    model: bool


@dataclass
class Panel:
    operation: str
    rows: dict  # number of ranks: {amount of data in bytes, None for any amount: Field}

    def fields(self):
        return [field for row in self.rows.values() for field in row.values()]


class Axis:
    """Amounts of data from left to right, by their logarithm. Each number of ranks may have amounts
    of its own (blocks of a vector that is divided among the ranks): a field reaches halfway to its
    neighbours."""

    def __init__(self, rows):
        self.rows = {ranks: self.row_bounds(sorted(amounts, key=self.place)) for ranks, amounts in rows.items()}
        bounds = [bound for row in self.rows.values() for pair in row.values() for bound in pair]
        self.low, self.high = min(bounds), max(bounds)
        self.amounts = sorted({amount for amounts in rows.values() for amount in amounts}, key=self.place)

    @staticmethod
    def place(amount):
        return math.log2(amount) if amount else -1.0

    def row_bounds(self, amounts):
        """{amount: (left, right)}."""
        places = [self.place(amount) for amount in amounts]
        if len(places) == 1:
            return {amounts[0]: (places[0] - 0.5, places[0] + 0.5)}
        inner = [(a + b) / 2 for a, b in zip(places, places[1:])]
        bounds = [2 * places[0] - inner[0], *inner, 2 * places[-1] - inner[-1]]
        return dict(zip(amounts, zip(bounds, bounds[1:])))

    def share(self, place):
        return (place - self.low) / (self.high - self.low)

    def ticks(self, room):
        """[(text, share)] with at least `room`, a share as well, between two; where not all amounts
        fit, powers."""
        if self.amounts == [None]:
            return [("any", 0.5)]
        for step in (None, 2, 3, 4, 6):
            amounts = self.amounts if step is None else [1 << i for i in range(0, 63, step)]
            shares = [(size_text(amount), self.share(self.place(amount))) for amount in amounts]
            shown = [(name, at) for name, at in shares if 0 <= at <= 1]
            if all(b[1] - a[1] >= room for a, b in zip(shown, shown[1:])):
                break
        return shown


def text(x, y, words, more=""):
    return f'<text x="{x:g}" y="{y:g}" {more}>{escape(str(words))}</text>'


def colours_of(panels):
    """{label: colour}, the most frequent label first."""
    counts = {}
    for panel in panels:
        for field in panel.fields():
            counts[field.label] = counts.get(field.label, 0) + 1
    ordered = sorted(counts, key=lambda label: (-counts[label], label))
    return {label: COLOURS[i % len(COLOURS)] for i, label in enumerate(ordered)}


def hatch(x, y, width, height=FIELD_HEIGHT):
    """Diagonal lines inside a box; a pattern would be shorter, but not all viewers know them."""
    starts = range(0, max(1, int(width - height) + 1), 8)
    lines = " ".join(f"M{x + i:.1f} {y + height:.1f}l{height} -{height}" for i in starts)
    return f'<path class="model" d="{lines}" stroke="#000" stroke-opacity="0.3"/>'


def draw_field(field, x, y, width, colours):
    box = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{FIELD_HEIGHT}"'
    parts = [f"<g><title>{escape(field.title)}</title>", f'<rect {box} fill="{colours[field.label]}" stroke="white"/>']
    if field.model:
        parts.append(hatch(x, y, width))
    fitting = int(width / 5.2)
    if fitting >= 3:
        label = field.label if len(field.label) <= fitting else field.label[: fitting - 1] + "…"
        parts.append(text(x + width / 2, y + 12.5, label, 'text-anchor="middle" font-size="8.5"'))
    return parts + ["</g>"]


def draw_panel(panel, x, y, colours):
    """Lower rows are smaller numbers of ranks, as on an axis."""
    parts = [text(x + LEFT, y + 14, panel.operation, 'font-weight="bold"')]
    axis, whole = Axis(panel.rows), WIDTH - LEFT
    bottom = y + TOP + FIELD_HEIGHT * len(panel.rows)
    for r, (ranks, row) in enumerate(sorted(panel.rows.items())):
        top = bottom - FIELD_HEIGHT * (r + 1)
        parts.append(text(x + LEFT - 4, top + 13, ranks, 'text-anchor="end" font-size="10"'))
        for amount, (left, right) in axis.rows[ranks].items():
            start, end = whole * axis.share(left), whole * axis.share(right)
            parts += draw_field(row[amount], x + LEFT + start, top, end - start, colours)
    for name, share in axis.ticks(TICK_ROOM / whole):
        parts.append(text(x + LEFT + whole * share, bottom + 12, name, 'text-anchor="middle" font-size="10"'))
    middle = (y + TOP + bottom) / 2
    turned = f'text-anchor="middle" font-size="10" transform="rotate(-90 {x + 8:g} {middle:g})"'
    return parts + [
        text(x + LEFT + (WIDTH - LEFT) / 2, bottom + 25, "bytes", 'text-anchor="middle" font-size="10"'),
        text(x + 8, middle, "ranks", turned),
    ]


def draw_legend(colours, model, y, width):
    parts, x = [], 10
    for label, colour in [*colours.items(), *([("hatched: from the cost model", "white")] if model else [])]:
        if x + 30 + 7 * len(label) > width:
            x, y = 10, y + 20
        parts.append(f'<rect x="{x}" y="{y}" width="14" height="14" fill="{colour}" stroke="#666"/>')
        if colour == "white":
            parts.append(hatch(x, y, 14, 14))
        parts.append(text(x + 19, y + 11.5, label))
        x += 34 + 7 * len(label)
    return parts, y + 24


def svg(panels, heading):
    """The whole picture as text."""
    colours = colours_of(panels)
    model = any(field.model for panel in panels for field in panel.fields())
    width = 20 + COLUMNS * (WIDTH + GAP)
    parts = [text(10, 20, heading, 'font-size="14"')]
    legend, y = draw_legend(colours, model, 32, width)
    parts += legend
    for first in range(0, len(panels), COLUMNS):
        line = panels[first : first + COLUMNS]
        for i, panel in enumerate(line):
            parts += draw_panel(panel, 10 + i * (WIDTH + GAP), y, colours)
        y += TOP + FIELD_HEIGHT * max(len(panel.rows) for panel in line) + 42
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" viewBox="0 0 {width} {y}" '
        'font-family="sans-serif" font-size="12">'
    )
    return "\n".join([head, f'<rect width="{width}" height="{y}" fill="white"/>', *parts, "</svg>"]) + "\n"
