# SPDX-License-Identifier: BSD-3-Clause
# The state of a tuning run: one JSON object per line, written as soon as something is known, so
# that a run can go on where another was interrupted.
import collections
import json
import pathlib

from .cells import judged
from .choices import Choice

FORMAT = "tessera-tune 2"
FIELDS = ("ranks", "operation", "bytes", "choice")
CONTENTS = ("patterns", "fits", "duel")


class BadState(Exception):
    pass


def parse_line(path, number, line):
    try:
        record = json.loads(line)
        key = (int(record["ranks"]), record["operation"], int(record["bytes"]), Choice(*record["choice"]))
        if not any(field in record for field in CONTENTS):
            raise KeyError(" or ".join(CONTENTS))
        return key, record
    except (ValueError, KeyError, TypeError) as error:
        raise BadState(
            f"{path}:{number}: expected a JSON object with {', '.join(FIELDS)} and {' or '.join(CONTENTS)} ({error!r}); "
            "mend the line, or start anew with --fresh"
        ) from None


class Store:
    """Measured times, what fits and duels, by (ranks, operation, bytes, choice)."""

    def __init__(self, path, identity, fresh=False):
        self.path, self.identity = pathlib.Path(path), identity
        self.fits = {}  # key: True or False
        self.ran = {}  # key of SHIPPED: the choice that the shipped rules made
        self.times = collections.defaultdict(dict)  # key: {round: {pattern: (median, least)}} in microseconds
        self.duels = collections.defaultdict(dict)  # key of a challenger: {pair: (shipped, its own)}, each {pattern: time}
        if fresh:
            self.path.unlink(missing_ok=True)
        if self.path.exists():
            self.load()

    def load(self):
        *lines, rest = self.path.read_text().split("\n")
        if not lines:  # not even the first line was finished
            self.path.unlink()
            return
        self.compare(lines[0])
        for number, line in enumerate(lines[1:], 2):
            self.take(*parse_line(self.path, number, line))
        if rest:  # an interrupted run did not finish its last line
            self.path.write_text("\n".join([*lines, ""]))

    def compare(self, line):
        try:
            there = json.loads(line)
            if there.pop("format") != FORMAT:
                raise ValueError("another format")
        except (ValueError, KeyError, AttributeError) as error:
            raise BadState(
                f"{self.path}:1: not the state of a tuning run ({error}); name another file, or start anew with --fresh"
            ) from None
        for name, value in self.identity.items():
            if there.get(name) != value:
                raise BadState(
                    f"{self.path}: measured with {name} '{there.get(name)}', but this is '{value}'; such times cannot be "
                    "mixed. Name another file with --state, or start anew with --fresh"
                )

    def take(self, key, record):
        if "fits" in record:
            self.fits[key] = bool(record["fits"])
            if record.get("ran"):
                self.ran[key] = Choice(*record["ran"])
        elif "duel" in record:
            self.duels[key][int(record["duel"])] = (record["shipped"], record["own"])
        else:
            self.times[key][record.get("round", 0)] = record["patterns"]

    def add(self, key, **values):
        record = {**dict(zip(FIELDS, key)), **values}
        with self.path.open("a") as file:
            if file.tell() == 0:
                file.write(json.dumps({"format": FORMAT, **self.identity}) + "\n")
            file.write(json.dumps(record) + "\n")
        self.take(key, record)

    def rounds(self, key):
        return len(self.times[key]) if key in self.times else 0

    def pairs(self, key):
        """[(time of the shipped choice, its own)] of a duel."""
        pairs = [pair for _, pair in sorted(self.duels[key].items())] if key in self.duels else []
        return [tuple(judged(dict(enumerate(pair))).values()) for pair in pairs]

    def time(self, key, statistic):
        """{pattern: time}: the lowest median of a round, or with `best` the least time of all; None
        if there is none. Whole rounds are disturbed by others, seldom all of them."""
        rounds = self.times.get(key)
        if not rounds:
            return None
        patterns = set.intersection(*map(set, rounds.values()))
        return {pattern: min(of[pattern][1 if statistic == "best" else 0] for of in rounds.values()) for pattern in patterns}
