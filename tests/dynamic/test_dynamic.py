#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Dynamic processes as users start them: jobs of mpiexec, programs alone, and what is left
behind."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPIEXEC = os.environ["TESSERA_TEST_MPIEXEC"]
SPAWN = os.environ["TESSERA_TEST_SPAWN"]
PORTS = os.environ["TESSERA_TEST_PORTS"]
ENDS = os.environ["TESSERA_TEST_ENDS"]
CORNERS = os.environ["TESSERA_TEST_CORNERS"]
MANAGER = os.environ["TESSERA_TEST_MANAGER"]
LIMIT = 240


def run(words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=LIMIT, check=False, **more)


def running(marker):
    """Processes that have the marker in their environment, but for zombies."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if marker.encode() in file.read():
                    found.append(int(name))
        except OSError:
            pass
    return found


class Base(unittest.TestCase):
    def setUp(self):
        self.marker = f"TESSERA_TEST_MARKER={os.getpid()}.{self.id()}"
        name, value = self.marker.split("=")
        self.environment = dict(os.environ, **{name: value})

    def tearDown(self):
        end = time.monotonic() + 20
        while running(self.marker) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(running(self.marker), [])

    def good(self, *words, **more):
        result = run(words, env=dict(self.environment, **more))
        self.assertEqual((result.returncode, result.stderr), (0, ""), words)
        return result


class Spawn(Base):
    CASES = ("exchange", "merge", "chain", "words", "environment", "multiple", "soft", "handler")

    def test_under_mpiexec(self):
        for case in self.CASES:
            with self.subTest(case):
                self.good(MPIEXEC, "-n", 1, SPAWN, case)
        for case in ("exchange", "merge"):
            with self.subTest(case, ranks=2):
                self.good(MPIEXEC, "-n", 2, SPAWN, case)

    def test_alone(self):  # req dynamic 2.31
        for case in self.CASES:
            with self.subTest(case):
                self.good(SPAWN, case)

    def test_over_tcp(self):
        for case in ("exchange", "merge"):
            with self.subTest(case):
                self.good(MPIEXEC, "-n", 2, "--mca", "btl", "self,tcp", SPAWN, case)

    def test_root_alone(self):
        self.good(MPIEXEC, "-n", 3, SPAWN, "root-alone")

    def test_info_file(self):
        with tempfile.NamedTemporaryFile("w") as keys:
            keys.write("# for a child\nwdir = /tmp\n\nenv = TESSERA_TEST_GIVEN=of the file\nenv = TESSERA_TEST_OTHER=1\n")
            keys.flush()
            self.good(MPIEXEC, "-n", 1, SPAWN, "info-file", keys.name)

    @unittest.skipIf(os.environ.get("TESSERA_TEST_SANITIZED"), "a sanitizer's library has to be there before Python")
    def test_initial_errhandler(self):
        program = ("-c", "import ctypes, sys; mpi = ctypes.CDLL(sys.argv[1]); sys.exit(mpi.MPI_Barrier(None) == 0)")
        library = os.path.join(os.path.dirname(os.path.dirname(MPIEXEC)), "lib", "libmpi_abi.so.1")
        self.good(MPIEXEC, "-n", 1, "-x", "TESSERA_INITIAL_ERRHANDLER=MPI_ERRORS_RETURN", sys.executable, *program, library)
        self.good(sys.executable, *program, library, TESSERA_INITIAL_ERRHANDLER="mpi_errors_return")
        result = run([SPAWN], env=dict(self.environment, TESSERA_INITIAL_ERRHANDLER="x"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("TESSERA_INITIAL_ERRHANDLER is 'x'", result.stderr)

    def test_errors(self):
        self.good(MPIEXEC, "-n", 1, SPAWN, "errors")
        self.good(MPIEXEC, "-n", 2, SPAWN, "errors")
        self.good(SPAWN, "errors")

    def test_error_texts(self):
        shown = run([MPIEXEC, "-n", 1, SPAWN, "errors"], env=dict(self.environment, TESSERA_TEST_VERBOSE="1")).stdout
        for words in ("/no/such/program", "may not be executed", "/no/such/directory", "another-host.invalid",
                      "exit status 3", "killed by signal 9"):
            self.assertIn(words, shown)

    def test_farm(self):
        self.good(MPIEXEC, "-n", 1, SPAWN, "farm", 30)

    def test_all_ranks_at_once(self):
        self.good(MPIEXEC, "-n", 3, SPAWN, "at-once", 8)


class Corners(Base):
    def test_alone(self):
        for case in ("soft-sets", "universe", "at-once", "overlap", "identity", "finalize", "session", "start"):
            with self.subTest(case):
                self.good(CORNERS, case)

    def test_under_mpiexec(self):
        for case in ("beside", "accept", "finalize", "session"):
            with self.subTest(case):
                self.good(MPIEXEC, "-n", 2, CORNERS, case)

    def test_universe(self):
        self.good(MPIEXEC, "-usize", 7, "-n", 1, CORNERS, "universe", 7)
        self.good(MPIEXEC, "-usize", 2, "-n", 3, CORNERS, "universe", 2)
        self.good(MPIEXEC, "--host", "localhost:5", "-n", 2, CORNERS, "universe", 5)


class Farm(Base):
    def test_thousand(self):
        self.good(MPIEXEC, "-n", 1, SPAWN, "farm", 1000)

    def test_ten_thousand(self):
        global LIMIT
        LIMIT = 3000
        self.good(MPIEXEC, "-n", 1, SPAWN, "farm", 10000)


class Ports(Base):
    def test_errors(self):
        self.good(PORTS, "errors")
        self.good(MPIEXEC, "-n", 1, PORTS, "errors")

    def test_join(self):
        self.good(PORTS, "join-pair")

    def meet(self, server, client, rounds=3, **more):
        name = f"{os.getpid()} {self.id()} {server} {client}"
        words = [str(w) for w in (*server, PORTS, "server", name, rounds)]
        with subprocess.Popen(words, env=dict(self.environment, **more), stderr=subprocess.PIPE, text=True) as process:
            self.good(*client, PORTS, "client", name, rounds, **more)
            self.assertEqual(process.communicate(timeout=LIMIT)[1], "")
            self.assertEqual(process.returncode, 0)

    def test_meetings(self):  # req dynamic 2.8
        two = (MPIEXEC, "-n", 2)
        for server, client in (((), ()), (two, ()), ((), two), (two, two), ((MPIEXEC, "-n", 3), (MPIEXEC, "-n", 1))):
            with self.subTest(server=server, client=client):
                self.meet(server, client)

    def test_meetings_over_tcp(self):
        self.meet((MPIEXEC, "-n", 2, "--mca", "btl", "self,tcp"), (MPIEXEC, "-n", 2, "--mca", "btl", "self,tcp"))
        self.meet((), (), TESSERA_MCA_btl="self,tcp")

    def test_clients_that_die(self):  # req dynamic 2.10
        name = f"{os.getpid()} {self.id()}"
        with subprocess.Popen([PORTS, "server", name, "3"], env=self.environment) as server:
            for _ in range(3):
                with subprocess.Popen([PORTS, "stopped-client", name, "1"], env=self.environment) as dying:
                    os.waitpid(dying.pid, os.WUNTRACED)  # it knows the port, and is about to connect
                    dying.kill()
                self.good(PORTS, "client", name, 1)
            self.assertEqual(server.wait(timeout=LIMIT), 0)


class Ends(Base):
    """What happens to the others when a process, or mpiexec, ends."""

    def test_child_dies_connected(self):  # req dynamic 2.24
        result = run([MPIEXEC, "-n", 1, ENDS, "wait-for-child", "connected"], env=self.environment)
        self.assertEqual(result.returncode, 128 + signal.SIGKILL, result.stderr)
        self.assertIn("of job 2", result.stderr)

    def test_child_dies_after_a_free(self):  # req dynamic 2.22
        result = run([MPIEXEC, "-n", 1, ENDS, "wait-for-child", "freed"], env=self.environment)
        self.assertEqual(result.returncode, 128 + signal.SIGKILL, result.stderr)
        self.assertIn("of job 2", result.stderr)

    def test_child_dies_disconnected(self):
        result = run([MPIEXEC, "-n", 1, ENDS, "wait-for-child", "disconnected"], env=self.environment)
        self.assertIn("parent is well", result.stdout)
        self.assertIn("of job 2", result.stderr)

    def test_child_dies_with_recovery(self):
        result = run([MPIEXEC, "-n", 1, "--enable-recovery", ENDS, "replace-child"], env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("child was replaced", result.stdout)

    def test_manager_loses_a_worker(self):
        result = run([MPIEXEC, "-n", 1, "--enable-recovery", MANAGER], env=self.environment)
        self.assertEqual((result.returncode, result.stdout), (0, "all tasks are done\n"), result.stderr)

    def test_caller_dies_before_any_message(self):
        for btl in ("self,sm", "self,tcp"):
            with self.subTest(btl):
                self.assertEqual(self.good(ENDS, "lose-caller", TESSERA_MCA_btl=btl).stdout, "caller is lost\n")

    def test_child_aborts(self):
        result = run([MPIEXEC, "-n", 1, ENDS, "wait-for-abort"], env=self.environment)
        self.assertEqual(result.returncode, 7, result.stderr)

    def test_parent_leaves_first(self):  # req dynamic 2.23
        with tempfile.TemporaryDirectory() as folder:
            fifo = os.path.join(folder, "fifo")
            os.mkfifo(fifo)
            environment = dict(self.environment, TESSERA_TEST_FIFO=fifo)
            self.assertEqual(subprocess.run([ENDS, "leave-child"], env=environment, timeout=LIMIT, check=False).returncode, 0)
            with open(fifo, "wb") as file:  # the child is there, and ends after this
                file.write(b"x")

    def test_timeout(self):
        result = run([MPIEXEC, "--timeout", 1, "-n", 1, ENDS, "wait-for-ever"], env=self.environment)
        self.assertEqual(result.returncode, 124)
        self.assertIn("job 2", result.stderr)

    def test_mpiexec_sleeps_beside_connected_jobs(self):
        def sleeps(process):  # how often it has given up its processor by itself
            with open(f"/proc/{process}/status", encoding="utf-8") as file:
                return int(next(line for line in file if line.startswith("voluntary_ctxt_switches")).split()[1])
        with subprocess.Popen([MPIEXEC, "-n", "1", ENDS, "wait-for-ever"], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            pids = dict(line.split() for line in (process.stdout.readline() for _ in range(2)))
            with open(f"/proc/{pids['parent']}/stat", encoding="utf-8") as file:
                runner = file.read().rpartition(")")[2].split()[1]
            before, limit = sleeps(runner), time.monotonic() + LIMIT
            while sleeps(runner) < before + 6 and time.monotonic() < limit:
                time.sleep(0.05)
            slept = sleeps(runner) - before
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=LIMIT)
        self.assertGreaterEqual(slept, 6, "mpiexec does not sleep")

    def killed(self, whom, *launch):
        with subprocess.Popen([str(w) for w in (*launch, ENDS, "wait-for-ever")], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            pids = dict(line.split() for line in (process.stdout.readline() for _ in range(2)))
            os.kill(process.pid if whom == "mpiexec" else int(pids[whom]), signal.SIGKILL)
            process.wait(timeout=LIMIT)

    def test_nothing_is_left(self):
        for whom in ("mpiexec", "parent", "child"):
            with self.subTest(whom):
                self.killed(whom, MPIEXEC, "-n", 1)
                self.tearDown()

    def test_nothing_is_left_of_a_process_alone(self):
        self.killed("parent")


if __name__ == "__main__":
    unittest.main()
