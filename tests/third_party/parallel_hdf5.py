# SPDX-License-Identifier: BSD-3-Clause
"""Parallel HDF5 from Debian's source package, built with the installed mpicc, and its own parallel
tests (testpar).

Usage: parallel_hdf5.py BUILD [TEST...]. Exits with 77 where the source cannot be had.
TESSERA_HDF5_RANKS: 6 by default.
"""
import os
import pathlib
import sys
import tempfile
import time

from debian_source import Building, build, run, unpacked
from hdf5_source import hdf5_library
from installed_prefix import installed, jobs

BUILD = pathlib.Path(sys.argv[1]).resolve()
RANKS = os.environ.get("TESSERA_HDF5_RANKS", "6")
# Besides these t_cache and t_cache_image, which take long, may be named. t_prestart opens the file
# that t_pshutdown leaves, t_pflush2 that of t_pflush1.
TESTS = ["t_mpi", "t_bigio", "testphdf5", "t_pread", "t_pshutdown", "t_prestart", "t_init_term", "t_shapesame",
         "t_filters_parallel", "t_pflush1", "t_pflush2"]
# Ends without MPI_Finalize, on purpose; t_pflush2 says whether it did its work.
LEAVES_EARLY = {"t_pflush1"}


def compiled(names, source, folder, environment):
    more = {"cwd": folder, "env": environment}
    hdf5_library(source, folder, environment, "--disable-hl")
    build("the tests' library", "make", jobs(), "-C", "test", "libh5test.la", **more)
    build("the tests", "make", jobs(), "-C", "testpar", *names, **more)
    return folder / "testpar"


def verdict(test, folder, environment):
    start = time.monotonic()
    done = run("mpiexec", "--timeout", 3000, "-n", RANKS, f"./{test}", cwd=folder, env=environment)
    good = done.returncode == 0 or test in LEAVES_EARLY
    print(f"{test}: {'passes' if good else f'ends with {done.returncode}'}, {time.monotonic() - start:.0f} s", flush=True)
    if not good:
        print("\n".join((done.stdout + done.stderr).splitlines()[-25:]))
    return good


def main():
    names = sys.argv[2:] or TESTS
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = unpacked("hdf5", folder)
        if source is None:
            print("the source package cannot be had")
            return 77
        environment = {**installed(BUILD, folder / "prefix"), "srcdir": ".", "HDF5_ALARM_SECONDS": "3000"}
        try:
            programs = compiled(names, source, folder / "build", environment)
        except Building as failure:
            print(failure)
            return 1
        wrong = [test for test in names if not verdict(test, programs, environment)]
    return 1 if wrong else 0


sys.exit(main())
