# SPDX-License-Identifier: BSD-3-Clause
"""tools/tune from end to end, with few and short measurements: what it writes, going on, and bad
input."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT, BUILD = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
LITTLE = ["--ranks", "2", "--sizes", "8,1K", "--operations", "allreduce,barrier", "--effort", "1,0.01", "--rounds", "1",
          "--usual-tuning", "--quiet", "--timeout", "60s"]


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.rules = pathlib.Path(folder.name) / "rules.yaml"
        self.state = pathlib.Path(folder.name) / "rules.yaml.state"
        self.map = pathlib.Path(folder.name) / "map.svg"

    def tune(self, *words, build=BUILD):
        command = [sys.executable, "-B", ROOT / "tools" / "tune", "--build", build, "--output", self.rules, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)

    def refused(self, words, *parts):
        outcome = self.tune(*words)
        self.assertNotEqual(outcome.returncode, 0)
        for part in parts:
            self.assertIn(part, " ".join(outcome.stderr.split()))

    def test_rules_map_and_going_on(self):
        outcome = self.tune(*LITTLE, "--map", self.map)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""), outcome.stdout)
        text = self.rules.read_text()
        for part in ("allreduce:\n  - {", "barrier:\n  - {", "  # measured: ", "  # shipped", "nodes: 1"):
            self.assertIn(part, text)
        self.assertRegex(outcome.stdout, r"looked more than 10 % off in \d of 3 bins")
        self.assertRegex(outcome.stdout, r"Head to head they are more than 10 % off in \d bins")
        xml.dom.minidom.parse(str(self.map))
        known = self.state.read_text()
        self.assertIn('"ran": ["', known)
        self.assertRegex(known, r'"patterns": {"changing": \[[\d.]+, [\d.]+\], "barrier": .*"cold": ')
        again = self.tune(*LITTLE, "--jumps")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("0 points measured", again.stdout)
        self.assertEqual(self.state.read_text(), known)
        self.state.write_text(known + "nonsense\n")
        number = known.count("\n") + 1
        self.refused(LITTLE, f"rules.yaml.state:{number}: expected a JSON object", "--fresh")

    def test_no_time(self):
        outcome = self.tune(*LITTLE, "--budget", "0s")
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        for part in ("the budget is used up", "Not measured:", "  nothing of: allreduce (2 ranks)", "0 points measured"):
            self.assertIn(part, outcome.stdout)

    def test_state_of_another(self):
        self.state.write_text("just a text\n")
        self.refused(LITTLE, ":1: not the state of a tuning run", "--fresh")
        self.state.write_text('{"format": "tessera-tune 2", "machine": "another", "version": "x"}\n')
        self.refused(LITTLE, "measured with machine 'another'", "--fresh")

    def test_bad_options(self):
        self.refused(["--operations", "alreduce"], "there is no operation 'alreduce'", "allreduce")
        self.refused(["--sizes", "9..64"], "multiples of 8", "8..1M")
        self.refused(["--ranks", "1,2"], "numbers from 2 on")
        self.refused(["--effort", "many"], "repetitions and milliseconds")
        self.refused(["--budget", "soon"], "--budget")
        outcome = self.tune(build="/nowhere")
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("/nowhere/bin/mpiexec does not exist", outcome.stderr)


class Probe(unittest.TestCase):
    """The MPI program by itself."""

    def probe(self, plan, *words, ranks=2):
        command = [BUILD / "bin" / "mpiexec", "--timeout", "60", "-n", str(ranks), BUILD / "bin" / "tessera-tune-probe"]
        return subprocess.run([*command, *words], input=plan, capture_output=True, text=True, timeout=240, check=False)

    def test_all_operations_are_right(self):
        sys.path.insert(0, str(ROOT / "tools"))
        from tuning.choices import OPERATIONS, real_bytes

        for ranks in (1, 3):
            plan = [f"{i} {name} - - 0 0 {real_bytes(name, ranks, 120)}" for i, name in enumerate(OPERATIONS)]
            outcome = self.probe("\n".join(plan) + "\n", "--check", ranks=ranks)
            self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
            self.assertEqual(outcome.stdout.count('"wrong": ""'), len(OPERATIONS), outcome.stdout)

    def test_patterns(self):
        plan = "0 bcast - - 0 0 1024\n1 scan - - 0 0 64\n2 barrier - - 0 0 0\n"
        outcome = self.probe(plan, "--repetitions", "1", "--length", "0.01", ranks=3)
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        found = {one["operation"]: set(one["patterns"]) for one in map(json.loads, outcome.stdout.splitlines())}
        everything = {"changing", "fixed", "barrier", "cold"}
        self.assertEqual(found, {"bcast": everything, "scan": everything - {"fixed"}, "barrier": {"changing"}})

    def test_bad_plan(self):
        for plan, part in (
            ("1 bcast - - 0 0\n", "line 1 of the plan: expected NUMBER OPERATION"),
            ("\n1 bcst - - 0 0 8\n", "line 2 of the plan: there is no operation 'bcst'"),
            ("1 bcast - - 0 0 9\n", "multiple of 8"),
        ):
            outcome = self.probe(plan)
            self.assertNotEqual(outcome.returncode, 0)
            self.assertIn(part, outcome.stderr)


if __name__ == "__main__":
    unittest.main()
