# SPDX-License-Identifier: BSD-3-Clause
"""From times to rules: who wins, what is merged, which ranges, and what the file and the map say. Nothing is measured."""
import pathlib
import sys
import tempfile
import unittest
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)) / "tools"))

from tuning import choices, decision_map, model, probing, report, rules, store  # noqa: E402
from tuning.choices import SHIPPED, Choice  # noqa: E402
from tuning.rules import Cell  # noqa: E402

RING, TREE, BOARD = Choice("basic", "ring"), Choice("basic", "tree"), Choice("sm")


class Winner(unittest.TestCase):
    def test_fastest(self):
        self.assertEqual(rules.winner(Cell({RING: 2.0, TREE: 1.0})), TREE)

    def test_shipped_stays_when_close(self):
        self.assertEqual(rules.winner(Cell({RING: 1.04, TREE: 1.0}, shipped=RING)), RING)

    def test_shipped_goes_when_clearly_slower(self):
        self.assertEqual(rules.winner(Cell({RING: 1.06, TREE: 1.0}, shipped=RING)), TREE)

    def test_shipped_that_was_not_measured(self):
        self.assertEqual(rules.winner(Cell({TREE: 1.0}, shipped=RING)), TREE)

    def test_previous_stays_when_close(self):
        self.assertEqual(rules.winner(Cell({RING: 1.04, TREE: 1.0}), previous=RING), RING)


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

    def test_crowded_ranks_are_another_row(self):
        table = {2: {8: Cell({RING: 1})}, 4: {8: Cell({RING: 1})}}
        rows = rules.rows_of("allreduce", table, cpus=2)
        self.assertEqual([(r.low, r.high, r.crowded) for r in rows], [(None, 2, False), (3, 5, True)])

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
            "  - {component: sm, nodes: 1, crowded: no, processes: ..2, bytes: ..64}  # measured: 1 us, next best ring 1.4 us\n"
            "  - {algorithm: ring, segment: 64K, nodes: 1, crowded: no, processes: ..2, bytes: 65..}"
            "  # measured: 2.5 us, next best sm 3 us\n"
            "  - {algorithm: tree}  # shipped\n",
        )

    def test_comment_of_merged_bins(self):
        cells = {8: Cell({RING: 1, TREE: 3}), 32: Cell({RING: 2, TREE: 2.2})}
        one = rules.bins_of("allreduce", cells)[0]
        self.assertEqual(rules.times_text(one), "1 us at 8 to 2 us at 32, next best tree 2.2 us at 32")


class Candidates(unittest.TestCase):
    def test_knobs(self):
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


class State(unittest.TestCase):
    KEY = (2, "bcast", 8, RING)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "state"
        self.first = store.Store(self.path, {"machine": "a"})
        self.first.add(self.KEY, fits=True)
        self.first.add(self.KEY, round=0, median=3.0, least=2.0)
        self.first.add(self.KEY, round=1, median=2.5, least=2.2)

    def test_read_again(self):
        again = store.Store(self.path, {"machine": "a"})
        self.assertEqual((again.rounds(self.KEY), again.fits[self.KEY]), (2, True))
        self.assertEqual((again.time(self.KEY, "median"), again.time(self.KEY, "best")), (2.5, 2.0))

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


class Report(unittest.TestCase):
    def test_off(self):
        slow = [("bcast", 2, "8", TREE, 3.0, RING, 2.0)]
        self.assertRegex(report.off_text(slow, True), r"bcast +2 +8 +tree +3 +ring +2 +1\.50")
        self.assertIn("within 10 %", report.off_text([], True))
        self.assertEqual(report.off_text([], False), "")

    def test_bins(self):
        class Times:  # of what is shipped
            settings = type("Settings", (), {"statistic": "median"})
            store = type("Store", (), {"time": staticmethod(lambda key, _: {8: 2.0, 32: 8.0}[key[2]])})

        cells = {8: Cell({RING: 1.0, TREE: 3.0}, TREE), 32: Cell({RING: 1.0, TREE: 9.0}, TREE)}
        sized = report.bins_to_judge(Times, "bcast", 2, cells)
        self.assertEqual([(size, time) for size, _, time in sized], [("8", 2.0), ("32", 8.0)])
        ((size, _, time),) = report.bins_to_judge(Times, "alltoallv", 2, cells)
        self.assertEqual(size, "any")
        self.assertAlmostEqual(time, 4.0)


class Map(unittest.TestCase):
    def test_picture(self):
        table = {2: {8: Cell({RING: 1, TREE: 2}, shipped=TREE)}, 64: {8: Cell({TREE: 1}, model=True)}}
        panel = report.panel("allreduce", table)
        self.assertEqual(panel.rows, [2, 64])
        self.assertEqual(panel.fields[2, "8"].title, "ring: 1 us; next best tree: 2 us; shipped: tree")
        text = decision_map.svg([panel], "a < b")
        xml.dom.minidom.parseString(text)
        self.assertEqual(text.count('class="model"'), 2)  # the field, and the legend
        for word in ("a &lt; b", "ring", "bytes", "ranks"):
            self.assertIn(word, text)

    def test_no_model_no_hatch(self):
        panel = report.panel("alltoallv", {2: {8: Cell({RING: 1}), 64: Cell({RING: 1})}})
        self.assertEqual(panel.columns, ["any"])
        self.assertNotIn("hatched", decision_map.svg([panel], ""))


class Model(unittest.TestCase):
    def test_no_program(self):
        self.assertEqual(model.knobs("/nowhere/tessera-schedule"), {})
        self.assertRaisesRegex(model.NoModel, "does not exist", model.prices, "/nowhere/x", "m", "bcast", [2], [8])


if __name__ == "__main__":
    unittest.main()
