#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests what lies around the Fortran library: wrappers, pkg-config, FindMPI, symbols, and programs
linked wrongly.

Usage: test_tools.py SOURCE BUILD [unittest options]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
LIBRARY = BUILD / "lib" / "libmpifort_abi.so.1"
HELLO = """program hello
  use mpi_f08
  integer :: a(2)
  call MPI_Init()
  a = 1
  call MPI_Allreduce(MPI_IN_PLACE, a, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF)
  print '(a)', 'hello'
  call MPI_Finalize()
end program hello
"""


class Tools(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "hello.f90").write_text(HELLO, encoding="utf-8")

    def run_here(self, *command, **more):
        names = ("TESSERA_FC", "OMPI_FC", "MPICH_FC")
        environment = {k: v for k, v in os.environ.items() if k not in names} | more
        return subprocess.run([str(word) for word in command], cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=240, check=False)

    def wrapper(self, *words, name="mpifort", **more):
        return self.run_here(BUILD / "bin" / name, *words, **more)

    def output(self, *words, **more):
        run = self.wrapper(*words, **more)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout.strip()

    def test_wrappers_answer(self):
        """req fortran 10.122, 2.27"""
        for name in ("mpifort", "mpif90", "mpif77", "mpifort_abi"):
            compiling = self.output("-showme:compile", name=name).split()
            self.assertTrue(all(word.startswith("-I") for word in compiling), compiling)
            self.assertIn("-lmpifort_abi -lmpi_abi", self.output("-showme:link", name=name))
            self.assertIn("-lmpifort_abi", self.output("-show", "a.f90", name=name))
            self.assertEqual(self.output("-showme:libs", name=name), "mpifort_abi mpi_abi")
        self.assertTrue((pathlib.Path(self.output("-showme:modules")) / "mpi_f08.mod").exists())
        self.assertEqual(self.output("-showme:command", TESSERA_FC="some-fortran"), "some-fortran")

    def test_a_program_compiles_and_runs(self):
        """req fortran 9.107"""
        self.output("hello.f90", "-o", "hello")
        run = self.run_here(BUILD / "bin" / "mpiexec", "-n", "1", "./hello")
        self.assertEqual((run.stdout, run.stderr), ("hello\n", ""))

    def test_the_programs_of_the_document_run(self):
        text = (SOURCE / "docs/fortran.md").read_text(encoding="utf-8")
        programs = re.findall(r"^```fortran\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(programs), 3)
        for number, program in enumerate(programs):
            name = f"document{number}." + ("f" if program.startswith("      ") else "f90")
            (self.folder / name).write_text(program, encoding="utf-8")
            self.output(name, "-o", "document")
            run = self.run_here(BUILD / "bin" / "mpiexec", "--timeout", "100", "-n", "3", "./document")
            self.assertEqual((run.returncode, run.stderr, len(run.stdout.splitlines())), (0, "", 3))

    def test_wide_integers_are_refused(self):
        """req fortran 2.26"""
        for option in ("-fdefault-integer-8", "-finteger-4-integer-8"):
            run = self.wrapper(option, "hello.f90")
            self.assertEqual(run.returncode, 2)
            self.assertIn("64 bits", run.stderr)

    def test_wide_integers_are_refused_by_mpif_h(self):
        """req fortran 2.26: where no wrapper sees the option"""
        (self.folder / "old.f90").write_text("program old\ninclude 'mpif.h'\nend program\n", encoding="utf-8")
        command = self.output("-show", "-c", "old.f90").split()
        self.assertEqual(self.run_here(*command).returncode, 0)
        run = self.run_here(*command, "-fdefault-integer-8")
        self.assertNotEqual(run.returncode, 0)
        line = int(re.search(r"mpif\.h:(\d+)", run.stderr)[1])
        header = pathlib.Path(self.output("-showme:modules")) / "mpif.h"
        self.assertIn("TESSERA_INTEGER_HAS_32_BITS", header.read_text(encoding="utf-8").splitlines()[line - 1])

    def test_kinds_of_one_call_are_the_same(self):
        """req fortran 10.118"""
        call = "MPI_Pack_size(1_MPI_COUNT_KIND, MPI_INTEGER, MPI_COMM_SELF, n)"
        text = "program kinds\n  use mpi_f08\n  integer{} :: n\n  call " + call + "\nend program kinds\n"
        for kind, expected in (("", 1), ("(MPI_COUNT_KIND)", 0)):
            (self.folder / "kinds.f90").write_text(text.format(kind), encoding="utf-8")
            run = self.wrapper("-c", "kinds.f90")
            self.assertEqual(run.returncode, expected, run.stderr)
            self.assertEqual("no specific subroutine" in run.stderr, expected == 1)

    def test_a_compiler_without_modules_is_named(self):
        """req fortran 9.108, 10.121"""
        other = self.folder / "other-fortran"
        other.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
        other.chmod(0o755)
        run = self.wrapper("hello.f90", TESSERA_FC=str(other))
        self.assertEqual(run.returncode, 3)
        self.assertIn("--build-modules makes them", run.stderr)

    def test_pkg_config(self):
        """req fortran 10.124"""
        text = (BUILD / "api" / "wrappers" / "tessera-fortran.pc").read_text(encoding="utf-8")
        flags = re.search(r"^Cflags: (.*)$", text, re.MULTILINE)[1].split()
        self.assertTrue(all(word.startswith("-I") for word in flags), flags)
        self.assertIn("-lmpifort_abi -lmpi_abi", text)
        self.assertIn("moduledir=", text)

    def symbols(self, library):
        run = self.run_here("nm", "-D", "--defined-only", library)
        return {line.split()[2].split("@")[0] for line in run.stdout.splitlines()}

    def test_symbols(self):
        """req fortran 1.17, 10.119"""
        names = self.symbols(LIBRARY)
        strange = [name for name in names if not re.match(r"(p?mpix?_|__tessera_mpi_|MPI_F_|MPI_F08_)", name)]
        self.assertEqual(strange, [])
        procedures = {name for name in names if name.startswith("mpi_") and re.search(r"_f08(ts)?_$", name)}
        self.assertEqual({name for name in procedures if "p" + name not in names}, set())
        self.assertGreater(len(procedures), 500)

    def test_predefined_callbacks_are_symbols(self):
        """req fortran 10.120"""
        ends = [f"{kind}_{name}_fn_" for kind in ("comm", "type", "win") for name in ("null_copy", "dup", "null_delete")]
        ends += ["null_copy_fn_", "dup_fn_", "null_delete_fn_", "conversion_fn_null_", "conversion_fn_null_c_"]
        self.assertEqual({f"mpi_{end}" for end in ends} - self.symbols(LIBRARY), set())

    def test_c_programs_need_no_fortran(self):
        """req fortran 9.109"""
        needed = self.run_here("readelf", "-d", BUILD / "lib" / "libmpi_abi.so.1").stdout
        self.assertNotIn("fortran", needed)
        wanted = self.run_here("nm", "-D", "--undefined-only", LIBRARY).stdout
        self.assertEqual(re.findall(r"_ZN?\w*7tessera\w*", wanted), [])

    def test_separate_special_arguments_are_told(self):
        """req fortran 4.55, 4.56"""
        self.output("hello.f90", "-o", "hello")
        library = self.folder / "lib"
        library.mkdir()
        self.relink(library)
        run = self.run_here("./hello", LD_LIBRARY_PATH=f"{library}:{BUILD}/lib")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("different copies of MPI_IN_PLACE", run.stderr)

    def relink(self, folder):
        """The library as a packager with -Bsymbolic would link it."""
        objects = (BUILD / "tests" / "fortran" / "objects.txt").read_text(encoding="utf-8").split()
        linked = self.run_here("g++", "-shared", "-Wl,-Bsymbolic", "-Wl,-soname,libmpifort_abi.so.1", "-o",
                               folder / "libmpifort_abi.so.1", *objects, "-Wl,--whole-archive",
                               BUILD / "lib" / "tessera" / "fortran" / "libtessera_fortran_c.a", "-Wl,--no-whole-archive",
                               f"-L{BUILD}/lib", "-lmpi_abi", "-lgfortran")
        self.assertEqual(linked.returncode, 0, linked.stderr)

    def test_modules_for_another_compiler(self):
        """req fortran 9.108, 10.121"""
        prefix = self.folder / "a prefix"
        for part in ("include", "core", "api", "fortran", "components"):
            run = self.run_here("cmake", "--install", BUILD / part, "--prefix", prefix)
            self.assertEqual(run.returncode, 0, run.stderr)
        shutil.rmtree(next((prefix / "lib/tessera/fortran").glob("gfortran-*")))
        mpifort = prefix / "bin" / "mpifort"
        self.assertIn("--build-modules makes them", self.run_here(mpifort, "hello.f90").stderr)
        run = self.run_here(mpifort, "--build-modules")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        run = self.run_here(mpifort, "hello.f90", "-o", "hello")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("a prefix/lib/tessera/fortran/gfortran-", self.run_here("ldd", "./hello").stdout)
        self.assertEqual(self.run_here("./hello").stdout, "hello\n")

    def test_find_mpi(self):
        """req fortran 10.123"""
        (self.folder / "CMakeLists.txt").write_text("""cmake_minimum_required(VERSION 3.20)
project(probe LANGUAGES C Fortran)
set(MPI_DETERMINE_Fortran_CAPABILITIES ON)
find_package(MPI REQUIRED COMPONENTS C Fortran)
foreach(name HAVE_F77_HEADER HAVE_F90_MODULE HAVE_F08_MODULE F77_HEADER_SUBARRAYS F90_MODULE_SUBARRAYS F08_MODULE_SUBARRAYS
    F08_MODULE_ASYNCPROT)
  message(STATUS "${name}=${MPI_Fortran_${name}}")
endforeach()
add_executable(hello hello.f90)
target_link_libraries(hello MPI::MPI_Fortran)
""", encoding="utf-8")
        run = self.run_here("cmake", "-S", ".", "-B", "b", f"-DMPI_HOME={BUILD}", f"-DMPIEXEC_EXECUTABLE={BUILD}/bin/mpiexec",
                            f"-DMPI_Fortran_COMPILER={BUILD}/bin/mpifort", f"-DMPI_C_COMPILER={BUILD}/bin/mpicc")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for name in ("HAVE_F77_HEADER", "HAVE_F90_MODULE", "HAVE_F08_MODULE", "F08_MODULE_SUBARRAYS", "F08_MODULE_ASYNCPROT"):
            self.assertRegex(run.stdout, rf"{name}=(TRUE|YES|ON|1)\b")
        for name in ("F77_HEADER_SUBARRAYS", "F90_MODULE_SUBARRAYS"):
            self.assertRegex(run.stdout, rf"{name}=(FALSE|NO|OFF|0)\b")
        run = self.run_here("cmake", "--build", "b")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(self.run_here("b/hello").stdout, "hello\n")


if __name__ == "__main__":
    unittest.main()
