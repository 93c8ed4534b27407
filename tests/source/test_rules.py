# SPDX-License-Identifier: BSD-3-Clause
"""The rules about the source tree must be able to fail: each is shown a tree that breaks it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))


def check(rule, tree):
    return subprocess.run([sys.executable, ROOT / "tools" / f"check-{rule}", tree], capture_output=True, text=True)


class Rules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tree = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def refuse(self, rule, word):
        run = check(rule, self.tree)
        self.assertEqual(run.returncode, 1)
        self.assertIn(word, run.stdout)

    def test_component_includes_core(self):
        self.write("components/btl/x/x.cpp", '#include "core/instance.h"\n')
        self.refuse("layers", "components/btl/x/x.cpp:1")

    def test_component_includes_another_component(self):
        self.write("components/btl/x/x.cpp", '#include "components/btl/sm/ring.h"\n')
        self.refuse("layers", "components/btl/sm/ring.h")

    def test_framework_knows_mpi(self):
        self.write("framework/x.cpp", "#include <mpi.h>\n")
        self.refuse("layers", "mpi.h")

    def test_core_includes_api(self):
        self.write("core/x.h", '#include "api/env/world.h"\n')
        self.refuse("layers", "api/env/world.h")

    def test_header_that_needs_another(self):
        self.write("include/tessera/x.h", "#pragma once\nstd::size_t n;\n")
        self.refuse("headers", "x.h does not compile alone")

    def test_too_many_lines(self):
        self.write("include/tessera/x.h", "#pragma once\n" + "//\n" * 1500)
        self.refuse("headers", "1501 lines")

    def test_clean_tree(self):
        self.write("core/x.h", '#include "framework/catalog.h"\n#include "tessera/btl.h"\n')
        self.assertEqual(check("layers", self.tree).returncode, 0)


if __name__ == "__main__":
    unittest.main()
