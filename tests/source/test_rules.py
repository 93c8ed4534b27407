# SPDX-License-Identifier: BSD-3-Clause
"""The rules about the source tree must be able to fail: each is shown a tree that breaks it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))


def check(rule, *arguments):
    return subprocess.run([sys.executable, ROOT / "tools" / f"check-{rule}", *arguments], capture_output=True, text=True)


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

    def test_formats(self):
        subprocess.run(["git", "init", "-q", self.tree], check=True)
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("x.cpp", "int x = 1;\n")
        self.write("x.md", "Some words.\n")
        self.assertEqual(check("format", self.tree).stdout, "")
        self.write("y.cpp", "int  y=1;\n")
        self.refuse("format", "y.cpp:1")
        self.write("x.md", "word " * 30 + "\n")
        self.refuse("format", "x.md")
        self.assertEqual(check("format", "--fix", self.tree).returncode, 0)
        self.assertEqual((self.tree / "y.cpp").read_text(), "int y = 1;\n")
        self.assertEqual(check("format", self.tree).stdout, "")

    def test_component_includes_core(self):
        self.write("components/btl/x/x.cpp", '#include "core/engine/instance.h"\n')
        self.refuse("layers", "components/btl/x/x.cpp:1")

    def test_component_includes_another_component(self):
        self.write("components/btl/x/x.cpp", '#include "components/btl/sm/ring.h"\n')
        self.refuse("layers", "components/btl/sm/ring.h")

    def test_component_includes_another_one_beside_it(self):
        self.write("components/btl/x/x.cpp", '#include "../sm/ring.h"\n')
        self.refuse("layers", "components/btl/sm/ring.h")

    def test_component_climbs_into_core(self):
        self.write("components/btl/x/deep/x.cpp", '#include "../../../../core/engine/instance.h"\n')
        self.refuse("layers", "(core/engine/instance.h)")

    def test_component_finds_another_one_on_its_path(self):
        self.write("components/btl/x/x.cpp", '#include "ring.h"\n')
        self.write("components/btl/sm/ring.h", "")
        self.refuse("layers", "components/btl/sm/ring.h")

    def test_a_component_may_use_its_own_folders(self):
        self.write("components/btl/x/x.cpp", '#include "ring.h"\n#include "deep/y.h"\n#include "components/btl/x/deep/y.h"\n')
        self.write("components/btl/x/deep/y.h", '#include "../ring.h"\n#include <tessera/btl.h>\n#include <vector>\n')
        self.write("components/btl/x/ring.h", "")
        self.assertEqual(check("layers", self.tree).stdout, "")

    def test_tool_includes_a_component(self):
        self.write("tools/tuning/x.cpp", '#include "components/coll/basic/module.h"\n')
        self.refuse("layers", "tools/tuning/x.cpp:1")

    def test_tool_includes_the_engine(self):
        self.write("tools/x.cpp", '#include "core/engine/instance.h"\n')
        self.refuse("layers", "tools/x.cpp:1")

    def test_test_of_a_third_party_includes_the_engine(self):
        self.write("tests/third_party/x.cpp", '#include "framework/catalog.h"\n')
        self.refuse("layers", "tests/third_party/x.cpp:1")

    def test_engine_includes_a_test(self):
        self.write("core/x.cpp", '#include "tests/support/x.h"\n')
        self.refuse("layers", "core/x.cpp:1")

    def test_sdk_function_without_its_export(self):
        self.exports("")
        self.write("include/tessera/x.h", "namespace tessera {\nclass X {\n public:\n  int f(Numbers n = {}) const;\n};\n}\n")
        self.refuse("exports", "tessera::X::f: the SDK declares it")

    def test_export_without_its_sdk_function(self):
        self.exports("    tessera::X::f?*;\n")
        self.write("include/tessera/x.h", "namespace tessera {\ninline int f() { return 1; }\nclass X { virtual void f() = 0; };\n}\n")
        self.refuse("exports", "tessera::X::f: the engine exports it")

    def test_function_that_is_too_long(self):
        self.write("core/x.cpp", "class X {\n  int f(int n = 0) {\n" + "    ++n;\n" * 58 + "  }\n};\n")
        self.assertEqual(check("sizes", self.tree).stdout, "")
        self.write("core/x.cpp", "class X {\n  int f(\n    int n) {\n" + "    if (n) { n = 0; }\n" * 58 + "  }\n};\n")
        self.refuse("sizes", "core/x.cpp:2: function of 61 lines")

    def test_function_of_python_that_is_too_long(self):
        self.write("tools/x.py", "def f():\n" + "    pass\n" * 60)
        self.refuse("sizes", "tools/x.py:1: function of 61 lines")

    def test_tables_are_no_functions(self):
        rows = "      {1, row(2)},\n" * 80
        self.write("core/x.cpp", "const Row table[] = {\n" + rows + "};\nconst auto more = made({\n" + rows + "});\n"
                   "int f() {\n  static const Row inner[] = {\n" + rows + "  };\n  return g({\n" + rows + "  });\n}\n")
        self.assertEqual(check("sizes", self.tree).stdout, "")

    def test_file_that_is_too_long(self):
        self.write("api/x.h", "int f();\n" * 401)
        self.refuse("sizes", "api/x.h: file of 401 lines")
        self.write("check/x.cpp", "int f();\n" * 401)
        self.refuse("sizes", "check/x.cpp: file of 401 lines")

    def test_word_that_is_not_used(self):
        subprocess.run(["git", "init", "--quiet", self.tree], check=True)
        self.write("docs/glossary.md", (ROOT / "docs" / "glossary.md").read_text())
        self.write("core/x.cpp", "int doorbell;\n")
        self.assertEqual(check("words", self.tree).stdout, "")
        self.write("core/x.cpp", "int open_ear();\n")
        self.refuse("words", 'core/x.cpp:1: "ear"')
        self.write("docs/x.md", "A board.\n")
        self.refuse("words", 'docs/x.md:1: "board"')

    def test_comment_that_is_too_wide(self):
        subprocess.run(["git", "init", "--quiet", self.tree], check=True)
        wide = "word " * 19 + "word"
        for name, text in (("x.py", f"# {wide}\n"), ("y.py", f'def f():\n    """A word.\n\n    {wide}\n    """\n'),
                           ("x.yaml", f"a: b\n# {wide}\n"), ("CMakeLists.txt", f"  # {wide}\n"), ("x.f90", f"! {wide}\n"),
                           ("run", f"#!/bin/sh\n# {wide}\n"), ("x.F90.in", f"  ! {wide}\n"), ("look", f'#!/usr/bin/env python3\n"""{wide}"""\n')):
            line = next(number for number, line in enumerate(text.splitlines(), 1) if wide in line)
            self.write(name, text)
            self.refuse("comments", f"{name}:{line}: ")
            (self.tree / name).unlink()

    def test_comment_that_cannot_be_wrapped(self):
        subprocess.run(["git", "init", "--quiet", self.tree], check=True)
        wide = "word " * 30
        self.write("x.py", f'"""A word.\n\n    {wide}\n"""\nx = """\n# {wide}\n"""\ny = 1  # {wide}\n# {"word" * 30}\n')
        self.write("x.sh", f"# | {wide} |\n# ROW    {wide}\n#     {wide}\necho {wide}\n# {'word ' * 19}wor\n")
        self.write("tests/golden/x.txt", f"# {wide}\n")
        self.assertEqual(check("comments", self.tree).stdout, "")

    def exports(self, lines):
        whole = (ROOT / "core" / "exports.map").read_text()
        before, rest = whole.split("writes these lines.\n")
        self.write("core/exports.map", f"{before}writes these lines.\n{lines}    # The end of the SDK.\n")

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
