# SPDX-License-Identifier: BSD-3-Clause
"""Each test of impi-test fails with a peer that makes a mistake of its class, and passes with the
same peer without one."""
import collections
import concurrent.futures
import fnmatch
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TESTER = pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(TESTER.parent))
from impi_tester import host_tests, lam_tests, model_client, model_server, server_tests  # noqa: E402

AT_ONCE = 4
LAM_CLASSES = {"message": ("short", "long", "cancel")}  # that of its other classes is their name


def model(role, profile, mistake):
    wrong = f"--wrong {mistake} " if mistake else ""
    if role == "server":
        return f"{sys.executable} -B {TESTER} model-server {wrong}{{count}}"
    return f"{sys.executable} -B {TESTER} model-client {wrong}{'--lam ' if profile == 'lam' else ''}{{rank}} {{server}}"


def run(role, profile, pattern, mistake):
    """Whether each test passed. A wrong peer need not be waited for; a right one may be slow."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "result.json")
        subprocess.run([sys.executable, "-B", TESTER, role, "--profile", profile, "--patience", "1" if mistake else "60", "--only",
                        pattern, "--json", file, model(role, profile, mistake)], capture_output=True, timeout=900)
        return {test["name"]: test["passed"] for test in json.loads(file.read_text())["tests"]}


def patterns(profile, classes, mistakes):
    """The tests that a mistake concerns, and the mistake."""
    for mistake in mistakes:
        kind = mistake.split("-")[0]
        for one in classes:
            if profile == "lam" and kind in LAM_CLASSES.get(one[len("lam-"):], (one[len("lam-"):],)):
                yield f"{one}.*", mistake
            elif profile != "lam" and kind == one:
                yield f"{one}.*", mistake


class WrongPeers(unittest.TestCase):
    def check(self, role, profile, tests, mistakes):
        names = [entry[1] for entry in tests]
        self.assertEqual(len(names), len(set(names)))
        work = list(patterns(profile, dict.fromkeys(entry[0] for entry in tests), mistakes))
        for _, mistake in work:
            self.assertIn(mistake, mistakes)
        failed = collections.defaultdict(list)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for (pattern, mistake), seen in zip(work, pool.map(lambda each: run(role, profile, *each), work)):
                self.assertEqual(set(seen), set(fnmatch.filter(names, pattern)))
                useful = [name for name, passed in seen.items() if not passed]
                for name in useful:
                    failed[name].append(mistake)
        self.assertEqual([name for name in names if name not in failed], [], "tests that no wrong peer fails")
        return len(failed)

    def test_servers(self):  # req impi 9.2
        self.assertGreaterEqual(self.check("server", "standard", server_tests.TESTS, model_server.MISTAKES), 100)

    def test_clients(self):  # req impi 9.2
        self.assertGreaterEqual(self.check("client", "standard", host_tests.TESTS, model_client.MISTAKES), 90)

    def test_clients_of_lam(self):  # req impi 9.2
        self.assertGreaterEqual(self.check("client", "lam", lam_tests.TESTS, model_client.MISTAKES), 30)

    def test_right_ones_pass(self):
        for role, profile in (("server", "standard"), ("client", "standard"), ("client", "lam")):
            seen = run(role, profile, "*", None)
            self.assertEqual([name for name, passed in seen.items() if not passed], [], (role, profile))


if __name__ == "__main__":
    unittest.main(warnings="ignore")
