#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Lets the list of functions not written yet only shrink: check_unsupported.py API_FOLDER LIST
[--update].

Fails when api/unsupported/ has a function that the list does not have. A function that is on the
list and is written by now gives a reminder to take it off; --update does so (it never adds one).
"""
import pathlib
import re
import sys


def unsupported(api):
    names = set()
    for file in sorted((api / "unsupported").glob("*.cpp")):
        names.update(re.findall(r"^TESSERA_UNSUPPORTED\((\w+),", file.read_text(encoding="utf-8"), re.MULTILINE))
    return names


def main():
    api, path = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    actual = unsupported(api)
    listed = set(path.read_text(encoding="utf-8").split()) if path.exists() else set()
    lines = (path.parent / "functions.tsv").read_text(encoding="utf-8").splitlines()
    everything = {line.split("\t")[0] for line in lines[1:] if "\tremoved in MPI" not in line}
    grown, written = sorted(actual - listed), sorted(listed - actual)
    for name in grown:
        print(f"{name} is unsupported, but was not before: write it again, the list must not grow")
    if written and "--update" in sys.argv:
        path.write_text("".join(f"{name}\n" for name in sorted(actual & listed)), encoding="utf-8")
    elif written:
        print(f"{len(written)} functions are written by now; take them off {path}:")
        print("  check_unsupported.py", *sys.argv[1:3], "--update")
        print("  " + " ".join(written))
    for name in sorted(actual - everything):
        print(f"{name} is no function of MPI")
    print(f"{len(everything) - len(actual)} of {len(everything)} functions are written")
    return 1 if grown or actual - everything else 0


sys.exit(main())
