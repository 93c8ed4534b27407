# SPDX-License-Identifier: BSD-3-Clause
"""impi-test against our client, packet by packet: towards a system that follows the protocol, and
towards LAM/MPI."""
import pathlib
import struct
import subprocess
import sys
import unittest

TESTER, IMPIRUN, PROGRAM = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(TESTER).parent))
from impi_tester import host_job, script  # noqa: E402
from impi_tester.wire import u32  # noqa: E402

CLIENT = f"{IMPIRUN} -client {{rank}} {{server}}"


def impi_test(*words):
    return subprocess.run([sys.executable, "-B", TESTER, "client", "--patience", "60", *words], capture_output=True, text=True,
                          timeout=280)


class Clients(unittest.TestCase):
    # req impi 4.6, 4.7, 5.1, 5.2, 5.5, 6.1, 6.2, 6.3, 6.4, 6.5, 6.6, 6.7, 6.8, 6.9, 6.10, 6.12
    # req impi 7.1, 7.2, 7.3, 7.4, 7.5, 7.6, 7.7, 9.5, 20.9, 21.7
    def test_ours_passes(self):
        run = impi_test(f"{CLIENT} -n 1 {PROGRAM}")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"(\d+) of \1 tests passed")

    def test_ours_meets_lam(self):  # req impi 9.6
        run = impi_test("--profile", "lam", f"{CLIENT} --mca impi_lam true -n 1 {PROGRAM}")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"(\d+) of \1 tests passed")

    def test_the_switch_for_lam_is_needed(self):  # the tests of reductions can fail
        run = impi_test("--profile", "lam", "--only", "lam-collective.reduce-root-tester-rank-1",
                        f"{CLIENT} -n 1 {PROGRAM}")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("'cid': 0", run.stdout)
        self.assertIn("'cid': 1", run.stdout)

    def test_a_throttled_pair_holds_up_nobody(self):  # req impi 5.4
        """The tester has two processes behind one stream; the second one acknowledges nothing at
        first."""
        first, second, count = host_job.MINE[1], host_job.MINE[1] + 1, 45
        run = script.Run(60)
        try:
            job = host_job.Job(run, f"{CLIENT} -n 1 {PROGRAM}", 1, {
                0x1200: u32(2), 0x2200: u32(2), 0x3000: 2 * host_job.MINE[0], 0x3100: struct.pack(">qq", first, second)}).meet()
            job.acknowledges = False
            job.order(host_job.FLOOD, 9, count)
            seen = [job.next("DATA", tag=9).dst_pid for _ in range(job.hiwater + 1)]
            self.assertEqual((seen.count(second), seen.count(first)), (job.hiwater, 1))
            job.quiet()
            left = count - job.hiwater
            while left > 0:
                job.send("PROTOACK", src_pid=second)
                for _ in range(min(left, job.ackmark)):
                    job.next("DATA", tag=9, dst_pid=second)
                left -= job.ackmark
            job.report(count)
        except script.Failed as failure:
            self.fail(failure)
        finally:
            run.close()

    def test_only_the_receiver_asks_for_the_rest(self):  # req impi 6.11
        """SYNCACK of the tester's other process, which has received nothing, says nothing of the
        message."""
        first, second = host_job.MINE[1], host_job.MINE[1] + 1
        run = script.Run(60)
        try:
            job = host_job.Job(run, f"{CLIENT} -n 1 {PROGRAM}", 1, {
                0x1200: u32(2), 0x2200: u32(2), 0x3000: 2 * host_job.MINE[0], 0x3100: struct.pack(">qq", first, second)}).meet()
            job.order(host_job.SEND, 9, 65)
            seen = job.next("DATASYNC", tag=9, msglen=65)
            self.assertIn(seen.dst_pid, (first, second))
            job.send("SYNCACK", src_pid=first + second - seen.dst_pid, srqid=seen.srqid, drqid=66)
            job.quiet()
            job.send("SYNCACK", src_pid=seen.dst_pid, srqid=seen.srqid, drqid=77)
            job.next("DATA", host_job.pattern(65)[64:], drqid=77)
        except script.Failed as failure:
            self.fail(failure)
        finally:
            run.close()

    def test_a_context_that_no_communicator_has(self):
        run = script.Run(60)
        try:
            job = host_job.Job(run, f"{CLIENT} -n 1 {PROGRAM}", 1).meet()
            job.send("DATA", b"x", tag=9, cid=1 << 63)
            job.host.expect_end()
            run.ends(1)
        except script.Failed as failure:
            self.fail(failure)
        finally:
            run.close()


if __name__ == "__main__":
    unittest.main(warnings="ignore")
