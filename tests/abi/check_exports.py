#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the symbols of the API library with functions.tsv and extensions.txt: check_exports.py
LIBRARY FOLDER [NM].

Every function must be there as strong PMPI_X and as weak MPI_X, both at the same address, and
nothing else (req errata 1.14).
"""
import csv
import pathlib
import subprocess
import sys


def exported(library, nm):
    """Maps each dynamic symbol that the library defines to (kind, address)."""
    listing = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    symbols = {}
    for line in listing.stdout.splitlines():
        address, kind, name = line.split()
        symbols[name] = (kind, address)
    return symbols


def expected(folder):
    with open(folder / "functions.tsv", encoding="utf-8") as file:
        names = [row["name"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return names + (folder / "extensions.txt").read_text(encoding="utf-8").split()


def problems(symbols, names):
    for name in names:
        weak, strong = symbols.pop(name, ("", "")), symbols.pop("P" + name, ("", ""))
        if strong[0] != "T":
            yield f"P{name}: should be a strong function (T), is {strong[0] or 'missing'}"
        if weak[0] != "W":
            yield f"{name}: should be a weak alias (W), is {weak[0] or 'missing'}"
        if weak[1] != strong[1]:
            yield f"{name} and P{name} are different functions"
    for name in symbols:
        yield f"{name}: should not be exported"


def main():
    names = expected(pathlib.Path(sys.argv[2]))
    found = list(problems(exported(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "nm"), names))
    print("\n".join(found) or f"{len(names)} functions, each as MPI_ and PMPI_, and nothing else")
    return 1 if found else 0


sys.exit(main())
