# SPDX-License-Identifier: BSD-3-Clause
"""Programs are built as docs/building-programs.md says, beside another MPI that tools find
first."""
import shutil
import unittest

from prefix import PROGRAM, ThirdParty

CMAKE = """cmake_minimum_required(VERSION 3.20)
project(sum C)
find_package(MPI REQUIRED COMPONENTS C)
add_executable(sum sum.c)
target_link_libraries(sum PRIVATE MPI::MPI_C)
message(STATUS "mpiexec is ${MPIEXEC_EXECUTABLE}")
"""
MESON = """project('sum', 'c')
executable('sum', 'sum.c', dependencies: dependency('mpi', language: 'c'))
"""
FOREIGN_MODULE = """Name: another MPI
Description: which must not be found
Version: 1.0
Cflags: -I/another/mpi
Libs: -lanother_mpi
"""


class BuildSystems(ThirdParty):
    """The other MPI: an mpicc and an mpiexec that fail, and modules of pkg-config."""

    def setUp(self):
        super().setUp()
        (self.scratch / "sum.c").write_text(PROGRAM.read_text())
        other = self.scratch / "other"
        other.mkdir()
        for name in ("mpicc", "mpicxx", "mpiexec"):
            (other / name).write_text("#!/bin/sh\necho 'another MPI ran' >&2\nexit 1\n")
            (other / name).chmod(0o755)
        for name in ("mpi", "ompi-c", "ompi-cxx"):
            (other / f"{name}.pc").write_text(FOREIGN_MODULE)
        self.foreign = {"PATH": f"{other}:/usr/bin:/bin", "PKG_CONFIG_PATH": str(other)}

    def runs(self, program):
        self.assertEqual(self.run_here("mpiexec", "-n", 2, program).stdout, "ok\n")

    def test_cmake_with_initial_values(self):
        (self.scratch / "CMakeLists.txt").write_text(CMAKE)
        run = self.run_here("cmake", "-C", self.prefix / "share/tessera/mpi.cmake", "-S", ".", "-B", "build", **self.foreign)
        self.assertIn(f"mpiexec is {self.prefix}/bin/mpiexec", run.stdout)
        self.run_here("cmake", "--build", "build", **self.foreign)
        self.runs("build/sum")

    def test_cmake_with_mpi_home(self):
        (self.scratch / "CMakeLists.txt").write_text(CMAKE)
        run = self.run_here("cmake", f"-DMPI_HOME={self.prefix}", "-S", ".", "-B", "build", **self.foreign)
        self.assertIn(f"mpiexec is {self.prefix}/bin/mpiexec", run.stdout)

    def test_pkg_config(self):
        options = {"PATH": self.foreign["PATH"], "PKG_CONFIG_PATH": f"{self.prefix}/lib/pkgconfig:{self.foreign['PKG_CONFIG_PATH']}"}
        self.run_here("sh", "-c", "cc $(pkg-config --cflags mpi) sum.c -o sum $(pkg-config --libs mpi)", **options)
        self.runs("./sum")
        prefix = self.run_here("pkg-config", "--variable=prefix", "mpi", **options).stdout.strip()
        self.assertTrue(prefix.startswith(str(self.prefix)), prefix)
        for module in ("ompi-c", "ompi-cxx"):
            shown = [self.run_here("pkg-config", "--cflags", "--libs", name, **options).stdout for name in (module, "mpi")]
            self.assertEqual(*shown)

    def test_meson(self):
        if shutil.which("meson") is None:
            return  # not as a skipped test: the rest of this file has run
        (self.scratch / "meson.build").write_text(MESON)
        self.run_here("meson", "setup", "--pkg-config-path", f"{self.prefix}/lib/pkgconfig", "build", **self.foreign)
        self.run_here("meson", "compile", "-C", "build", **self.foreign)
        self.runs("build/sum")


if __name__ == "__main__":
    unittest.main()
