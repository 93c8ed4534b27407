#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wraps the prose of Markdown files at 100 columns.

Usage: wrap_markdown.py [--check] [FILE...]

Without files: all of the repository. Tables, code blocks, headings, HTML and reference definitions
stay as they are; a list item keeps its indentation. --check changes nothing, names the files that
would change, and exits 1 if there is one.
"""
import pathlib
import re
import subprocess
import sys
import textwrap

WIDTH = 100
ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = re.compile(r"^\s*(\||#|<|\[[^\]]+\]:|!\[|---\s*$)")  # tables, headings, HTML, references, pictures, rules
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)")
FENCE = re.compile(r"^\s*(```|~~~)")
# What begins a line would change its meaning: a list, a heading, a quotation, a table.
OPENS = re.compile(r"^([-*+>|#]|\d+[.)]$)")


def wrapped(words, first, rest):
    """Lines of at most WIDTH columns; none begins with a word that would open a block."""
    lines, line = [], first
    empty = True
    for word in words:
        if not empty and len(line) + 1 + len(word) > WIDTH and not OPENS.match(word):
            lines.append(line)
            line, empty = rest, True
        line += word if empty else " " + word
        empty = False
    return [*lines, line]


def pieces(text):
    """The words of a paragraph; inline code and links with spaces stay in one piece."""
    return re.findall(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+", text)


def reflowed(text):
    out, paragraph, first, rest, fenced = [], [], "", "", False

    def flush():
        nonlocal paragraph
        if paragraph:
            out.extend(wrapped(pieces(" ".join(paragraph)), first, rest))
        paragraph = []

    for line in text.splitlines():
        if FENCE.match(line) or fenced:
            flush()
            fenced ^= bool(FENCE.match(line))
            out.append(line)
            continue
        item = ITEM.match(line)
        code = line.startswith("    ") and not paragraph and not rest
        if not line.strip() or KEPT.match(line) or code:
            flush()
            out.append(line)
            if line and not line.startswith(" "):
                rest = ""
        elif item:
            flush()
            first, rest = item[0], " " * len(item[0])
            paragraph = [line[len(item[0]):].strip()]
        else:
            if not paragraph:
                indent = line[:len(line) - len(line.lstrip())]
                first = rest = indent
            paragraph.append(line.strip())
            if line.endswith("  "):
                flush()
    flush()
    return "\n".join(out) + "\n"


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    named = [pathlib.Path(word) for word in arguments if word != "--check"]
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True)
    changed = []
    for path in named or [ROOT / name for name in listed.stdout.split()]:
        text = path.read_text()
        if (new := reflowed(text)) != text:
            changed.append(path)
            if not check:
                path.write_text(new)
    if check:
        for path in changed:
            print(f"{path}: not wrapped at {WIDTH} columns; run tools/wrap_markdown.py {path}")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
