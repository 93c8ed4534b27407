# SPDX-License-Identifier: BSD-3-Clause
"""MUMPS from Debian's source package, built unchanged by `mpifort` and `mpicc`, and its examples in
real double precision.

Usage: mumps.py BUILD. Exits with 77 where the source, BLAS or LAPACK cannot be had. ScaLAPACK
factorizes the root of large elimination trees; the examples have none. Where it is missing, its
names end the program.
"""
import os
import pathlib
import re
import sys
import tempfile

from debian_source import Building, build, run, unpacked

BUILD = pathlib.Path(sys.argv[1]).resolve()
MAKEFILE = """PLAT =
LIBEXT = .a
LIBEXT_SHARED = .so
FPIC_OPT = -fPIC
OUTC = -o #
OUTF = -o #
RM = rm -f
CC = mpicc
FC = mpifort
FL = mpifort
AR = ar vr #
RANLIB = ranlib
LPORDDIR = $(topdir)/PORD/lib/
IPORD = -I$(topdir)/PORD/include/
LPORD = -L$(LPORDDIR) -lpord
ORDERINGSF = -Dpord
ORDERINGSC = $(ORDERINGSF)
LORDERINGS = $(LPORD)
IORDERINGSC = $(IPORD)
LIBS = -L$(topdir) SCALAPACK -llapack
LIBBLAS = -lblas
LIBOTHERS = -lpthread
CDEFS = -DAdd_
OPTF = -O1 -w -fallow-argument-mismatch
OPTC = -O1 -w
OPTL = -O1
INCS =
LIBSEQNEEDED =
""".replace("#\n", "\n")
SCALAPACK = os.environ.get("TESSERA_SCALAPACK", "")  # for the linker, where there is one that uses this MPI library
EXAMPLES = [("dsimpletest", [1, 2, 3, 4, 5]), ("dsimpletest_save_restore", [1, 2, 3, 4, 5]), ("c_example", [1, 2]),
            ("c_example_save_restore", [1, 2])]


def substitute(folder, environment):
    """A library with the names of ScaLAPACK that the objects of MUMPS want."""
    names = set(re.findall(r" U ((?:p[dsi]|blacs_|descinit|numroc|infog|indxg|chk1mat|pchk)\w*_)$",
                           run("nm", "-u", *(folder / "src").glob("*.o")).stdout, re.MULTILINE))
    source = folder / "scalapack.c"
    source.write_text("#include <stdio.h>\n#include <stdlib.h>\n" + "".join(
        f'void {name}(void) {{ fputs("{name} is not there\\n", stderr); abort(); }}\n' for name in sorted(names)))
    build("the names of ScaLAPACK", "mpicc", "-w", "-c", source, cwd=folder, env=environment)
    build("ar", "ar", "rc", folder / "libscalapack.a", folder / "scalapack.o")


def compiled(folder, environment):
    more = {"cwd": folder, "env": environment}
    (folder / "Makefile.inc").write_text(MAKEFILE.replace("SCALAPACK", SCALAPACK or "-lscalapack"))
    build("PORD", "make", "-j1", "prerequisites", **more)
    build("MUMPS", "make", "-j1", "-C", "src", "d", **more)
    if not SCALAPACK:
        substitute(folder, environment)
    build("the examples", "make", "-j1", "-C", "examples", "d", **more)


def problem(folder, environment, name, expected, ranks):
    with open(folder / "input_simpletest_real", encoding="ascii") as text:
        done = run("mpiexec", "--timeout", 100, "-n", ranks, f"./{name}", cwd=folder, env=environment, stdin=text)
    found = re.search(r"Solution is\W((?:[\s:(]*[-+]?\d+\.\d*(?:E[-+]?\d+)?)+)", done.stdout)
    values = [float(value) for value in re.findall(r"[-+.\dE]+", found.group(1))] if found else []
    good = done.returncode == 0 and len(values) == len(expected) and all(abs(a - b) < 1e-9 for a, b in zip(values, expected))
    print(f"{name}, {ranks} processes: {'passes' if good else 'fails'}", flush=True)
    return None if good else f"{name} on {ranks} ends with {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = unpacked("mumps", pathlib.Path(name))
        environment = {**os.environ, "PATH": f"{BUILD}/bin:{os.environ['PATH']}"}
        (pathlib.Path(name) / "empty.c").write_text("int main(void) { return 0; }\n")
        if folder is None or run("cc", "empty.c", "-llapack", "-lblas", cwd=name).returncode != 0:
            print("the source package, BLAS or LAPACK cannot be had")
            return 77
        try:
            compiled(folder, environment)
        except Building as failure:
            print(failure)
            return 1
        wrong = [problem(folder / "examples", environment, *example, ranks) for example in EXAMPLES for ranks in (1, 2, 3)]
    print("\n".join(filter(None, wrong)))
    return 1 if any(wrong) else 0


sys.exit(main())
