# SPDX-License-Identifier: BSD-3-Clause
"""Programs of another MPI are named; programs of the standard ABI find this library wherever they
were linked."""
import os
import pathlib
import re
import subprocess
import tempfile
import time

import unittest

from harness import LauncherTest

CC = os.environ["TESSERA_TEST_CC"].split()
INCLUDE = os.environ["TESSERA_TEST_INCLUDE"]
FLAGS = os.environ.get("TESSERA_TEST_FLAGS", "").split()

LIBRARY = """
int MPI_Init(int* a, char*** b) { (void)a; (void)b; return 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Comm_size(void* c, int* n) { (void)c; *n = 1; return 0; }
"""
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(void) {
  int n = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  printf("size %d\\n", n);
  return MPI_Finalize();
}
"""
LATE = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** words) {
  if (count < 2 || dlopen(words[1], RTLD_NOW) == NULL) return 9;
  puts("loaded");
  fflush(stdout);
  while (getchar() != EOF) {
    puts("here");
    fflush(stdout);
  }
  return 0;
}
"""


class Strangers(LauncherTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, name, text, *words):
        source = self.folder / f"{name}.c"
        source.write_text(text)
        out = self.folder / name
        out.parent.mkdir(exist_ok=True)
        subprocess.run([*CC, *FLAGS, "-o", out, source, *map(str, words)], check=True)
        return out

    def library(self, name):
        (self.folder / "other").mkdir(exist_ok=True)
        return self.compile(f"other/{name}", LIBRARY, "-shared", "-fPIC", f"-Wl,-soname,{name}")

    def program(self, library, *words):
        return self.compile("program", PROGRAM, f"-I{INCLUDE}", library, *words)

    def expect_strangers(self, result, name):
        self.assertEqual((result.status, result.out.splitlines()), (1, ["size 1"] * 2), result)
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 2, result)
        self.assertRegex(lines[0], f"mpiexec: '.*program' will use .*{name}")
        self.assertRegex(lines[1], f"mpiexec: none of the 2 processes joined this job: they use .*{name}")

    def test_another_mpi(self):
        for name, owner in (("libmpi.so.40", "Open MPI"), ("libmpi.so.12", "MPICH"), ("libmpich.so.12", "MPICH")):
            with self.subTest(name=name):
                program = self.program(self.library(name))
                result = self.run_job("-n", 2, program, env={"LD_LIBRARY_PATH": str(self.folder / "other")})
                self.expect_strangers(result, f"{name} of {owner}")

    def test_one_process_of_another_mpi_may_be_alone(self):
        program = self.program(self.library("libmpi.so.40"))
        result = self.run_job("-n", 1, program, env={"LD_LIBRARY_PATH": str(self.folder / "other")})
        self.assertEqual((result.status, result.out), (0, "size 1\n"), result)
        self.expect_line(result, "will use libmpi.so.40")

    def finish_late(self, job):
        """mpiexec looks when it hears of a rank: rank 0, which has loaded its MPI, speaks again."""
        self.read_until(job.stdout, b"loaded\nloaded\n")
        job.stdin.write(b"x")
        job.stdin.flush()
        self.read_until(job.stdout, b"here\n")
        return self.finish(job, b"")

    def test_another_mpi_that_is_loaded_late(self):
        program = self.compile("late", LATE, "-ldl")
        job = self.start("-n", 2, program, self.library("libmpi.so.40"), stdin=subprocess.PIPE)
        result = self.finish_late(job)
        self.assertEqual(result.status, 1, result)
        self.expect_line(result, "none of the 2 processes joined this job: they use .*/libmpi.so.40 of Open MPI")

    def behind_a_script(self, *options, before=""):
        """A program that a script starts, seen while it runs."""
        program = self.compile("late", LATE, "-ldl")
        script = f"{before} {program} {self.library('libmpi.so.40')}; true"
        job = self.start("-n", 2, *options, "sh", "-c", script, stdin=subprocess.PIPE)
        return self.finish_late(job)

    # A script may do many things: that it ran such a program is told, and no failure.
    def test_another_mpi_behind_a_script(self):
        result = self.behind_a_script()
        self.assertEqual(result.status, 0, result)
        self.expect_line(result, "none of the 2 processes joined this job: they started a program that uses "
                                 ".*/libmpi.so.40 of Open MPI, and each of its processes ran alone")
        self.assertEqual(self.behind_a_script("-q").err, "")

    # mpiexec hears nothing of the program: it looks of its own accord, and finds what runs for as
    # long as it came late.
    def test_another_mpi_behind_a_silent_script(self):
        program, library = self.compile("late", LATE, "-ldl"), self.library("libmpi.so.40")
        tells, held = self.folder / "tells", self.folder / "held"
        os.mkfifo(tells)
        os.mkfifo(held)
        begin = time.monotonic()
        job = self.start("-n", 2, "sh", "-c", f"{program} {library} <{held} >{tells}; true")
        with open(held, "w", encoding="utf-8"), open(tells, encoding="utf-8") as told:
            self.assertEqual([told.readline(), told.readline()], ["loaded\n"] * 2)
            loaded, awake = time.monotonic(), self.wake_ups(job)
            self.until(lambda: time.monotonic() - loaded > 2 * (loaded - begin) and self.wake_ups(job) > awake + 1, "looks of mpiexec")
        result = self.finish(job)
        self.expect_line(result, "none of the 2 processes joined this job: they started a program that uses .*/libmpi.so.40 of Open MPI")

    @staticmethod
    def wake_ups(job):
        """How often the process behind mpiexec, its only child, has gone to sleep so far."""
        children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
        status = pathlib.Path(f"/proc/{children[0]}/status").read_text()
        return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.M)[1])

    def test_behind_a_script_of_a_launcher_of_its_own(self):
        result = self.behind_a_script(before="PMI_RANK=0")
        self.assertEqual((result.status, result.err), (0, ""), result)

    def test_no_mpi_at_all(self):
        self.expect_ok(self.run_job("-n", 3, "echo", "well"))

    def test_linked_with_stubs_of_any_origin(self):
        program = self.program(self.library("libmpi_abi.so.1"))
        for how in ((), ("-genvnone",)):
            result = self.run_job("-n", 2, *how, program)
            self.expect_ok(result)
            self.assertEqual(result.out, "size 2\n" * 2)

    def test_the_search_path_of_the_user_stays(self):
        result = self.run_job("-n", 1, "sh", "-c", "echo $LD_LIBRARY_PATH", env={"LD_LIBRARY_PATH": "/a:/b"})
        self.assertTrue(result.out.startswith("/a:/b:/"), result)

    def test_runpath_to_another_library_of_the_abi(self):
        library = self.library("libmpi_abi.so.1")
        program = self.program(library, "-Wl,--enable-new-dtags", f"-Wl,-rpath,{library.parent}")
        result = self.run_job("-n", 2, program)
        self.expect_ok(result)
        self.assertEqual(result.out, "size 2\n" * 2)

    def test_mix_ups_with_another_library_of_the_abi(self):
        library = self.library("libmpi_abi.so.1")
        with self.subTest("search path"):
            result = self.run_job("-n", 2, self.program(library), env={"LD_LIBRARY_PATH": str(library.parent)})
            self.expect_strangers(result, f"{library} of another MPI")
        with self.subTest("rpath"):
            program = self.program(library, "-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN/other")
            self.expect_strangers(self.run_job("-n", 2, program), "other/libmpi_abi.so.1 of another MPI")

    def test_quiet(self):
        program = self.program(self.library("libmpi.so.40"))
        result = self.run_job("-n", 2, "-q", program, env={"LD_LIBRARY_PATH": str(self.folder / "other")})
        self.assertEqual(result.status, 1)
        self.expect_line(result, "none of the 2 processes joined")

    def test_prefix_of_a_missing_folder(self):
        for folder, why in (("/no/such/folder", "No such file"), (__file__, "is no directory")):
            result = self.run_job("--prefix", folder, "-n", 2, "true")
            self.assertEqual(result.status, 2, result)
            self.expect_line(result, f"option --prefix: '{folder}'.* {why}")


if __name__ == "__main__":
    unittest.main(verbosity=1)
