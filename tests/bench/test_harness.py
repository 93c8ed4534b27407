# SPDX-License-Identifier: BSD-3-Clause
"""The harness of the benchmarks, with programs that print what they are told instead of
measuring."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "bench"))

from harness import curves, document, jobs, libraries, plan, report, results, rounds, state, summary  # noqa: E402

TARGETS = results.read_targets(ROOT / "bench" / "targets.tsv")


def library(name):
    """One that needs nothing: its jobs are shell commands."""
    return libraries.Library(name, name, {}, ["true"], [], [], [], [], [], "")


def shell_case(figure, script_of, group="p2p", ranks=1, **more):
    return plan.Case(group, figure, ranks, lambda lib, _: ["sh", "-c", script_of(lib.name)], **more)


def line(figure, size, value, unit="us"):
    return f"printf '{figure}\\t{size}\\t{value}\\t{unit}\\n'"


def measured(cases, names=("tessera", "openmpi", "mpich"), number=1, timeout=5, hasty=False):
    collected, chosen = results.Results("median"), [library(name) for name in names]
    rounds.Rounds(collected, "/nonexistent", timeout, lambda _: None, hasty).run(cases, chosen, number)
    collected.add_empty_rows(cases)
    return report.Run(collected, TARGETS, chosen, {name: "1" for name in names}, [("bench/run", number)], 0.0)


def report_rows(run):
    head, rows = report.table(run)
    return [dict(zip(head, row)) for row in rows]


def printed(run, figure):
    return [row for row in report_rows(run) if row["figure"] == figure]


class Plan(unittest.TestCase):
    def test_everything_has_every_figure_that_has_a_target(self):
        chosen = plan.settings(True, True, False, False)
        cases = list(plan.cases(list(plan.GROUPS), chosen))
        named = {(case.row_name(figure), case.ranks) for case in cases for figure in case.figure.split(",")}
        self.assertEqual(len({case.key() for case in cases if case.rounds is None}), len([c for c in cases if c.rounds is None]))
        for target in TARGETS:
            if target.figure in ("waiting_processor", "threads_gain") or "*" in target.figure:
                continue  # a second figure of a case, or of several
            self.assertIn((target.figure, target.ranks), named)

    def test_a_case_may_have_less_time_than_the_rest(self):
        run = measured([shell_case("x", lambda name: "sleep 30" if name == "mpich" else line("x", 8, 1), limit=0.3)], timeout=20)
        self.assertIn("0.3 s", str(run.results.failures))

    def test_quick_alone_is_less_than_everything(self):
        count = lambda everything: len(list(plan.cases(list(plan.GROUPS), plan.settings(True, everything, False, False))))  # noqa: E731
        self.assertLess(count(False), count(True))

    def test_a_way_between_ranks_reaches_the_command_and_the_row(self):
        case = next(iter(plan.veth_cases(plan.settings(True, True, False, False))))
        peer = libraries.openmpi()
        peer.folder = pathlib.Path("/x")
        command = case.command(peer, "")
        self.assertEqual(command[1:4], ["--launcher", "openmpi", "mpirun.openmpi"])
        self.assertEqual(case.row_name("latency"), "veth_latency")
        self.assertIn("self,tcp", libraries.openmpi().launch(2, ["p"], "tcp"))
        self.assertNotIn("UCX_TLS", libraries.mpich().environment)
        self.assertIn("UCX_TLS", libraries.mpich().full_environment("tcp"))


class States(unittest.TestCase):
    def counting(self, times, wanted=(0, 60)):
        """How often something is run, and what of it counts, while lines take these times."""
        times, runs = iter(times), iter(range(100))
        one = state.State("/nonexistent", wanted, look=lambda: next(times), sleep=lambda _: None)
        return one.measured_in(lambda: next(runs))

    def test_a_run_counts_where_the_line_is_as_wanted_before_and_after_it(self):
        self.assertEqual(self.counting([30, 31]), 0)
        self.assertEqual(self.counting([240, 30, 250, 30, 31]), 1)

    def test_a_machine_that_is_never_in_that_state_is_given_up_on(self):
        self.assertIsNone(self.counting([240] * state.LOOKS))
        self.assertIsNone(self.counting([30, 240] * state.TRIES))
        self.assertIsNone(self.counting([None] * state.LOOKS))

    def test_without_a_wish_nothing_is_looked_at(self):
        self.assertEqual(self.counting([], wanted=None), 0)

    def taking_turns(self, times, problem=""):
        """Which runs of two libraries count while lines take these times."""
        times, runs = iter(times), iter(range(100))
        one = state.State("/nonexistent", state.SAME, look=lambda: next(times))
        taken = one.taken_in_turn([lambda: jobs.Outcome(str(next(runs)), "", problem)] * 2)
        return taken and [int(outcome.output) for outcome in taken]

    def test_libraries_take_turns_in_one_state(self):
        self.assertEqual(self.taking_turns([30, 35, 31]), [0, 1])
        self.assertEqual(self.taking_turns([30, 240, 250, 240, 250, 230]), [2, 3])
        self.assertIsNone(self.taking_turns([30, 30, 240] * state.TRIES))
        self.assertIsNone(self.taking_turns([None] * 3 * state.TRIES))
        self.assertEqual(self.taking_turns([30, 30, 240], "no end"), [0, 1])

    def test_what_is_wanted_is_the_most_or_the_least_and_the_most(self):
        self.assertEqual(state.parse("60"), (0, 60))
        self.assertEqual(state.parse("150-300"), (150, 300))
        self.assertEqual(state.parse("same"), state.SAME)
        for wrong in ("", "x", "60-30", "-"):
            with self.assertRaises(ValueError):
                state.parse(wrong)

    def test_runs_left_out_are_told(self):
        collected, case = results.Results("median"), shell_case("x", lambda _: line("x", 8, 1))
        never = state.State("/nonexistent", (0, 60), look=lambda: 240, sleep=lambda _: None)
        rounds.Rounds(collected, "/nonexistent", 5, lambda _: None, state=never).run([case], [library("tessera")], 2)
        run = report.Run(collected, TARGETS, [library("tessera")], {"tessera": "1"}, [("bench/run", 2)], 0.0)
        self.assertIn("2 runs were left out", " ".join(report.notes(run)))


class Rounds(unittest.TestCase):
    def test_ratio_is_against_the_better_peer(self):
        values = {"tessera": 1, "openmpi": 4, "mpich": 2}
        run = measured([shell_case("latency", lambda name: line("latency", 8, values[name]), ranks=3)])
        self.assertEqual(printed(run, "latency")[0]["ratio"], "0.50")

    def test_a_hanging_peer_costs_its_cells_only_and_is_not_asked_for_ever(self):
        script = lambda name: "sleep 60" if name == "mpich" else line("x", 8, 1)  # noqa: E731
        run = measured([shell_case(f"x{i}", script) for i in range(4)], timeout=0.3, number=2)
        head, rows = report.table(run)
        self.assertEqual({row[head.index("mpich")] for row in rows}, {"time-out"})
        self.assertEqual(rows[0][head.index("tessera")], "1.00")
        problems = [problem for key, problem in run.results.failures.items() if key[3] == "mpich"]
        self.assertEqual(sum("not tried" in problem for problem in problems), 2)

    def test_what_cannot_be_measured_here_is_skipped_with_its_reason(self):
        run = measured([shell_case("veth", lambda _: "echo 'bench/veth: skipped: no root' >&2; exit 77", over="veth")])
        self.assertEqual(printed(run, "veth_veth")[0]["mpich"], "skipped")
        self.assertIn("skipped: no root", " ".join(report.notes(run)))

    def test_a_failure_names_its_reason(self):
        run = measured([shell_case("x", lambda _: "echo because >&2; exit 3")])
        self.assertEqual(printed(run, "x")[0]["openmpi"], "failed")
        self.assertIn("exit status 3: because", " ".join(report.notes(run)))

    def test_a_peer_far_behind_and_slow_takes_part_once(self):
        values = {"tessera": 1, "openmpi": 3, "mpich": 30}
        limit, rounds.LONG = rounds.LONG, 0
        try:
            run = measured([shell_case("x", lambda name: line("x", 8, values[name]))], number=3)
        finally:
            rounds.LONG = limit
        samples = next(iter(run.results.rows.values())).samples
        self.assertEqual({name: len(values) for name, values in samples.items()}, {"tessera": 3, "openmpi": 3, "mpich": 1})
        self.assertIn("mpich, 1 cases", " ".join(report.notes(run)))

    def test_in_haste_a_peer_far_behind_and_slow_is_not_asked_for_all_cases_alike(self):
        values = {"tessera": 1, "openmpi": 3, "mpich": 30}
        cases = [shell_case(figure, lambda name, f=figure: line(f, 8, values[name])) for figure in "abcd"]
        cases.append(shell_case("a", lambda name: line("a", 8, values[name]), ranks=2))
        limit, rounds.LONG = rounds.LONG, 0
        try:
            asked = [[row["mpich"] for row in report_rows(measured(cases, hasty=hasty))] for hasty in (False, True)]
        finally:
            rounds.LONG = limit
        self.assertEqual([cell == "skipped" for cell in asked[0]], [False] * 5)
        self.assertEqual([cell == "skipped" for cell in asked[1]], [False, False, True, True, False])

    def test_in_haste_what_shares_processors_comes_last_and_without_libraries_that_do_not_give_way(self):
        asked = []
        cases = [shell_case("x", lambda name, n=ranks: asked.append((n, name)) or line("x", 8, 1), ranks=ranks) for ranks in (4, 2)]
        chosen = [library("tessera"), library("mpich")]
        chosen[1].gives_way = False
        collected = results.Results("median")
        rounds.Rounds(collected, "/nonexistent", 5, lambda _: None, True, processors=2).run(cases, chosen, 1)
        self.assertEqual(asked, [(2, "tessera"), (2, "mpich"), (4, "tessera")])
        self.assertEqual([problem[:7] for problem in collected.failures.values()], ["skipped"])

    def test_in_haste_what_has_not_begun_in_time_is_left_out_and_says_so(self):
        cases = [shell_case(figure, lambda _, f=figure: line(f, 8, 1)) for figure in "abc"]
        collected, clock = results.Results("median"), iter([0, 1, 2, rounds.HASTE, rounds.HASTE + 1])
        rounds.Rounds(collected, "/nonexistent", 5, lambda _: None, True, clock=lambda: next(clock)).run(cases, [library("tessera")], 1)
        self.assertEqual([figure for figure, _, _ in collected.rows], ["a"])
        self.assertEqual(list(collected.failures.values()), [f"skipped: not begun within {rounds.HASTE} s"] * 2)

    def test_a_case_of_one_round_runs_once(self):
        run = measured([shell_case("x", lambda _: line("x", 8, 1), rounds=1)], number=3)
        self.assertEqual(len(next(iter(run.results.rows.values())).samples["mpich"]), 1)

    def test_a_different_library_begins_each_case_and_round(self):
        with tempfile.NamedTemporaryFile("r") as taken:
            script = lambda name: f"echo {name} >> {taken.name};" + line("latency", 8, 1)  # noqa: E731
            measured([shell_case("latency", script), shell_case("bandwidth", script)], number=2)
            names = taken.read().split()
        self.assertEqual(names[::3], ["tessera", "openmpi", "openmpi", "mpich"])
        self.assertEqual(len(names), 12)


class Summary(unittest.TestCase):
    def test_families_have_their_means_and_the_worst_rows_come_last(self):
        cost = {"tessera": (2, 8, 1), "openmpi": (4, 4, 2)}
        script = lambda name: "; ".join([line("bcast", 8, cost[name][0]), line("bcast_fixed", 8, cost[name][1]),  # noqa: E731
                                         line("bandwidth", 8, cost[name][2], "GB/s")])
        run = measured([shell_case("bcast", script, group="patterns")], ("tessera", "openmpi"))
        text = list(summary.lines(run))
        self.assertEqual([line.split()[-4:] for line in text[3:-1]], [["1.00", "1", "1", "2.00"], ["2.00", "1", "1", "2.00"]])
        self.assertTrue(text[4].startswith("patterns, fixed"))
        self.assertTrue(text[-1].startswith("worst: bandwidth 8 B on 1: 2.00, bcast_fixed 8 B on 1: 2.00, bcast 8 B on 1: 0.50"))

    def test_without_a_peer_there_is_none(self):
        run = measured([shell_case("bcast", lambda _: line("bcast", 8, 1))], ("tessera",))
        self.assertEqual(list(summary.lines(run)), [])


class Targets(unittest.TestCase):
    def verdicts(self, figure, ranks, lines, unit="us"):
        run = measured([shell_case(figure, lambda name: "; ".join(line(figure, size, values[name], unit) for size, values in lines), ranks=ranks)])
        return [row["verdict"] for row in printed(run, figure)]

    def test_growth_is_against_the_first_row(self):
        lines = [(1, {"tessera": 1, "openmpi": 1, "mpich": 1}), (1000, {"tessera": 1.9, "openmpi": 1, "mpich": 1}),
                 (10000, {"tessera": 2.1, "openmpi": 50, "mpich": 50})]
        self.assertEqual(self.verdicts("posted_queue", 2, lines)[1:], ["met", "missed"])

    def test_processor_time_has_its_own_rule(self):
        lines = [(8, {"tessera": 0.9, "openmpi": 1, "mpich": 2})]
        self.assertEqual(self.verdicts("loop_ring_processor", 4, lines), ["met"])
        self.assertEqual(self.verdicts("loop_ring", 4, lines), ["missed"])

    def test_a_line_that_is_none_is_named(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write("latency\t2\t8\tat_best\t1\n")
            file.flush()
            with self.assertRaisesRegex(ValueError, ":1: rule 'at_best'"):
                results.read_targets(file.name)


DOCUMENT = """# Title

<!-- bench: run -->
<!-- end -->

In words: `<!-- bench: p2p -->`.

<!-- bench: p2p -->
old
<!-- end -->

### What is slower than it should be, and why

{items}
## Next
- **`latency/2/9` is not of the section.** x
"""


class Document(unittest.TestCase):
    def setUp(self):
        values = {"tessera": 3, "openmpi": 2, "mpich": 4}
        script = lambda name: line("latency", 16384, values[name]) + ";" + line("latency", 8, 1 if name == "tessera" else 9)  # noqa: E731
        self.run_ = measured([shell_case("latency", script, ranks=3)])

    def filled(self, *items):
        return document.fill(DOCUMENT.format(items="\n".join(items)), self.run_)

    def test_tables_are_replaced_and_the_rest_stays(self):
        text = self.filled()
        self.assertNotIn("old", text)
        self.assertIn("| latency | 3 | 16 KiB | us | 3.00 | 2.00 | 4.00 | 1.50 |", text)
        self.assertIn("command: bench/run", text)
        self.assertEqual(document.fill(text, self.run_), text)

    def test_a_slow_row_must_be_named(self):
        self.assertIn("latency/3/16384: ratio 1.50", " ".join(document.uncovered(self.filled())))
        self.assertIn("latency/3/16384: ratio 1.50", " ".join(document.uncovered(self.filled("- later `latency/3/16K` in the text"))))
        for name in ("latency/3/16K", "lat*/2..4/1K..1M", "latency/*/*"):
            self.assertEqual(list(document.uncovered(self.filled(f"- **`{name}` (so much).** Why."))), [])

    def test_a_name_that_no_table_has_is_found(self):
        found = list(document.uncovered(self.filled("- **`latency/3/*`, `latency/5/8`.** Why.")))
        self.assertEqual(len(found), 1)
        self.assertIn("latency/5/8", found[0])

    def test_wide_tables_show_and_name_what_is_slow(self):
        text = document.fill(DOCUMENT.replace("p2p -->\nold", "p2p wide -->\nold").format(items=""), self.run_)
        self.assertIn("| latency | 3 | 1.00 / 9.00 / 9.00 | **3.00 / 2.00 / 4.00** |", text)
        self.assertEqual([problem.split(":")[0] for problem in document.uncovered(text)], ["latency/3/16384"])

    def test_the_summary_names_families_and_the_worst_rows(self):
        text = document.fill("<!-- bench: summary -->\n<!-- end -->\n", self.run_)
        self.assertIn("| p2p | 2 | 0.41 | 1 | 1 | 1.50 |", text)  # of 1 / 9 and 3 / 2
        self.assertIn("- latency 16 KiB on 3: 1.50\n- latency 8 B on 3: 0.11", text)

    def test_rates_count_the_other_way_round(self):
        script = lambda name: line("bandwidth", 8, 2 if name == "tessera" else 1, "GB/s")  # noqa: E731
        [[(ratio, _)]] = summary.by_family(measured([shell_case("bandwidth", script)])).values()
        self.assertEqual(ratio, 0.5)

    def test_an_earlier_run_gives_the_same_texts(self):
        again = report.from_json([report.as_json(self.run_)], self.run_.targets)
        self.assertEqual(document.fill(DOCUMENT, again), document.fill(DOCUMENT, self.run_))

    def test_runs_at_several_times_count_as_one(self):
        texts = []
        for value in (8, 2, 4):
            script = lambda name, value=value: line("latency", 16384, value if name == "tessera" else 4)  # noqa: E731
            texts.append(report.as_json(measured([shell_case("latency", script, ranks=3)])))
        texts.append(report.as_json(measured([shell_case("bcast", lambda _: line("bcast", 8, 2), group="collectives")])))
        run = report.from_json(texts, TARGETS)
        text = document.fill(DOCUMENT, run)
        self.assertIn("| latency | 3 | 16 KiB | us | 4.00 | 4.00 | 4.00 | 1.00 |", text)
        self.assertIn("rounds at 4 times, median of them; command: bench/run\n", text)
        self.assertIn(("bcast", 1, 8), run.results.rows)

    def test_runs_of_other_libraries_or_machines_do_not_count_as_one(self):
        text = report.as_json(self.run_)
        for name, there in (("tessera", text.replace('"tessera": "1"', '"tessera": "2"')), ("machine", text.replace('"processors": ', '"processors": 9'))):
            with self.assertRaisesRegex(ValueError, f"--from: {name} .* expected runs"):
                report.from_json([text, there], TARGETS)

    def test_tables_of_two_runs_are_refused(self):
        text = DOCUMENT.format(items="").replace("bench: p2p", "bench: p2p,tcp")
        with self.assertRaisesRegex(ValueError, "tables of tcp"):
            document.check_groups(text, ["p2p"])
        document.check_groups(text, ["p2p", "tcp", "info"])

    def test_broken_marks_are_refused(self):
        for broken in ("<!-- bench: p2p -->\n", "<!-- end -->\n", "<!-- bench: p2q -->\n<!-- end -->\n"):
            with self.assertRaises(ValueError):
                document.blocks(broken)


class Curves(unittest.TestCase):
    def test_every_collective_has_its_diagram_with_every_library(self):
        case = shell_case("bcast", lambda _: ";".join(line("bcast", size, 2) for size in (8, 64)), group="collectives", ranks=4)
        sheet = curves.collective_sheet(measured([case]), 4, pathlib.Path("/x"))
        self.assertIn("collectives-4.svg", sheet)
        for name in ("tessera", "openmpi", "mpich"):
            self.assertIn(f"title '{name}'", sheet)


if __name__ == "__main__":
    jobs.adopt_orphans()
    unittest.main()
