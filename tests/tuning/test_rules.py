# SPDX-License-Identifier: BSD-3-Clause
"""From times to rules: who wins, what is merged, which ranges, what is off, what the file says.
Nothing is measured."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)) / "tools"))

from tuning import cells, choices, jumps, model, off, probing, report, rules, store, tuner  # noqa: E402
from tuning.cells import PAIRS, Cell  # noqa: E402
from tuning.choices import SHIPPED, Choice  # noqa: E402

RING, TREE, BOARD = Choice("basic", "ring"), Choice("basic", "tree"), Choice("sm")


def duel(*ratios):
    """Pairs of what is shipped and a challenger that is so many times as fast."""
    return [(ratio * 7.0, 7.0) for ratio in ratios]


class Winner(unittest.TestCase):
    def test_fastest(self):
        self.assertEqual(cells.winner(Cell({RING: 2.0, TREE: 1.0})), TREE)

    def test_shipped_stays_when_close(self):
        cell = Cell({RING: 1.04, TREE: 1.0}, shipped=RING, duels={TREE: duel(*[2.0] * PAIRS)})
        self.assertEqual((cells.winner(cell), cells.next_duel(cell)), (RING, None))

    def test_shipped_goes_when_it_loses_the_duel(self):
        cell = Cell({RING: 1.06, TREE: 1.0}, shipped=RING, duels={TREE: duel(1.06, 9.0, 1.07, 1.08, 0.9)})
        cell.duels[TREE][-1] = (18.0, 20.0)  # somebody else disturbed this pair
        self.assertEqual((cells.winner(cell), cells.next_duel(cell)), (TREE, None))
        self.assertAlmostEqual(cells.lead(cell, TREE), 1.06)

    def test_shipped_stays_unless_it_loses_at_its_best_too(self):
        cell = Cell({RING: 9.0, TREE: 1.0}, shipped=RING, duels={TREE: duel(3.0, 3.0, 3.0, 3.0, 1.02)})
        self.assertEqual((cells.winner(cell), cells.next_duel(cell)), (RING, None))

    def test_shipped_stays_until_the_duel_is_over(self):
        cell = Cell({RING: 3.0, TREE: 1.0}, shipped=RING, duels={TREE: duel(3.0, 3.0)})
        self.assertEqual((cells.winner(cell), cells.next_duel(cell), cells.lead(cell, TREE)), (RING, TREE, None))

    def test_second_challenger_after_the_first_has_lost(self):
        cell = Cell({RING: 3.0, TREE: 1.0, BOARD: 2.0}, shipped=RING, duels={TREE: duel(*[1.0] * PAIRS)})
        self.assertEqual((cells.winner(cell), cells.next_duel(cell)), (RING, BOARD))
        cell.duels[BOARD] = duel(*[1.5] * PAIRS)
        self.assertEqual((cells.winner(cell), cells.next_duel(cell)), (BOARD, None))

    def test_shipped_that_was_not_measured(self):
        self.assertEqual(cells.winner(Cell({TREE: 1.0}, shipped=RING)), TREE)

    def test_previous_stays_when_close(self):
        self.assertEqual(cells.winner(Cell({RING: 1.04, TREE: 1.0}), previous=RING), RING)

    def test_amounts_together(self):
        """Pair by pair, geometric means over the amounts."""
        few = Cell({RING: 2.0, TREE: 1.0}, RING, duels={TREE: duel(*[4.0] * PAIRS)})
        many = Cell({RING: 8.0, TREE: 1.0}, RING, duels={TREE: duel(*[1.0] * PAIRS)})
        together = cells.folded([few, many])
        self.assertAlmostEqual(together.times[RING], 4.0)
        self.assertAlmostEqual(cells.lead(together, TREE), 2.0)
        self.assertIsNone(cells.lead(cells.folded([few, Cell(many.times, RING)]), TREE))


    def test_amounts_together_that_one_component_does_not_take_all(self):
        cell = cells.folded([Cell({BOARD: 1.0, RING: 2.0}, BOARD), Cell({RING: 4.0}, RING)])
        self.assertEqual((cells.winner(cell), cells.next_duel(cell)), (BOARD, None))
        self.assertAlmostEqual(cell.times[BOARD], 2.0)


class Ranges(unittest.TestCase):
    def test_split_at_geometric_means(self):
        self.assertEqual(rules.ranges([2, 8, 32]), [(None, 4), (5, 16), (17, None)])

    def test_one_value(self):
        self.assertEqual(rules.ranges([4]), [(None, None)])

    def test_text(self):
        self.assertEqual(rules.range_text(None, 64 << 10, choices.size_text), "..64K")
        self.assertEqual(rules.range_text(3, None), "3..")
        self.assertEqual(rules.range_text(3, 3), "3")


class Rows(unittest.TestCase):
    def test_neighbouring_bins_merge(self):
        cells = {8: Cell({RING: 2, TREE: 1}), 32: Cell({RING: 3, TREE: 2}), 128: Cell({RING: 3, TREE: 9})}
        bins = rules.bins_of("allreduce", cells)
        self.assertEqual([(b.low, b.high, b.winner) for b in bins], [(None, 64, TREE), (65, None, RING)])

    def test_without_amounts_one_bin(self):
        cells = {8: Cell({RING: 1.0, TREE: 2.0}), 1024: Cell({RING: 9.0, TREE: 2.0})}
        self.assertEqual([(b.low, b.high, b.winner) for b in rules.bins_of("alltoallv", cells)], [(None, None, TREE)])

    def test_processes(self):
        table = {2: {8: Cell({RING: 1})}, 4: {8: Cell({RING: 1})}, 8: {8: Cell({TREE: 1})}}
        rows = rules.rows_of("allreduce", table, cpus=8)
        self.assertEqual([(r.low, r.high, r.bins[0].winner) for r in rows], [(None, 5, RING), (6, 11, TREE)])

    def test_oversubscribed_ranks_are_another_row(self):
        table = {2: {8: Cell({RING: 1})}, 4: {8: Cell({RING: 1})}}
        rows = rules.rows_of("allreduce", table, cpus=2)
        self.assertEqual([(r.low, r.high, r.oversubscribed) for r in rows], [(None, 2, False), (3, 5, True)])

    def test_model_goes_on_without_end(self):
        table = {2: {8: Cell({RING: 1})}, 64: {8: Cell({TREE: 1}, model=True)}, 128: {8: Cell({RING: 1}, model=True)}}
        rows = rules.rows_of("allreduce", table, cpus=2)
        found = [(r.low, r.high, r.model) for r in rows]
        self.assertEqual(found, [(None, 2, False), (46, 90, True), (91, None, True)])

    def test_model_near_what_was_measured(self):
        table = {8: {8: Cell({RING: 1})}, 12: {8: Cell({TREE: 1}, model=True)}}
        rows = rules.rows_of("allreduce", table, cpus=8)
        self.assertEqual([(r.low, r.high) for r in rows], [(None, 9), (10, None)])

    def test_what_was_not_measured_has_no_row(self):
        table = {2: {8: Cell({})}, 4: {8: Cell({RING: 1}), 64: Cell({})}}
        self.assertEqual([(r.low, r.high) for r in rules.rows_of("allreduce", table, cpus=4)], [(None, 5)])
        self.assertEqual(rules.rows_of("allreduce", {2: {8: Cell({})}}, cpus=4), [])


class File(unittest.TestCase):
    def test_text(self):
        table = {2: {8: Cell({BOARD: 1.0, RING: 1.4}), 512: Cell({RING._replace(segment=65536): 2.5, BOARD: 3})}}
        shipped = rules.shipped_rules(
            "# words\nallreduce:\n  - {component: far}\n  - {algorithm: tree}\n\nbcast:\n  - {component: sm}".split("\n"),
            {"basic", "sm"},
        )
        text = rules.file_text(["made"], {"allreduce": table, "bcast": {2: {8: Cell({})}}}, shipped, cpus=2)
        self.assertEqual(
            text,
            "# SPDX-License-Identifier: BSD-3-Clause\n# made\n\nallreduce:\n"
            "  - {component: sm, nodes: 1, oversubscribed: no, processes: ..2, bytes: ..64}  # measured: 1 us, next best ring 1.4 us\n"
            "  - {algorithm: ring, segment: 64K, nodes: 1, oversubscribed: no, processes: ..2, bytes: 65..}"
            "  # measured: 2.5 us, next best sm 3 us\n"
            "  - {algorithm: tree}  # shipped\n",
        )

    def test_comment_of_merged_bins(self):
        cells = {8: Cell({RING: 1, TREE: 3}), 32: Cell({RING: 2, TREE: 2.2})}
        one = rules.bins_of("allreduce", cells)[0]
        self.assertEqual(rules.times_text(one), "1 us at 8 to 2 us at 32, next best tree 2.2 us at 32")


class Candidates(unittest.TestCase):
    def test_tuning(self):
        offered = [("bcast", "basic", ["chain"]), ("bcast", "sm", []), ("barrier", "basic", ["tree"])]
        found = choices.candidates(offered, "bcast", lambda *_: {"segment"})
        chain = Choice("basic", "chain")
        self.assertEqual(found, [chain, *(chain._replace(segment=s) for s in choices.SEGMENTS), BOARD])
        self.assertFalse(choices.sensible(chain._replace(segment=8192), 4, 64))
        self.assertFalse(choices.sensible(chain._replace(radix=8), 4, 64))

    def test_jobs(self):
        groups = probing.kinds([RING, TREE, BOARD, Choice("other"), SHIPPED])
        self.assertEqual(groups, [[RING, TREE, BOARD], [Choice("other")], [SHIPPED]])

    def test_amounts(self):
        self.assertEqual(choices.parse_size("64K"), 65536)
        self.assertRaises(ValueError, choices.parse_size, "64k!")
        self.assertEqual(choices.real_bytes("reduce_scatter_block", 4, 8), 32)
        self.assertEqual(choices.real_bytes("barrier", 4, 8), 0)

    def test_explanation(self):
        text = (
            "coll: which algorithm runs bcast of 8..15 bytes on line 3 (stacked per operation)\n"
            "    sm           no: not used for this call\n"
            "  * basic        yes, score 10: chain (tessera.coll_basic_bcast_algorithm = chain)\n"
            "coll: which algorithm runs bcast of 8..15 bytes on MPI_COMM_WORLD (stacked per operation)\n"
            "  * sm           yes, score 40: its own way, without a schedule\n"
        )
        self.assertEqual(
            probing.explained(text), {3: ("basic", "chain", "tessera.coll_basic_bcast_algorithm = chain")}
        )


class Patterns(unittest.TestCase):
    def test_the_worst_pattern_counts(self):
        times = {
            RING: {"changing": 1.0, "barrier": 4.0},  # the best back to back, twice too slow after a barrier
            TREE: {"changing": 1.2, "barrier": 2.0},
            BOARD: {"changing": 1.3, "barrier": 2.2},
        }
        judged = cells.judged(times)
        self.assertEqual(cells.fastest(Cell(judged)), TREE)
        self.assertAlmostEqual(judged[RING] / judged[TREE], 2.0 / 1.2)
        self.assertAlmostEqual(judged[BOARD] / judged[TREE], 1.3 / 1.2)

    def test_one_pattern_is_its_time(self):
        self.assertEqual(cells.judged({RING: {"changing": 3.0}, TREE: {"changing": 2.0}}), {RING: 3.0, TREE: 2.0})
        self.assertEqual(cells.judged({}), {})


class State(unittest.TestCase):
    KEY = (2, "bcast", 8, RING)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "state"
        self.first = store.Store(self.path, {"machine": "a"})
        self.first.add(self.KEY, fits=True)
        self.first.add(self.KEY, round=0, patterns={"fixed": [3.0, 2.0], "cold": [9.0, 8.0]})
        self.first.add(self.KEY, round=1, patterns={"fixed": [2.5, 2.2], "cold": [9.5, 7.0]})
        self.first.add(self.KEY, duel=1, shipped={"fixed": 4.0}, own={"fixed": 2.0})
        self.first.add(self.KEY, duel=0, shipped={"fixed": 3.0}, own={"fixed": 2.0})

    def test_read_again(self):
        again = store.Store(self.path, {"machine": "a"})
        self.assertEqual((again.rounds(self.KEY), again.fits[self.KEY]), (2, True))
        self.assertEqual(again.time(self.KEY, "median"), {"fixed": 2.5, "cold": 9.0})
        self.assertEqual(again.time(self.KEY, "best"), {"fixed": 2.0, "cold": 7.0})
        self.assertEqual(again.pairs(self.KEY), [(3.0, 2.0), (4.0, 2.0)])

    def test_unfinished_last_line(self):
        self.path.write_text(self.path.read_text() + '{"ranks": 2, "opera')
        self.assertEqual(store.Store(self.path, {"machine": "a"}).rounds(self.KEY), 2)
        self.assertTrue(self.path.read_text().endswith("}\n"))

    def test_another_machine(self):
        with self.assertRaisesRegex(store.BadState, "machine 'a'.*this is 'b'.*--fresh"):
            store.Store(self.path, {"machine": "b"})
        self.assertEqual(store.Store(self.path, {"machine": "b"}, fresh=True).rounds(self.KEY), 0)

    def test_broken_line(self):
        for line in ("nonsense", '{"ranks": 2}', "[]"):
            self.path.write_text(self.path.read_text().split("\n")[0] + "\n" + line + "\n")
            with self.assertRaisesRegex(store.BadState, ":2: expected a JSON object"):
                store.Store(self.path, {"machine": "a"})


class Machine:
    """Stands for the prober: what is shipped is RING and takes 3 us. Jobs are counted. In the first
    one TREE takes `looks`, then `truth`; with 128 bytes `more` times as long."""

    def __init__(self, looks, truth, more):
        self.looks, self.truth, self.jobs = looks, truth, []
        self.more = more

    def check(self, ranks, operation, choices, points, seconds):
        return [(point, True, RING if point[0] == SHIPPED else None) for point in points]

    def measure(self, ranks, operation, choices, points, effort, seconds):
        lucky = not any(TREE in job for job in self.jobs)
        self.jobs.append([choice for choice, _ in points])
        for point in points:
            time = self.looks if point[0] == TREE and lucky else self.truth if point[0] == TREE else 3.0
            time *= self.more if point == (TREE, 128) else 1.0
            yield point, {"changing": (time, time)}


class Confirmation(unittest.TestCase):
    """A run with made-up times."""

    def run_with(self, looks, truth, operation="bcast", more=1.0):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        known = store.Store(pathlib.Path(folder.name) / "state", {"machine": "a"})
        return self.go_on(known, looks, truth, operation, more)

    def go_on(self, known, looks, truth, operation="bcast", more=1.0, deadline=1e300):
        settings = tuner.Settings([2], [8, 128], [operation], deadline, 1, "median", 1 << 30)
        machine, offered = Machine(looks, truth, more), [(operation, "basic", ["ring", "tree"])]
        run = tuner.Tuner(settings, offered, lambda *_: set(), machine, known, report.Progress(True))
        self.assertEqual(run.run().failures, [])
        return run, machine

    def test_luck_is_found_out(self):
        run, machine = self.run_with(looks=1.0, truth=3.0)
        self.assertEqual(machine.jobs[2:], PAIRS * [[SHIPPED, SHIPPED], [TREE, TREE]])
        table = {"bcast": run.table("bcast")}
        text = off.off_text(off.spots_of(table))
        self.assertIn("looked more than 10 % off in 2 of 2 bins", text)
        self.assertIn("Head to head they are more than 10 % off in 0 bins.", text)
        self.assertIn("algorithm: ring, ", rules.file_text([], table, {}, cpus=2))
        self.assertNotIn("algorithm: tree", rules.file_text([], table, {}, cpus=2))

    def test_truth_is_told(self):
        run, _ = self.run_with(looks=1.0, truth=2.0)
        table = {"bcast": run.table("bcast")}
        self.assertRegex(off.off_text(off.spots_of(table)), r"in 2 bins:\n.*\nbcast +2 +8 +ring +3 +tree +2 +1\.50\n")
        self.assertIn("algorithm: tree, ", rules.file_text([], table, {}, cpus=2))

    def test_amounts_that_rules_cannot_tell_apart(self):
        run, _ = self.run_with(looks=1.0, truth=2.0, operation="alltoallv")
        self.assertRegex(off.off_text(off.spots_of({"alltoallv": run.table("alltoallv")})), r"alltoallv +2 +any +ring +3 ")

    def test_faster_with_one_amount_only(self):
        """Rules cannot tell the amounts apart, and on average it is slower: no duel."""
        run, machine = self.run_with(looks=2.0, truth=2.0, operation="alltoallv", more=4.0)
        self.assertEqual(len(machine.jobs), 2)
        run, machine = self.run_with(looks=2.0, truth=2.0, operation="alltoall", more=4.0)
        self.assertEqual(machine.jobs[2:], PAIRS * [[SHIPPED], [TREE]])

    def test_nothing_is_measured_twice(self):
        run, _ = self.run_with(looks=1.0, truth=3.0)
        run.store.duels[2, "bcast", 8, TREE].pop(3)  # as if the run had been interrupted here
        again, machine = self.go_on(run.store, looks=1.0, truth=3.0)
        self.assertEqual(machine.jobs, [[SHIPPED], [TREE]])
        self.assertEqual(again.measured, 2)
        self.assertEqual(self.go_on(run.store, looks=1.0, truth=3.0)[0].measured, 0)

    def test_no_time_for_duels(self):
        run, _ = self.run_with(looks=1.0, truth=2.0)
        run.store.duels.clear()
        again, _ = self.go_on(run.store, looks=1.0, truth=2.0, deadline=0.0)
        text = off.off_text(off.spots_of({"bcast": again.table("bcast")}))
        self.assertIn("no time to measure 2 of them", text)
        self.assertIn("in 0 bins.", text)
        self.assertEqual(off.off_text([]), "")


class Jumps(unittest.TestCase):
    """RING is shipped."""

    def found(self, table, operation="bcast"):
        return jumps.jumps_of({operation: table})

    def test_growth_with_the_amount_is_none(self):
        self.assertEqual(self.found({2: {8: Cell({RING: 1.0}, RING), 32: Cell({RING: 5.9}, RING)}}), [])

    def test_growth_beyond_the_amount(self):
        (one,) = self.found({2: {8: Cell({RING: 1.0}, RING), 32: Cell({RING: 6.1}, RING)}})
        self.assertEqual((one.low.bytes, one.high.bytes, one.limit, one.of_the_choice()), (8, 32, 6.0, False))
        self.assertAlmostEqual(one.ratio(), 6.1)

    def test_more_data_in_less_time(self):
        duels = {TREE: duel(*[1.7] * PAIRS)}
        (one,) = self.found({2: {8: Cell({RING: 1.7, TREE: 1.0}, RING, duels=duels), 32: Cell({RING: 1.0}, RING)}})
        self.assertEqual((one.slow.bytes, one.limit, one.of_the_choice()), (8, 1.5, True))
        self.assertEqual(self.found({2: {8: Cell({RING: 1.4}, RING), 32: Cell({RING: 1.0}, RING)}}), [])

    def test_ranks(self):
        table = {2: {8: Cell({RING: 1.0}, RING)}, 4: {8: Cell({RING: 3.1}, RING)}, 5: {8: Cell({RING: 5.8}, RING)}}
        self.assertEqual([(one.low.ranks, one.high.ranks, one.limit) for one in self.found(table)], [(2, 4, 3.0)])
        self.assertEqual(self.found({2: {8: Cell({RING: 1.0}, RING)}, 4: {32: Cell({RING: 9.0}, RING)}}), [])

    def test_barrier(self):
        table = {2: {0: Cell({RING: 1.0}, RING)}, 3: {0: Cell({RING: 3.0}, RING)}}
        self.assertEqual(len(self.found(table, "barrier")), 1)

    def test_blocks_are_multiples_of_the_ranks(self):
        """24 bytes may take 1.5 times as long as 16, on 3 ranks 2.25 times."""
        table = {2: {16: Cell({RING: 1.0}, RING)}, 3: {24: Cell({RING: 3.3}, RING)}}
        self.assertEqual(self.found(table, "reduce_scatter_block"), [])
        table[3][24].times[RING] = 3.4
        self.assertEqual([one.limit for one in self.found(table, "reduce_scatter_block")], [3.375])

    def test_whose_jump(self):
        """The same times at the slow end, in which TREE lost its duel, won it, won it but jumps
        itself, won it but by less than the jump, or had none yet."""
        for duels, fast, of_the_choice in (
            (duel(*[1.0] * PAIRS), 1.0, False),
            (duel(*[4.0] * PAIRS), 1.0, True),
            (duel(*[4.0] * PAIRS), 0.1, False),
            (duel(*[1.2] * PAIRS), 1.0, False),
            ([], 1.0, True),
        ):
            first = Cell({RING: 1.0, TREE: fast}, RING, duels={TREE: duel(*[1 / fast] * PAIRS)})
            table = {2: {8: first, 16: Cell({RING: 8.0, TREE: 2.0}, RING, duels={TREE: duels})}}
            (one,) = self.found(table)
            self.assertEqual(one.of_the_choice(), of_the_choice, (duels, fast))

    def test_choice_that_is_nearly_the_best(self):
        """The best choice is just below the limit, what is shipped just above."""
        cell = Cell({RING: 3.1, TREE: 2.9}, RING, duels={TREE: duel(*[1.07] * PAIRS)})
        (one,) = self.found({2: {8: Cell({RING: 1.0}, RING), 16: cell}})
        self.assertLess(one.best_ratio(), one.limit)
        self.assertFalse(one.of_the_choice())

    def test_amounts_that_rules_cannot_tell_apart(self):
        """TREE is better with 16 bytes, but not with both amounts together: no rule could choose
        it."""
        first = Cell({RING: 1.0, TREE: 100.0}, RING)
        table = {2: {8: first, 16: Cell({RING: 8.0, TREE: 2.0}, RING, duels={TREE: duel(*[4.0] * PAIRS)})}}
        self.assertEqual([one.of_the_choice() for one in self.found(table, "alltoallv")], [False])
        self.assertEqual([one.of_the_choice() for one in self.found(table, "alltoall")], [True])
        table[2][8].times[BOARD], table[2][8].shipped = 1.0, BOARD  # which does not take 16 bytes
        self.assertEqual([one.of_the_choice() for one in self.found(table, "alltoallv")], [False])

    def test_text(self):
        duels = {TREE: duel(*[4.0] * PAIRS)}
        table = {4: {8: Cell({RING: 1.0}, RING), 1024: Cell({RING: 400.0, TREE: 100.0}, RING, duels=duels)}}
        table[5] = {8: Cell({RING: 2.5}, RING)}
        text = jumps.jumps_text(self.found(table), True)
        self.assertIn("What is shipped jumps in 2 places; in 1 of them the best choices do not.", text)
        self.assertRegex(text, r"bcast +4 +8 to 1K +1 to 400 +400\.00 +192\.00 +100\.00  choice\nbcast +4 to 5 +8 +1 to 2\.5")
        self.assertNotIn("machine", jumps.jumps_text(self.found(table), False))
        self.assertEqual(jumps.jumps_text([], True), "")


class Model(unittest.TestCase):
    def test_no_program(self):
        self.assertEqual(model.tuning("/nowhere/tessera-schedule"), {})
        self.assertRaisesRegex(model.NoModel, "does not exist", model.prices, "/nowhere/x", "m", "bcast", [2], [8])


if __name__ == "__main__":
    unittest.main()
