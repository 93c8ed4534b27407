# SPDX-License-Identifier: BSD-3-Clause
# What is run: the cases, one command of one library each, by group.
import math
from dataclasses import dataclass, replace
from typing import Callable, Optional

from . import libraries

P2P = ("latency", "bandwidth", "bidirectional", "message_rate")
QUEUES = ("posted_queue", "unexpected_queue")
NETWORK = ("latency", "bandwidth", "bidirectional")  # over TCP, on this machine and across a wire
COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter", "reduce_scatter", "scan",
               "exscan", "allgatherv", "alltoallv", "gatherv", "scatterv", "ibarrier", "ibcast", "ireduce", "iallreduce",
               "iallgather", "ialltoall", "neighbor_allgather", "neighbor_alltoall")
USUAL = ("bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scatter", "reduce_scatter")
PATTERNED = tuple(name for name in COLLECTIVES if not name.endswith("barrier"))
COLD = ("latency_cold", "latency_new", "bandwidth_cold", "bandwidth_new")
PATTERNS = ("fixed", "barrier", "cold")  # ways of calling, beside back to back with changing roots
LOOPS = ("loop_barrier", "loop_allreduce", "loop_ring", "loop_polled_ring")
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
FILES = ("contiguous", "strided", "small", "tile", "cube", "shared", "open_close")  # each a few figures
ONE_SIDED = tuple(f"rma_{figure}" for figure in (
    "put", "get", "fetch_and_op", "compare_and_swap", "put_column", "put_bandwidth", "get_bandwidth", "accumulate",
    "accumulate_exclusive", "lock_unlock", "lock_put_unlock", "busy_target"))
ONE_SIDED_LIMIT = 20  # seconds
LOCAL_COPIES = ("rma_copy_bandwidth", "rma_reduce_local")  # what puts and accumulates are compared with
ONE_SIDED_OF_ALL = ("rma_fence", "rma_post_start", "rma_counter", "rma_random_updates")  # all ranks take part
IN_TURNS = ("p2p", "collectives", "rma")  # programs that can be interleaved
STORAGE = {"tmpfs": "/dev/shm", "disk": "/var/tmp"}
NATIVE = "native"


@dataclass
class Case:
    """One command per library; `command` makes it from the library and the folder of the programs
    without MPI."""

    group: str
    figure: str  # what the row is called if nothing comes out
    ranks: int
    command: Callable
    native: bool = False  # measured without any library: the limits
    over: str = ""  # how the ranks reach each other: "tcp", "veth", or as the library likes; begins the names of the rows
    rounds: Optional[int] = None  # in how many of the rounds; None: in all
    limit: float = math.inf  # seconds after which a run is killed, if that is less than --timeout
    turns: bool = False  # whether the libraries can take turns repetition by repetition (bench/turns.hpp)

    def key(self):
        return self.group, self.figure, self.ranks

    def row_name(self, figure):
        return f"{self.over}_{figure}" if self.over else figure


@dataclass
class Settings:
    budget: float
    startup_budget: float
    collective_ranks: tuple
    waiting_ranks: tuple
    hello_ranks: tuple
    long_wait: int  # milliseconds; 0: none
    p2p_sizes: Optional[str]  # None: the program's own
    network_sizes: str
    collective_sizes: Optional[str]
    collectives: tuple  # the operations of the group collectives
    patterned: tuple  # and of the group patterns
    pin: bool
    best: bool
    warm_up: float = 0  # seconds, in which the ranks are busy before they are measured


def settings(quick, everything, pin, best):
    """`quick`: short measurements, and few of them unless `everything` asks for all rows that have
    a target."""
    network = "8,1024,4096,16384,65536,1048576"
    times = (0.05, 0.3) if quick else (0.2, 2.0)
    if everything:
        sizes = ("8,64,1024,4096,16384,65536,262144,1048576,4194304", network, "8,1024,16384,262144")
        return Settings(*times, (2, 4, 8, 16), (4, 8, 16), (128,), 10000, *sizes, COLLECTIVES, PATTERNED, pin, best)
    if quick:
        sizes = ("8,1024,4096,16384,65536,1048576", network, "8,16384,262144")
        return Settings(*times, (2, 4), (4,), (), 0, *sizes, ("barrier", *USUAL, "scan"), USUAL, pin, best)
    return Settings(*times, (2, 4, 8, 16), (4, 8, 16), (128,), 0, None, network, None, COLLECTIVES, PATTERNED, pin, best)


def options(s, sizes=None):
    """The options the benchmark programs share."""
    flags = [*(["--pin"] if s.pin else []), *(["--best"] if s.best else [])]
    warm_up = ["--warm-up", str(s.warm_up)] if s.warm_up else []
    return ["--budget", str(s.budget), *(["--sizes", sizes] if sizes else []), *warm_up, *flags]


def figure_case(group, program, figure, ranks, arguments, over="", rounds=None):
    def command(library, _):
        return library.launch(ranks, [library.program(program), "--only", figure, *arguments], over)

    return Case(group, figure, ranks, command, over=over, rounds=rounds, turns=program in IN_TURNS and over != "veth")


def figure_cases(group, program, figures, ranks, arguments, over=""):
    """One case per figure, though one program has them all: the libraries take turns more often,
    within one state of the machine, and one figure that hangs does not hide the others."""
    for figure in figures:
        yield figure_case(group, program, figure, ranks, arguments, over)


def limit_cases(s):
    yield Case("limits", "limits", 1, lambda _, native: [f"{native}/limits", "--budget", str(max(0.1, s.budget))], True)


def p2p_cases(s):
    yield from figure_cases("p2p", "p2p", P2P, 2, options(s, s.p2p_sizes))


def queue_cases(s):
    yield from figure_cases("queues", "p2p", QUEUES, 2, options(s))


def tcp_cases(s):
    yield from figure_cases("tcp", "p2p", NETWORK, 2, options(s, s.network_sizes), "tcp")


def veth_cases(s):
    yield from figure_cases("veth", "p2p", NETWORK, 2, options(s, s.network_sizes), "veth")


def collective_cases(s):
    for ranks in s.collective_ranks:
        yield from figure_cases("collectives", "collectives", s.collectives, ranks, options(s, s.collective_sizes))


def pattern_cases(s):
    """Collectives as programs call them: the root fixed, a barrier before each call, buffers that
    are not in a cache; messages whose buffers are not, or were never used."""
    sizes = s.collective_sizes or "64,1024,16384,65536,262144,1048576,4194304"
    for ranks in s.collective_ranks:
        yield from figure_cases("patterns", "collectives", s.patterned, ranks, [*options(s, sizes), *PATTERNS])
    yield from figure_cases("patterns", "p2p", COLD, 2, options(s, s.p2p_sizes))


def timed_case(figure, ranks, s, command_of, group="startup"):
    """A start-up figure: the native driver runs the library's command again and again."""

    def command(library, native):
        flags = ["--budget", str(s.startup_budget), *(["--best"] if s.best else [])]
        return [f"{native}/startup", *flags, figure, *command_of(library)]

    return Case(group, figure, ranks, command)


def startup_cases(s):
    program = "init_finalize"
    yield timed_case("singleton", 1, s, lambda lib: [lib.program(program)])
    for ranks in (2, 16):
        yield timed_case("startup", ranks, s, lambda lib, n=ranks: lib.launch(n, [lib.program(program)]))
    for ranks in s.hello_ranks:
        yield timed_case("hello_world", ranks, s, lambda lib, n=ranks: lib.launch(n, [lib.program(program), "--hello"]))
    yield timed_case("launch_true", 2, s, lambda lib: lib.launch(2, ["/bin/true"]))
    yield Case("startup", "file_opens", 2, lambda lib, _: [libraries.FILE_OPENS, "2", lib.program(program), *lib.launcher])


def memory_cases(_):
    yield Case("memory", "peak_memory", 2, lambda lib, _: lib.launch(2, [lib.program("init_finalize"), "--memory"]))


def info_cases(s):
    """What a person waits for when asking what is installed: everything, everything for a script,
    one component."""
    for figure in ("info", "info_parsable", "info_one"):
        yield timed_case(figure, 1, s, lambda lib, question=figure: getattr(lib, question), "info")


def waiting_cases(s):
    yield figure_case("waiting", "waiting", "wake_up", 2, options(s))
    if s.long_wait:
        yield figure_case("waiting", "waiting", "wake_up", 2, options(s, str(s.long_wait)), rounds=1)
    for ranks in (2, *s.waiting_ranks):
        yield from figure_cases("waiting", "waiting", LOOPS, ranks, options(s))


def thread_cases(s):
    for figure in THREADS:
        level = "single" if figure.endswith("_single") else "multiple"
        yield figure_case("threads", "threads", figure, 2, [*options(s), level])


def datatype_cases(s):
    yield from figure_cases("datatype", "datatype", LAYOUTS, 1, options(replace(s, budget=s.budget / 4)))


def reduction_cases(s):
    """One case per operation: a hundred programs for a hundred figures would take longer to start
    than to run."""
    flags = options(replace(s, budget=s.budget / 20))
    for name, types in REDUCTIONS.items():
        yield figure_case("reductions", "reductions", ",".join(f"{name}_{type}" for type in types), 1, flags)
    yield figure_case("reductions", "reductions", "sum_double_as_malloc,max_float_as_malloc", 1, flags)


def io_cases(s):
    """Patterns of access to one file, in memory and on disk."""
    for storage, folder in STORAGE.items():
        for pattern in FILES:
            ranks = 4 if pattern == "open_close" else 2
            arguments = ["--only", pattern, *options(s), storage, folder]
            yield Case("io", f"{storage}_{pattern}", ranks,
                       lambda lib, _, n=ranks, a=arguments: lib.launch(n, [lib.program("io"), *a]))


def rma_cases(s, over=""):
    """A peer that does not give way ends no run of 8 ranks on two processors: it is not waited for
    long, and 8 ranks and more are measured in one round."""
    group = f"rma_{over}" if over else "rma"
    for case in figure_cases(group, "rma", ONE_SIDED + (() if over else LOCAL_COPIES), 2, options(s), over):
        yield replace(case, limit=ONE_SIDED_LIMIT)
    for ranks in s.collective_ranks:
        for case in figure_cases(group, "rma", ONE_SIDED_OF_ALL, ranks, options(s), over):
            yield replace(case, limit=ONE_SIDED_LIMIT, rounds=1 if ranks >= 8 else None)


def rma_tcp_cases(s):
    yield from rma_cases(s, "tcp")


def dynamic_cases(s):
    """Processes that come and go: spawned by a job of one process; two programs that were started
    alone."""
    for figure in ("spawn_1", "spawn_8"):
        yield figure_case("dynamic", "spawning", figure, 1, options(s))
    yield Case("dynamic", "connect", 1, lambda lib, _: [lib.program("spawning"), "--only", "connect", *options(s)])


def partitioned_cases(s):
    yield Case("partitioned", "partitions", 2, lambda lib, _: lib.launch(2, [lib.program("partitioned"), *options(s)]))


def tool_cases(s):
    yield Case("tools", "tool_list,tool_read,tool_rate,tool_rate_kept", 2, lambda lib, _: lib.launch(2, [lib.program("tool_reads"), *options(s)]))


def hang_cases(_):
    """What the watch for hangs costs."""
    yield Case("hangs", "watched_latency_kept,watched_rate_kept,watched_start_kept", 2,
               lambda lib, _: [libraries.WATCH_COST, "9", lib.program("p2p"), lib.program("init_finalize"), *lib.launcher])


QUICK = ("p2p", "collectives", "patterns", "startup", "memory")  # what --quick runs unless something else is asked for
GROUPS = {
    "p2p": p2p_cases,
    "queues": queue_cases,
    "tcp": tcp_cases,
    "veth": veth_cases,
    "collectives": collective_cases,
    "patterns": pattern_cases,
    "startup": startup_cases,
    "memory": memory_cases,
    "info": info_cases,
    "waiting": waiting_cases,
    "threads": thread_cases,
    "datatype": datatype_cases,
    "reductions": reduction_cases,
    "io": io_cases,
    "rma": rma_cases,
    "rma_tcp": rma_tcp_cases,
    "dynamic": dynamic_cases,
    "partitioned": partitioned_cases,
    "tools": tool_cases,
    "hangs": hang_cases,
}


def cases(groups, s):
    yield from limit_cases(s)
    for group in groups:
        yield from GROUPS[group](s)
