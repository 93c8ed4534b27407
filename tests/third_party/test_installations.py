# SPDX-License-Identifier: BSD-3-Clause
"""A program that loads the library of one installation, started by the mpiexec of another one: what
does not fit is told once. The other installation is a copy with changes in its bytes."""
import re
import shutil
import subprocess
import sys
import unittest

from prefix import BUILD, PROGRAM, ThirdParty

COMPONENT = "tessera_btl_sm.so"
LIBRARY = "libtessera-core.so.1"
OTHERS = "pml_ob1", "btl_self", "btl_tcp", "coll_basic"  # without which no job runs


def undefined(file):
    text = subprocess.run(["nm", "-D", "--undefined-only", file], check=True, capture_output=True, text=True).stdout
    return {word.split("@")[0] for word in re.findall(r"U (_ZN\S*7tessera\S+)", text)}


class Installations(ThirdParty):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.lib = cls.prefix / "lib"
        note = subprocess.run(["readelf", "-n", cls.lib / LIBRARY], check=True, capture_output=True, text=True).stdout
        cls.build = re.search(r"Build ID: (\w+)", note)[1]

    def other(self, name, build):
        """A copy that lacks a function of the SDK, and a program that finds it by its path."""
        other = self.scratch / name
        shutil.copytree(self.prefix, other, symlinks=True)
        library = (other / "lib" / LIBRARY).resolve()
        needed = [self.lib / "libmpi_abi.so.1", *(self.lib / "tessera" / f"tessera_{name}.so" for name in OTHERS)]
        gone = min(undefined(self.lib / "tessera" / COMPONENT).difference(*map(undefined, needed))).encode() + b"\0"
        content = library.read_bytes()
        self.assertIn(b"\0" + gone, content)
        self.assertEqual(content.count(bytes.fromhex(self.build)), 1)
        library.write_bytes(content.replace(b"\0" + gone, b"\0?" + gone[1:]).replace(bytes.fromhex(self.build), bytes.fromhex(build)))
        program = other / "sum"
        self.run_here(other / "bin" / "mpicc", PROGRAM, "-o", program)
        return library, program

    def job_of(self, program, *options, expect=0):
        run = self.run_here("mpiexec", "-n", 2, *options, program, expect=expect)
        return " ".join(re.sub(r"^tessera: ", "", run.stderr, flags=re.M).split())

    def test_another_build_is_told_once(self):
        build = "ffffffffffff" + self.build[12:]
        library, program = self.other("other", build)
        said = self.job_of(program)
        self.assertEqual(said.count("this process has loaded"), 1, said)
        self.assertIn(f"this process has loaded {library} (build ffffffffffff), but the components that it was told "
                      f"to use are of another installation, {self.lib / LIBRARY} (build {self.build[:12]})", said)
        self.assertIn(f"LD_LIBRARY_PATH={self.lib} ", said)
        # Each program speaks for itself. The two have no transport in common: one waits for shared
        # memory, the other for TCP.
        said = self.job_of(program, self.program, ":", "-n", 2, expect=58)
        self.assertEqual(said.count("this process has loaded"), 1, said)

    def test_the_remedy_helps(self):
        _, program = self.other("other", "ff" * (len(self.build) // 2))
        self.assertEqual(self.run_here("mpiexec", "-n", 2, program, LD_LIBRARY_PATH=self.lib).stderr, "")

    def test_a_copy_of_the_same_build_is_no_other_one(self):
        _, program = self.other("copy", self.build)
        self.assertEqual(self.job_of(program), "")

    def test_a_build_folder_and_its_prefix_fit(self):
        self.assertEqual(self.run_here("mpiexec", "-n", 2, self.program, LD_LIBRARY_PATH=f"{BUILD}/lib").stderr, "")


if __name__ == "__main__":
    unittest.main(verbosity=1, argv=sys.argv)
