#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ompi-info --mpi-t lists what MPI_T lists, and every parameter is among it: lists_agree.py
OMPI_INFO LIST.

req dynamic 6.13
"""
import json
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=240).stdout


def main():
    info, listing = sys.argv[1:3]
    by_mpi = {tuple(line.split("\t", 2)[:2]): line.split("\t", 2)[2] for line in output(listing).splitlines()}
    by_info = {}
    for line in output(info, "--mpi-t", "--parsable").splitlines():
        kind, name, field, value = line.split("\t", 3)
        by_info.setdefault((kind, name), {})[field] = value
    assert by_mpi and set(by_mpi) == set(by_info), set(by_mpi) ^ set(by_info)
    for key, text in by_mpi.items():
        assert by_info[key]["help"] == text, (key, by_info[key], text)
    as_json = json.loads(output(info, "--mpi-t", "--json"))
    assert {(kind, name) for kind, entries in as_json.items() for name in entries} == set(by_info)
    params = {line.split("\t")[1] for line in output(info, "--all", "--parsable").splitlines() if line.startswith("param\t")}
    missing = params - {name for kind, name in by_mpi if kind == "cvar"}
    assert params and not missing, missing
    text = output(info, "--mpi-t")
    assert "Performance variables" in text and "pml_ob1_unexpected " in text


main()
