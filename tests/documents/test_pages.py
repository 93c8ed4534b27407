# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of all pages, from an installed prefix in an empty folder, and compares what
they print with the page.

Usage: test_pages.py SOURCE BUILD

A command ends with 0, and prints what its page shows. What is not run stands in NOT_RUN with the
reason: a page that gains a command fails here until that command runs, or is listed.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import pages

SOURCE, BUILD = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
PROGRAMS = pathlib.Path(__file__).parent / "programs"

# Pages whose commands another test runs, all of them and in an environment of their own.
ELSEWHERE = {"writing-a-component.md": "test_writing_a_component.py"}

NOT_RUN = {
    "needs other hosts (tests/launcher and tests/engines have hosts of one machine)": [
        "mpiexec --hosts a:2,b:2 ./app"],
    "needs Slurm (tests/engines runs it where it is installed)": [
        "salloc -N 4 -n 64 mpiexec ./app", "srun --mpi=pmi2 -n 64 ./app", "srun -N 1 -n 4 ./hello",
        "TESSERA_MCA_boot_share=no srun --mpi=pmi2 ./app"],
    "needs Hydra (tests/engines runs it where it is installed)": [
        "mpiexec.hydra -n 4 ./app", "mpiexec.hydra -n 4 ./hello",
        "TESSERA_MCA_core_explain=select mpiexec.hydra -n 4 ./hello"],
    "needs Open MPI's mpirun (tests/engines runs it where it is installed)": [
        "mpirun.openmpi -np 4 ./app", "mpirun.openmpi -np 4 ./hello",
        "TESSERA_MCA_core_explain=select mpirun.openmpi -np 4 ./hello"],
    "needs root and two hosts": [
        "ip link add wg0 type wireguard", "ip addr add 10.99.0.K/24 dev wg0", "ip link set wg0 mtu 1420 up",
        "wg set wg0 listen-port 51820 private-key /etc/wireguard/key "
        "peer OTHERS-PUBLIC-KEY allowed-ips 10.99.0.OTHER/32 endpoint OTHER-MACHINE:51820",
        "ssh -f -o Tunnel=point-to-point -w 0:0 root@FIRST-MACHINE "
        "'ip addr add 10.99.0.1 peer 10.99.0.2 dev tun0; ip link set tun0 up; sleep infinity'",
        "ip addr add 10.99.0.2 peer 10.99.0.1 dev tun0", "ip link set tun0 up",
        "impirun -server 2 -bind 10.99.0.1", "impirun -client 0 10.99.0.1:40123 -n 2 ./a.out",
        "impirun -client 1 10.99.0.1:40123 -n 2 ./a.out"],
    "needs another implementation of IMPI": [
        "impi-test server --only 'labels.*' --json result.json -v './other-server {count}'",
        "impi-test client './other-impirun -client {rank} {server} -np 1 ./impi-test-program'"],
    "takes minutes (tests/impi runs it)": ["impi-test server 'impirun -server {count}'"],
    "takes minutes (tests/tuning runs tools/tune with a small budget)": [
        "tools/tune --prefix P --ranks 2,4,8 --budget 10m --output rules.yaml --map rules.svg",
        "mpiexec --mca coll_rules rules.yaml -n 8 ./program"],
    "takes minutes (tests/bench runs bench/run)": [
        "./dev bench --all --quick --rounds 3 --document docs/performance.md docs/performance/*.md --plot docs/pictures/bench",
        "bench/run --prefix P", "bench/run --prefix P --quick --only p2p",
        "bench/run --prefix P --rounds 9 --statistic best --markdown out.md --json out.json --plot curves/",
        "bench/run --from out.json --document docs/performance/messages.md",
        "bench/run --from 1.json 2.json 3.json --document docs/performance/patterns.md", "bench/run --prefix P --only tcp,veth --line 60",
        "bench/run --prefix P --only veth --line same",
        'bench/run --prefix P --tessera-args "--mca btl self,tcp" --peer-tcp --only collectives',
        "bench/run --prefix P --only collectives --ranks 2,4,8 --sizes 8,1024,65536",
        "bench/run --prefix P --peers openmpi,before=/opt/tessera-before"],
    "opens a window": ["gnuplot -e \"plot '< grep pml_ob1_bytes_sent top.0' using 1:4 with lines; pause -1\""],
}

# Run where the program is there, whose installation is not asked of who runs the tests.
NEEDS = {"meson": "meson", "jq": "jq", "valgrind": "valgrind"}

# Options that place ranks: --dry-run obeys them on a machine that hwloc makes up, since this one
# may have a single CPU.
PLACES = re.compile(r"mpiexec (?=.*(bind-to|map-by|cpu-set))")
MADE_UP = 'HWLOC_SYNTHETIC="pack:2 core:4 pu:2" mpiexec --dry-run '

# Pictures of the cost model take half a minute: with fewer steps more of them is extrapolated.
STEPS = re.compile(r"--steps \d+")

# Commands of which others are part, with the method that runs them.
ARRANGED = {"tessera-status 4711": "check_status", "impirun -server 2": "check_systems"}
PART_OF_ANOTHER = {"impirun -client 0 10.0.0.1:40123 -n 2 ./a.out", "impirun -client 1 10.0.0.1:40123 -n 3 ./a.out"}

# They never end by themselves: they are ended after this line.
ENDED_AFTER = {"mpiexec -n 3 ./heat": "the job goes on"}

# Their pages say that they fail: with this exit status.
STATUS = {"mpiexec -n 4 --enable-recovery --mca btl_chaos_enable true --mca btl_chaos_drop 1 --mca btl_chaos_rank 0 "
          "--mca btl_chaos_after 100 --mca coll ^sm ./a.out": 58}

# The programs that a page calls by these names; all other names are those of hello.c.
SOURCES = {"a.out": "a.out.c", "solver": "solver.c"}
SOURCES_OF_PAGE = {"hangs.md": {"heat": "heat_hangs.c"}, "misuse.md": {"heat": "heat_checked.c"},
                   "impi.md": {"a.out": "systems.c"}}
NAMES = ("hello", "app", "ring", "program", "master", "worker", "heat", "halo")


def all_pages():
    docs = SOURCE / "docs"
    for path in [*sorted(docs.glob("*.md")), *sorted(docs.glob("components/*.md")), *sorted(docs.glob("performance/*.md"))]:
        if path.name not in ELSEWHERE:
            yield path, pages.of_page(path.read_text())
    for path in sorted(docs.glob("man/*.1")):
        yield path, list(pages.of_man_page(path.read_text()))


def to_be_run(text):
    if text in PART_OF_ANOTHER or any(text in texts for texts in NOT_RUN.values()):
        return False
    return not any(word in text.split() and shutil.which(program) is None for word, program in NEEDS.items())


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.prefix = cls.root / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True)

    def environment(self, folder):
        return {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "PREFIX": str(self.prefix), "HOME": str(folder),
                "TESSERA_BUILD": str(BUILD)}

    def compile(self, folder, name, source):
        copy = folder / f"{name}.c"  # the reports name it
        shutil.copy(source, copy)
        run = subprocess.run([self.prefix / "bin" / "mpicc", "-g", "-O0", copy.name, "-o", name], cwd=folder,
                             env=self.environment(folder), capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def prepare(self, page):
        """A folder with all that the commands of a page name."""
        folder = self.root / page.stem
        shutil.copytree(PROGRAMS / "project", folder)
        (folder / "docs" / "pictures").mkdir(parents=True)
        for name in ("examples", "tools"):
            (folder / name).symlink_to(SOURCE / name)
        text = page.read_text()
        sources = {name: SOURCE / "examples/hello/hello.c" for name in NAMES}
        sources["halo"] = SOURCE / "examples/one-sided/halo.c"
        sources |= {name: PROGRAMS / source for name, source in (SOURCES | SOURCES_OF_PAGE.get(page.name, {})).items()}
        for name, source in sources.items():
            if re.search(rf"\b{re.escape(name)}\b", text):
                self.compile(folder, name, source)
        shutil.copy(sources["program"], folder / "program.cpp")
        return folder

    def start(self, folder, text):
        return subprocess.Popen(["timeout", "-k", "5", "100", "sh", "-c", text], cwd=folder, env=self.environment(folder),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run_command(self, folder, text, status=0):
        job = self.start(folder, text)
        output = job.communicate()[0]
        self.assertEqual(job.returncode, status, output)
        return output

    def run_until(self, folder, text, last):
        """Ends what would not end, once it has said all."""
        job = self.start(folder, "exec " + text)
        output = ""
        for line in job.stdout:
            output += line
            if last in line:
                job.send_signal(signal.SIGTERM)
                return output + job.communicate()[0]
        self.fail(f"nothing has {last}: {output}")

    def check_status(self, folder, command, _):
        """Asks for a job that runs, until its rank has waited for long enough to be shown as
        waiting."""
        job = subprocess.Popen(["mpiexec", "-n", "2", "./heat"], cwd=folder, env=self.environment(folder))
        try:
            for _ in range(300):  # at first there is no job, then none that waits
                output = self.start(folder, f"tessera-status {job.pid}").communicate()[0]
                if not pages.missing(command, output, exact=False):
                    return
                time.sleep(0.2)  # no synchronisation: the loop asks again
            self.fail(output)
        finally:
            job.terminate()
            job.wait()

    def check_systems(self, folder, _, exports):
        """A server and two clients, with the traces that the page shows later."""
        server = self.start(folder, exports + "exec impirun -server 2 --trace server.trace")
        address = server.stdout.readline().strip()
        clients = [self.start(folder, f"{exports}exec impirun -client {rank} {address} --mca impi_trace system{rank}.trace "
                                      f"-n {rank + 2} ./a.out") for rank in range(2)]
        for job in (*clients, server):
            output = job.communicate()[0]
            self.assertEqual(job.returncode, 0, output)

    def check(self, folder, command, exports):
        """Runs a command of a page."""
        text = exports + (command.text if "--dry-run" in command.text else PLACES.sub(MADE_UP, command.text))
        text = STEPS.sub("--steps 2000", text)
        if command.text in ARRANGED:
            getattr(self, ARRANGED[command.text])(folder, command, exports)
            return
        if command.text in ENDED_AFTER:
            output = self.run_until(folder, text, ENDED_AFTER[command.text])
        else:
            output = self.run_command(folder, text, STATUS.get(command.text, 0))
        lines = pages.missing(command, output, exact=command.text.startswith("tools/schedule"))
        self.assertEqual(lines, [], f"the page shows it, the command prints:\n{output}")

    def check_page(self, page, commands):
        commands = [command for command in commands if to_be_run(command.text)]
        folder, exports = self.prepare(page) if commands else None, ""
        for command in commands:
            with self.subTest(page=page.name, command=command.text):
                self.check(folder, command, exports)
            if command.text.startswith("export "):
                exports += command.text + "; "
        return len(commands)

    def test_every_command(self):
        ran = sum(self.check_page(page, commands) for page, commands in all_pages())
        self.assertGreater(ran, 80)

    def test_the_table_has_nothing_else(self):
        shown = {command.text for _, commands in all_pages() for command in commands}
        listed = {text for texts in NOT_RUN.values() for text in texts}
        listed |= {*ENDED_AFTER, *ARRANGED, *STATUS, *PART_OF_ANOTHER}
        self.assertEqual(listed - shown, set(), "no page has these any more")

    def test_no_command_hides(self):
        for page in [*sorted((SOURCE / "docs").rglob("*.md"))]:
            with self.subTest(page=page.name):
                self.assertEqual(list(pages.strays(page.read_text())), [], "put it into a block ```sh or ```console")


if __name__ == "__main__":
    unittest.main()
