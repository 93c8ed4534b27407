# SPDX-License-Identifier: BSD-3-Clause
"""Components and library by different compilers: the examples built by clang++, run in the library
as it was built, and its suites."""
import shutil
import unittest

from prefix import EXAMPLES, ThirdParty


class OtherCompiler(ThirdParty):
    compilers = [name for name in ("clang++", "g++") if shutil.which(name)]

    def test_examples_of_every_compiler_run_here(self):
        if len(self.compilers) < 2:
            self.skipTest(f"only {', '.join(self.compilers)} is here; with clang++ and g++ both would be tried")
        for compiler in self.compilers:
            plugins = self.scratch / compiler
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
