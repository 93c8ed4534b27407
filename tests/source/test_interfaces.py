# SPDX-License-Identifier: BSD-3-Clause
"""The lock on the plug-in interfaces: what counts as a change, and what does not.

Usage: test_interfaces.py SOURCE
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))


class Interfaces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "include" / "tessera", self.tree / "include" / "tessera")

    def run_check(self, *options):
        return subprocess.run([sys.executable, ROOT / "tools" / "check-interfaces", *options, self.tree], capture_output=True,
                              text=True)

    def edit(self, header, old, new):
        path = self.tree / "include" / "tessera" / header
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def raise_number(self, header):
        path = self.tree / "include" / "tessera" / header
        path.write_text(re.sub(r"(#define TESSERA_INTERFACE_\w+) (\d+)", lambda m: f"{m[1]} {int(m[2]) + 1}", path.read_text()))

    def changed(self):
        """The frameworks that the check names as changed without their number."""
        run = self.run_check()
        names = re.findall(r"headers of framework (\w+) changed", run.stdout)
        self.assertEqual(run.returncode, 1 if run.stdout else 0)
        return names

    def test_the_tree_is_as_locked(self):
        run = self.run_check()
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_comments_and_layout_do_not_count(self):
        self.edit("btl.h", "class Endpoint {\n", "class   Endpoint  // a way\n/* to one\npeer */ {\n\n")
        self.edit("btl.h", "// One way out of this process.", "// The way out of this \"process.")
        self.assertEqual(self.changed(), [])

    def test_a_token_counts_for_all_who_include_it(self):
        self.edit("btl.h", "kMaxHeader = 64", "kMaxHeader = 65")
        self.assertEqual(self.changed(), ["btl", "pml"])

    def test_what_all_include_counts_for_all(self):
        self.edit("status.h", "  ok = 0,", "  ok = 0, odd,")
        self.assertEqual(self.changed(), ["boot", "btl", "coll", "io", "op", "osc", "pml", "topo"])

    def test_text_counts(self):
        self.edit("component.h", '#define TESSERA_NOTE_OWNER "Tessera"', '#define TESSERA_NOTE_OWNER "// sera"')
        self.assertEqual(len(self.changed()), 8)

    def test_with_its_number_only_the_lock_is_missing(self):
        self.edit("topo.h", "int nodes;", "long nodes;")
        self.assertEqual(self.changed(), ["topo"])
        self.assertEqual(self.run_check("--update").returncode, 1, "it must not be locked as it is")
        self.raise_number("topo.h")
        self.assertEqual(self.changed(), [])
        self.assertIn("--update", self.run_check().stdout)
        self.assertEqual(self.run_check("--update").returncode, 0)
        self.assertEqual(self.run_check().stdout, "")

    def test_one_raise_covers_all_changes_of_a_commit(self):
        git = ["git", "-C", self.tree, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
            subprocess.run([*git, *command], check=True, capture_output=True)
        for wider in ("long nodes;", "long long nodes;"):
            self.edit("topo.h", "int nodes;" if wider == "long nodes;" else "long nodes;", wider)
            if wider == "long nodes;":
                self.raise_number("topo.h")
            self.assertEqual(self.changed(), [])
            self.assertEqual(self.run_check("--update").returncode, 0)
            self.assertEqual(self.run_check().stdout, "")
        subprocess.run([*git, "commit", "-q", "-a", "-m", "second"], check=True, capture_output=True)
        self.edit("topo.h", "long long nodes;", "short nodes;")
        self.assertEqual(self.changed(), ["topo"])

    def test_a_number_does_not_shrink(self):
        path = self.tree / "include" / "tessera" / "pml.h"
        path.write_text(re.sub(r"(TESSERA_INTERFACE_pml) \d+", r"\1 1", path.read_text()) + "int more;\n")
        self.assertEqual(self.changed(), ["pml"])


if __name__ == "__main__":
    unittest.main()
