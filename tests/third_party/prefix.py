# SPDX-License-Identifier: BSD-3-Clause
"""What a third party has: an installed prefix, a compiler, an empty folder. Shared by the tests of
this folder.

Usage of each test: test_NAME.py SOURCE BUILD [unittest options]
"""
import atexit
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
EXAMPLES = SOURCE / "examples" / "plugins"
PROGRAM = SOURCE / "tests" / "plugins" / "sum.c"
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror"


class ThirdParty(unittest.TestCase):
    """One prefix for all; a scratch folder, which is also $HOME, per test."""

    compiled = {}  # (compiler, text of the source) -> shared object
    root = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, root)
    prefix, program = root / "prefix", root / "sum"

    @classmethod
    def setUpClass(cls):
        if not cls.prefix.exists():
            subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True)
            subprocess.run([cls.prefix / "bin" / "mpicc", PROGRAM, "-o", cls.program], check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = pathlib.Path(folder.name)

    def run_here(self, *command, expect=0, **more):
        environment = {"PATH": f"{self.prefix}/bin:/usr/bin:/bin", "HOME": str(self.scratch),
                       "PKG_CONFIG_PATH": f"{self.prefix}/lib/pkgconfig", **more}
        run = subprocess.run(["timeout", "-k", "5", "280", *map(str, command)], cwd=self.scratch, env=environment,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, expect, f"{command}\n{run.stdout}{run.stderr}")
        return run

    def compile(self, source, folder=None, compiler="g++"):
        """One compiler line; the .so is named as the manifest in the source says, and lies in
        `folder`."""
        text = source.read_text()
        start = text.index("\nTESSERA_COMPONENT(") + len("\nTESSERA_COMPONENT(")
        framework, name = (word.strip() for word in text[start:].split(",")[:2])
        folder = folder or self.scratch
        folder.mkdir(parents=True, exist_ok=True)
        plugin = folder / f"tessera_{framework}_{name}.so"
        if (compiler, text) not in self.compiled:
            self.compiled[compiler, text] = self.root / f"{len(self.compiled)}.so"
            self.run_here("sh", "-c", f"{compiler} {WARNINGS} {source} $(pkg-config --cflags --libs tessera) -o "
                          f"{self.compiled[compiler, text]}")
        shutil.copy(self.compiled[compiler, text], plugin)
        return plugin

    def edited(self, source, *changes):
        """A copy of a source file with changes (old, new)."""
        text = source.read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        copy = self.scratch / f"edited_{source.name}"
        copy.write_text(text)
        return copy

    def keeps_the_contract(self, framework, plugin):
        run = self.run_here("tessera-contract-test", framework, plugin)
        self.assertIn("[  PASSED  ]", run.stdout)

    def job(self, *options, ranks=2, path=None, **more):
        where = ["--mca", "mca_component_path", f"{path}:SYSTEM"] if path else []
        return self.run_here("mpiexec", "-n", ranks, *where, *options, self.program, **more)
