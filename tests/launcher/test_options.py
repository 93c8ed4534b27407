# SPDX-License-Identifier: BSD-3-Clause
"""The command line: both families of spellings, environments, parameters, and what is said about
mistakes."""
import os
import socket
import subprocess
import tempfile
import unittest

from harness import ACTOR, LauncherTest

COUNT = ["sh", "-c", "echo $TESSERA_RANK of $TESSERA_SIZE"]


class Options(LauncherTest):
    def expect_ranks(self, ranks, *words, **options):
        result = self.run_job(*words, **options)
        self.expect_ok(result)
        self.assertEqual(sorted(result.out.splitlines()), sorted(f"{i} of {ranks}" for i in range(ranks)), words)

    def expect_mistake(self, pattern, *words, status=2, **options):
        result = self.run_job(*words, **options)
        self.assertEqual((result.status, result.out), (status, ""), words)
        self.expect_line(result, pattern)

    def test_number_of_ranks(self):
        """req errata 1.25"""
        for option in ("-n", "-np", "--n", "--np", "-c"):
            self.expect_ranks(3, option, 3, *COUNT)
        self.expect_ranks(3, "-n=3", *COUNT)
        self.expect_ranks(3, "--np=3", *COUNT)
        self.expect_ranks(len(os.sched_getaffinity(0)), *COUNT, preexec_fn=lambda: None)
        self.expect_ranks(1, *COUNT, preexec_fn=lambda: os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1]))

    def test_command_lines_of_other_launchers(self):
        for line in (
                "--oversubscribe -n 3", "-np 3 --allow-run-as-root", "--allow-run-as-root --oversubscribe -np 3",
                "--map-by :OVERSUBSCRIBE -n 3", "-n 3 --map-by node", "--bind-to core -n 3", "-bind-to none -np 3",
                "--map-by ppr:4:node --bind-to hwthread -n 3", "-n 3 --report-bindings", "-ppn 3 -n 3", "-ppn 3",
                "-N 3", "--npernode 3 -n 3", "-np 3 --use-hwthread-cpus", "--mca core_wait spin -n 3",
                "-mca core_wait spin -np 3", "--gmca core_wait spin -n 3", "-n 3 -host localhost", "--host localhost:3 -n 3",
                "-hosts localhost -n 3", "-H localhost,localhost -n 3", "-genv A b -n 3", "-env A b -n 3",
                "-genvall -n 3", "-genvlist PATH,TESTMARK -n 3", "-x PATH -n 3", "-x A=b -np 3", "-x A=b -x C=d -n 3",
                "-wdir / -n 3", "--wdir / -n 3", "--wd / -n 3", "-launcher fork -n 3", "-rmk user -n 3", "-q -n 3",
                "--quiet -n 3", "-prefix /usr -n 3", "-s 0 -n 3", "--stdin 0 -n 3", "-n 3 --", "--timeout 100 -n 3",
                "-disable-auto-cleanup -n 3", "-iface lo -n 3", "--rank-by slot -n 3", "--enable-recovery -n 3",
                "-bind-to core -map-by socket -n 3", "-membind numa -np 3", "--bynode -n 3",
                "-print-all-exitcodes -n 3", "-n3", "-np3", "--get-stack-traces --timeout 100 -n 3",
                "-usize 10 -n 3", "-order-nodes UP -n 3", "-disable-hostname-propagation -n 3"):
            with self.subTest(line=line):
                result = self.run_job(*line.split(), *COUNT, env={"PATH": os.environ["PATH"]})
                self.assertEqual(result.status, 0, result)
                self.assertEqual(len(result.out.splitlines()), 3)

    def test_host_names(self):
        name = socket.gethostname()
        for host in (name, name.upper(), name + ".example.org", "127.0.0.1", "::1", f"{name}:4", f"localhost,{name}"):
            self.expect_ranks(2, "-n", 2, "-host", host, *COUNT)
        for hosts in ("elsewhere", "localhost,192.0.2.1"):
            self.expect_mistake("is not this machine", "--launcher", "fork", "-n", 2, "-host", hosts, "true")

    def test_host_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hosts")
            with open(path, "w") as file:
                file.write("# ours\n\nlocalhost slots=2  # here\nlocalhost:1\n")
            for option in ("--hostfile", "-machinefile", "-f"):
                self.expect_ranks(3, option, path, *COUNT)
                more = ["--oversubscribe"] if option == "--hostfile" else []
                self.expect_ranks(5, option, path, "-n", 5, *more, *COUNT)
            with open(path, "a") as file:
                file.write("elsewhere slots=2\n")
            self.expect_mistake(r"host 'elsewhere' is not this machine", "--launcher", "fork", "-f", path, "true")
            with open(path, "w") as file:
                file.write("localhost slots=many\n")
            self.expect_mistake(r"hosts:1: slots: 'many'", "-f", path, "true")
        self.expect_mistake(r"host file '/no/file'", "-f", "/no/file", "true")

    def test_mistakes(self):
        for pattern, line in (
                (r"unknown option '--oversubscibe' \(did you mean '--oversubscribe'\?\)", "--oversubscibe -n 2 true"),
                (r"unknown option '-tag-outptu' \(did you mean '--tag-output'\?\)", "-tag-outptu -n 2 true"),
                (r"unknown option '--frobnicate';", "--frobnicate true"),
                (r"option -n: 'x' is not a whole number", "-n x true"),
                (r"option -np: '0' is not a whole number", "-np 0 true"),
                (r"option -n: '-3' is not", "-n -3 true"),
                (r"option -n: '99999999999' is not", "-n 99999999999 true"),
                (r"option -n needs N", "-n"),
                (r"option --mca needs NAME VALUE", "--mca btl"),
                (r"option --quiet takes no value", "--quiet=yes true"),
                (r"no program to run", "-n 2"),
                (r"no program to run beside ':'", "-n 2 true : -n 1"),
                (r"with several programs each needs its number of ranks: -n N before 'false'", "-n 1 true : false"),
                (r"option --timeout: 'soon' is not a number of seconds", "--timeout soon true"),
                (r"option --stdin: the number of a rank or 'none', not 'all'", "--stdin all true"),
                (r"option --stdin: there is no rank 2 among 2", "--stdin 2 -n 2 true"),
                (r"option --bind-to: 'bogus' is none of none, hwthread, core", "--bind-to bogus true"),
                (r"option --map-by: 'bogus' is none of slot, node", "--map-by bogus true"),
                (r"option --rank-by: 'bogus' is none of slot", "--rank-by bogus true"),
                (r"option --map-by: 'rankfile' is not rankfile:file=FILE", "--map-by rankfile true"),
                (r"rank file '/no/file': No such file", "--rankfile /no/file true"),
                (r"rank file '/no/file': No such file", "--map-by rankfile:file=/no/file true"),
                (r"option --rankfile: the file says .* leave out --map-by", "--rankfile /dev/null --bind-to core true"),
                (r"rank file '/dev/null' is about no rank", "-rf /dev/null true"),
                (r"option --rankmap: '\(vector,\(0,1' is not", "-rankmap (vector,(0,1 true"),
                (r"option --rankmap: '\(vector,\(1,1,1\)\)' is about host 1, counted from 0, and there is 1",
                 "-rankmap (vector,(1,1,1)) true"),
                (r"option --launcher: 'bogus' is neither an engine", "-launcher bogus true"),
                (r"option --display: 'bogus' is none of map, bind", "--display bogus true"),
                (r"option --output: 'bogus' is none of tag, rank", "--output bogus true"),
                (r"option --forward-signals: 'ALRM' is none of INT", "--forward-signals USR1,ALRM true"),
                (r"option --with-ft: 'ulfm' is not supported, only none; --enable-recovery", "--with-ft ulfm true"),
                (r"option --personality: 'slurm' is not supported", "--personality slurm true"),
                (r"option --mca: NAME VALUE must follow, and '-n' is no name", "--mca -n 2 true"),
                (r"option -configfile: file '/no/file': No such file", "-configfile /no/file"),
                (r"option --app: the file is the rest of the command line; 'true' cannot", "--app /no/file true"),
                (r"unknown option '-n2x'", "-n2x true"),
                (r"option -x: NAME or NAME=VALUE", "-x =v true"),
                (r"cannot start in '/no/dir': No such file", "--wdir /no/dir true"),
                (r"cannot start in '/etc/passwd': Not a directory", "--wdir /etc/passwd true")):
            with self.subTest(line=line):
                self.expect_mistake(pattern, *line.split())

    def test_help_and_version(self):
        result = self.run_job("--help")
        self.expect_ok(result)
        for word in ("--timeout", "--mca", "--tag-output", "Exit status"):
            self.assertIn(word, result.out)
        self.assertTrue(all(len(line) <= 110 for line in result.out.splitlines()), result.out)
        self.assertEqual(self.run_job("-h").out, result.out)
        self.assertRegex(self.run_job("--version").out, r"^mpiexec \(Tessera\) \d+\.\d+\.\d+\n$")
        self.assertEqual(self.run_job("-V").status, 0)

    def test_several_programs(self):
        result = self.run_job("-n", 2, ACTOR, "init", "rank", "app", "finalize", ":",
                              "-n", 1, ACTOR, "init", "rank", "app", "finalize")
        self.expect_ok(result)
        self.assertEqual(sorted(result.out.split("\n")), sorted("0 of 3\n0\n1 of 3\n0\n2 of 3\n1\n".split("\n")))
        result = self.run_job("-l", "-n", 1, "echo", "a", ":", "-n", 2, "echo", "b", ":", "-np", 1, "echo", "c")
        self.assertEqual(sorted(result.out.splitlines()), ["[0] a", "[1] b", "[2] b", "[3] c"])

    def variables(self, *words, **options):
        result = self.run_job(*words, "env", **options)
        self.expect_ok(result)
        return dict(line.split("=", 1) for line in result.out.splitlines())

    def test_environment(self):
        given = {"ONE": "1", "TWO": "2"}
        one = ["-n", 1]
        self.assertLessEqual(given.items(), self.variables(*one, env=given).items())
        self.assertEqual(self.variables("-x", "ONE=x=y", *one, env=given)["ONE"], "x=y")
        self.assertEqual(self.variables("-genv", "ONE", "a b", *one, env=given)["ONE"], "a b")
        self.assertEqual(self.variables("-genv", "ONE", "g", "-env", "ONE", "own", *one)["ONE"], "own")
        self.assertEqual(self.variables("-x", "ONE=first", "-x", "ONE=second", *one)["ONE"], "second")
        listed = self.variables("-genvlist", "ONE,PATH,TESTMARK", *one, env=given)
        self.assertEqual(listed["ONE"], "1")
        self.assertNotIn("TWO", listed)
        for option in ("-genvnone", "-envnone"):
            none = self.variables(option, "-x", "TWO", "-env", "THREE", "3", *one, env=given)
            ours = ("TESSERA_", "LD_LIBRARY_PATH")  # that the rank finds the job and the library
            self.assertEqual({k: v for k, v in none.items() if not k.startswith(ours)},
                             {"TWO": "2", "THREE": "3"})
        self.assertIn("TWO", self.variables("-genvnone", "-envall", *one, env=given))

    def test_variable_that_does_not_exist(self):
        result = self.run_job("-x", "NO_SUCH_VARIABLE", "-n", 2, "true")
        self.assertEqual(result.status, 0)
        self.expect_line(result, r"option -x: there is no variable 'NO_SUCH_VARIABLE'")
        self.expect_ok(self.run_job("-q", "-x", "NO_SUCH_VARIABLE", "-n", 2, "true"))

    def test_environment_of_one_program_only(self):
        result = self.run_job("-l", "-n", 1, "-x", "A=1", "sh", "-c", "echo $A-$B", ":",
                              "-n", 1, "-env", "B", "2", "sh", "-c", "echo $A-$B")
        self.assertEqual(sorted(result.out.splitlines()), ["[0] 1-", "[1] -2"])

    def test_a_job_inside_a_job(self):
        result = self.run_job("-n", 1, os.environ["TESSERA_TEST_MPIEXEC"], "-n", 2, ACTOR, "init", "rank", "finalize")
        self.expect_ok(result)
        self.assertEqual(sorted(result.out.splitlines()), ["0 of 2", "1 of 2"])

    def test_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            os.symlink(ACTOR, os.path.join(folder, "here"))
            self.assertEqual(self.run_job("-n", 2, "--wdir", folder, "pwd").out, (folder + "\n") * 2)
            self.assertEqual(self.run_job("-n", 1, "-wdir", folder, "./here", "say", "x").out, "x\n")
            self.assertEqual(self.run_job("-n", 1, "here", "say", "x", cwd=folder).out, "x\n")
            self.expect_mistake(r"there is no program './there', seen from", "--wdir", folder, "./there", status=127)

    def test_parameters_reach_the_ranks(self):
        length = int(self.run_actor(1, "init", "text", "finalize").out)
        self.assertGreater(length, 0)
        result = self.run_job("--mca", "core_wait", "sleep", "-n", 1, ACTOR, "init", "text", "finalize")
        self.expect_ok(result)
        self.assertGreater(int(result.out), length)

    def test_wrong_parameters_are_told_once(self):
        for words in (["--mca", "core_wait", "often"], ["--explain=nonsense"], ["--mca", "mpi_argument_check", "perhaps"]):
            with self.subTest(words=words):
                result = self.run_job(*words, "-n", 4, ACTOR, "init", "finalize")
                self.assertEqual((result.status, result.out), (2, ""), result)
                self.assertIn(words[-1].split("=")[-1], result.err)
                self.assertEqual(result.err.count("What to do"), 1, result)

    def test_unknown_parameters_are_warned_of_once(self):
        result = self.run_job("--mca", "core_wiat", "sleep", "-n", 4, ACTOR, "init", "finalize")
        self.assertEqual(result.status, 0)
        self.assertEqual(result.err.count("unknown parameter 'core_wiat' (did you mean 'core_wait'?)"), 1, result)
        self.assertEqual(result.err.count("What to do"), 1, result)
        quiet = self.run_job("-q", "--mca", "core_wiat", "sleep", "-n", 4, ACTOR, "init", "finalize")
        self.expect_ok(quiet)

    def test_tune_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write("core_wait = never\n")
            file.flush()
            result = self.run_job("--tune", file.name, "-n", 2, "true")
            self.assertEqual(result.status, 2)
            self.assertIn(file.name + ":1", result.err.replace("\n         ", ""))

    def test_verbose_names_the_processes(self):
        result = self.run_job("-v", "-n", 2, "true")
        self.assertEqual(result.status, 0)
        self.assertRegex(result.err, r"^mpiexec: rank 0 \(pid \d+ on .*\): true\nmpiexec: rank 1 ")

    def test_many_ranks(self):
        self.expect_ranks(100, "-n", 100, *COUNT)

    def test_few_descriptors(self):
        import resource
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        result = self.run_job("-n", 60, "true", preexec_fn=limit)
        self.assertEqual(result.status, 1)
        self.expect_line(result, r"rank \d+: no pipe for its output: Too many open files .*ulimit -n")


if __name__ == "__main__":
    unittest.main(verbosity=1)
