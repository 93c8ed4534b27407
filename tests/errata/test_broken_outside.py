# SPDX-License-Identifier: BSD-3-Clause
"""Shows that tests outside programs of MPI can fail: what the library exports, what headers and
modules declare, how mpiexec is called, what an abort ends with.

Usage: test_broken_outside.py BUILD. Each check passes as it is, and fails with a wrong copy or a
wrong command in between.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
MPIEXEC, ACTOR, ENDS, BROKEN = (os.environ[f"TESSERA_TEST_{name}"] for name in ("MPIEXEC", "ACTOR", "MPI_ENDS", "BROKEN"))
GFORTRAN = shutil.which("gfortran")


class Outside(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def status(self, *command, **environment):
        done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=400, env=dict(os.environ, **{key: str(value) for key, value in environment.items()}))
        self.said = done.stdout + done.stderr
        return done.returncode

    def script(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def in_launcher(self, test, **environment):
        file, case = test.split(".", 1)
        return self.status(sys.executable, "-B", ROOT / f"tests/launcher/{file}.py", case, **environment)

    def test_every_point_that_a_test_shows_is_broken_somewhere(self):
        rows = re.findall(r"^\| (\d+\.\d+) \|.*\| (.*) \|.*\|$", (ROOT / "docs/conformance-errata.md").read_text(), re.M)
        shown = {point for point, tests in rows if tests.strip()}
        here = ROOT / "tests/errata"
        broken = set(re.findall(r"^(\d+\.\d+)\t", (here / "broken.tsv").read_text(), re.M))
        broken |= set(re.findall(r'^    \("(\d+\.\d+)", "mpicxx/', (here / "test_broken.py").read_text(), re.M))
        names = " ".join(name for name in dir(self) if name.startswith("test_"))
        broken |= {f"{part}.{point}" for part, point in re.findall(r"_(\d)_(\d+)", names)}
        self.assertGreater(len(shown), 70)
        self.assertEqual(shown - broken, set())

    def test_1_14_a_library_with_another_name(self):
        check = (sys.executable, "-B", ROOT / "tests/abi/check_exports.py", BUILD / "lib/libmpi_abi.so", ROOT / "tests/abi")
        self.assertEqual(self.status(*check, "nm"), 0, self.said)
        other = self.script("nm", 'nm "$@" | sed "s/MPI_Cancel$/MPI_Request_cancel/"')
        self.assertEqual(self.status(*check, other), 1)

    def fortran(self, procedure, old, new):
        """The status of a compilation of bindings.f90 with a module in which the procedure has
        `new` for `old`."""
        text = (BUILD / "fortran/generated/mpi_f08.F90").read_text()
        begin = text.index(f"subroutine {procedure}(")
        end = text.index("end subroutine", begin)
        self.assertIn(old, text[begin:end], procedure)
        changed = self.folder / "mpi_f08.F90"
        changed.write_text(text[:begin] + text[begin:end].replace(old, new) + text[end:])
        compiler = (GFORTRAN, "-fsyntax-only", "-J", self.folder)
        modules = [BUILD / f"fortran/generated/tessera_mpi_{name}.F90" for name in ("handles", "constants")]
        self.assertEqual(self.status(*compiler, *modules, ROOT / "fortran/modules/compiler.F90", changed), 0)
        return self.status(*compiler, ROOT / "tests/fortran/check.f90", ROOT / "tests/errata/bindings.f90")

    @unittest.skipUnless(GFORTRAN and (BUILD / "fortran/generated/mpi_f08.F90").exists(), "without the bindings for Fortran")
    def test_1_15_1_16_modules_that_declare_otherwise(self):
        view, vector = "MPI_File_get_view_f08", "MPI_Type_create_hvector_f08"
        self.assertEqual(self.fortran(view, "disp", "disp"), 0, self.said)
        self.assertNotEqual(self.fortran(view, "integer(MPI_OFFSET_KIND), intent(out) :: disp", "integer, intent(out) :: disp"), 0)
        self.assertNotEqual(self.fortran(view, "character(len=*), intent(out) :: datarep", "integer, intent(out) :: datarep"), 0)
        self.assertNotEqual(self.fortran(vector, "stride", "stide"), 0)

    def test_1_25_a_launcher_that_has_no_n(self):
        test = "test_options.Options.test_number_of_ranks"
        self.assertEqual(self.in_launcher(test), 0, self.said)
        other = self.script("mpiexec", f'case "$1" in -n) exit 2;; esac; exec {MPIEXEC} "$@"')
        self.assertNotEqual(self.in_launcher(test, TESSERA_TEST_MPIEXEC=other), 0)

    def test_2_44_a_process_that_ends_with_another_code(self):
        test = "test_exit.Exit.test_abort"
        self.assertEqual(self.in_launcher(test), 0, self.said)
        for name, end in (("another", "8"), ("none", "0")):
            other = self.script(name, f'case "$*" in *"abort 7") exec {ACTOR} init words last abort {end};; esac; exec {ACTOR} "$@"')
            self.assertNotEqual(self.in_launcher(test, TESSERA_TEST_ACTOR=other), 0)

    def test_2_45_a_launcher_or_a_lone_process_with_another_code(self):
        other = self.script("mpiexec", f'{MPIEXEC} "$@"; status=$?; test $status = 7 && exit 1; exit $status')
        self.assertNotEqual(self.in_launcher("test_exit.Exit.test_abort", TESSERA_TEST_MPIEXEC=other), 0)
        test = "test_mpi.Mpi.test_alone"
        self.assertEqual(self.in_launcher(test), 0, self.said)
        ends = self.script("ends", f'LD_PRELOAD={BROKEN} TESSERA_BROKEN=2.45 exec {ENDS} "$@"')
        self.assertNotEqual(self.in_launcher(test, TESSERA_TEST_MPI_ENDS=ends), 0)

    def test_3_2_a_header_without_const(self):
        include = self.folder / "include"
        shutil.copytree(ROOT / "include", include)
        source = BUILD / "tests/abi/header_checks.cpp"
        command = (os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only", "-I", include, source)
        self.assertEqual(self.status(*command), 0, self.said)
        header = include / "mpi.h"
        text, places = re.subn(r"(int MPI_Send\()const ", r"\1", header.read_text())
        self.assertEqual(places, 1)
        header.write_text(text)
        self.assertNotEqual(self.status(*command), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
