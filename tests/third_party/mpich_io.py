# SPDX-License-Identifier: BSD-3-Clause
"""MPI-IO as the tests of MPICH and of ROMIO see it: the programs in C that MPICH's source package,
as Debian has it, holds.

Usage: mpich_io.py BUILD [PROGRAM...]. Fetches the package by apt-get; exits with 77 where it
cannot. Every program of test/mpi/io (testlist.in) and of ROMIO (runtests.in) is built by `mpicc`,
unchanged, and run as its list says; it says "No Errors" when all is well. TESSERA_TEST_FILES: the
folder, of another file system perhaps, in which the files are made.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from debian_source import run, unpacked

BUILD = pathlib.Path(sys.argv[1]).resolve()
# What configure would find; the programs are built without it otherwise.
FOUND = {"THREAD_PACKAGE_NAME": "THREAD_PACKAGE_POSIX",
         **dict.fromkeys(("HAVE_MPI_IO", "HAVE_MPI_SPAWN", "HAVE_MPI_WIN_CREATE", "HAVE_PTHREAD_H", "HAVE_STDARG_H", "HAVE_STDINT_H",
                          "HAVE_STDLIB_H", "HAVE_STRING_H", "HAVE_UNISTD_H", "MPIO_USES_MPI_REQUEST"), 1)}
OPTIONS = ("-w", "-O1", "-DMPIO_USES_MPI_REQUEST", "-DMPIO_Request=MPI_Request")  # a type that MPI-2 made superfluous
# These do not pass, each for its reason; one that does must leave the list.
EXCEPTIONS = {
    "io/tst_fileview": "expects MPI_ERR_IO of a filetype whose displacements decrease; Tessera returns MPI_ERR_ARG",
    "io/i_hindexed": "sets a view while MPI_File_iwrite_all is in progress, which MPI-5.0, section 14.3, forbids",
    "romio/error": "expects a text of that library, word by word",
    "romio/syshints": "expects the hints of a file that ROMIO reads; Tessera has the parameter io_hints",
}
SILENT = {"romio/aggregation1", "romio/aggregation2"}  # say nothing when all is well
LONGEST = 300  # seconds
GIGABYTE = 1 << 20  # in /proc/meminfo's units


def memory():
    return int(re.search(r"MemAvailable: *(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) / GIGABYTE


def of_mpich(folder):
    """(name, source, ranks, arguments, gigabytes) of every line of the list."""
    for line in (folder / "testlist.in").read_text().splitlines():
        words = line.split()
        if len(words) < 2 or line.startswith("#"):
            continue
        more = dict(word.split("=", 1) for word in words[2:])
        arguments = more.get("arg", "").split()
        yield f"io/{words[0]}", folder / f"{words[0]}.c", words[1], arguments, float(more.get("mem", 0))


def of_romio(folder):
    """The same of the calls of mpirun in the script."""
    for ranks, program, rest in re.findall(r"^\s*\$mpirun -np (\d+) \./(\S+) (.*)$", (folder / "runtests.in").read_text(), re.MULTILINE):
        source = next((folder / f"{program}{ending}" for ending in (".c", ".c.in") if (folder / f"{program}{ending}").exists()), None)
        if source is not None:  # others are in Fortran
            arguments = rest.replace("$FILENAME", "testfile").replace("$srcdir", str(folder)).split()
            yield f"romio/{program}", source, ranks, arguments, 0


def prepared(folder):
    """What the package's configure would write."""
    text = (folder / "test/mpi/include/mpitestconf.h.in").read_text()
    for name, value in FOUND.items():
        text = re.sub(rf"#undef {name}$", f"#define {name} {value}", text, flags=re.MULTILINE)
    (folder / "test/mpi/include/mpitestconf.h").write_text(text)
    for template in (folder / "src/mpi/romio/test").glob("*.c.in"):
        template.with_suffix("").write_text(template.read_text().replace("@LL@", "lld"))
    parts = [folder / f"test/mpi/util/{name}" for name in ("mtest.c", "mtest_common.c", "mtest_thread.c")]
    objects = [part.with_suffix(".o") for part in parts]
    for part, object_file in zip(parts, objects):
        built = compiled(folder, part, "-c", "-o", object_file)
        if built.returncode != 0:
            raise SystemExit(f"{part.name} is not built: {built.stderr[:1000]}")
    return objects


def compiled(folder, source, *more):
    return run(BUILD / "bin/mpicc", *OPTIONS, f"-I{folder}/test/mpi/include", source, *more, cwd=source.parent)


def problem(folder, objects, one):
    name, source, ranks, arguments, gigabytes = one
    if gigabytes > memory():
        return "needs more memory than there is"
    source = source.with_suffix("") if source.suffix == ".in" else source
    with tempfile.TemporaryDirectory(dir=os.environ.get("TESSERA_TEST_FILES")) as place:
        program = folder / "program"
        built = compiled(folder, source, *(objects if name.startswith("io/") else ()), "-lm", "-o", program)
        if built.returncode != 0:
            return f"is not built: {built.stderr[:700]}"
        try:
            done = run(BUILD / "bin/mpiexec", "--timeout", LONGEST, "-n", ranks, program, *arguments, cwd=place, timeout=LONGEST + 60)
        except subprocess.TimeoutExpired:
            return "does not end, nor does mpiexec end it"
    good = done.returncode == 0 and ("No Errors" in done.stdout or name in SILENT)
    return None if good else f"ends with {done.returncode}: {done.stdout[:500]}{done.stderr[:700]}"


def verdict(name, what):
    """What is wrong with the result of a program, if anything."""
    print(f"{name}: {'passes' if what is None else what.strip()}", flush=True)
    if what is None:
        return f"{name} passes although it is an exception" if name in EXCEPTIONS else None
    return None if name in EXCEPTIONS else name


def main():
    chosen = sys.argv[2:]
    with tempfile.TemporaryDirectory() as name:
        parts = ("test/mpi/io", "test/mpi/util", "test/mpi/include", "src/mpi/romio/test")
        folder = unpacked("mpich", pathlib.Path(name), *(f"*/{part}" for part in parts))
        if folder is None:
            print("the source package cannot be had")
            return 77
        objects = prepared(folder)
        found = [one for one in (*of_mpich(folder / parts[0]), *of_romio(folder / parts[3])) if not chosen or one[0] in chosen]
        wrong = [text for one in found if (text := verdict(one[0], problem(folder, objects, one)))]
    print(f"{len(found) - len(wrong)} of {len(found)} programs are as expected; exceptions:")
    print("\n".join(f"  {name} {why}" for name, why in EXCEPTIONS.items()), "\n".join(wrong), sep="\n")
    return 1 if wrong or (len(found) < 50 and not chosen) else 0


sys.exit(main())
