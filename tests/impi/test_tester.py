# SPDX-License-Identifier: BSD-3-Clause
"""impi-test: our programs pass it, wrong ones fail, and it says what it saw."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TESTER, IMPIRUN = sys.argv.pop(1), sys.argv.pop(1)
CLIENT = f"{sys.executable} -B {TESTER} model-client {{wrong}} {{{{rank}}}} {{{{server}}}}"
SERVER = f"{IMPIRUN} -server {{count}} -bind 127.0.0.1"


def impi_test(*words):
    return subprocess.run([sys.executable, "-B", TESTER, *words], capture_output=True, text=True, timeout=500)


class Servers(unittest.TestCase):
    def test_ours_passes(self):  # req impi 9.1, 9.3, 2.18, 2.19
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "result.json")
            run = impi_test("server", "--json", str(file), SERVER)
            self.assertEqual(run.returncode, 0, run.stdout)
            tests = json.loads(file.read_text())["tests"]
        self.assertGreaterEqual(len(tests), 100)
        self.assertEqual({test["passed"] for test in tests}, {True})
        self.assertTrue(all(step["ok"] for test in tests for step in test["steps"]))

    def test_a_wrong_one_fails(self):  # req impi 9.2
        some = {"startup": "order-0-1", "labels": "C_NHOSTS-of-0", "authentication": "wrong-key-zero",
                "challenge": "wrong-zeros", "refused": "rank-taken", "lost": "closes", "stream": "unknown-command-of-1"}
        for group, name in some.items():
            for wrong in ("", f"--wrong {group} "):
                server = f"{sys.executable} -B {TESTER} model-server {wrong}{{count}}"
                patience = "1" if wrong else "60"
                run = impi_test("server", "--patience", patience, "--only", f"{group}.{name}", server)
                self.assertEqual(run.returncode, 1 if wrong else 0, (group, wrong, run.stdout, run.stderr))
                if wrong:
                    self.assertIn("expected", run.stdout)

    def test_the_model_host_passes(self):  # req impi 9.4
        run = impi_test("client", "--patience", "60", CLIENT.format(wrong=""))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"(\d+) of \1 tests passed")

    def test_a_wrong_host_fails(self):  # req impi 9.2
        some = {"dance": "rank-1", "short": "synchronous-send", "long": "send-65", "cancel": "unmatched",
                "flow": "stops-at-20-goes-on-by-10", "hostile": "type-8", "shutdown": "barrier", "collective": "scan-rank-0"}
        for group, name in some.items():
            run = impi_test("client", "--patience", "1", "--only", f"{group}.{name}", CLIENT.format(wrong=f"--wrong {group}"))
            self.assertEqual(run.returncode, 1, (group, run.stdout, run.stderr))
            self.assertIn("0 of 1 tests passed", run.stdout)

    def test_nothing_to_test(self):
        self.assertEqual(impi_test("server", "--only", "nothing", SERVER).returncode, 1)
        self.assertEqual(impi_test("server", "--only", "stream.*", "true").returncode, 1)


if __name__ == "__main__":
    unittest.main(warnings="ignore")
