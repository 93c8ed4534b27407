# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec at a terminal: reading, Ctrl-C, Ctrl-Z, in the background, and a terminal that goes
away."""
import os
import pty
import re
import select
import signal
import termios
import unittest

from harness import ACTOR, MPIEXEC, LauncherTest


class Terminal(LauncherTest):
    def setUp(self):
        super().setUp()
        self.shell = 0
        self.screen = b""

    def tearDown(self):
        if self.shell:
            os.kill(self.shell, signal.SIGKILL)
            os.waitpid(self.shell, 0)
            os.close(self.terminal)
        super().tearDown()

    def run_in_terminal(self, *words):
        """Starts the words as the leader of a session with a terminal of its own."""
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.execvpe(words[0], [str(word) for word in words], self.environment)
        mode = termios.tcgetattr(self.terminal)
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(self.terminal, termios.TCSANOW, mode)

    def type(self, keys):
        os.write(self.terminal, keys)

    def expect(self, pattern):
        def seen():
            ready, _, _ = select.select([self.terminal], [], [], 0.05)
            if ready:
                try:
                    self.screen += os.read(self.terminal, 4096)
                except OSError:
                    pass
            found = re.search(pattern, self.screen)
            if found:
                self.screen = self.screen[found.end():]
            return found
        return self.until(seen, f"{pattern} on the terminal; there is {self.screen}")

    def expect_end(self):
        def ended():
            pid, status = os.waitpid(self.shell, os.WNOHANG)
            return (status,) if pid else None
        status = self.until(ended, "the end of the job")[0]
        self.shell = 0
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status)

    def start_shell(self):
        """An interactive shell, so that there is job control."""
        self.run_in_terminal("sh", "-i")
        self.type(b"PS1=; PS2=; echo shell-$((1 + 1))\n")
        self.expect(rb"shell-2")

    def test_ranks_know_how_wide_it_is(self):
        self.run_in_terminal("sh", "-c", f"stty cols 63; exec {MPIEXEC} -n 2 sh -c 'echo columns=$TESSERA_COLUMNS'")
        self.expect(rb"columns=63\r?\n(.*\n)*columns=63")
        self.assertEqual(self.expect_end(), 0)

    def test_rank_0_reads_the_terminal(self):
        self.run_in_terminal(MPIEXEC, "-n", 2, "sh", "-c", 'read line && echo "$TESSERA_RANK got $line"; true')
        self.type(b"a line\n")
        self.expect(rb"0 got a line")
        self.assertEqual(self.expect_end(), 0)

    def test_interrupt_key(self):
        self.run_in_terminal(MPIEXEC, "-n", 2, ACTOR, "say", "ready", "pause")
        self.expect(rb"ready\r\nready")
        self.type(b"\x03")
        self.assertEqual(self.expect_end(), -signal.SIGINT)

    def test_interrupt_key_comes_once(self):
        self.run_in_terminal(MPIEXEC, "-n", 2, "sh", "-c",
                             "trap 'echo caught; exit' INT; echo ready; while :; do sleep 0.01; done")
        self.expect(rb"ready\r\nready")
        self.type(b"\x03")
        self.expect(rb"caught\r\ncaught\r\n")
        self.assertEqual(self.expect_end(), -signal.SIGINT)

    def test_a_single_rank_decides_what_the_interrupt_key_means(self):
        self.run_in_terminal(MPIEXEC, "-n", 1, "sh", "-c",
                             'trap "echo not now" INT; echo ready; until test "$line" = end; do read line; done; echo well')
        self.expect(rb"ready")
        for _ in range(3):
            self.type(b"\x03")
            self.expect(rb"not now")
        self.type(b"end\n")
        self.expect(rb"well")
        self.assertEqual(self.expect_end(), 0)

    def test_stop_and_continue(self):
        self.start_shell()
        self.type(f"{MPIEXEC} -n 2 {ACTOR} say ready pause\n".encode())
        self.expect(rb"ready\r\nready")
        self.type(b"\x1a")
        self.type(b"echo back-$((2 + 2))\n")
        self.expect(rb"back-4")
        ranks = self.wait_for_processes(2, "^[^ ]*launcher_actor ")
        self.until(lambda: all(self.state(pid) == "T" for pid in ranks), "ranks are stopped")
        self.type(b"fg\n")
        self.expect(rb"mpiexec")
        self.until(lambda: all(self.state(pid) != "T" for pid in ranks), "ranks go on")
        self.type(b"\x03")
        self.type(b"echo status-$?\n")
        self.expect(rb"status-130")

    def state(self, pid):
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]

    def test_in_the_background(self):
        self.start_shell()
        self.type(f"{MPIEXEC} -n 2 {ACTOR} lines 2000 50 say end &\n".encode())
        self.expect(rb"(?s)end\r\n.*end\r\n")
        self.type(b"wait; echo status-$?\n")
        self.expect(rb"status-0")

    def test_terminal_that_goes_away(self):
        self.run_in_terminal(MPIEXEC, "-n", 2, ACTOR, "say", "ready", "pause")
        self.expect(rb"ready\r\nready")
        os.close(self.terminal)
        self.terminal = os.open("/dev/null", os.O_RDWR)
        self.assertEqual(self.expect_end(), -signal.SIGHUP)


if __name__ == "__main__":
    unittest.main(verbosity=1)
