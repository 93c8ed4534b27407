# SPDX-License-Identifier: BSD-3-Clause
"""Jobs across hosts, with engines that are scripts: what they are told, and how signals, statuses
and streams pass. Where it does not know the hosts mpiexec translates; jobs with carriers are in
test_carriers.py."""
import os
import shutil
import signal
import tempfile
import unittest

from harness import LauncherTest

# Records its words, and runs each rank of the last program as Open MPI's mpirun would on hosts.
MPIRUN = r"""#!/bin/sh
printf '%s\n' "$@" > "$RECORD"
while [ "$1" != -n ]; do shift; done
ranks=$2; shift 2
rank=0; status=0
while [ $rank -lt $ranks ]; do
  PMI_RANK=$rank PMI_SIZE=$ranks "$@" || status=$?
  rank=$((rank + 1))
done
exit $status
"""
MPIRUN_CHOOSES = ("--launcher", "openmpi")  # the hosts
SRUN = r"""#!/bin/sh
printf '%s\n' "$@" > "$RECORD"
"""
# Says that it is there, and ends when it is told to.
WAITING = r"""#!/bin/sh
trap 'echo told; exit 7' TERM
echo ready
while :; do sleep 0.05; done
"""


class Across(LauncherTest):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.record = os.path.join(self.folder, "record")
        for tool in ("sh", "sleep", "cat", "env"):
            os.symlink(shutil.which(tool), os.path.join(self.folder, tool))
        self.environment = {name: value for name, value in self.environment.items() if not name.startswith("SLURM_")}
        self.environment.update(PATH=self.folder, RECORD=self.record)

    def engine(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def told(self):
        with open(self.record) as file:
            return file.read().splitlines()

    def test_what_ranks_get(self):
        self.engine("mpirun.openmpi", MPIRUN)
        result = self.run_job(*MPIRUN_CHOOSES, "-n", "2", "-wdir", "/usr", "--mca", "btl", "self,tcp", "-x", "NEW=a; b", "-genvlist",
                              "PATH,TESTMARK", "sh", "-c", 'echo "$PMI_RANK $PWD $TESSERA_MCA_btl $NEW [$RECORD]"')
        self.expect_ok(result)
        self.assertEqual(result.out, "0 /usr self,tcp a; b []\n1 /usr self,tcp a; b []\n")
        self.assertEqual(self.told()[self.told().index("-n"):][:2], ["-n", "2"])

    def test_tune_files_reach_ranks(self):
        self.engine("mpirun.openmpi", MPIRUN)
        tune = os.path.join(self.folder, "tune.conf")
        with open(tune, "w") as file:
            file.write("btl = self,sm\n")
        result = self.run_job(*MPIRUN_CHOOSES, "-n", "1", "--tune", tune, "sh", "-c", "echo $TESSERA_MCA_btl")
        self.expect_ok(result)
        self.assertEqual(result.out, "self,sm\n")

    def test_streams_and_status(self):
        self.engine("mpirun.openmpi", MPIRUN)
        result = self.run_job(*MPIRUN_CHOOSES, "-n", "2", "cat", given=b"in")
        self.expect_ok(result)
        self.assertEqual(result.out, "in")
        self.assertEqual(self.run_job(*MPIRUN_CHOOSES, "-n", "2", "--stdin", "none", "cat", given=b"in").out, "")
        merged = self.run_job(*MPIRUN_CHOOSES, "-n", "1", "--merge-stderr-to-stdout", "sh", "-c", "echo err >&2; exit 3")
        self.assertEqual((merged.status, merged.out, merged.err), (3, "err\n", ""))

    def test_verbose_shows_the_command(self):
        self.engine("mpirun.openmpi", MPIRUN)
        self.expect_line(self.run_job("-v", *MPIRUN_CHOOSES, "-n", "1", "sh", "-c", "exit 0"), r"^mpiexec: \S*/mpirun.openmpi .*-n 1 ")

    def test_allocation(self):
        self.engine("srun", SRUN)
        slurm = {"SLURM_JOB_ID": "5", "SLURM_JOB_NODELIST": "far[1-2]", "SLURM_TASKS_PER_NODE": "3,1"}
        self.expect_ok(self.run_job("sh", "-c", "exit 0", env=slurm))
        self.assertEqual(self.told()[:3], ["-n", "2", "--mpi=pmi2"])  # carriers
        self.assertIn("far1,far2", self.told())
        self.expect_ok(self.run_job("-ppn", "1", "sh", "-c", "exit 0", env=slurm))
        self.assertEqual(self.told()[:2], ["-n", "2"])
        self.assertTrue(any(word.endswith("/tessera-carrier") for word in self.told()))

    def test_one_of_several_tasks(self):
        step = {"SLURM_JOB_ID": "5", "SLURM_JOB_NODELIST": "far[1-2]", "SLURM_STEP_NUM_TASKS": "2"}
        first = self.run_job("-n", "2", "sh", "-c", "echo x", env=dict(step, SLURM_PROCID="0"))
        self.assertEqual((first.status, first.out), (0, "x\nx\n"))
        self.expect_line(first, r"srun started mpiexec 2 times, which makes 2 jobs")
        self.expect_ok(self.run_job("-n", "2", "sh", "-c", "echo x", env=dict(step, SLURM_PROCID="1")))

    def test_no_engine(self):
        result = self.run_job("-H", "far", "sh", "-c", "exit 0")
        self.assertEqual((result.status, result.out), (2, ""))
        self.expect_line(result, r"host 'far' is not this machine.*mpiexec\.hydra, prterun, mpirun\.openmpi.*apt install mpich")

    def test_slots_are_kept(self):
        for words in (("-H", "localhost:2"), ("--host", "localhost:2"), ("--host", "localhost:1,127.0.0.1:1")):
            self.expect_line(self.run_job(*words, "-n", "3", "sh", "-c", "exit 0"), r"3 ranks, but .* 2 slots.*--oversubscribe")
            self.expect_ok(self.run_job(*words, "-n", "3", "--oversubscribe", "sh", "-c", "exit 0"))
        self.expect_ok(self.run_job("-hosts", "localhost:2", "-n", "3", "sh", "-c", "exit 0"))
        self.assertEqual(self.run_job("-H", "localhost:3", "sh", "-c", "echo x").out, "x\n" * 3)

    def start_waiting(self, script, *words):
        self.engine("mpirun.openmpi", script)
        job = self.start(*words, *MPIRUN_CHOOSES, "-n", "1", "sh", "-c", "exit 0")
        self.read_until(job.stdout, b"ready\n")
        return job

    def test_signals_reach_the_engine(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number):
                script = WAITING.replace("TERM", "TERM INT HUP")
                job = self.start_waiting(script)
                os.kill(job.pid, number)
                result = self.finish(job)
                self.assertEqual((result.status, result.out), (128 + number, "told\n"))

    def test_mpiexec_killed(self):
        job = self.start_waiting(WAITING)
        job.kill()
        self.assertEqual(self.finish(job).out, "told\n")

    def test_engine_killed(self):
        job = self.start_waiting(WAITING)
        engine = self.wait_for_processes(1, r"^/bin/sh \S*mpirun\.openmpi ")[0]
        os.kill(engine, signal.SIGKILL)
        result = self.finish(job)
        self.assertEqual(result.status, 128 + signal.SIGKILL)
        self.expect_line(result, r"^mpiexec: Open MPI's mpirun \(pid \d+\), which ran the job, was killed by signal 9")

    def test_engine_ends_well_without_the_job(self):
        self.engine("prterun", "#!/bin/sh\nexit 0\n")
        result = self.run_job("-H", "far", "sh", "-c", "exit 0")
        self.assertEqual(result.status, 1)
        self.expect_line(result, r"^mpiexec: prterun has ended before the job: it has lost a host")

    def test_timeout(self):
        self.engine("mpirun.openmpi", WAITING)
        result = self.run_job("--timeout", "1", *MPIRUN_CHOOSES, "-n", "1", "sh", "-c", "exit 0")
        self.assertEqual(result.status, 124)
        self.expect_line(result, r"did not end within 1 s; Open MPI's mpirun is told to end it")


if __name__ == "__main__":
    unittest.main()
