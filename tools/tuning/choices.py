# SPDX-License-Identifier: BSD-3-Clause
# What can carry out a collective operation: the choices, and how amounts of data are written.
import json
import re
import subprocess
from typing import NamedTuple

OPERATIONS = (
    "allreduce bcast barrier reduce allgather alltoall gather scatter reduce_scatter reduce_scatter_block scan exscan "
    "gatherv scatterv allgatherv alltoallv alltoallw neighbor_allgather neighbor_allgatherv neighbor_alltoall "
    "neighbor_alltoallv neighbor_alltoallw"
).split()  # those that programs use most come first
# Rules compare amounts of data only where all processes know them.
SIZED = set(
    "allreduce bcast reduce allgather alltoall gather scatter reduce_scatter reduce_scatter_block scan exscan".split()
)
MANY_BLOCKS = set("allgather alltoall gather scatter gatherv scatterv allgatherv alltoallv alltoallw".split())
UNITS = (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10))
SEGMENTS = (8 << 10, 64 << 10)
RADIXES = (2, 4, 8)


class Choice(NamedTuple):
    """One way to carry out an operation. A component without algorithms has an empty one; 0: its
    own segment or radix."""

    component: str
    algorithm: str = ""
    segment: int = 0
    radix: int = 0

    def text(self):
        words = [self.algorithm or self.component]
        words += [f"segment={size_text(self.segment)}"] if self.segment else []
        words += [f"radix={self.radix}"] if self.radix else []
        return " ".join(words)


SHIPPED = Choice("shipped")  # what the shipped rules choose, measured without any parameter


def size_text(count):
    for unit, scale in UNITS:
        if count >= scale and count % scale == 0:
            return f"{count // scale}{unit}"
    return str(count)


def parse_size(word):
    """ValueError unless it is a number, with K, M or G behind it."""
    match = re.fullmatch(r"(\d+)([KMG]?)", word.strip())
    if not match:
        raise ValueError(f"'{word}' is not a number of bytes such as 8, 64K or 1M")
    return int(match[1]) * dict(UNITS).get(match[2], 1)


def offers(info):
    """[(operation, component, algorithms)] that the library has, from its info tool."""
    output = subprocess.run([info, "--collectives", "--json"], check=True, capture_output=True, text=True, timeout=30)
    return [
        (o["operation"], o["component"], [word for word in o["algorithms"] if word != "auto"])
        for o in json.loads(output.stdout)["collectives"]
    ]


def with_tuning(choice, tuning):
    """The choice with its own segment and radix, and with one of them changed. `tuning`: subset of
    {segment, radix}."""
    segments = SEGMENTS if "segment" in tuning else ()
    radixes = RADIXES if "radix" in tuning else ()
    return [choice, *(choice._replace(segment=s) for s in segments), *(choice._replace(radix=r) for r in radixes)]


def sensible(choice, ranks, count):
    """Segments longer than the data and trees wider than the communicator are nothing new."""
    return choice.segment < max(count, 1) and choice.radix <= ranks


def candidates(offered, operation, tuning_of):
    """All choices for an operation. tuning_of(operation, algorithm) says which tuning an algorithm
    of basic has."""
    found = []
    for which, component, algorithms in offered:
        if which != operation:
            continue
        for algorithm in algorithms or [""]:
            choice = Choice(component, algorithm)
            found += with_tuning(choice, tuning_of(operation, algorithm)) if component == "basic" else [choice]
    return found


def real_bytes(operation, ranks, count):
    """The amount nearest to `count` that the operation can have with so many ranks."""
    if operation == "barrier":
        return 0
    if operation == "reduce_scatter_block":
        return -(-count // (8 * ranks)) * 8 * ranks
    return count


def footprint(operation, ranks, count):
    """Bytes of all buffers of all ranks together, roughly."""
    blocks = ranks + 1 if operation in MANY_BLOCKS else 8 if operation.startswith("neighbor") else 2
    return ranks * blocks * count * 3 // 2
