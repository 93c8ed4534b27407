# SPDX-License-Identifier: BSD-3-Clause
"""Places of ranks: what is printed, on machines that hwloc makes up, and what the kernel says on
this one."""
import os
import re
import tempfile
import unittest

from harness import ACTOR, LauncherTest

LARGE = {"HWLOC_SYNTHETIC": "pack:2 [numa] l3:2 core:2 pu:2"}
SMALL = {"HWLOC_SYNTHETIC": "core:2 pu:1"}
ALLOWED = ["grep", "Cpus_allowed_list", "/proc/self/status"]


def cpus_of(text):
    """Of the lines of several ranks: the CPUs of each, as sets."""
    found = []
    for line in re.findall(r"Cpus_allowed_list:\s*(\S+)", text):
        cpus = set()
        for part in line.split(","):
            first, _, last = part.partition("-")
            cpus |= set(range(int(first), int(last or first) + 1))
        found.append(cpus)
    return found


class Placement(LauncherTest):
    def pictures(self, line, env=LARGE):
        """The drawings of all ranks in the map of a dry run."""
        result = self.run_job("--dry-run", *line.split(), "true", env=env)
        self.expect_ok(result)
        return re.findall(r"^  rank \d+: true, .* (\[.*\])$", result.out, re.M)

    def test_both_dialects_say_the_same(self):
        cores = ["[BB/..|../..][../..|../..]", "[../BB|../..][../..|../..]"]
        packages = ["[BB/BB|BB/BB][../..|../..]", "[../..|../..][BB/BB|BB/BB]"]
        for expected, lines in (
                (cores, ("--bind-to core -n 2", "-bind-to core -n 2", "--map-by core -n 2", "--bycore -n 2",
                         "--bind-to-core -n 2", "--bind-to=core -n 2", "-bind-to rr -n 2", "--map-by slot:pe=1 -n 2",
                         "--cpus-per-rank 1 -n 2", "--cpus-per-proc 1 -n 2", "--bind-to core --rank-by slot -n 2",
                         "--bind-to user:0+1,2+3 -n 2")),
                (packages, ("--bind-to socket -n 2", "-bind-to socket -n 2", "--map-by package -n 2",
                            "--map-by ppr:1:package", "--npersocket 1", "--ppr 1:package", "--bysocket -n 2",
                            "--bind-to-socket -n 2", "--bind-to numa -n 2", "-bind-to core:4 -n 2",
                            "--bind-to none --bind-to numa -n 2"))):
            for line in lines:
                with self.subTest(line=line):
                    self.assertEqual(self.pictures(line), expected)

    def test_a_single_dash_maps_and_binds_nothing(self):
        unbound = "[../..|../..][../..|../..]"
        self.assertEqual(self.pictures("-q -map-by socket -n 2"), [unbound] * 2)
        self.assertEqual(self.pictures("-map-by socket -bind-to core -n 2"),
                         ["[BB/..|../..][../..|../..]", "[../..|../..][BB/..|../..]"])
        self.assertEqual(self.pictures("-n 2"), [unbound] * 2)

    def test_rank_files(self):
        with tempfile.NamedTemporaryFile("w", suffix=".ranks") as file:
            file.write("rank 1=localhost slot=1:0-1\nrank 0=localhost slot=3\nrank 2=localhost\n")
            file.flush()
            expected = ["[../..|../BB][../..|../..]", "[../..|../..][BB/BB|../..]", "[../..|../..][../..|../..]"]
            for words in ("--rankfile", "-rf", "--map-by rankfile:file=", "--mca rmaps_rank_file_path"):
                line = words + file.name if words.endswith("=") else f"{words} {file.name}"
                with self.subTest(line=line):
                    self.assertEqual(self.pictures(line), expected)
                    self.assertEqual(self.pictures(line + " -n 2"), expected[:2])
            result = self.run_job("-rf", file.name, "-n", "4", "true")
            self.expect_line(result, "has no line for rank 3 of 4")

    def test_mapping_without_effect_is_told(self):
        for line in ("-map-by core -n 2", "--rank-by core -n 2", "--map-by core -n 3"):
            with self.subTest(line=line):
                result = self.run_job("--dry-run", *line.split(), "true", env=SMALL)
                self.assertEqual(result.status, 0)
                self.expect_line(result, "^mpiexec: ranks are not bound, so it makes no difference")
        self.expect_line(self.run_job("--rank-by", "core", "-n", 2, "true"), "^mpiexec: ranks are not bound")

    def test_number_of_ranks(self):
        for line, ranks in (("--map-by ppr:2:package", 4), ("--map-by ppr:1:node", 1), ("--map-by ppr:1:core", 8),
                            ("--map-by slot:pe=4", 2), ("--cpu-set 0-2 --bind-to core", 3)):
            with self.subTest(line=line):
                self.assertEqual(len(self.pictures(line)), ranks)

    def test_several_programs_share_one_map(self):
        result = self.run_job("--dry-run", "--bind-to", "core", "-n", 1, "true", ":", "-n", 2, "echo", "x", env=SMALL)
        self.assertEqual(result.out.splitlines()[1:], ["  rank 0: true, core 0 (cpu 0) [B/.]", "  rank 1: echo, core 1 (cpu 1) [./B]",
                                                       "  rank 2: echo, core 0 (cpu 0) [B/.]"])
        self.expect_line(result, "3 ranks share 2 cores: some are bound to the same one")
        self.assertEqual(self.run_job("-q", "--dry-run", "--bind-to", "core", "-n", 3, "true", env=SMALL).err, "")

    def test_too_many_ranks(self):
        for pattern, line in (
                (r"3 ranks .* do not fit", "--nooversubscribe --bind-to core -n 3"),
                (r"3 ranks .* do not fit", "--map-by core:nooversubscribe -n 3"),
                (r"ppr:1:node makes room for 1 rank on this machine, and 2 are", "--map-by ppr:1:node -n 2"),
                (r"there is no core 7", "--cpu-set 7 -n 1"),
                (r"this machine shows no l3cache", "--bind-to l3cache -n 1")):
            with self.subTest(line=line):
                result = self.run_job("--dry-run", *line.split(), "true", env=SMALL)
                self.assertEqual((result.status, result.out), (2, ""), result)
                self.expect_line(result, pattern)
        many = len(os.sched_getaffinity(0)) + 1
        result = self.run_job("--nooversubscribe", "-n", many, "true")
        self.assertEqual(result.status, 2)
        self.expect_line(result, rf"{many} ranks do not fit: nooversubscribe was asked for")
        self.expect_ok(self.run_job("--nooversubscribe", "-n", 1, "true"))

    def test_a_machine_that_hwloc_makes_up_cannot_be_bound_to(self):
        result = self.run_job("--bind-to", "core", "-n", 2, "true", env=SMALL)
        self.assertEqual(result.status, 2)
        self.expect_line(result, "hwloc describes another machine")

    def test_ranks_are_bound(self):
        usable = os.sched_getaffinity(0)
        result = self.run_job("--bind-to", "hwthread:overload-allowed", "-n", 4, *ALLOWED)
        self.expect_ok(result)
        cpus = cpus_of(result.out)
        self.assertEqual([len(one) for one in cpus], [1] * 4)
        self.assertEqual(len(set.union(*cpus)), min(4, len(usable)))
        self.assertLessEqual(set.union(*cpus), usable)
        for line in (["--bind-to", "none"], [], ["-map-by", "core"], ["--map-by", "slot"]):
            self.assertEqual(cpus_of(self.run_job(*line, "-n", 2, *ALLOWED).out), [usable] * 2, line)

    def test_the_mask_of_mpiexec_is_respected(self):
        one = max(os.sched_getaffinity(0))
        result = self.run_job("--bind-to", "core:overload-allowed", "--report-bindings", "-n", 2, *ALLOWED,
                              preexec_fn=lambda: os.sched_setaffinity(0, [one]))
        self.assertEqual(cpus_of(result.out), [{one}] * 2)
        lines = result.err.splitlines()
        self.assertEqual(len(lines), 2, result)
        for rank in range(2):
            self.assertRegex(lines[rank], rf"^mpiexec: rank {rank}: .*core \d+ \(cpu {one}\) \[B\]$")

    def test_ranks_that_share_a_cpu_know_it(self):
        one = min(os.sched_getaffinity(0))
        for line in (["-bind-to", f"user:{one}"], ["--bind-to", "core:overload-allowed"]):
            ranks = 2 if line[0] == "-bind-to" else len(os.sched_getaffinity(0)) + 1
            result = self.run_job(*line, "-n", ranks, ACTOR, "init", "cpus", "finalize")
            self.expect_ok(result)
            self.assertLess(int(result.out.split()[0]), ranks, line)
        self.assertEqual(self.run_job("-n", 1, ACTOR, "init", "cpus", "finalize").out,
                         self.run_job("--bind-to", "none", "-n", 1, ACTOR, "init", "cpus", "finalize").out)

    def test_bound_ranks_join_the_job(self):
        result = self.run_job("--bind-to", "core:overload-allowed", "-n", 3, ACTOR, "init", "rank", "finalize")
        self.expect_ok(result)
        self.assertEqual(sorted(result.out.splitlines()), ["0 of 3", "1 of 3", "2 of 3"])

    def test_what_is_printed(self):
        report = "mpiexec: rank 0: not bound \\[.*\\]\n"
        for option in ("--report-bindings", "--display bind"):
            result = self.run_job(*option.split(), "-n", 1, "echo", "x")
            self.assertEqual((result.status, result.out), (0, "x\n"))
            self.assertRegex(result.err, f"^{report}$")
        for option in ("--display-map", "--display map"):
            result = self.run_job(*option.split(), "-n", 1, "echo", "x")
            self.expect_ok(result)
            self.assertRegex(result.out, r"^Map of 1 rank on .*\n  rank 0: echo, not bound \[.*\]\nx\n$")
        result = self.run_job("--display-allocation", "-n", 1, "true")
        self.assertRegex(result.out, rf"^Allocation: .*, {len(os.sched_getaffinity(0))} CPUs\n$")
        for option in ("--dry-run", "--do-not-launch"):
            result = self.run_job(option, "-n", 2, "sh", "-c", "touch /no/such; echo started")
            self.expect_ok(result)
            self.assertNotIn("started\n", result.out)
            self.assertEqual(len(result.out.splitlines()), 3)


if __name__ == "__main__":
    unittest.main(verbosity=1)
