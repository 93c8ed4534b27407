# SPDX-License-Identifier: BSD-3-Clause
"""All collective operations in their three forms, verified, with each algorithm of coll/basic in
turn.

Arguments: mpiexec, ompi-info, the verifying program, numbers of ranks (2,3,5), and parameters of
mpiexec."""
import itertools
import json
import subprocess
import sys

MPIEXEC, INFO, PROGRAM, RANKS = sys.argv[1:5]
PARAMETERS = sys.argv[5:]
PREFIX, SUFFIX = "coll_basic_", "_algorithm"


def algorithms():
    """Operation: its algorithms, from the manifest."""
    listing = json.loads(subprocess.run([INFO, "--json"], capture_output=True, text=True, check=True).stdout)
    found = {}
    for parameter in listing["parameters"]:
        name = parameter["name"]
        if name.startswith(PREFIX) and name.endswith(SUFFIX):
            operation = name[len(PREFIX):-len(SUFFIX)]
            found[operation] = [word for word in parameter["allowed"].split(",") if word != "auto"]
    return found


def rounds(choices):
    """Settings in which every algorithm comes up once: the i-th of each operation, from the start
    again where it has fewer."""
    for i in range(max(map(len, choices.values()))):
        yield {operation: names[i % len(names)] for operation, names in choices.items()}


def run(ranks, setting, tuning):
    options = [word for operation, name in setting.items() for word in ("--mca", PREFIX + operation + SUFFIX, name)]
    command = [MPIEXEC, "--timeout", "90", "-n", ranks, *options, *tuning, *PARAMETERS, PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    # An algorithm that does not fit is named once, and another one runs.
    strange = [line for line in done.stderr.splitlines() if line and not told(line)]
    return done.returncode == 0 and not strange, " ".join(command) + "\n" + done.stderr


def told(line):
    return "coll_basic_" in line or line.startswith("         ")


def main():
    choices = algorithms()
    # Small segments and another radix, so that segments and levels come up with little data.
    tuning = [[], ["--mca", "coll_basic_bcast_segment", "512", "--mca", "coll_basic_reduce_segment", "512",
                  "--mca", "coll_basic_allreduce_radix", "3", "--mca", "coll_basic_allgather_radix", "3",
                  "--mca", "coll_basic_barrier_radix", "3"]]
    wrong = 0
    for ranks, setting, values in itertools.product(RANKS.split(","), rounds(choices), tuning):
        right, report = run(ranks, setting, values)
        if not right:
            wrong += 1
            print(report)
    return 1 if wrong else 0


sys.exit(main())
