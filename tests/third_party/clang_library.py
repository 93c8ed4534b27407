# SPDX-License-Identifier: BSD-3-Clause
"""Builds the library with clang++ and runs the examples of clang++ and of g++ in it.

Usage: clang_library.py SOURCE. Exit status 77: there is no clang++ here.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[1])
if not shutil.which("clang++"):
    print("skipped: there is no clang++ here")
    sys.exit(77)
with tempfile.TemporaryDirectory() as build:
    options = [f"-DTESSERA_BUILD_{part}=OFF" for part in ("TESTS", "BENCH", "EXAMPLES")]
    if shutil.which("ccache"):
        options += [f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX")]
    subprocess.run(["cmake", "-S", source, "-B", build, "-DCMAKE_C_COMPILER=clang", "-DCMAKE_CXX_COMPILER=clang++", *options],
                   check=True)
    subprocess.run(["cmake", "--build", build, "-j", str(os.cpu_count())], check=True)
    test = pathlib.Path(__file__).parent / "test_compilers.py"
    sys.exit(subprocess.run([sys.executable, "-B", test, source, build]).returncode)
