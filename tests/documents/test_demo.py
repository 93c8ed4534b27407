# SPDX-License-Identifier: BSD-3-Clause
"""Runs examples/demo with what `./dev demo` builds and nothing else.

Usage: test_demo.py SOURCE BUILD COMPONENT...
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
COMPONENTS = sys.argv[1:]
del sys.argv[1:]


class Demo(unittest.TestCase):
    def setUp(self):
        self.prefix = pathlib.Path(tempfile.mkdtemp())
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.prefix], check=True, capture_output=True)
        for component in (self.prefix / "lib/tessera").glob("*.so"):
            if component.stem not in COMPONENTS:
                component.unlink()
        (self.prefix / "lib/libtessera-check.so").unlink()
        (self.prefix / "bin/tessera-carrier").unlink()

    def tearDown(self):
        shutil.rmtree(self.prefix)

    def test_what_was_chosen(self):
        run = subprocess.run([SOURCE / "examples/demo", self.prefix], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        chosen = [line.split(";")[0].strip() for line in run.stdout.splitlines() if "messages by" in line]
        self.assertEqual(chosen[0].split()[:3], ["messages", "by", "sm"], run.stdout)
        self.assertEqual(chosen[1].split()[:3], ["messages", "by", "tcp"], run.stdout)
        self.assertIn("MPI_Allreduce by basic, ring", run.stdout)
        self.assertIn("all three agree", run.stdout)
        self.assertNotIn("nobody", run.stdout)


if __name__ == "__main__":
    unittest.main()
