# SPDX-License-Identifier: BSD-3-Clause
"""tools/conformance must be able to fail: it is shown trees in which something is missing or too
much."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

REQ, EX = "req", "ex"  # this file is not to be taken for one that shows anything
TOOL = pathlib.Path(sys.argv.pop(1)) / "tools" / "conformance"


class Conformance(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tree = pathlib.Path(self.folder.name)
        (self.tree / "docs").mkdir()
        self.write("tests/mpi1/requirements/chapter2.tsv", "2.3.1\tIt works.\t\n2.3.2\tIt is so.\tdocument: why\n")
        self.write("tests/mpi1/one.c", f'const Case c[] = {{{{"{REQ} 2.3.1", "it " "works", ANY, run}}}};\n')
        self.assertEqual(self.run_tool().returncode, 0)

    def write(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_tool(self, *words):
        return subprocess.run([sys.executable, TOOL, "--root", self.tree, *words], capture_output=True, text=True,
                              timeout=240, check=False)

    def refuse(self, text):
        run = self.run_tool("--check")
        self.assertEqual(run.returncode, 1, run)
        self.assertIn(text, run.stdout)

    def test_well(self):
        self.assertEqual(self.run_tool("--check").stdout, "")
        text = (self.tree / "docs/conformance.md").read_text()
        self.assertIn("| 2.3.1 | It works. | `tests/mpi1/one.c`: it works |  |", text)

    def test_unshown(self):
        self.write("tests/mpi1/requirements/chapter3.tsv", "3.3.1\tNobody shows it.\t\n")
        self.refuse(f"{REQ} 3.3.1: neither a test nor a remark")

    def test_example(self):
        self.write("tests/mpi1/requirements/chapter3.tsv", f"{EX} 3.4\tNobody shows it.\t\n")
        self.refuse(f"{EX} 3.4: neither a test nor a remark")

    def test_unknown_tag(self):
        self.write("tests/other.py", f"# {REQ} 2.3.77\n")
        self.refuse("tests/other.py: `2.3.77` stands in no list")

    def test_other_chapter(self):
        self.write("tests/other.py", f"# {REQ} 7.3.1\n")
        self.assertEqual(self.run_tool("--check").returncode, 0)

    def test_gap(self):
        self.write("tests/mpi1/requirements/chapter2.tsv", "2.3.1\tIt works.\t\n2.3.3\tIt is so.\tdocument: why\n")
        self.refuse("2.3.2 is missing")

    def test_format(self):
        for line, text in (("2.3.x", "not `N.s.i`"), ("2.3.1\t" + "long" * 40 + "\t", "the sentence has 160 characters"),
                           ("2.3.1\tIt works.\tbecause", "a remark begins with")):
            self.write("tests/mpi1/requirements/chapter2.tsv", line + "\n")
            self.refuse(text)

    def test_outdated(self):
        self.write("tests/two.c", f"// {REQ} 2.3.1\n")
        self.refuse("docs/conformance.md is not what tools/conformance writes")


if __name__ == "__main__":
    unittest.main()
