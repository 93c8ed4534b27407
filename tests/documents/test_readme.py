# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of README.md against a prefix that was installed and then moved.

Usage: test_readme.py SOURCE BUILD
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

# Commands that set up or build everything: they are how this test itself came to run.
ELSEWHERE = {"./dev demo", "./dev test", "cmake -B build -DCMAKE_BUILD_TYPE=Release", "cmake --build build -j",
             'cmake --install build --prefix "$PREFIX"'}


def commands():
    for block in re.findall(r"```sh\n(.*?)```", (SOURCE / "README.md").read_text(), re.S):
        for line in block.splitlines():
            command = re.sub(r"\s+#.*", "", line).strip()
            if command:
                yield command


class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp())
        first = cls.scratch / "installed"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", first], check=True, capture_output=True)
        cls.prefix = cls.scratch / "moved here"
        first.rename(cls.prefix)
        (cls.scratch / "examples").symlink_to(SOURCE / "examples")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.scratch)

    def run_command(self, command):
        environment = {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "PREFIX": str(self.prefix), "HOME": str(self.scratch)}
        quoted = command.replace("$PREFIX/bin", '"$PREFIX"/bin')
        return subprocess.run(["timeout", "-k", "5", "60", "sh", "-c", quoted], cwd=self.scratch, env=environment,
                              capture_output=True, text=True)

    def test_every_command(self):
        ran = 0
        for command in commands():
            if command in ELSEWHERE:
                continue
            ran += 1
            with self.subTest(command=command):
                run = self.run_command(command)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                if "hello" in command and "mpicc" not in command:
                    self.assertIn("rank", run.stdout.lower())
                if "--explain" not in command:
                    self.assertEqual(run.stderr, "")
        self.assertGreater(ran, 8)

    def test_dev_knows_its_commands(self):
        help_text = subprocess.run([SOURCE / "dev", "help"], capture_output=True, text=True, check=True).stdout
        for command in ("demo", "test", "bench", "check", "format"):
            self.assertIn(f"./dev {command}", help_text)


if __name__ == "__main__":
    unittest.main()
