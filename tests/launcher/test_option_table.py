# SPDX-License-Identifier: BSD-3-Clause
"""Walks the table of options that mpiexec itself and its documents use: each has the effect, or the
text, that it states."""
import os
import re
import subprocess
import tempfile
import unittest

from harness import ACTOR, MPIEXEC, LauncherTest

RANK = ["sh", "-c", "echo $TESSERA_RANK"]
HOLDS = ("allow-run-as-root", "report-state-on-timeout", "memory-alloc-kinds KINDS", "forward-signals USR1,SIGTERM", "with-ft none",
         "personality ompi")
MADE_UP = {"HWLOC_SYNTHETIC": "pack:2 core:2 pu:2"}
VALUES = {"launcher": "ssh", "prefix": "/"}  # of options that look at them


class Row:
    def __init__(self, line):
        self.group, names, self.values, self.effect, self.text = line.split("\t")
        self.names = names.split()

    def spellings(self):
        return [("-" if len(name) == 1 else "--") + name for name in self.names]

    def sample(self):
        return [VALUES.get(self.names[0], "1")] * len(self.values.split())


def table():
    text = subprocess.run([MPIEXEC, "--tessera-options"], check=True, capture_output=True, text=True).stdout
    return [Row(line) for line in text.splitlines()]


class Table(LauncherTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def lines(self, *words, **options):
        """The sorted lines that a job prints which ends well and silently."""
        result = self.run_job(*words, **options)
        self.expect_ok(result)
        return sorted(result.out.splitlines())

    def pictures(self, *words):
        result = self.run_job("--dry-run", *words, "true", env=MADE_UP)
        self.expect_ok(result)
        return re.findall(r"(\[[B./|]+\]\S*)$", result.out, re.M)

    def test_every_option_is_obeyed_ignored_or_refused(self):
        checks = {name.removeprefix("effect_of_").replace("_", "-") for name in dir(self) if name.startswith("effect_of_")}
        self.assertEqual({row.names[0] for row in table() if row.effect == "obeyed"} - {line.split()[0] for line in HOLDS}, checks)

    def test_obeyed_options_have_their_effect(self):
        for row in table():
            check = getattr(self, "effect_of_" + row.names[0].replace("-", "_"), None)
            for option in row.spellings() if check else ():
                with self.subTest(option=option):
                    check(option)

    def test_what_holds_anyway(self):
        for line in HOLDS:
            with self.subTest(line=line):
                self.assertEqual(self.lines(*("--" + line).split(), "-n", 2, *RANK), ["0", "1"])

    def test_ignored_options_say_why_once(self):
        for row in table():
            for option in row.spellings() if row.effect == "ignored" else ():
                with self.subTest(option=option):
                    words = [option, *row.sample()]
                    result = self.run_job(*words, *words, "-n", 2, *RANK)
                    self.assertEqual((result.status, sorted(result.out)), (0, sorted("0\n1\n")), result)
                    self.assertEqual(result.err, f"mpiexec: option {option} is ignored: {row.text}\n")
                    self.assertEqual(self.run_job("-q", *words, "-n", 1, "true").err, "")

    def test_refused_options_say_what_to_do(self):
        for row in table():
            for option in row.spellings() if row.effect == "refused" else ():
                with self.subTest(option=option):
                    result = self.run_job(option, *row.sample(), "-n", 2, *RANK)
                    self.assertEqual((result.status, result.out), (2, ""), result)
                    self.assertEqual(result.err, f"mpiexec: option {option} is refused: {row.text}\n")

    def test_an_option_with_a_slip_is_told(self):
        for row in table():
            for option in row.spellings():
                name = option.lstrip("-")
                if len(name) < 6:
                    continue
                result = self.run_job(option + "x", "-n", 1, "true")
                self.assertEqual(result.status, 2)
                self.assertRegex(result.err, rf"^mpiexec: unknown option '{option}x' \(did you mean '--[\w-]+'\?\);")

    # What to run.
    def effect_of_n(self, option):
        self.assertEqual(self.lines(option, 3, *RANK), ["0", "1", "2"])
        self.assertEqual(self.lines(option + "3", *RANK), ["0", "1", "2"])

    def effect_of_usize(self, option):
        self.assertEqual(self.lines(option, 7, "-n", 2, "sh", "-c", "echo $TESSERA_UNIVERSE"), ["7", "7"])

    def effect_of_wdir(self, option):
        self.assertEqual(self.lines(option, self.folder, "-n", 1, "pwd"), [self.folder])

    def effect_of_path(self, option):
        os.makedirs(self.path("bin"), exist_ok=True)
        os.chmod(self.path("bin/true", "#!/bin/sh\necho mine\n"), 0o700)
        self.assertEqual(self.lines(option, f"/no/such:{self.path('bin')}", "-n", 1, "true"), ["mine"])

    def effect_of_configfile(self, option):
        self.path("jobs", f"# two programs\n-n 1 {RANK[0]} -c 'echo \"$TESSERA_RANK\"' # first\n\n-n 2 \\\n  -x A=b\\ c {RANK[0]} -c "
                          "'echo $TESSERA_RANK $A'")
        self.assertEqual(self.lines("-x", "A=no", option, self.path("jobs")), ["0", "1 b c", "2 b c"])
        for text, problem in (("-n 1 'true", "line 1: a quote is left open"), ("# nothing\n", "there is no program in it"),
                              (f"--app {self.path('jobs')}\n", "a job is described by one file")):
            result = self.run_job(option, self.path("bad", text))
            self.assertEqual(result.status, 2)
            self.expect_line(result, problem)

    def effect_of_gdb(self, option):
        os.chmod(self.path("gdb", "#!/bin/sh\necho gdb of $TESSERA_RANK: \"$@\"\n"), 0o700)
        self.assertEqual(self.lines("--path", self.folder, option, "-n", 2, "./app", "word"),
                         [f"gdb of {i}: -q -batch -return-child-result -ex run -ex thread apply all bt --args ./app word" for i in (0, 1)])

    def effect_of_valgrind(self, option):
        os.chmod(self.path("valgrind", "#!/bin/sh\necho valgrind: \"$@\"\n"), 0o700)
        self.assertEqual(self.lines("--path", self.folder, option, "-n", 1, "./app"), ["valgrind: -q ./app"])

    def effect_of_timeout(self, option):
        result = self.run_job(option, "0.05", "-n", 1, ACTOR, "pause")
        self.assertEqual(result.status, 124)
        self.assertIn("the job has not ended within 0.05 s", result.err)

    # Parameters.
    def effect_of_mca(self, option):
        self.assertEqual(self.run_job(option, "core_wait", "nonsense", "-n", 1, "true").status, 2)
        self.expect_ok(self.run_job(option, "core_wait", "spin", "-n", 1, "true"))

    def effect_of_tune(self, option):
        self.assertEqual(self.run_job(option, self.path("tune.conf", "core_wait = nonsense\n"), "-n", 1, "true").status, 2)

    def effect_of_explain(self, option):
        result = self.run_job(option + "=nonsense", "-n", 1, "true")
        self.assertEqual(result.status, 2)
        self.assertIn("core_explain", result.err.replace("\n", " "))

    # Environment.
    def variables(self, *words):
        return [line for line in self.lines(*words, "-n", 1, "env", env={"ONE_A": "1", "ONE_B": "2", "TWO": "3"})
                if re.match("ONE|TWO|NEW", line)]

    def effect_of_x(self, option):
        self.assertEqual(self.variables("-genvnone", option, "ONE*"), ["ONE_A=1", "ONE_B=2"])
        self.assertEqual(self.variables("-genvnone", option, "TWO", option, "NEW=x"), ["NEW=x", "TWO=3"])

    def effect_of_env(self, option):
        self.assertIn("NEW=x", self.variables(option, "NEW", "x"))

    effect_of_genv = effect_of_env

    def effect_of_genvall(self, option):
        self.assertEqual(self.variables("-genvnone", option), ["ONE_A=1", "ONE_B=2", "TWO=3"])

    effect_of_envall = effect_of_genvall

    def effect_of_genvlist(self, option):
        self.assertEqual(self.variables(option, "TWO,PATH"), ["TWO=3"])

    effect_of_envlist = effect_of_genvlist

    def effect_of_genvnone(self, option):
        self.assertEqual(self.variables(option), [])

    effect_of_envnone = effect_of_genvnone

    # Input and output.
    def effect_of_tag_output(self, option):
        self.assertEqual(self.lines(option, "-n", 2, *RANK), ["[1,0]<stdout>:0", "[1,1]<stdout>:1"])

    def effect_of_l(self, option):
        self.assertEqual(self.lines(option, "-n", 2, *RANK), ["[0] 0", "[1] 1"])

    def effect_of_prepend_pattern(self, option):
        self.assertEqual(self.lines(option, "<%r of %%%g%x>: ", "-n", 2, *RANK), ["<0 of %0%x>: 0", "<1 of %0%x>: 1"])

    def effect_of_timestamp_output(self, option):
        for line in self.lines(option, "-l", "-n", 2, *RANK):
            self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3} \[(\d)\] \1$")

    def effect_of_merge_stderr_to_stdout(self, option):
        self.assertEqual(self.lines(option, "-n", 1, ACTOR, "complain", "x"), ["x"])

    def effect_of_output_filename(self, option):
        speak = [ACTOR, "init", "say", "x", "complain", "y", "rank", "finalize"]
        for qualifier, out, err in (("", "0 of 2\n1 of 2\nx\nx", "y\ny\n"), (":copy", "0 of 2\n1 of 2\nx\nx", "y\ny\n"), (":nocopy", "", "")):
            result = self.run_job(option, self.path("out/put") + qualifier, "-n", 2, *speak)
            self.assertEqual((result.status, "\n".join(sorted(result.out.splitlines())), result.err), (0, out, err))
            for rank in (0, 1):
                self.assertEqual(self.read(f"out/put/1/rank.{rank}/stdout"), f"x\n{rank} of 2\n")
                self.assertEqual(self.read(f"out/put/1/rank.{rank}/stderr"), "y\n")
        result = self.run_job(option, self.path("file", "") + "/below", "-n", 1, "true")
        self.assertEqual(result.status, 1)
        self.expect_line(result, r"rank 0: file '.*/file/below/1/rank.0/stdout' for its output: Not a directory")

    def effect_of_outfile_pattern(self, option):
        result = self.run_job(option, self.path("o.%r"), "-n", 2, ACTOR, "say", "x", "complain", "y")
        self.assertEqual((result.status, result.out, result.err), (0, "", "y\ny\n"))
        self.assertEqual((self.read("o.0"), self.read("o.1")), ("x\n", "x\n"))
        self.run_job(option, self.path("all"), "-n", 3, "echo", "z")
        self.assertEqual(self.read("all"), "z\n" * 3)

    def effect_of_errfile_pattern(self, option):
        result = self.run_job(option, self.path("e.%r"), "-n", 2, ACTOR, "say", "x", "complain", "y")
        self.assertEqual((result.status, result.out, result.err), (0, "x\nx\n", ""))
        self.assertEqual((self.read("e.0"), self.read("e.1")), ("y\n", "y\n"))

    def effect_of_output(self, option):
        self.assertEqual(self.lines(option, "tag,merge", "-n", 1, ACTOR, "complain", "x"), ["[1,0]<stdout>:x"])
        self.assertEqual(self.lines(option, f"file={self.path('both')}:nocopy", "-n", 1, ACTOR, "say", "x", "complain", "y"), [])
        self.assertEqual(self.read("both.0"), "x\ny\n")
        self.assertEqual(self.lines(option, f"rank,dir={self.path('tree')}", "-n", 1, "echo", "x"), ["[0] x"])
        self.assertEqual(self.read("tree/1/rank.0/stdout"), "x\n")

    def effect_of_stdin(self, option):
        read = ["sh", "-c", "echo $TESSERA_RANK: $(cat)"]
        self.assertEqual(self.lines(option, 1, "-n", 2, *read, given=b"x"), ["0:", "1: x"])
        self.assertEqual(self.lines(option, 0, "-n", 2, *read, given=b"x"), ["0: x", "1:"])
        self.assertEqual(self.lines(option, "none", "-n", 2, *read), ["0:", "1:"])

    # Places: that each value has its effect is tested elsewhere.
    def effect_of_map_by(self, option):
        self.assertEqual(self.pictures(option, "package", "--bind-to", "core", "-n", 2), ["[BB/..][../..]", "[../..][BB/..]"])

    def effect_of_rank_by(self, option):
        self.assertEqual(self.pictures("--map-by", "core", option, "package", "-n", 2), ["[BB/..][../..]", "[../BB][../..]"])
        self.assertEqual(self.pictures("--map-by", "core", option, "package", "-n", 4)[1], "[../..][BB/..]")

    def effect_of_bind_to(self, option):
        self.assertEqual(self.pictures(option, "core", "-n", 2), ["[BB/..][../..]", "[../BB][../..]"])

    def effect_of_rankfile(self, option):
        path = self.path("ranks", "rank 1=localhost slot=1:0\nrank 0=localhost slot=1\n")
        self.assertEqual(self.pictures(option, path), ["[../BB][../..]", "[../..][BB/..]"])

    def effect_of_rankmap(self, option):
        self.assertEqual(self.lines(option, "(vector,(0,1,3))", *RANK), ["0", "1", "2"])

    def effect_of_cpu_set(self, option):
        self.assertEqual(self.pictures(option, "1-2", "-n", 1), ["[../BB][BB/..]"])

    def effect_of_cpus_per_proc(self, option):
        self.assertEqual(self.pictures(option, 2, "-n", 2), ["[BB/BB][../..]", "[../..][BB/BB]"])

    def effect_of_npersocket(self, option):
        self.assertEqual(self.pictures(option, 1), ["[BB/BB][../..]", "[../..][BB/BB]"])

    def effect_of_ppr(self, option):
        self.assertEqual(self.pictures(option, "1:core", "-n", 1), ["[BB/..][../..]"])

    def effect_of_bycore(self, option):
        first = {"core": "[BB/..][../..]", "socket": "[BB/BB][../..]"}.get(option.removeprefix("--by"), "[../..][../..]")
        self.assertEqual(self.pictures(option, "-n", 1), [first])

    def effect_of_bind_to_core(self, option):
        first = {"core": "[BB/..][../..]", "socket": "[BB/BB][../..]", "none": "[../..][../..]"}[option.rpartition("-")[2]]
        self.assertEqual(self.pictures(option, "-n", 1), [first])

    def effect_of_use_hwthread_cpus(self, option):
        self.assertEqual(self.pictures(option, "--map-by", "slot:pe=1", "-n", 2), ["[B./..][../..]", "[.B/..][../..]"])

    def effect_of_oversubscribe(self, option):
        self.assertEqual(len(self.pictures("--nooversubscribe", option, "-n", 9)), 9)

    def effect_of_nooversubscribe(self, option):
        result = self.run_job(option, "--dry-run", "-n", 9, "true", env=MADE_UP)
        self.assertEqual(result.status, 2)
        self.expect_line(result, "9 ranks of 1 core each do not fit on 4 cores")

    def effect_of_report_bindings(self, option):
        self.expect_line(self.run_job(option, "-n", 1, "true"), r"^mpiexec: rank 0: not bound \[")

    def effect_of_display_map(self, option):
        self.assertRegex(self.run_job(option, "-n", 1, "true").out, r"^Map of 1 rank on .*\n  rank 0: true, not bound \[")

    def effect_of_display_allocation(self, option):
        self.assertRegex(self.run_job(option, "-n", 1, "true").out, r"^Allocation: .* CPUs\n$")

    def effect_of_display(self, option):
        result = self.run_job(option, "allocation,map,bind", "-n", 1, "true")
        self.assertRegex(result.out, r"^Allocation: .*\nMap of 1 rank")
        self.expect_line(result, "rank 0: not bound")

    def effect_of_dry_run(self, option):
        self.assertEqual(self.lines(option, "-n", 1, "sh", "-c", f"touch {self.path('started')}")[1].split()[0], "Map")
        self.assertFalse(os.path.exists(self.path("started")))

    # Hosts.
    def effect_of_host(self, option):
        self.assertEqual(self.lines(option, "localhost", "-n", 2, *RANK), ["0", "1"])

    def effect_of_hostfile(self, option):
        self.assertEqual(self.lines(option, self.path("hosts", "localhost slots=3\n"), *RANK), ["0", "1", "2"])

    def effect_of_launcher(self, option):
        self.assertRegex(self.run_job(option, "fork", "-host", "elsewhere", "true").err, "--launcher fork: host 'elsewhere'")

    def effect_of_launcher_exec(self, option):
        os.chmod(self.path("mpiexec.hydra", "#!/bin/sh\n"), 0o700)
        result = self.run_job("--launcher", "hydra", option, "/my/shell", "--dry-run", "-n", 1, "true",
                              env={"PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.expect_ok(result)
        self.assertIn(" -launcher-exec /my/shell ", result.out)

    def effect_of_ppn(self, option):
        self.assertEqual(self.lines(option, 3, *RANK), ["0", "1", "2"])

    # Failure.
    def effect_of_enable_recovery(self, option):
        self.assertEqual(self.run_job(option, "-n", 1, ACTOR, "init", "signal", 9, ":", "-n", 1, ACTOR, "init", "finalize").status, 0)

    def effect_of_disable_recovery(self, option):
        result = self.run_job("--enable-recovery", option, "-n", 1, ACTOR, "init", "signal", 9, ":", "-n", 1, ACTOR, "init", "pause")
        self.assertEqual(result.status, 137)

    def effect_of_on_hang(self, option):
        self.assertEqual(self.lines(option, "ignore", "-n", 1, *RANK), ["0"])
        self.expect_line(self.run_job(option, "sometimes", "true"), "'report', 'abort', 'stop' or 'ignore', not 'sometimes'")

    def effect_of_hang_report(self, option):  # tests/hangs reads such a file
        self.expect_line(self.run_job(option, "", "true"), "the name of a file, not an empty one")

    def effect_of_hang_graph(self, option):  # likewise
        self.expect_line(self.run_job(option, "", "true"), "the name of a file, not an empty one")

    def effect_of_check(self, option):  # tests/misuse has what it finds
        if os.environ.get("TESSERA_TEST_SANITIZED"):
            return  # a sanitizer wants to be preloaded before all else
        self.assertRegex(self.lines(option, "-n", 1, "/bin/sh", "-c", "echo $LD_PRELOAD")[0], r"^/.*/libtessera-check\.so(:|$)")

    # Information.
    def effect_of_help(self, option):
        self.assertRegex(self.run_job(option).out, "^Usage: mpiexec")

    def effect_of_version(self, option):
        self.assertRegex(self.run_job(option).out, r"^mpiexec \(Tessera\) \d")

    def effect_of_quiet(self, option):
        self.expect_ok(self.run_job(option, "-rmk", "x", "-n", 1, "true"))

    def effect_of_verbose(self, option):
        self.expect_line(self.run_job(option, "-n", 1, "true"), r"^mpiexec: rank 0 \(pid \d+ on .*\): true$")

    def effect_of_print_all_exitcodes(self, option):
        result = self.run_job(option, "-n", 2, "true")
        self.assertEqual(result.err, "mpiexec: rank 0 ended with exit status 0\nmpiexec: rank 1 ended with exit status 0\n")
        result = self.run_job(option, "-n", 1, ACTOR, "exit", 3, ":", "-n", 1, ACTOR, "pause")
        self.assertEqual(result.status, 3)
        self.assertRegex(result.err, r"(?m)^mpiexec: rank 0 ended with exit status 3\nmpiexec: rank 1 was (killed|ended) by ")

    def effect_of_report_pid(self, option):
        job = self.start(option, self.path("pid"), "-n", 1, "true")
        self.expect_ok(self.finish(job))
        self.assertEqual(self.read("pid"), f"{job.pid}\n")
        self.assertRegex(self.run_job(option, "-", "-n", 1, "true").out, r"^\d+\n$")
        self.assertRegex(self.run_job(option, "+", "-n", 1, "true").err, r"^\d+\n$")

    def effect_of_tessera_options(self, option):
        self.assertIn(f"Information\t{option[2:]}\t\tobeyed\t", self.run_job(option).out)


if __name__ == "__main__":
    unittest.main(verbosity=1)
