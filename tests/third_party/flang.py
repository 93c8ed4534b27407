# SPDX-License-Identifier: BSD-3-Clause
"""Another Fortran compiler: `mpifort --build-modules` with flang, and the programs of tests/fortran
built by it, unchanged.

Usage: flang.py SOURCE BUILD. Takes the newest flang in PATH, or the one in TESSERA_FLANG; exits
with 77 where there is none.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
TESTS = SOURCE / "tests/fortran"
OLDEST = 20  # before it, flang has no assumed-rank dummies in procedures written in Fortran
# Sources, options, ranks. types.f90 is not there: flang has no REAL(KIND=16) on this machine.
PROGRAMS = [(f"{name}.f90", "", ranks) for name, ranks in (
    ("sections", 3), ("callbacks", 3), ("strings", 2), ("alltoallx", 3), ("matched", 2), ("windows", 3), ("files", 3),
    ("processes", 2), ("older_forms", 2))]
PROGRAMS += [("mpi1.f", "", 3), ("asynchronous.f90", "-O3", 2), ("mixed.c mixed.cpp mixed_mpif.f mixed_modules.f90", "-lstdc++", 2),
             ("staged.f90 staged.c", "", 2), ("profiled.f90 profiler.c", "", 1)]
PROGRAMS += [(f"book/{name}.F90", option, ranks) for name, ranks in (("messages", 3), ("jacobi", 3), ("numbers", 3), ("grids", 12))
             for option in ("", "-DF08")]
PROGRAMS += [(f"forms/called_back.F90 forms/{name}.F90", option, 1) for name in ("requests", "callbacks", "environment")
             for option in ("", "-DMODULE_MPI", "-DF08")]
WATCHED = [BUILD / f"fortran/generated/watched{part}" for part in (".c", "_mpif.f90", "_mpi.f90", "_f08.f90")]
PROGRAMS += [(f"watch.c watch.f90 {' '.join(map(str, WATCHED))} watched_main.f90", "-O0", 1)]


def newest():
    names = {name.name for folder in os.environ["PATH"].split(":") for name in pathlib.Path(folder).glob("flang*")
             if re.fullmatch(r"flang(-new)?-\d+", name.name)}
    return os.environ.get("TESSERA_FLANG") or max(names, key=lambda name: int(name.rsplit("-", 1)[1]), default=None)


def run(*command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", check=False, **more)


def installed(prefix):
    for part in ("include", "core", "api", "fortran", "components"):
        subprocess.run(["cmake", "--install", BUILD / part, "--prefix", prefix], check=True, capture_output=True)
    return prefix / "bin"


def problem(folder, wrappers, environment, sources, option, ranks):
    program, files = folder / re.sub(r"\W", "_", (sources + option)[-60:]), []
    for name in ["check.f90", *sources.split()]:
        files.append(TESTS / name)
        if name.endswith((".c", ".cpp")):
            files[-1] = folder / f"{pathlib.Path(name).name}.o"
            built = run(wrappers / ("mpicc" if name.endswith(".c") else "mpicxx"), "-c", f"-I{TESTS}", TESTS / name, "-o", files[-1])
            if built.returncode != 0:
                return f"{name} is not built: {built.stderr[:500]}"
    built = run(wrappers / "mpifort", f"-I{TESTS}", *files, *option.split(), "-o", program, cwd=folder, env=environment)
    if built.returncode != 0:
        errors = [line for line in built.stderr.splitlines() if "error" in line or "undefined" in line]
        return f"{sources} {option} is not built: " + "\n".join(errors[:5])
    done = run(BUILD / "bin/mpiexec", "--timeout", 100, "-n", ranks, program, f"{program}.scratch", cwd=folder)
    return f"{sources} {option} ends with {done.returncode}: {done.stdout[:500]}{done.stderr[:500]}" if done.returncode else None


def every_call_links(folder, wrappers, environment):
    calls = [BUILD / f"fortran/generated/calls_{form}.f90" for form in ("mpif", "mpi", "f08")]
    built = run(wrappers / "mpifort", "-O0", *calls, TESTS / "calls_main.f90", "-o", "calls", cwd=folder, env=environment)
    return f"the calls of every procedure: {built.stderr[:2000]}" if built.returncode else None


def main():
    compiler = newest()
    if compiler is None:
        print("there is no flang")
        return 77
    environment = {**os.environ, "TESSERA_FC": compiler}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrappers = installed(folder / "prefix")
        made = run(wrappers / "mpifort", "--build-modules", env=environment)
        print(made.stdout.strip() or made.stderr.strip().splitlines()[-1])
        version = int(run(compiler, "-dumpversion").stdout.split(".")[0])
        if made.returncode != 0:
            left = (folder / f"prefix/lib/tessera/fortran/flang-{version}").exists()
            return 1 if version >= OLDEST or left or "cannot compile" not in made.stderr else 77
        wrong = [every_call_links(folder, wrappers, environment)]
        for program in PROGRAMS:
            wrong.append(problem(folder, wrappers, environment, *program))
    wrong = list(filter(None, wrong))
    print(*wrong, f"{len(PROGRAMS) + 1 - len(wrong)} of {len(PROGRAMS) + 1} pass with {compiler}", sep="\n")
    return 1 if wrong else 0


sys.exit(main())
