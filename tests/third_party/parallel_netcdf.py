# SPDX-License-Identifier: BSD-3-Clause
"""NetCDF-4 on parallel HDF5, both from Debian's source packages and built with the installed mpicc,
and its own parallel tests, each on as many processes as NetCDF's scripts say.

Usage: parallel_netcdf.py BUILD [PROGRAM...]. Exits with 77 where the sources, or a tool to build
them, cannot be had.
"""
import pathlib
import re
import shutil
import sys
import tempfile
import time

from debian_source import Building, build, run, unpacked
from hdf5_source import installed_hdf5
from installed_prefix import installed, jobs

BUILD = pathlib.Path(sys.argv[1]).resolve()
# What --enable-parallel-tests adds to make check.
SCRIPTS = ("h5_test/run_par_tests.sh.in", "nc_test4/run_par_test.sh.in")


def runs(source):
    """(folder, processes, program) for each line of the scripts that starts one."""
    for script in map(pathlib.Path, SCRIPTS):
        for processes, program in re.findall(r"^\s*@MPIEXEC@ -n (\d+) \./(\w+)$", (source / script).read_text(), re.MULTILINE):
            if program in sys.argv[2:] or not sys.argv[2:]:
                yield script.parent, processes, program


def compiled(source, folder, hdf5, environment):
    folder.mkdir()
    more = {"cwd": folder, "env": environment}
    build("configure", source / "configure", "CC=mpicc", "CFLAGS=-O1 -w", f"CPPFLAGS=-I{hdf5}/include", f"LDFLAGS=-L{hdf5}/lib",
          "--enable-parallel-tests", "--disable-shared", "--disable-dap", "--disable-byterange", "--disable-nczarr", "--disable-libxml2",
          "--disable-plugins", "--disable-utilities", "--disable-examples", **more)
    build("the library", "make", jobs(), **more)
    for part, program in sorted({(part, program) for part, _, program in runs(source)}):
        build(program, "make", "-C", part, program, **more)


def passes(folder, processes, program, environment):
    start = time.monotonic()
    done = run("mpiexec", "--timeout", 1200, "-n", processes, f"./{program}", cwd=folder, env=environment)
    good = done.returncode == 0
    print(f"{program} on {processes}: {'passes' if good else f'ends with {done.returncode}'}, {time.monotonic() - start:.0f} s", flush=True)
    if not good:
        print("\n".join((done.stdout + done.stderr).splitlines()[-25:]))
    return good


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hdf5, netcdf = None, None
        if shutil.which("m4") is not None:
            hdf5, netcdf = unpacked("hdf5", folder / "hdf5"), unpacked("netcdf", folder / "netcdf")
        if hdf5 is None or netcdf is None:
            print("there is no m4, or a source package cannot be had")
            return 77
        environment = installed(BUILD, folder / "prefix")
        programs = folder / "netcdf/build"
        try:
            installed_hdf5(hdf5, folder / "hdf5/build", environment, folder / "hdf5/prefix")
            compiled(netcdf, programs, folder / "hdf5/prefix", environment)
        except Building as failure:
            print(failure)
            return 1
        verdicts = [passes(programs / part, processes, program, environment) for part, processes, program in runs(netcdf)]
    print(f"{sum(verdicts)} of {len(verdicts)} runs pass")
    return 0 if verdicts and all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
