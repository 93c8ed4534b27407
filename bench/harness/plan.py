# SPDX-License-Identifier: BSD-3-Clause
# What is run: the cases (one command of one library each), and the rounds in which all libraries take turns.
from dataclasses import dataclass, replace
from typing import Callable, Optional

from . import jobs

P2P = ("latency", "bandwidth", "bidirectional", "message_rate", "posted_queue", "unexpected_queue")
COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter")
LAYOUTS = tuple(
    f"{way}_{layout}"
    for layout in ("vector_8", "vector_64", "vector_1k", "indexed_32", "struct", "face_middle", "face_fastest", "nested")
    for way in ("pack", "unpack")
)
WHOLE = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
REAL = ("float", "double", "long_double")
REDUCTIONS = {  # operation -> what it is applied to
    **{name: WHOLE + REAL + tuple(f"{real}_complex" for real in REAL) for name in ("sum", "prod")},
    **{name: WHOLE + REAL for name in ("max", "min")},
    **{name: WHOLE for name in ("band", "bor", "bxor")},
    **{name: (*WHOLE, "bool") for name in ("land", "lor", "lxor")},
    **{name: ("float_int", "double_int", "long_int", "2int", "short_int", "long_double_int") for name in ("maxloc", "minloc")},
}
THREADS = ("latency_single", "latency_multiple", "rate_single", "rate_multiple", "threads_rate_comm", "threads_rate_tag",
           "threads_latency_comm")
GROUPS = ("p2p", "collectives", "startup", "info", "waiting", "datatype", "reductions", "threads")
NATIVE = "native"
NATIVE_TIMEOUT = 120  # seconds; the limits do not depend on any library


@dataclass
class Case:
    """One command per library; `command` makes it from the library and the folder of the programs without MPI."""

    group: str
    figure: str  # what the row is called if nothing comes out
    ranks: int
    command: Callable
    native: bool = False  # measured without any library: the limits

    def key(self):
        return self.group, self.figure, self.ranks


@dataclass
class Settings:
    budget: float
    startup_budget: float
    collective_ranks: tuple
    waiting_ranks: tuple
    startup_ranks: tuple
    p2p_sizes: Optional[str]
    collective_sizes: Optional[str]
    pin: bool
    best: bool


def settings(quick, pin, best):
    if quick:
        sizes = ("8,1024,4096,16384,65536,1048576", "8,16384,262144")
        return Settings(0.05, 0.3, (2, 4), (4,), (2, 16), *sizes, pin, best)
    return Settings(0.2, 2.0, (2, 4, 8, 16), (4, 8, 16), (2, 16), None, None, pin, best)


def options(s, sizes=None):
    """The options the benchmark programs share."""
    flags = [*(["--pin"] if s.pin else []), *(["--best"] if s.best else [])]
    return ["--budget", str(s.budget), *(["--sizes", sizes] if sizes else []), *flags]


def mpi_case(group, figure, ranks, arguments):
    return Case(group, figure, ranks, lambda lib, _: lib.launch(ranks, [lib.program(group), *arguments]))


def figure_cases(group, figures, ranks, arguments):
    """One case per figure, though one program has them all: the libraries take turns more often, within one state of the machine,
    and one figure that hangs does not hide the others."""
    for figure in figures:
        yield mpi_case(group, figure, ranks, ["--only", figure, *arguments])


def reduction_cases(s):
    """One case per operation: a hundred programs for a hundred figures would take longer to start than to run."""
    for name, types in REDUCTIONS.items():
        figures = [f"{name}_{type}" for type in types]
        yield mpi_case("reductions", figures[0], 1, ["--only", ",".join(figures), *options(s)])
    yield mpi_case("reductions", "sum_double_as_malloc", 1, ["--only", "sum_double_as_malloc,max_float_as_malloc", *options(s)])


def timed_case(figure, ranks, s, command_of, group="startup"):
    """A start-up figure: the native driver runs the library's command again and again."""

    def command(library, native):
        flags = ["--budget", str(s.startup_budget), *(["--best"] if s.best else [])]
        return [f"{native}/startup", *flags, figure, *command_of(library)]

    return Case(group, figure, ranks, command)


def startup_cases(s):
    program = "init_finalize"
    yield timed_case("singleton", 1, s, lambda lib: [lib.program(program)])
    for ranks in s.startup_ranks:
        yield timed_case("startup", ranks, s, lambda lib, n=ranks: lib.launch(n, [lib.program(program)]))
    yield timed_case("launch_true", 2, s, lambda lib: lib.launch(2, ["/bin/true"]))
    yield Case("startup", "peak_memory", 2, lambda lib, _: lib.launch(2, [lib.program(program), "--memory"]))


def info_cases(s):
    """What a person waits for when asking what is installed: everything, everything for a script, one component."""
    for figure in ("info", "info_parsable", "info_one"):
        yield timed_case(figure, 1, s, lambda lib, question=figure: getattr(lib, question), "info")


def cases(groups, s):
    yield Case("limits", "limits", 1, lambda _, native: [f"{native}/limits", "--budget", str(max(0.1, s.budget))], True)
    if "p2p" in groups:
        yield from figure_cases("p2p", P2P, 2, options(s, s.p2p_sizes))
    if "collectives" in groups:
        for ranks in s.collective_ranks:
            yield from figure_cases("collectives", COLLECTIVES, ranks, options(s, s.collective_sizes))
    if "startup" in groups:
        yield from startup_cases(s)
    if "info" in groups:
        yield from info_cases(s)
    if "waiting" in groups:
        for ranks in (2, *s.waiting_ranks):
            yield mpi_case("waiting", "waiting", ranks, options(s))
    if "threads" in groups:
        for figure in THREADS:
            level = "single" if figure.endswith("_single") else "multiple"
            yield mpi_case("threads", figure, 2, ["--only", figure, *options(s), level])
    if "datatype" in groups:
        yield from figure_cases("datatype", LAYOUTS, 1, options(replace(s, budget=s.budget / 4)))
    if "reductions" in groups:
        yield from reduction_cases(replace(s, budget=s.budget / 20))


def parse(output):
    """(figure, size, value, unit) of every line of that form; other lines are not ours."""
    for line in output.splitlines():
        fields = line.split("\t")
        if len(fields) == 4:
            try:
                yield fields[0], int(fields[1]), float(fields[2]), fields[3]
            except ValueError:
                continue


def last_words(outcome):
    """The last line a failed command wrote to stderr, to say why."""
    lines = [line.strip() for line in outcome.errors.splitlines() if line.strip(" -\n")]
    return f": {lines[-1][:160]}" if lines else ""


def look_at_line(case, library, native, results):
    """Notes how fast a cache line moves just before a library is measured; that decides what its small
    messages can reach."""
    if case.ranks == 2 and case.group in ("p2p", "collectives"):
        outcome = jobs.run([f"{native}/limits", "--only", "limit_line", "--budget", "0.02"], 10)
        for _, _, value, _ in parse(outcome.output):
            results.lines.setdefault(library.name, []).append(value)


def measure(case, library, name, native, results, timeout):
    """Runs one case once and stores what it printed; a failure is stored too, and that library is not asked
    again."""
    if results.failed(case, name):
        return
    problem = library.problem if library else ""
    if not problem:
        command = case.command(library, native)
        outcome = jobs.run(command, timeout, library.full_environment() if library else None)
        for figure, size, value, unit in parse(outcome.output):
            results.add(case, figure, size, name, value, unit)
        if outcome.problem:
            problem = outcome.problem + last_words(outcome)
    if problem:
        results.fail(case, name, problem)


def run(all_cases, chosen, native, rounds, timeout, results, progress):
    """All cases in every round; the libraries take turns case by case, and a different one begins each round."""
    for round_number in range(rounds):
        turn = round_number % len(chosen) if chosen else 0
        for case in all_cases:
            progress(f"round {round_number + 1}/{rounds}: {case.figure}, {case.ranks} ranks")
            if case.native:
                measure(case, None, NATIVE, native, results, max(timeout, NATIVE_TIMEOUT))
                continue
            for library in chosen[turn:] + chosen[:turn]:
                look_at_line(case, library, native, results)
                measure(case, library, library.name, native, results, timeout)
