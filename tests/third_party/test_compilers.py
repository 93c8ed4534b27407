# SPDX-License-Identifier: BSD-3-Clause
"""Components and library by different compilers: the examples built by clang++, or by g++ if
clang++ built the library, run in the library, and its suites."""
import os
import re
import shutil
import unittest

from prefix import BUILD, EXAMPLES, ThirdParty


def other_compiler():
    builder = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)", (BUILD / "CMakeCache.txt").read_text(), re.M)[1]
    return "g++" if "clang" in os.path.realpath(builder) else "clang++"


class OtherCompiler(ThirdParty):
    def test_examples_run_here(self):
        compiler = other_compiler()
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not here")
        plugins = self.scratch / "plugins"
        for source in EXAMPLES.glob("*/*.cpp"):
            with self.subTest(compiler=compiler, source=source.name):
                plugin = self.compile(source, plugins, compiler)
                if (self.prefix / "bin" / "tessera-contract-test").exists():
                    self.keeps_the_contract(plugin.name.split("_")[1], plugin)
        run = self.job("--mca", "pml_counter_enable", "true", "--explain", path=plugins, ranks=3)
        self.assertEqual(run.stdout, "ok\n")
        for sign in ("* mine", "* counter", "in front of it: recorder", "exchange (coll_mine_limit)", "mine costs"):
            self.assertIn(sign, run.stderr)


if __name__ == "__main__":
    unittest.main()
