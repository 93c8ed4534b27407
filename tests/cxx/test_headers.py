# SPDX-License-Identifier: BSD-3-Clause
"""mpicxx.h compiles without a warning in every standard from C++11 on, is what the generator
writes, and is seen by nobody who does not ask for it. Usage: test_headers.py SOURCE BUILD"""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(word) for word in sys.argv[1:3])
INCLUDE = f"-I{SOURCE}/include"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Werror"]
STANDARDS = {"g++": ["11", "14", "17", "20", "23"], "clang++": ["11", "14", "17", "20", "2b"]}


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


class Headers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def quiet(self, *command):
        done = run(*command)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_programs_compile_as_every_standard(self):
        """All calls; with the first and last standard, callbacks, exceptions, attributes too."""
        calls = BUILD / "tests/cxx/calls.cpp"
        programs = [SOURCE / f"tests/cxx/{name}.cpp" for name in ("callbacks", "objects")]
        commands = [(compiler, f"-std=c++{standard}", *WARNINGS, "-DTESSERA_CXX_BINDINGS", "-fsyntax-only", INCLUDE, source)
                    for compiler, standards in STANDARDS.items() if shutil.which(compiler)
                    for standard in standards
                    for source in [calls, *(programs if standard in (standards[0], standards[-1]) else [])]]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for command, done in zip(commands, pool.map(lambda command: run(*command), commands)):
                with self.subTest(compiler=command[0], standard=command[1], source=command[-1].name):
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_each_header_compiles_alone_and_without_exceptions(self):
        for path in sorted((SOURCE / "include/mpicxx").glob("*.h")):
            with self.subTest(path.name):
                source = self.write("alone.cpp", f'#include "mpicxx/{path.name}"\n')
                self.quiet("g++", "-std=c++11", *WARNINGS, "-Wno-unused-function", "-fsyntax-only", "-fno-exceptions", INCLUDE, source)

    def test_nobody_sees_it_who_does_not_ask(self):
        seen = {}
        for name, options in {"without": ["-x", "c++"], "c": ["-x", "c", "-DTESSERA_CXX_BINDINGS"],
                              "strict": ["-x", "c++", "-DTESSERA_STRICT_ABI", "-DTESSERA_CXX_BINDINGS"],
                              "with": ["-x", "c++", "-DTESSERA_CXX_BINDINGS"]}.items():
            seen[name] = run("g++", *options, "-E", INCLUDE, SOURCE / "include/mpi.h").stdout
        for name in ("without", "c", "strict"):
            self.assertNotIn("mpicxx", seen[name])
            self.assertNotIn("namespace MPI", seen[name])
            self.assertIn("MPI_Send", seen[name])
        self.assertIn("namespace MPI", seen["with"])

    def test_objects_of_two_standards_are_the_same(self):
        objects = []
        for standard in ("11", "20"):
            source = self.write(f"{standard}.cpp", "#include <mpicxx.h>\n"
                                f"const void* place_{standard}() {{ return &MPI::COMM_WORLD; }}\n")
            objects.append(source.with_suffix(".o"))
            self.quiet("g++", f"-std=c++{standard}", "-c", INCLUDE, source, "-o", objects[-1])
        main = self.write("main.cpp", "const void* place_11();\nconst void* place_20();\n"
                          "int main() { return place_11() != place_20(); }\n")
        program = self.folder / "program"
        self.quiet("g++", main, *objects, f"-L{BUILD}/lib", f"-Wl,-rpath,{BUILD}/lib", "-lmpi_abi", "-o", program)
        self.quiet(program)

    def test_headers_are_what_the_generator_writes(self):
        if shutil.which("clang-format-14") is None:
            self.skipTest("clang-format-14 is missing")
        done = run(sys.executable, "-B", SOURCE / "tools/bindings/generate_cxx", "--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_the_wrapper_takes_the_definition(self):
        source = self.write("old.cpp", '#include "mpi.h"\nint main(int argc, char** argv) { MPI::Init(argc, argv); MPI::Finalize(); }\n')
        program = self.folder / "old"
        without = run(BUILD / "bin/mpicxx", source, "-o", program)
        self.assertNotEqual(without.returncode, 0)
        self.assertIn("MPI", without.stderr)
        self.quiet(BUILD / "bin/mpicxx", "-DTESSERA_CXX_BINDINGS", source, "-o", program)
        self.quiet(program)

    def test_extensions_may_come_first(self):
        for first, second in (("mpix.h", "mpi.h"), ("mpi.h", "mpix.h"), ("mpicxx.h", "mpix.h"), ("mpix.h", "mpicxx.h")):
            with self.subTest(first=first, second=second):
                source = self.write("first.cpp", f"#include <{first}>\n#include <{second}>\n"
                                    "const void* place() { return &MPI::COMM_WORLD; }\n"
                                    "int (*wait_for)(MPI_Request*, MPI_Status*) = MPI_Wait;\nauto exchange = MPIX_Alltoallx;\n")
                self.quiet("g++", "-std=c++11", *WARNINGS, "-DTESSERA_CXX_BINDINGS", "-fsyntax-only", INCLUDE, source)

    def test_names_of_stdio_survive_whatever_comes_first(self):
        body = ("static_assert(MPI::SEEK_SET == MPI_SEEK_SET && SEEK_SET == 0 && SEEK_END == 2, \"both\");\n"
                "#if !defined(SEEK_SET)\n#error gone\n#endif\n")
        for first, second in (("<cstdio>", "<mpicxx.h>"), ("<mpicxx.h>", "<cstdio>"), ("<mpicxx.h>", "<fcntl.h>"),
                              ("<mpicxx.h>", "<unistd.h>"), ("<fcntl.h>", "<mpicxx.h>")):
            with self.subTest(first=first, second=second):
                source = self.write("seek.cpp", f"#include {first}\n#include {second}\n{body}")
                self.quiet("g++", "-std=c++11", *WARNINGS, "-fsyntax-only", INCLUDE, source)


unittest.main(argv=sys.argv[:1])
