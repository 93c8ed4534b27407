# SPDX-License-Identifier: BSD-3-Clause
"""Global Arrays from Debian's source package ga, its runtime ComEx over one-sided MPI-3
(--with-mpi3), built with the installed mpicc, and its own C tests on 4 processes, over shared
memory and over TCP.

Usage: global_arrays.py BUILD. Exits with 77 where the source, or a tool to make its configure,
cannot be had.
"""
import pathlib
import re
import shutil
import sys
import tempfile

from debian_source import Building, build, run, unpacked
from installed_prefix import installed, jobs

BUILD = pathlib.Path(sys.argv[1]).resolve()
SUITE = "trixie"  # the mirror may lack the archive of older ones
TOOLS = ("autoreconf", "automake", "libtoolize", "m4")
OPTIONS = ("--with-mpi3", "--disable-f77", "--disable-cxx", "--without-blas", "--without-lapack", "--without-scalapack")
# Left out are tests that measure, that need BLAS, Fortran or input, and that compute for a minute
# and more (cache_test, scan_addc, scan_copyc, sprs_test, testmatmultc, testmult, testmultrect).
NAMES = ("comm_init", "elempatch", "ga-mpi", "gemmtest", "getmem", "lock", "matrixc", "mtest", "mulmatpatchc", "nbtestc", "normc",
         "ntestc", "ntestfc", "packc", "patch_enumc", "print", "rand", "simple_groups_commc", "testabstract_ops", "testc")
OF_COMEX = ("testing/shift",)
PROGRAMS = tuple(f"global/testing/{name}.x" for name in NAMES)
WAYS = {"shared memory": (), "TCP": ("--mca", "btl", "self,tcp")}


def failures(folder, environment):
    """The names of the programs that fail, each with its way, and their last words."""
    failed = []
    for way, options in WAYS.items():
        for program in (*(f"comex/{name}" for name in OF_COMEX), *PROGRAMS):
            done = run("mpiexec", "--timeout", 240, "-n", 4, *options, folder / program, cwd=folder, env=environment)
            passed = done.returncode == 0
            print(f"{program} over {way}: {'passes' if passed else f'ends with {done.returncode}'}", flush=True)
            if not passed:
                failed.append(f"{program} over {way}:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return failed


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        source = None if missing else unpacked("ga", folder, suite=SUITE)
        if source is None:
            print(f"there is no {missing[0]}" if missing else "the source package cannot be had")
            return 77
        environment = installed(BUILD, folder / "prefix")
        (folder / "build").mkdir()
        more = {"cwd": folder / "build", "env": environment}
        try:
            build("autoreconf", "autoreconf", "-if", cwd=source)
            build("configure", source / "configure", *OPTIONS, "MPICC=mpicc", "CFLAGS=-O1 -w", **more)
            build("the library", "make", jobs(), **more)
            build("the tests of ComEx", "make", jobs(), "-C", "comex", *OF_COMEX, **more)
            build("the tests", "make", jobs(), *PROGRAMS, **more)
        except Building as failure:
            print(failure)
            return 1
        failed = failures(folder / "build", environment)
    print("\n".join(failed))
    return 1 if failed else 0


sys.exit(main())
