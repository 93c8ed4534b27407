# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec has to load before it starts anything."""
import os
import re
import subprocess
import unittest

from harness import MPIEXEC


class Start(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("TESSERA_TEST_ARCHIVES") == "1", "built with shared libraries")
    def test_no_library_but_those_of_c(self):
        text = subprocess.run(["readelf", "-d", MPIEXEC], check=True, capture_output=True, text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", text)
        self.assertIn("libc.so.6", needed)
        foreign = [name for name in needed if not re.match(r"(libc|libm|ld-linux.*|libdl|libpthread)\.so", name)]
        self.assertEqual(foreign, [], "each costs a job 0.2 ms and more; see core/CMakeLists.txt")


if __name__ == "__main__":
    unittest.main()
