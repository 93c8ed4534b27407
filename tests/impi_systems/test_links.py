# SPDX-License-Identifier: BSD-3-Clause
"""Each link between systems carries each byte of a collective operation once; links are slow, and bytes are counted."""
import os
import subprocess
import sys
import unittest

import slow_links

IMPIRUN, LINKS = sys.argv.pop(1), sys.argv.pop(1)
BCAST, GATHER, SCATTER, ALLTOALL, REDUCE, SCAN = 120, 130, 150, 170, 190, 200


def expected(sizes, block):
    """All have root 0, in system 0. `sizes` are the processes of each system."""
    whole, bytes_on = block * sum(sizes), {}
    for system in range(1, len(sizes)):
        bytes_on[(BCAST, 0, system)] = bytes_on[(REDUCE, system, 0)] = whole
        bytes_on[(SCATTER, 0, system)] = bytes_on[(GATHER, system, 0)] = block * sizes[system]
        bytes_on[(SCAN, system - 1, system)] = block
    for a in range(len(sizes)):
        for b in range(len(sizes)):
            if a != b:
                bytes_on[(ALLTOALL, a, b)] = block * sizes[a] * sizes[b]
    return bytes_on


class Links(unittest.TestCase):
    def count(self, sizes, block):
        pipes = {"env": dict(os.environ, IMPI_AUTH_KEY="7"), "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        processes = [subprocess.Popen([IMPIRUN, "-server", str(len(sizes)), "-bind", "127.0.0.1"], **pipes)]
        links = slow_links.SlowLinks(processes[0].stdout.readline().strip(), sizes)
        processes += [subprocess.Popen([IMPIRUN, "-client", str(rank), links.address, "--timeout", "90", "-n", str(size), LINKS,
                                        str(block)], **pipes) for rank, size in enumerate(sizes)]
        try:
            for process in processes[1:] + processes[:1]:
                out, err = process.communicate(timeout=240)
                self.assertEqual((process.returncode, err), (0, ""), out)
        finally:
            for process in processes:
                process.kill()
        return dict(links.bytes)

    # req impi 20.10
    def test_short_blocks(self):
        self.assertEqual(self.count((2, 3), 100), expected((2, 3), 100))

    def test_long_blocks(self):
        self.assertEqual(self.count((2, 3), 3000), expected((2, 3), 3000))

    def test_three_systems(self):
        self.assertEqual(self.count((2, 1, 2), 1000), expected((2, 1, 2), 1000))


if __name__ == "__main__":
    unittest.main(warnings="ignore")
