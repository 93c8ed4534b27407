# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of the benchmarks that take turns: shell commands, which note each turn in a common file."""
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "bench"))

from harness import interleaved, jobs, libraries, plan, results, rounds  # noqa: E402


def figure(name, value):
    return f"printf '{name}\\t8\\t{value}\\tus\\n'"


class Interleaving(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self.folder.name) / "log"
        self.log.touch()

    def tearDown(self):
        self.folder.cleanup()

    def script(self, name, turns, ranks=1, end="true"):
        wait = f"printf x > $BENCH_TURNS/done; head -c {ranks} < $BENCH_TURNS/go > /dev/null"
        one = f"echo {name} >> {self.log}"
        return "; ".join([f"{wait}; {one}"] * turns + [figure(name, turns), end])

    def job(self, name, turns, ranks=1, end="true", limit=20):
        return interleaved.Job(["sh", "-c", self.script(name, turns, ranks, end)], ranks, None, limit)

    def order(self):
        return self.log.read_text().split()

    def test_every_job_waits_for_its_turn_and_all_ranks_get_it(self):
        results = interleaved.run([self.job("a", 3), self.job("b", 3, ranks=4), self.job("c", 1)])
        turns = ["".join(sorted(self.order()[begin:end])) for begin, end in ((0, 3), (3, 5), (5, 7))]
        self.assertEqual(turns, ["abc", "ab", "ab"])
        self.assertEqual([outcome.problem for outcome, _ in results], ["", "", ""])
        self.assertEqual([value for outcome, _ in results for _, _, value, _ in outcome.figures()], [3, 3, 1])

    def test_a_job_that_fails_or_hangs_does_not_keep_the_others(self):
        cases = [self.job("a", 1, end="exit 3"), self.job("b", 1, end="sleep 300", limit=0.5), self.job("c", 2)]
        problems = [outcome.problem for outcome, _ in interleaved.run(cases)]
        self.assertEqual(problems, ["exit status 3", "no end after 0.5 s, killed", ""])
        self.assertEqual(sorted(self.order()), ["a", "b", "c", "c"])
        self.assertEqual(jobs.descendants(os.getpid()), set())

    def test_what_cannot_be_run_says_so(self):
        (outcome, _), = interleaved.run([interleaved.Job(["/nonexistent"], 1, None, 5)])
        self.assertIn("cannot run /nonexistent", outcome.problem)

    def test_a_program_that_knows_no_turns_has_one(self):
        results = interleaved.run([interleaved.Job(["sh", "-c", figure("x", 1)], 1, None, 5), self.job("a", 1)])
        self.assertEqual([outcome.problem for outcome, _ in results], ["", ""])

    def test_rounds_interleave_the_cases_that_can(self):
        collected = results.Results("median")
        case = plan.Case("p2p", "x", 1, lambda lib, _: ["sh", "-c", self.script(lib.name, 2)], turns=True)
        chosen = [libraries.Library(name, name, {}, ["true"], [], [], [], [], [], "") for name in ("tessera", "openmpi")]
        rounds.Rounds(collected, "/nonexistent", 20, lambda _: None).run([case], chosen, 1)
        self.assertEqual(sorted(self.order()), ["openmpi", "openmpi", "tessera", "tessera"])
        self.assertEqual(collected.failures, {})


if __name__ == "__main__":
    unittest.main()
