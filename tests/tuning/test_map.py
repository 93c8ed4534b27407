# SPDX-License-Identifier: BSD-3-Clause
"""The decision map: one axis for all ranks, and a picture of it that is well-formed. Nothing is
measured."""
import pathlib
import sys
import unittest
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)) / "tools"))

from tuning import decision_map, report  # noqa: E402
from tuning.cells import PAIRS, Cell  # noqa: E402
from tuning.choices import Choice  # noqa: E402

RING, TREE = Choice("basic", "ring"), Choice("basic", "tree")


def duel(*ratios):
    """Pairs of what is shipped and a challenger that is so many times as fast."""
    return [(ratio * 7.0, 7.0) for ratio in ratios]


class Map(unittest.TestCase):
    def test_picture(self):
        measured = Cell({RING: 1, TREE: 2}, shipped=TREE, duels={RING: duel(*[2.0] * PAIRS)})
        table = {2: {8: measured}, 64: {8: Cell({TREE: 1}, model=True)}}
        panel = report.panel("allreduce", table)
        self.assertEqual(list(panel.rows), [2, 64])
        self.assertEqual(panel.rows[2][8].title, "ring: 1 us; next best tree: 2 us; shipped: tree")
        text = decision_map.svg([panel], "a < b")
        xml.dom.minidom.parseString(text)
        self.assertEqual(text.count('class="model"'), 2)  # the field, and the legend
        for word in ("a &lt; b", "ring", "bytes", "ranks"):
            self.assertIn(word, text)

    def test_no_model_no_hatch(self):
        panel = report.panel("alltoallv", {2: {8: Cell({RING: 1}), 64: Cell({RING: 1})}})
        self.assertEqual(list(panel.rows[2]), [None])
        picture = decision_map.svg([panel], "")
        self.assertNotIn("hatched", picture)
        self.assertIn(">any<", picture)

    def test_amounts_of_their_own(self):
        """Blocks of a vector that is divided among the ranks: unlike amounts in each row, still one
        axis without holes."""
        table = {n: {size // n: Cell({RING: 1}) for size in (24, 3 << 10, 3 << 20)} for n in range(2, 13)}
        panel = report.panel("reduce_scatter_block", table)
        axis = decision_map.Axis(panel.rows)
        for row in axis.rows.values():
            bounds = list(row.values())
            self.assertEqual([right for _, right in bounds[:-1]], [left for left, _ in bounds[1:]])
            self.assertTrue(all(right - left > 1 for left, right in bounds))
        ticks = axis.ticks(0.1)
        self.assertGreater(len(ticks), 3)
        self.assertTrue(all(b - a >= 0.1 for (_, a), (_, b) in zip(ticks, ticks[1:])), ticks)
        self.assertIn("32K", dict(ticks))
        xml.dom.minidom.parseString(decision_map.svg([panel], ""))


if __name__ == "__main__":
    unittest.main()
