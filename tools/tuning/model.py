# SPDX-License-Identifier: BSD-3-Clause
# Numbers of ranks that this machine does not have: prices of the cost model, from the program
# tessera-schedule.
import json
import re
import subprocess

from .cells import Cell
from .choices import Choice

TIMEOUT = 300  # seconds for the prices of one operation


class NoModel(Exception):
    pass


def ask(program, *words):
    try:
        return subprocess.run([str(program), *words], check=True, capture_output=True, text=True, timeout=TIMEOUT).stdout
    except FileNotFoundError:
        raise NoModel(f"{program} does not exist: build the target tessera-schedule") from None
    except subprocess.TimeoutExpired:
        raise NoModel(f"{program} {' '.join(words)}: no answer within {TIMEOUT} s") from None
    except subprocess.CalledProcessError as error:
        raise NoModel(error.stderr.strip()) from None


def tuning(program):
    """{(operation, algorithm): which of segment and radix it has}; empty where the program is not
    built."""
    try:
        lines = ask(program, "list").splitlines()
    except NoModel:
        return {}
    found = {}
    for line in lines:
        operation, algorithm, rest = (line + " ").split(None, 2)
        found[operation, algorithm] = {word for word in ("segment", "radix") if re.search(rf", {word}(s of)? \d", rest)}
    return found


def require(program, machine):
    """NoModel unless there are prices for this machine."""
    ask(program, "price", "barrier", "best", "--ranks", "2", "--machine", machine, "--json")


def prices(program, machine, operation, ranks, sizes):
    """{ranks: {bytes: Cell}} of the algorithms of basic, in microseconds."""
    lists = [",".join(map(str, values)) for values in (ranks, sizes)]
    words = ["price", operation, "all", "--ranks", lists[0], "--bytes", lists[1], "--machine", machine, "--json"]
    table = {n: {size: Cell({}, model=True) for size in sizes} for n in ranks}
    for price in json.loads(ask(program, *words))["prices"]:
        if price["seconds"] is not None:
            cell = table[price["ranks"]][price["bytes"]]
            cell.times[Choice("basic", price["algorithm"])] = 1e6 * price["seconds"]
    return table
