# SPDX-License-Identifier: BSD-3-Clause
"""What is installed, and under which names, seen from the install scripts of a build that was
configured and not built."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
OFF = [f"-DTESSERA_BUILD_{part}=OFF" for part in ("TESTS", "BENCH", "EXAMPLES")]
COMMON = {"mpiexec", "mpirun", "mpicc", "mpicxx", "mpic++", "mpiCC", "ompi-info", "ompi-ps"}  # those of Fortran where it has a compiler


class Packaging(unittest.TestCase):
    @classmethod
    def configure(cls, *options):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run(["cmake", "-S", ROOT, "-B", folder.name, "-G", "Ninja", "-DTESSERA_PRECOMPILE=OFF", *OFF, *options], check=True,
                       capture_output=True)
        return pathlib.Path(folder.name)

    @classmethod
    def setUpClass(cls):
        cls.plain = cls.configure()
        cls.other = cls.configure("-DTESSERA_PROGRAM_SUFFIX=.tessera", "-DTESSERA_WERROR=ON")

    def installed(self, build):
        """The base names of all files that are installed into bin."""
        names = set()
        for script in build.rglob("cmake_install.cmake"):
            for block in re.findall(r'file\(INSTALL DESTINATION "\$\{CMAKE_INSTALL_PREFIX\}/bin".*?\)\n', script.read_text(), re.S):
                renamed = re.search(r'RENAME "([^"]+)"', block)
                names |= {renamed[1]} if renamed else {pathlib.Path(file).name for file in re.findall(r'"(/[^"]+)"', block)}
        return names

    def test_common_names_get_the_suffix(self):
        names = self.installed(self.other)
        self.assertLessEqual({name + ".tessera" for name in COMMON}, names)
        self.assertFalse(COMMON & names)

    def test_without_a_suffix(self):
        names = self.installed(self.plain)
        self.assertLessEqual(COMMON, names)

    def test_warnings_are_errors_for_developers_only(self):
        flags = ["-Werror" in (build / "build.ninja").read_text() for build in (self.plain, self.other)]
        self.assertEqual(flags, [False, True])


if __name__ == "__main__":
    unittest.main()
