# SPDX-License-Identifier: BSD-3-Clause
# The decision map: for each operation, who wins with which amount of data on how many ranks. An SVG file.
from dataclasses import dataclass
from html import escape

# Told apart by the colour-blind as far as so many can be; the label of a field is written into it as well.
COLOURS = (
    "#56b4e9 #e69f00 #4cc29f #f0e442 #cc79a7 #e8804a #6fa8dc #bdbdbd #8dd3c7 #bebada #fb8072 #b3de69 #fccde5 #c49c6c "
    "#a6cee3 #e5c494 #b2df8a #fb9a99 #fdbf6f #cab2d6 #ffff99 #d9d9d9 #ccebc5 #80b1d3"
).split()
COLUMNS = 3
FIELD_HEIGHT, WIDTH, GAP, LEFT, TOP = 18, 330, 34, 46, 22


@dataclass
class Field:
    label: str  # the choice
    title: str  # shown when the pointer rests on it
    model: bool


@dataclass
class Panel:
    operation: str
    columns: list  # amounts of data as text
    rows: list  # numbers of ranks
    fields: dict  # (row, column): Field


def text(x, y, words, more=""):
    return f'<text x="{x:g}" y="{y:g}" {more}>{escape(str(words))}</text>'


def colours_of(panels):
    """{label: colour}, the most frequent label first."""
    counts = {}
    for panel in panels:
        for field in panel.fields.values():
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
    width = (WIDTH - LEFT) / max(len(panel.columns), 1)
    bottom = y + TOP + FIELD_HEIGHT * len(panel.rows)
    for r, ranks in enumerate(panel.rows):
        top = bottom - FIELD_HEIGHT * (r + 1)
        parts.append(text(x + LEFT - 4, top + 13, ranks, 'text-anchor="end" font-size="10"'))
        for c, column in enumerate(panel.columns):
            if (ranks, column) in panel.fields:
                parts += draw_field(panel.fields[ranks, column], x + LEFT + c * width, top, width, colours)
    for c, column in enumerate(panel.columns):
        parts.append(text(x + LEFT + (c + 0.5) * width, bottom + 12, column, 'text-anchor="middle" font-size="10"'))
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
    model = any(field.model for panel in panels for field in panel.fields.values())
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
