# SPDX-License-Identifier: BSD-3-Clause
"""PnetCDF from Debian's source package, built with the installed mpicc, and its own tests on 4
processes (make ptest).

Usage: parallel_pnetcdf.py BUILD. Exits with 77 where the source, or a tool to make its configure,
cannot be had.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

from debian_source import Building, build, run, unpacked
from installed_prefix import installed, jobs

BUILD = pathlib.Path(sys.argv[1]).resolve()
TOOLS = ("autoreconf", "automake", "libtoolize", "m4")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        source = None if missing else unpacked("pnetcdf", folder)
        if source is None:
            print(f"there is no {missing[0]}" if missing else "the source package cannot be had")
            return 77
        environment = installed(BUILD, folder / "prefix")
        (folder / "build").mkdir()
        more = {"cwd": folder / "build", "env": environment}
        try:
            build("autoreconf", "autoreconf", "-i", cwd=source)
            build("configure", source / "configure", "MPICC=mpicc", "CFLAGS=-O1 -w", "--disable-fortran", "--disable-cxx",
                  "--disable-shared", **more)
            build("the library", "make", jobs(), **more)
            build("the tests", "make", jobs(), "tests", **more)
        except Building as failure:
            print(failure)
            return 1
        done = run("make", "-k", "ptest", "TESTMPIRUN=mpiexec --timeout 600 -n NP", **more)
    passed = re.findall(r"^\*\*\* TESTING .*- pass$|^PASS: .*$", done.stdout, re.MULTILINE)
    print("\n".join(passed), f"\n{len(passed)} programs pass")
    if done.returncode == 0 and len(passed) >= 90:
        return 0
    print(done.stdout[-4000:], done.stderr[-4000:])
    return 1


sys.exit(main())
