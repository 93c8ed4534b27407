#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests mpicc and mpicxx: check_wrappers.py BUILD_BIN INSTALL_FORM LIBDIR C_COMPILER CXX_COMPILER.

BUILD_BIN is the folder of the build tree's wrappers, INSTALL_FORM that of the wrappers as they get
installed, and LIBDIR the name of the library folder inside a prefix. The compilers are those of the
build.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD_BIN, INSTALL_FORM = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
LIBDIR, C_COMPILER, CXX_COMPILER = sys.argv[3:6]
COMPILER_VARIABLES = [p + s for p in ("TESSERA_", "OMPI_", "MPICH_") for s in ("CC", "CXX")]

# Stands in for a compiler: prints each argument on a line of its own.
FAKE_COMPILER = "#!/bin/sh\nfor word in \"$@\"; do printf '%s\\n' \"<$word>\"; done\nexit 7\n"


class Wrappers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera wrappers "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.prefix = self.folder / "a prefix"
        shutil.copytree(INSTALL_FORM, self.prefix / "bin", symlinks=True)
        self.include, self.lib = self.prefix / "include", self.prefix / LIBDIR
        self.fake = self.folder / "fakecc"
        self.fake.write_text(FAKE_COMPILER, encoding="utf-8")
        self.fake.chmod(0o755)
        self.link_options = [f"-L{self.lib}", f"-Wl,-rpath,{self.lib}", "-lmpi_abi"]

    def run_wrapper(self, *words, wrapper="mpicc", environment=None, bin_folder=None, **options):
        env = {k: v for k, v in os.environ.items() if k not in COMPILER_VARIABLES}
        env.update(environment or {})
        command = [str((bin_folder or self.prefix / "bin") / wrapper), *words]
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=240, check=False, **options)

    def output(self, *words, **options):
        result = self.run_wrapper(*words, **options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def passed(self, *words, **options):
        """The arguments that the compiler gets."""
        result = self.run_wrapper(*words, environment={"TESSERA_CC": "./fakecc"}, cwd=self.folder, **options)
        self.assertEqual(result.returncode, 7, result.stderr)
        return [line[1:-1] for line in result.stdout.splitlines()]

    def test_link_command_has_everything(self):
        self.assertEqual(self.passed("a.c", "-o", "a"), [f"-I{self.include}", "a.c", "-o", "a", *self.link_options])

    def test_compile_only_links_nothing(self):
        for option in ("-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"):
            self.assertEqual(self.passed(option, "a.c"), [f"-I{self.include}", option, "a.c"])

    def test_no_input_links_nothing(self):
        self.assertEqual(self.passed("--version"), [f"-I{self.include}", "--version"])

    def test_standard_input_is_an_input(self):
        self.assertEqual(self.passed("-xc", "-")[-3:], self.link_options)

    def test_arguments_pass_intact(self):
        words = ['-DNAME="two words"', "-DEMPTY=", "", "it's.c", "a b.c", "$HOME", "*", "\\n", "-DQ='x'"]
        self.assertEqual(self.passed(*words), [f"-I{self.include}", *words, *self.link_options])

    def test_exit_status_is_the_compilers(self):
        self.assertEqual(self.run_wrapper("x.c", environment={"OMPI_CC": "false"}).returncode, 1)

    def test_show_prints_a_command_the_shell_reads_back(self):
        for option in ("-show", "--show", "-showme", "--showme"):
            words = shlex.split(self.output("-DX='a b'", option, "it's a.c"))
            self.assertEqual(words, [os.path.basename(C_COMPILER), f"-I{self.include}", "-DX='a b'", "it's a.c",
                                     *self.link_options])

    def test_show_alone_prints_the_link_command(self):
        self.assertEqual(shlex.split(self.output("-show"))[1:], [f"-I{self.include}", *self.link_options])

    def test_show_for_compiling_only(self):
        self.assertEqual(shlex.split(self.output("-show", "-c", "a.c"))[1:], [f"-I{self.include}", "-c", "a.c"])

    def test_questions(self):
        compiler = os.path.basename(C_COMPILER)
        answers = {
            "-showme:compile": [f"-I{self.include}"],
            "-showme:link": self.link_options,
            "-showme:incdirs": [str(self.include)],
            "-showme:libdirs": [str(self.lib)],
            "-showme:libs": ["mpi_abi"],
            "-showme:command": [compiler],
            "--showme:compile": [f"-I{self.include}"],
            "--showme:link": self.link_options,
            "-compile-info": [compiler, f"-I{self.include}", "-c"],
            "-compile_info": [compiler, f"-I{self.include}", "-c"],
            "-link-info": [compiler, *self.link_options],
            "-link_info": [compiler, *self.link_options],
        }
        for question, answer in answers.items():
            self.assertEqual(shlex.split(self.output(question)), answer, question)

    def test_version_and_help(self):
        self.assertRegex(self.output("-showme:version"), r"^mpicc: Tessera \d+\.\d+\.\d+ \(language: C\)\n$")
        for option in ("-help", "--help", "-showme:help", "--showme:help"):
            self.assertIn("-showme:link", self.output(option))

    def test_compiler_by_option(self):
        environment = {"TESSERA_CC": "other"}
        words = self.output("-cc=ccache gcc", "-show", "a.c", environment=environment)
        self.assertEqual(shlex.split(words)[:4], ["ccache", "gcc", f"-I{self.include}", "a.c"])
        self.assertEqual(self.output("-showme:command", "-cc=tcc").strip(), "tcc")
        self.assertEqual(self.output("-cxx=clang++", "-showme:command", wrapper="mpicxx").strip(), "clang++")
        result = self.run_wrapper("-cc=./fakecc", "it's.c", "-c", cwd=self.folder)
        self.assertEqual((result.returncode, result.stdout.splitlines()[1:]), (7, ["<it's.c>", "<-c>"]))
        result = self.run_wrapper("-cc=", "a.c")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"as in -cc={os.path.basename(C_COMPILER)}", result.stderr)

    def test_unknown_question_is_refused(self):
        result = self.run_wrapper("-showme:nonsense")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown option -showme:nonsense", result.stderr)

    def test_compiler_variables_and_their_order(self):
        every = {"TESSERA_CC": "one", "OMPI_CC": "two", "MPICH_CC": "three"}
        for name in list(every):
            self.assertEqual(self.output("-showme:command", environment=every).strip(), every[name])
            del every[name]
        words = self.output("-show", wrapper="mpicxx", environment={"TESSERA_CXX": "ccache g++", "TESSERA_CC": "no"})
        self.assertEqual(shlex.split(words)[:2], ["ccache", "g++"])

    def test_names_of_the_cxx_wrapper(self):
        for name in ("mpicxx", "mpic++", "mpiCC"):
            self.assertEqual(self.output("-showme:command", wrapper=name).strip(), os.path.basename(CXX_COMPILER))
            self.assertIn("(language: C++)", self.output("-showme:version", wrapper=name))

    def test_found_through_links_and_the_path(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "link1").symlink_to("link2")
        (elsewhere / "link2").symlink_to(self.prefix / "bin" / "mpicc")
        self.assertEqual(self.output("-showme:incdirs", wrapper="link1", bin_folder=elsewhere).strip("'\n"),
                         str(self.include))
        result = subprocess.run(["mpicc", "-showme:incdirs"], env={"PATH": f"{self.prefix / 'bin'}:{os.environ['PATH']}"},
                                capture_output=True, text=True, timeout=240, check=True)
        self.assertEqual(result.stdout.strip("'\n"), str(self.include))

    def test_moved_prefix(self):
        moved = self.folder / "moved"
        self.prefix.rename(moved)
        self.assertEqual(self.output("-showme:libdirs", bin_folder=moved / "bin").strip("'\n"), str(moved / LIBDIR))

    def test_real_programs_in_the_build_tree(self):
        source = self.folder / "version of mpi.c"
        source.write_text('#include <mpi.h>\n#include <stdio.h>\nint main(void) { int a, b; MPI_Get_version(&a, &b);\n'
                          'printf("%s %d.%d", GREETING, a, b); return 0; }\n', encoding="utf-8")
        for wrapper, options in (("mpicc", []), ("mpicxx", ["-x", "c++"])):
            program = self.folder / f"{wrapper} program"
            # Sanitized libraries come with their own options for the compiler.
            extra = shlex.split(os.environ.get("TESSERA_TEST_FLAGS", ""))
            self.output(*extra, *options, '-DGREETING="two words"', str(source), "-o", str(program), wrapper=wrapper,
                        bin_folder=BUILD_BIN, environment={"TESSERA_CC": C_COMPILER, "TESSERA_CXX": CXX_COMPILER})
            run = subprocess.run([str(program)], capture_output=True, text=True, timeout=240, check=True)
            self.assertEqual((run.stdout, run.stderr), ("two words 5.0", ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
