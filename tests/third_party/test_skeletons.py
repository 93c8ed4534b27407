# SPDX-License-Identifier: BSD-3-Clause
"""What tessera-new-component writes builds without a warning and keeps the contract; what it cannot
write it says."""
import re
import unittest

from prefix import WARNINGS, ThirdParty


class Skeletons(ThirdParty):
    def test_each_builds_and_keeps_the_contract(self):
        for framework in ("btl", "coll", "io", "op", "osc", "pml", "topo"):
            with self.subTest(framework):
                self.run_here("tessera-new-component", framework, "my_own")
                project = self.scratch / f"tessera_{framework}_my_own"
                self.assertEqual(sorted(file.name for file in project.iterdir()), ["CMakeLists.txt", "my_own.cpp"])
                self.assertNotIn("@", (project / "my_own.cpp").read_text())
                self.run_here("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                              f"-DCMAKE_CXX_FLAGS={WARNINGS}")
                self.run_here("cmake", "--build", project / "build")
                plugin = project / "build" / f"tessera_{framework}_my_own.so"
                self.keeps_the_contract(framework, plugin)
                self.assertEqual(self.job(path=plugin.parent).stdout, "ok\n")
                if framework == "btl":  # which reaches other processes by itself
                    self.assertEqual(self.job("--mca", "btl", "self,my_own", ranks=4, path=plugin.parent).stdout, "ok\n")

    def refused(self, *arguments):
        run = self.run_here("tessera-new-component", *arguments, expect=2)
        self.assertEqual(run.stdout, "")
        self.assertEqual(list(self.scratch.iterdir()), [])
        return run.stderr

    def test_mistakes_are_named(self):
        self.assertIn("usage:", self.refused())
        self.assertIn("there is no framework 'bml'; there are: btl, coll, io, op, osc, pml, topo", self.refused("bml", "x"))
        for name in ("", "Mine", "9lives", "a-b", "a b", "_x", "ä", "../x"):
            self.assertIn("is no name of a component", self.refused("coll", name))
        (self.scratch / "there").mkdir()
        run = self.run_here("tessera-new-component", "coll", "x", "there", expect=2)
        self.assertIn("'there' exists; name another directory", run.stderr)

    def test_help(self):
        self.assertIn("FRAMEWORK", self.run_here("tessera-new-component", "--help").stdout)


class ContractTool(ThirdParty):
    def refused(self, *arguments):
        run = self.run_here("tessera-contract-test", *arguments, expect=2)
        self.assertEqual(run.stdout.replace("\n", ""), "")
        return run.stderr

    def test_mistakes_are_named(self):
        shipped = self.prefix / "lib" / "tessera"
        basic, sm = shipped / "tessera_coll_basic.so", shipped / "tessera_btl_sm.so"
        self.assertIn("usage: tessera-contract-test FRAMEWORK FILE.so", self.refused())
        self.assertIn("no suite for framework 'bml'; there are: btl, coll, io, op, osc, pml, topo", self.refused("bml", basic))
        self.assertIn("cannot open shared object file", self.refused("coll", self.scratch / "none.so"))
        self.assertIn("of framework 'coll', not 'btl'", self.refused("btl", basic))
        self.assertIn("carries no manifest", self.refused("btl", self.prefix / "lib" / "libtessera-core.so"))
        for old, new, said in ((rb"interface\t\d", b"interface\t9", "rebuild it against the headers installed here"),
                               (rb"\tinteger\t", b"\tentiger\t", "rebuild it with the macro TESSERA_COMPONENT")):
            changed = self.scratch / basic.name  # mpiexec refuses it, and so does the suite
            changed.write_bytes(re.sub(old, new, basic.read_bytes(), count=1))
            self.assertIn(said, self.refused("coll", changed))
        self.assertIn("--over is for interposers", self.refused("coll", basic, "--over", basic))
        self.assertIn("--set wants PARAMETER=VALUE, got 'slots'", self.refused("btl", sm, "--set", "slots"))
        self.assertIn("declares no parameter 'slot'", self.refused("btl", sm, "--set", "slot=1"))
        self.assertIn("--set needs a value", self.refused("btl", sm, "--set"))
        self.assertIn("unknown argument '--fast'", self.refused("btl", sm, "--fast"))
        self.assertIn("would not run them", self.refused("btl", sm, "--gtest_filter=Coll*"))


if __name__ == "__main__":
    unittest.main()
