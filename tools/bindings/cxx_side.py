# SPDX-License-Identifier: BSD-3-Clause
"""The C++ interface: cxx/functions.txt says what C++ declares, tests/abi/functions.tsv what C
takes; the body follows.

An argument of C is the C++ parameter of its name; or the object itself; or, where C++ leaves a
status out, the constant that ignores it; or what the C++ function returns.
"""
import pathlib
import re
from dataclasses import dataclass

import table

FOLDER = pathlib.Path(__file__).resolve().parent / "cxx"
BASES = {"Intracomm": "Comm", "Intercomm": "Comm", "Cartcomm": "Comm", "Graphcomm": "Comm", "Distgraphcomm": "Comm",
         "Prequest": "Request", "Grequest": "Request"}
DECLARATION = re.compile(r"(static )?(.+?[ *&])(\w+)\((.*)\)( const)?")
IGNORED = {"status": "MPI_STATUS_IGNORE", "array_of_statuses": "MPI_STATUSES_IGNORE"}
# Which class is defined in which header; the rest, and what belongs to none, in the first.
HEADERS = {"objects": ("", "Op", "Info", "Errhandler", "Group"), "requests": ("Status", "Request", "Prequest", "Grequest"),
           "datatypes": ("Datatype",), "communicators": ("Comm",),
           "topologies": ("Intracomm", "Intercomm", "Cartcomm", "Graphcomm", "Distgraphcomm"),
           "windows": ("Win",), "files": ("File",)}
HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/functions.txt; do not edit.
"""


@dataclass
class Parameter:
    type: str  # with & and const
    name: str
    array: str  # "[]", "[][3]" or ""

    @property
    def text(self):
        return f"{self.type} {self.name}{self.array}"

    @property
    def object(self):
        """The class, without const and &."""
        return self.type.removeprefix("const ").rstrip("&* ")


@dataclass
class Function:
    owner: str
    static: bool
    result: str
    name: str
    parameters: list
    const: bool
    c_name: str

    @property
    def by_hand(self):
        return self.c_name == "hand"

    @property
    def on_object(self):
        return bool(self.owner) and not self.static

    @property
    def signature(self):
        return f"({', '.join(p.text for p in self.parameters)})" + (" const" if self.const else "")

    @property
    def declaration(self):
        prefix = "static " if self.static else "" if self.owner else "inline "
        return f"{prefix}{self.result} {self.name}{self.signature};"


def parse_parameter(text):
    match = re.fullmatch(r"(.+?[ *&]+)(\w+)((?:\[\d*\])*)", text.strip())
    return Parameter(match[1].strip(), match[2], match[3])


def parse(line, owner):
    """One function; two where the last parameter may be left out."""
    declaration, c_name = line.rsplit(" = ", 1)
    match = DECLARATION.fullmatch(declaration)
    inside = match[4]
    optional = re.search(r"\[([A-Z][^\[\]]*(?:\[\])?)\]$", inside)
    lists = [inside]
    if optional:
        lists = [inside[:optional.start()] + optional[1], inside[:optional.start()].rstrip(", ")]
    for text in lists:
        parameters = [parse_parameter(p) for p in text.split(", ")] if text else []
        yield Function(owner, bool(match[1]), match[2].strip(), match[3], parameters, bool(match[5]), c_name)


def functions():
    owner = ""
    for line in (FOLDER / "functions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            owner = line.strip("[]")
        elif line and not line.startswith("#"):
            yield from parse(line, owner)


def c_functions():
    """The rows of the standard's functions and of our own."""
    return [*table.rows(table.ROOT / "tests/abi/functions.tsv"), *table.rows(table.FOLDER / "extensions.tsv")]


def prototypes():
    return {row["name"]: [] if row["arguments"] == "void" else [table.parse_argument(a) for a in row["arguments"].split(",")]
            for row in c_functions()}


def handle_of(owner):
    return "MPI_" + BASES.get(owner, owner)


def is_class(name):
    return name in BASES or any(name in classes and name for classes in HEADERS.values())


def passed(parameter, argument):
    """How a C++ parameter is passed to C."""
    if is_class(parameter.object):
        return f"detail::address({parameter.name})" if argument.stars else parameter.name
    if parameter.type.endswith("&"):
        return "&" + parameter.name
    return parameter.name


class Body:
    def __init__(self, function, arguments):
        self.function, self.words, self.result = function, [], None
        named = {p.name: p for p in function.parameters}
        itself = not function.static and bool(function.owner)
        for argument in arguments:
            if argument.c_name in named:
                self.words.append(passed(named.pop(argument.c_name), argument))
            elif itself and argument.c_type == handle_of(function.owner):
                self.words.append("&handle_" if argument.stars else "handle_")
                itself = False
            elif argument.c_name in IGNORED and function.c_name != "MPI_Topo_test":
                self.words.append(IGNORED[argument.c_name])
            elif argument.stars and self.result is None:
                self.result = argument
                self.words.append("&result")
            else:
                raise SystemExit(f"{function.owner}::{function.name}: C's argument {argument.c_name} comes from nowhere")
        if named or itself or (self.result is None) != (function.result == "void"):
            raise SystemExit(f"{function.owner}::{function.name}: {list(named) or 'the object or the result'} goes nowhere")

    def text(self):
        f = self.function
        scope = f.owner + "::" if f.owner else ""
        lines = [f"inline {f.result} {scope}{f.name}{f.signature} {{"]
        if self.result is not None:
            kind = self.result.c_type
            lines.append(f"{kind} result = {'0' if kind in ('int', 'MPI_Aint', 'MPI_Offset') else null_of(kind)};")
        lines.append(f"detail::check({f.c_name}({', '.join(self.words)}));")
        if self.result is not None:
            lines.append({"bool": "return result != 0;"}.get(f.result, "return result;"))
        return "\n".join(lines + ["}", "", ""])


def null_of(kind):
    return {"MPI_Errhandler": "MPI_ERRHANDLER_NULL"}.get(kind, kind.upper() + "_NULL")


def header(name, text):
    guard = f"MPICXX_{name.upper()}_H"
    needs = "support.h" if name == "constants" else "window_classes.h"
    return f"{HEAD}#ifndef {guard}\n#define {guard}\n\n#include \"{needs}\"\n\nnamespace MPI {{\n\n{text}}}  // namespace MPI\n\n#endif\n"


def constants_header():
    """The integers of the standard, under the names that they have without MPI_."""
    lines = []
    for row in table.constants():
        name = row["name"]
        if row["type"] == "int" and not re.match(r"MPIX_|MPI_(T|F|ABI)_|MPI_(SUB)?VERSION$", name):
            lines.append(f"const int {name.removeprefix('MPI_')} = {name};")
    return header("constants", "\n".join(lines) + "\n\n")


def files():
    """(name, text) of each header, before clang-format."""
    everything, c = list(functions()), prototypes()
    members = {}
    for function in everything:
        members.setdefault(function.owner, []).append(function.declaration)
    for template in sorted(FOLDER.glob("*.h.in")):
        text = template.read_text(encoding="utf-8")
        yield template.stem, re.sub(r"@members (\w*)@", lambda m: "\n".join(members[m[1]]), text)
    yield "constants.h", constants_header()
    for name, owners in HEADERS.items():
        yield f"{name}.h", header(name, "".join(
            Body(f, c[f.c_name]).text() for owner in owners for f in everything if f.owner == owner and not f.by_hand))
