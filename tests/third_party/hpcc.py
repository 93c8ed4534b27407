# SPDX-License-Identifier: BSD-3-Clause
"""HPL and its companions (PTRANS, FFT, RandomAccess …) from Debian's source package hpcc, built
unchanged by `mpicc`.

Usage: hpcc.py BUILD. Exits with 77 where the source or BLAS cannot be had. Four processes solve
small systems; the programs check their results.
"""
import os
import pathlib
import re
import sys
import tempfile

from debian_source import Building, build, run, unpacked

BUILD = pathlib.Path(sys.argv[1]).resolve()
MAKEFILE = """SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -s
MKDIR = mkdir
RM = /bin/rm -f
TOUCH = touch
ARCH = tessera
TOPdir = ../../..
INCdir = $(TOPdir)/include
BINdir = $(TOPdir)/bin/$(ARCH)
LIBdir = $(TOPdir)/lib/$(ARCH)
HPLlib = $(LIBdir)/libhpl.a
HPL_LIBS = $(HPLlib) -lblas -lm
HPL_DEFS = -DAdd_ -DF77_INTEGER=int -DStringSunStyle -I$(INCdir) -I$(INCdir)/$(ARCH)
CC = mpicc
CCNOOPT = $(HPL_DEFS)
CCFLAGS = $(HPL_DEFS) -O1 -w
LINKER = mpicc
ARCHIVER = ar
ARFLAGS = r
RANLIB = echo
"""
ORDER, BLOCK = 200, 32
LINES_OF_ORDER_AND_BLOCK = (5, 7)  # of hpccinf.txt, from 0


def compiled(folder, environment):
    (folder / "hpl/Make.tessera").write_text(MAKEFILE)
    build("HPCC", "make", "-j1", "arch=tessera", cwd=folder, env=environment)
    lines = (folder / "_hpccinf.txt").read_text().splitlines()
    for line, value in zip(LINES_OF_ORDER_AND_BLOCK, (ORDER, BLOCK)):
        lines[line] = str(value)
    (folder / "hpccinf.txt").write_text("\n".join(lines) + "\n")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = unpacked("hpcc", pathlib.Path(name))
        environment = {**os.environ, "PATH": f"{BUILD}/bin:{os.environ['PATH']}"}
        (pathlib.Path(name) / "empty.c").write_text("int main(void) { return 0; }\n")
        if folder is None or run("cc", "empty.c", "-lblas", cwd=name).returncode != 0:
            print("the source package or BLAS cannot be had")
            return 77
        try:
            compiled(folder, environment)
        except Building as failure:
            print(failure)
            return 1
        done = run("mpiexec", "--timeout", 500, "-n", 4, "./hpcc", cwd=folder, env=environment)
        written = folder / "hpccoutf.txt"
        text = written.read_text() if written.exists() else ""
    verdicts = re.findall(r"^.*(?:PASSED|FAILED|residual checks|Success=|Failure).*$", text, re.MULTILINE)
    print("\n".join(verdicts))
    if done.returncode == 0 and "Success=1" in text and not re.search(r"FAILED$|[1-9]\d* tests completed and failed", text, re.MULTILINE):
        return 0
    print(done.returncode, done.stdout[-1000:], done.stderr[-2000:])
    return 1


sys.exit(main())
