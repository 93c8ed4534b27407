# SPDX-License-Identifier: BSD-3-Clause
"""Old programs of others: those that MPICH's source package, as Debian has it, holds for the C++ interface.

Usage: old_cxx.py BUILD. Fetches the package by apt-get, with a configuration of its own; exits with 77 where it cannot. Every
program is built by `mpicxx -DTESSERA_CXX_BINDINGS` and run; it says "No Errors" when all is well.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCES = """Types: deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
# What configure of that package would find out.
CONFIGURATION = ["HAVE_CXX_BINDING", "HAVE_CXX", "HAVE_IOSTREAM", "HAVE_NAMESPACE_STD", "HAVE_NAMESPACES", "HAVE_CXX_COMPLEX",
                 "HAVE_MPI_IO", "HAVE_MPI_WIN_CREATE", "STDC_HEADERS", "HAVE_STDLIB_H", "HAVE_STRING_H", "HAVE_UNISTD_H",
                 "HAVE_STDARG_H", "HAVE_LONG_DOUBLE", "HAVE_LONG_LONG", "HAVE_LONG_LONG_INT"]
# Why some are left out.
LEFT_OUT = {
    "fkeyvaltypex": "needs a library of that package", "packsizex": "needs a library of that package",
    "redscatblk": "expects the result in place elsewhere than the standard has it",
    "uscan": "expects an operation to be called with all elements at once",
    "initstat2x": "needs arguments", "fileerrx": "removes one file twice", "fileinfox": "expects a hint of that library",
    "setinfox": "ends MPI twice", "typenamex": "expects names that later standards changed",
}


def run(*command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)


def fetched(folder):
    """The folder of the programs, or None."""
    for name in ("parts", "lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "parts/src.sources").write_text(SOURCES)
    options = [f"-oDir::Etc::sourcelist={os.devnull}", f"-oDir::Etc::sourceparts={folder}/parts", f"-oDir::State::lists={folder}/lists",
               f"-oDir::Cache={folder}/cache", "-oAPT::Sandbox::User=root"]
    for command in (["update"], ["source", "--download-only", "mpich"]):
        if shutil.which("apt-get") is None or run("apt-get", *options, *command, cwd=folder, timeout=300).returncode != 0:
            return None
    archive = next(folder.glob("mpich_*.orig.tar.*"), None)
    if archive is None or run("tar", "xf", archive, "--strip-components=3", "--wildcards", "*/test/mpi/cxx", "*/test/mpi/util",
                              "*/test/mpi/include", "*/test/mpi/errors/cxx", cwd=folder).returncode != 0:
        return None
    lines = [f"#define {name} 1" for name in CONFIGURATION]
    lines += ["#define SIZEOF_VOID_P 8", "#define SIZEOF_LONG 8", "#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX"]
    (folder / "include/mpitestconf.h").write_text("\n".join(lines) + "\n")
    return folder


def compiled(folder, source, *more, compiler="mpicxx"):
    language = ["-std=c++11", "-DTESSERA_CXX_BINDINGS"] if compiler == "mpicxx" else []
    return run(BUILD / "bin" / compiler, *language, "-w", f"-I{folder}/include", source, *more)


def problem(folder, source, helpers):
    program = folder / source.stem
    built = compiled(folder, source, *helpers, "-o", program)
    if built.returncode != 0:
        return "is not built: " + built.stderr[:500]
    ranks = 4 if source.parent.name in ("topo", "comm", "rma") else 2
    done = run(BUILD / "bin/mpiexec", "--timeout", 60, "-n", ranks, program, cwd=folder / "files", timeout=240)
    good = done.returncode == 0 and "No Errors" in done.stdout
    return None if good else f"ends with {done.returncode}: {done.stdout[:500]}{done.stderr[:500]}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = fetched(pathlib.Path(name))
        if folder is None:
            print("the source package cannot be had")
            return 77
        (folder / "files").mkdir()
        helpers = [folder / "mtest_cxx.o", folder / "mtest_common.o"]
        for helper, source, compiler in zip(helpers, ("mtest_cxx.cxx", "mtest_common.c"), ("mpicxx", "mpicc")):
            built = compiled(folder, folder / "util" / source, "-c", "-o", helper, compiler=compiler)
            if built.returncode != 0:
                print(f"{source}: {built.stderr[:1000]}")
                return 1
        programs = [path for path in sorted(folder.glob("**/*.cxx"))
                    if path.parent.name not in ("util", "spawn") and path.stem not in LEFT_OUT]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda path: problem(folder, path, helpers), programs)
            wrong = [f"{path.stem} {what}" for path, what in zip(programs, found) if what]
    print("\n".join(wrong) or f"{len(programs)} programs")
    return 1 if wrong or len(programs) < 40 else 0


sys.exit(main())
