# SPDX-License-Identifier: BSD-3-Clause
"""Each mistake of misuses.c is told as the table in docs/misuse.md says."""
import os
import pathlib
import re
import unittest

from harness import LauncherTest

PROGRAM = os.environ["TESSERA_TEST_MISUSES"]
DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "misuse.md"
ROW = re.compile(r"\| `(\w+)` \| (.+) \|$")


def table():
    """name -> message, in which an ellipsis stands for an address."""
    rows = [ROW.match(line) for line in DOCUMENT.read_text(encoding="utf-8").splitlines()]
    return {row[1]: row[2] for row in rows if row}


class Misuses(LauncherTest):
    def test_the_table(self):
        expected = table()
        self.assertGreaterEqual(len(expected), 60)
        result = self.run_job("--timeout", 60, "-n", 2, PROGRAM)
        told = dict(line.split("\t") for line in result.out.splitlines())
        self.assertEqual(sorted(told), sorted(expected))
        for name, text in expected.items():
            with self.subTest(misuse=name):
                self.assertRegex(told[name], "^" + re.escape(text).replace("…", "[0-9a-f]+") + "$")
                self.assertRegex(text, r"^MPI_\w+: .*[;,(:].*rank \d", "function, value, remedy and rank")


if __name__ == "__main__":
    unittest.main(verbosity=1)
