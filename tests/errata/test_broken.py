#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that the tests of the errata can fail: broken.tsv lists, per point, a behaviour that
broken.c breaks.

Each program passes as it is, and fails with the behaviour of one point broken. What a compiler sees
is broken in a copy of the headers.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
MPIEXEC, BROKEN, PROGRAMS = (os.environ[f"TESSERA_TEST_{name}"] for name in ("MPIEXEC", "BROKEN", "PROGRAMS"))
ROOT = HERE.parent.parent
LIMIT_S = 240

# Point, header, what stands there, what stands there instead, source that must not compile then.
HEADERS = [
    ("1.22", "mpicxx/predefined.h", "void* const BOTTOM", "const void* const BOTTOM", "tests/cxx/objects.cpp"),
    ("2.2", "mpicxx/constants.h", "MPI_SEEK_SET", "MPI_SEEK_END", "tests/cxx/objects.cpp"),
]


def points():
    """(point, program, ranks, arguments) of every line; the words in between say what is broken."""
    for line in (HERE / "broken.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            point, _, program, ranks, *arguments = line.split("\t")
            yield point, program, ranks, arguments


def run(program, ranks, arguments, point=None):
    """The exit status and what was written."""
    broken = dict(LD_PRELOAD=BROKEN, TESSERA_BROKEN=point) if point else {}
    command = [MPIEXEC, "--timeout", str(LIMIT_S // 2), "--on-hang", "abort", "-n", ranks,
               os.path.join(PROGRAMS, program), *arguments]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                            env=dict(os.environ, **broken), timeout=LIMIT_S)
    return result.returncode, result.stdout + result.stderr


def there(program):
    """Programs of Fortran are there with a compiler for it."""
    of_fortran = program.startswith("fortran_") or program == "errata_bindings"
    return not of_fortran or os.path.exists(os.path.join(PROGRAMS, program))


class Broken(unittest.TestCase):
    def test_programs_pass_as_they_are(self):
        for program, ranks, arguments in sorted({(p, r, tuple(a)) for _, p, r, a in points() if there(p)}):
            with self.subTest(program=program, arguments=arguments):
                status, text = run(program, ranks, arguments)
                self.assertEqual(status, 0, text)

    def test_programs_fail_when_a_point_is_broken(self):
        for point, program, ranks, arguments in points():
            if not there(program):
                continue
            with self.subTest(point=point, program=program):
                status, text = run(program, ranks, arguments, point)
                self.assertNotEqual(status, 0, f"{program} passes although point {point} is broken:\n{text}")


    def test_sources_do_not_compile_when_a_header_is_broken(self):
        for point, header, old, new, source in HEADERS:
            with self.subTest(point=point), tempfile.TemporaryDirectory() as folder:
                include = pathlib.Path(folder, "include")
                shutil.copytree(ROOT / "include", include)
                text = (include / header).read_text()
                self.assertIn(old, text, header)
                command = [os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only", "-DTESSERA_CXX_BINDINGS", "-I", include,
                           ROOT / source]
                self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0, source)
                (include / header).write_text(text.replace(old, new))
                self.assertNotEqual(subprocess.run(command, capture_output=True).returncode, 0, f"{source} compiles with {new}")


if __name__ == "__main__":
    unittest.main()
