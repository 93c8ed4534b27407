# SPDX-License-Identifier: BSD-3-Clause
"""Writes a profiling layer: each function of a list counts the call and calls its PMPI_ twin.

Usage: generate.py MPI_H LIST HEADER SOURCE
"""
import pathlib
import re
import sys

OPENING = "/* SPDX-License-Identifier: BSD-3-Clause\n   {}; generated. */\n"
HEADER = """#pragma once

enum {{
{enumerators}
  CALLS
}};
extern long profiled[CALLS]; /* how often each function was called */
extern const char *const profiled_names[CALLS];
void before_abort(void); /* the program's: MPI_Abort does not return */
"""


def prototypes(text, names):
    """{name: (type, parameters)} from the declarations of the header."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    found = {}
    for name in names:
        match = re.search(rf"^(int|double)\s+{name}\(([^;{{}}]*)\)[^;(]*(?:\(\([^)]*\)\))?[^;()]*;", text, re.M)
        if match is None:
            sys.exit(f"generate.py: the header does not declare {name}")
        found[name] = match.group(1), re.sub(r"\s+", " ", match.group(2)).strip()
    return found


def names_of(parameters):
    """What to hand on: the names of the parameters."""
    words = [p for p in parameters.split(", ") if p not in ("void", "...")]
    return ", ".join(re.search(r"(\w+)\s*(?:\[\w*\])*$", word).group(1) for word in words)


def wrapper(name, kind, parameters):
    hook = "  before_abort();\n" if name == "MPI_Abort" else ""
    return f"{kind} {name}({parameters}) {{\n  profiled[CALL_{name}]++;\n{hook}  return P{name}({names_of(parameters)});\n}}\n"


def main():
    mpi_h, names_file, header, source = map(pathlib.Path, sys.argv[1:])
    names = names_file.read_text().split()
    declared = prototypes(mpi_h.read_text(), names)
    header.write_text(OPENING.format("Which calls are counted") +
                      HEADER.format(enumerators="\n".join(f"  CALL_{name}," for name in names)))
    texts = ",\n".join(f'  "{name}"' for name in names)
    source.write_text(OPENING.format("Counts each call and hands it on") +
                      f'#include <mpi.h>\n\n#include "{header.name}"\n\nlong profiled[CALLS];\n'
                      f"const char *const profiled_names[CALLS] = {{\n{texts}}};\n\n" +
                      "\n".join(wrapper(name, *declared[name]) for name in names))


main()
