# SPDX-License-Identifier: BSD-3-Clause
"""The commands of docs/components/btl-chaos.md with a program in the place of ./a.out: page.py PAGE
MPIEXEC PROGRAM."""
import shlex
import subprocess
import sys

page, mpiexec, program = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    lines = [line.split(" #")[0].strip() for line in file if line.startswith("mpiexec ")]
commands = [line for line in lines if line.endswith("./a.out")]
if len(commands) != 2:
    sys.exit(f"{page} has {len(commands)} commands with ./a.out, not 2")
for command in commands:
    words = [mpiexec, "--timeout", "240", *shlex.split(command)[1:-1], program]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    dropped = "btl_chaos_drop" in command
    told = "dropped" in ended.stderr
    if told != dropped or (ended.returncode != 0) != dropped:
        sys.exit(f"{command}\nexit status {ended.returncode}\n{ended.stdout}{ended.stderr}")
