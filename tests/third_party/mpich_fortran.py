# SPDX-License-Identifier: BSD-3-Clause
"""Programs of others in all forms of Fortran: the tests that MPICH's source package, as Debian has
it, holds.

Usage: mpich_fortran.py BUILD [PROGRAM...]. Fetches the package by apt-get; exits with 77 where it
cannot. Every program of its lists is built by `mpifort`, unchanged, with the one option that
MPICH's own wrapper hands to gfortran, and run; it says "No Errors" when all is well.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile

from debian_source import run, unpacked

BUILD = pathlib.Path(sys.argv[1]).resolve()
FORMS = {"f77": ".f", "f90": ".f90", "f08": ".f90"}
OF_C = ("-w", "-O1")
FOUND = ("F77_NAME_LOWER_USCORE", "HAVE_MPI_IO", "HAVE_MPI_SPAWN", "HAVE_MPI_WIN_CREATE")  # what configure would find
OF_FORTRAN = ("-w", "-fallow-argument-mismatch")
# Why some are left out.
LEFT_OUT = {
    "baseenvf": "expects a version of MPI before 5",
    "baseenvf90": "expects a version of MPI before 5",
    "typecntsf": "names combiners that MPI 3.0 removed",
    "aintf": "declares MPI_AINT_ADD again, which mpif.h declares",
    "f08/c2f2ciof90": "has a part in C that no compiler takes",
    "profile1f": "includes mpif.h in the MPI_SEND that it defines; mpif.h has an interface for it (docs/fortran.md)",
    "profile1f90": "uses module mpi in the MPI_SEND that it defines",
    **dict.fromkeys(("allctypesf", "allctypesf90", "allctypesf08"), "expects MPI_C_COMPLEX of a type with two names"),
    **dict.fromkeys(("greqf", "greqf90", "greqf08"), "expects that a callback changes the variable that it was given as extra_state"),
    **dict.fromkeys(("alltoallvf", "split_typef"), "hands an array to MPI_ALLTOALLV as its datatype"),
    # Arguments of another rank or type than module mpi says, which only modules without generic
    # names let pass.
    **dict.fromkeys(("alltoallvf90", "split_typef90", "vw_inplacef90", "nonblocking_inpf90", "irsendf90", "issendf90", "pssendf90",
                     "irsendf08", "issendf08", "pssendf08"), "breaks a rule of Fortran, as Open MPI's modules say too"),
}
# Their children look at MPI_UNIVERSE_SIZE, too.
ROOM = 16


def compiled(source, folder, *more):
    wrapper, options = ("mpicc", OF_C) if source.suffix == ".c" else ("mpifort", OF_FORTRAN)
    places = [source.parent, folder / "modules" / source.parts[-3], folder / "include", *(place for place in sorted(folder.glob("f77/*")) if place.is_dir())]
    return run(BUILD / "bin" / wrapper, *options, *(f"-I{place}" for place in places), source, *more, cwd=source.parent)


def modules(source):
    return () if source.suffix == ".c" else (f"-J{source.parent}",)


def parts(source):
    """The other files of a program, as the Makefile of its folder has them; those in C may lie
    beside another form's."""
    makefile = (source.parent / "Makefile.am").read_text()
    found = re.search(rf"^(?:nodist_)?{source.stem}_SOURCES *=(.*)$", makefile, re.MULTILINE)
    for name in found[1].split() if found else []:
        if name != source.name:
            yield next(place / name for place in (source.parent, *(source.parents[2] / form / source.parent.name for form in FORMS))
                       if (place / name).exists())


def problem(folder, source, ranks):
    # A folder of its own: several name their files alike.
    program, objects = source.parent / f"of_{source.stem}" / source.stem, [folder / f"helper_{source.parts[-3]}.o"]
    program.parent.mkdir(exist_ok=True)
    for part in parts(source):
        objects.append(source.parent / f"{source.stem}_{part.stem}.o")
        built = compiled(part, folder, *modules(part), "-c", "-o", objects[-1])
        if built.returncode != 0:
            return f"has a part that is not built: {built.stderr[:500]}"
    built = compiled(source, folder, *modules(source), *objects, "-o", program)
    if built.returncode != 0:
        return f"is not built: {built.stderr[:700]}"
    done = run(BUILD / "bin/mpiexec", "--timeout", 100, "--usize", ROOM, "-n", ranks, program, cwd=program.parent, timeout=240)
    good = done.returncode == 0 and "No Errors" in done.stdout
    return None if good else f"ends with {done.returncode}: {done.stdout[:500]}{done.stderr[:700]}"


def programs(folder, chosen):
    for form, suffix in FORMS.items():
        for names in sorted([*folder.glob(f"{form}/*/testlist"), *folder.glob(f"{form}/*/testlist.in")]):
            for line in names.read_text().splitlines():
                words = line.split()
                if len(words) < 2 or not words[1].isdigit() or (chosen and words[0] not in chosen):
                    continue
                if {words[0], f"{form}/{words[0]}"} & LEFT_OUT.keys():
                    continue
                source = names.parent / (words[0] + suffix)
                if source.exists():
                    yield source, words[1]


def prepared(folder):
    """What the package's configure would write, and the module of helpers of each form; a text
    where that fails."""
    text = (folder / "include/mpitestconf.h.in").read_text()
    (folder / "include/mpitestconf.h").write_text(re.sub(rf"#undef ({'|'.join(FOUND)})$", r"#define \1 1", text, flags=re.MULTILINE))
    for template in folder.glob("*/*/*.h.in"):
        template.with_suffix("").write_text(re.sub(r"@\w+@", "integer*8", template.read_text()))
    for form, suffix in FORMS.items():
        helper = folder / "modules" / form / f"mtest_{form}{suffix}"
        helper.parent.mkdir(parents=True)
        shutil.copy(folder / "util" / helper.name, helper)
        place = folder / form / "util" / helper.name
        place.parent.mkdir()
        shutil.copy(helper, place)
        built = compiled(place, folder, f"-J{helper.parent}", "-c", "-o", folder / f"helper_{form}.o")
        if built.returncode != 0:
            return f"{helper.name}: {built.stderr[:1000]}"
    return None


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = unpacked("mpich", pathlib.Path(name), *(f"*/test/mpi/{part}" for part in (*FORMS, "util", "include")))
        if folder is None:
            print("the source package cannot be had")
            return 77
        folder = folder / "test/mpi"
        failure = prepared(folder)
        if failure:
            print(failure)
            return 1
        found = list(programs(folder, sys.argv[2:]))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda one: problem(folder, *one), found)
            wrong = [f"{source.relative_to(folder)} {what}" for (source, _), what in zip(found, results) if what]
    for text in wrong:
        print(text)
    print(f"{len(found) - len(wrong)} of {len(found)} pass; left out: {', '.join(LEFT_OUT)}")
    return 1 if wrong or (len(found) < 200 and not sys.argv[2:]) else 0


sys.exit(main())
