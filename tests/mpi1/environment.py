# SPDX-License-Identifier: BSD-3-Clause
"""The beginning and the end of MPI: what environment_ends.c must do under mpiexec. Arguments:
mpiexec, the program."""
import subprocess
import sys
import unittest

MPIEXEC, ENDS = sys.argv[1:3]
KINDS = ([], ["--mca", "btl", "self,tcp"], ["--mca", "pml_ob1_eager_limit", "1"])


def job(ranks, *words, options=()):
    return subprocess.run([MPIEXEC, "--timeout", "60", "-n", str(ranks), *options, ENDS, *words], timeout=240, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Environment(unittest.TestCase):
    def expect_well(self, result, lines=None):
        self.assertEqual((result.returncode, result.stderr), (0, ""), result)
        if lines is not None:
            self.assertEqual(sorted(result.stdout.splitlines()), sorted(lines))

    def test_initialized(self):
        for ranks in (1, 2):  # req 7.3.10, req 7.3.12
            self.expect_well(job(ranks, "initialized"))

    def test_arguments(self):
        words = ["arguments", "--mca", "two words", "", "-n"]
        for ranks in (1, 3):  # req 7.3.11, ex 7.3-frag
            self.expect_well(job(ranks, *words), [*words, "1"])

    def test_after_finalize(self):
        result = job(1, "after-finalize")  # req 7.3.13
        self.assertNotEqual(result.returncode, 0, result)
        self.assertIn("MPI_Finalize", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_unhandled(self):
        for ranks in (1, 2, 4):  # req 7.3.19: MPI_ERRORS_ARE_FATAL from the start
            result = job(ranks, "unhandled")
            self.assertNotIn(result.returncode, (0, 124), result)
            self.assertIn("MPI_ERR_RANK", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_abort(self):
        for ranks in (1, 2, 4):  # req 7.3.14
            self.assertEqual(job(ranks, "abort-self").returncode, 23)

    def test_late_receives(self):
        for kind in KINDS:  # req 7.3.13
            with self.subTest(kind=kind):
                self.expect_well(job(2, "late-receives", options=kind), ["0 wrong"])

    def test_print(self):
        for ranks in (1, 2, 5):  # req 7.3.28, ex 7.5.1-frag-1, ex 7.5.1-frag-2
            ours = [f"rank {r} of {ranks}" for r in range(ranks)]
            self.expect_well(job(ranks, "print"), ["Starting program", *ours])

    def test_print_while_waiting(self):
        for ranks in (1, 2, 5):  # req 7.3.28
            self.expect_well(job(ranks, "print-while-waiting"), [f"{i:0100d}" for i in range(20000)])

    def test_signals(self):
        for kind in KINDS:  # req 7.3.32
            with self.subTest(kind=kind):
                self.expect_well(job(3, "signals", options=kind))

    def test_threads(self):
        for kind in KINDS:  # req 1.2.19
            with self.subTest(kind=kind):
                self.expect_well(job(2, "threads", options=kind))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
