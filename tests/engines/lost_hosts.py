# SPDX-License-Identifier: BSD-3-Clause
"""A host is cut off, or dies, while the demo's solver works on four: an error that names it within
10 s, and nothing is left on any host. Each round has a cluster of its own, since the host does not
come back.

Usage: lost_hosts.py WAY CG MATRIX MPIEXEC ROUNDS     exits 77 where hosts or the engine cannot be had; WAY: a word of ways.py
"""
import contextlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

import private_hosts
import private_slurm
import ways

WAY, CG, MATRIX, MPIEXEC, ROUNDS = sys.argv[1:6]
HOSTS = 4
SILENCE_S, NAMED_WITHIN_S, ENDED_WITHIN_S = 5, 10, 30
CLEAN = dict(private_hosts.CLEAN)
CLEAN["TESSERA_MCA_btl_tcp_silence"] = str(SILENCE_S)
# What docs/launching.md advises for these engines, and mpiexec tells them by itself.
if WAY in ("mpirun of Open MPI", "prterun"):
    for name, value in (("time", 1), ("intvl", 1), ("probes", 3)):
        CLEAN[f"{'OMPI' if 'Open MPI' in WAY else 'PRTE'}_MCA_oob_tcp_keepalive_{name}"] = str(value)


dead = set()  # hosts that were killed


def outside():
    program = ways.ways(MPIEXEC)[WAY][0]
    if not ways.is_there(program):
        private_hosts.skip(f"{program} is not installed, or needs root")
    private_hosts.need_hosts()
    for number in range(int(ROUNDS)):
        print(f"round {number + 1}: ", end="", flush=True)
        if private_hosts.run_again(HOSTS, 300, LOST_HOSTS_HOW=("cut", "killed")[number % 2]) != 0:
            sys.exit(1)


def processes(pattern):
    """Those that live. Some of the solver's ancestors have its words on their own command lines."""
    found = subprocess.run(["pgrep", "-r", "R,S,D,T", "-f", pattern], capture_output=True, text=True, timeout=60).stdout
    return [int(each) for each in found.split()]


def ranks():
    return processes("^" + re.escape(CG) + " ")


def seconds_of_work(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def traces():
    """Of Tessera on each host that lives: abstract addresses, shared memory, files."""
    look = "grep -a tessera /proc/net/unix | sed 's/.*@/@/'; ls -A /dev/shm /var/tmp; ls -d /tmp/*tessera* $TMPDIR/*tessera* 2> /dev/null"
    return {host: subprocess.run([ways.SHELL, f"node{host}", look], env=CLEAN, capture_output=True, text=True, timeout=60,
                                 stdin=subprocess.DEVNULL).stdout for host in range(1, HOSTS + 1) if host not in dead}


def wait_for(question, limit, what):
    end = time.monotonic() + limit
    while not (answer := question()):
        assert time.monotonic() < end, what()
        time.sleep(0.02)
    return answer


def lose(host, how):
    if how == "cut":
        subprocess.run(["ip", "link", "set", f"v{host}", "down"], check=True, timeout=60)
    else:
        os.kill(int(pathlib.Path(f"/run/cluster/node{host}.pid").read_text()), signal.SIGKILL)
        dead.add(host)


def play(job, begun, how):
    """Returns when the job has ended as it shall."""
    lines = []

    def listen():
        for line in job.stdout:
            lines.append((time.monotonic(), line.rstrip()))

    threading.Thread(target=listen, daemon=True).start()
    said = lambda: "\n".join(line for _, line in lines)
    wait_for(lambda: len(ranks()) == HOSTS and all(seconds_of_work(each) > 0.2 for each in ranks()), 60,
             lambda: f"the solver does not begin to work:\n{said()}")
    time.sleep(random.random())  # where in its work a host is lost
    host = random.randint(1, HOSTS)
    at = time.monotonic()
    lose(host, how)
    named = lambda: next(((when, line) for when, line in lines if re.search(rf"\bnode{host}\b", line)), None)
    fails_itself = lambda: WAY == "Hydra" and how == "killed" and "error waiting for event" in said() and (time.monotonic(), "Hydra fails itself")
    when, line = wait_for(lambda: named() or fails_itself(), NAMED_WITHIN_S,
                          lambda: f"node{host} was {how} and nobody names it (status {job.poll()}):\n{said()}")
    wait_for(lambda: job.poll() is not None, ENDED_WITHIN_S, lambda: f"the job does not end:\n{said()}")
    print(f"node{host} {how}: named after {when - at:.1f} s ({line.strip()[:200]}), ended after {time.monotonic() - at:.1f} s", flush=True)
    if WAY != "prterun":  # which may end with 0 when it has lost a host itself
        assert job.returncode != 0, said()
    left = lambda: ranks() + processes("^[^ ]*tessera-carrier|^tessera-job")
    wait_for(lambda: not left(), ENDED_WITHIN_S, lambda: subprocess.run(["ps", "-ef"], capture_output=True, text=True, timeout=60).stdout)
    begun = {each: found for each, found in begun.items() if each not in dead}
    wait_for(lambda: traces() == begun, ENDED_WITHIN_S, lambda: f"left on hosts: {traces()}, before: {begun}")


def one_round(how):
    begun = traces()
    words = [*map(str, ways.ways(MPIEXEC)[WAY][1](HOSTS, 1)), CG, "--tolerance", "1e-300", "--max-iterations", "1000000000", MATRIX]
    job = subprocess.Popen(words, env=CLEAN, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    try:
        play(job, begun, how)
    finally:
        job.kill()


if not private_hosts.are_here():
    outside()
else:
    with private_slurm.start(HOSTS, CLEAN) if WAY.startswith("srun") or "allocation" in WAY else contextlib.nullcontext():
        one_round(os.environ["LOST_HOSTS_HOW"])
