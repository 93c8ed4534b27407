# SPDX-License-Identifier: BSD-3-Clause
"""Does what docs/writing-a-component.md says, with nothing but an installed prefix: an empty
environment, an empty folder.

Usage: test_writing_a_component.py SOURCE BUILD

Blocks of the document: ```sh is run; a block after `<!-- file: NAME -->` is written to that file;
```text after a command is compared with what it printed: each line must be there, white space and
`...` aside.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
BLOCK = re.compile(r"(?:<!-- file: (\S+) -->\n)?```(\w+)\n(.*?)```", re.S)


def plain(text):
    return " ".join(text.split())


def names(text, folder):
    """Whether a text has the absolute path of a folder, or of something below it: "lib/tessera" is
    not "/tessera"."""
    return re.search(rf"(?:^|[^\w}}./-]|-[IL]){re.escape(str(folder))}(?![\w.-])", text, re.M) is not None


class Paths(unittest.TestCase):
    def test_paths_are_told_from_parts_of_paths(self):
        for text in ("/tessera", 'set(X "/tessera")', "-I/tessera/include", "a;/tessera/b", "x=/tessera\ny"):
            self.assertTrue(names(text, "/tessera"), text)
        for text in ("lib/tessera", '"${PREFIX}/lib/tessera"', "${PREFIX}/tessera", "../tessera/x", "/tessera-2", "/tessera.so"):
            self.assertFalse(names(text, "/tessera"), text)


class WritingAComponent(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        installed = self.root / "installed"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", installed], check=True, capture_output=True)
        self.prefix = self.root / "prefix"
        installed.rename(self.prefix)
        self.scratch = self.root / "scratch"
        self.scratch.mkdir()

    def run_block(self, commands):
        settings = {"PATH": f"{self.prefix}/bin:/usr/bin:/bin", "HOME": str(self.scratch), "PREFIX": str(self.prefix),
                    "PKG_CONFIG_PATH": f"{self.prefix}/lib/pkgconfig"}
        environment = [f"{name}={value}" for name, value in settings.items()]
        return subprocess.run(["timeout", "-k", "5", "100", "env", "-i", *environment, "sh", "-euc", commands], cwd=self.scratch,
                              capture_output=True, text=True)

    def expect_lines(self, shown, output):
        for line in shown.splitlines():
            for part in line.split("..."):
                self.assertIn(plain(part), plain(output))

    def test_from_nothing_to_an_allreduce(self):
        output, ran = "", 0
        for file, language, content in BLOCK.findall((SOURCE / "docs" / "writing-a-component.md").read_text()):
            if file:
                (self.scratch / file).write_text(content)
            elif language == "sh":
                run = self.run_block(content)
                output, ran = run.stdout + run.stderr, ran + 1
                self.assertEqual(run.returncode, 0, content + output)
            elif language == "text":
                self.expect_lines(content, output)
        self.assertGreater(ran, 10)

    def test_the_prefix_knows_nothing_of_the_build(self):
        for path in (self.prefix / "lib").rglob("*.cmake"):
            for folder in (BUILD, SOURCE):
                self.assertFalse(names(path.read_text(), folder), (path, folder))


if __name__ == "__main__":
    unittest.main()
