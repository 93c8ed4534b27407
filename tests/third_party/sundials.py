# SPDX-License-Identifier: BSD-3-Clause
"""SUNDIALS from Debian's source package: a library in C with modules of Fortran 2003 before it,
built unchanged by CMake, whose FindMPI finds our wrappers.

Usage: sundials.py BUILD. Exits with 77 where the source or CMake cannot be had. Its tests of
parallel vectors in Fortran, and its parallel example, whose output is compared with the one in the
package.
"""
import pathlib
import re
import shutil
import sys
import tempfile

from debian_source import Building, build, run, unpacked

BUILD = pathlib.Path(sys.argv[1]).resolve()
VECTORS = [f"test_fnvector_{kind}_mod" for kind in ("parallel", "mpimanyvector", "mpiplusx")]
EXAMPLE = "ark_brusselator1D_task_local_nls_f2003"
ARGUMENTS = (["--monitor"], ["--monitor", "--global-nls"])
OFF = [f"-DBUILD_{part}=OFF" for part in ("CVODE", "CVODES", "IDA", "IDAS", "KINSOL", "STATIC_LIBS")]
ON = [f"-D{part}=ON" for part in ("ENABLE_MPI", "BUILD_FORTRAN_MODULE_INTERFACE", "EXAMPLES_ENABLE_C", "EXAMPLES_ENABLE_F2003",
                                  "SUNDIALS_LOGGING_ENABLE_MPI")]
CLOSE = 1e-4  # the package's numbers are of another machine


def compiled(source, binary):
    tools = [f"-DMPI_{language}_COMPILER={BUILD}/bin/{wrapper}" for language, wrapper in (("C", "mpicc"), ("Fortran", "mpifort"))]
    build("CMake", "cmake", "-S", source, "-B", binary, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS=-O1", *ON, *OFF, *tools,
          f"-DMPIEXEC_EXECUTABLE={BUILD}/bin/mpiexec", "-DEXAMPLES_INSTALL=OFF")
    build("SUNDIALS", "make", "-j1", "-C", binary, *VECTORS, EXAMPLE)


def numbers(text):
    return [float(word) for word in re.findall(r"[-+]?\d+\.\d+E[-+]\d+", text)]


def started(binary, name, ranks, *arguments):
    program = next(path for path in binary.rglob(name) if path.is_file())
    done = run(BUILD / "bin/mpiexec", "--timeout", 200, "-n", ranks, program, *arguments, cwd=binary)
    return done, f"{name} {' '.join(arguments)} on {ranks} ends with {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}"


def vector(binary, name, ranks):
    done, what = started(binary, name, ranks)
    return None if done.returncode == 0 and "SUCCESS - all unit tests passed" in done.stdout and "FAILED" not in done.stdout else what


def example(source, binary, arguments):
    done, what = started(binary, EXAMPLE, 4, *arguments)
    answer = source / "examples/arkode/F2003_parallel" / f"{EXAMPLE}_{'_'.join(arguments)}.out"
    pairs = list(zip(numbers(done.stdout), numbers(answer.read_text())))
    good = done.returncode == 0 and len(pairs) > 100 and all(abs(a - b) <= CLOSE * max(1, abs(b)) for a, b in pairs)
    return None if good else what


def main():
    with tempfile.TemporaryDirectory() as name:
        source = unpacked("sundials", pathlib.Path(name))
        if source is None or shutil.which("cmake") is None:
            print("the source package or CMake cannot be had")
            return 77
        binary = pathlib.Path(name) / "binary"
        try:
            compiled(source, binary)
        except Building as failure:
            print(failure)
            return 1
        wrong = [vector(binary, name, ranks) for name in VECTORS for ranks in (1, 2, 4)]
        wrong += [example(source, binary, arguments) for arguments in ARGUMENTS]
    print(*filter(None, wrong), f"{len(wrong) - sum(map(bool, wrong))} of {len(wrong)} pass", sep="\n")
    return 1 if any(wrong) else 0


sys.exit(main())
