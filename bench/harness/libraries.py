# SPDX-License-Identifier: BSD-3-Clause
# The MPI libraries compared: their compilers and launchers, and how the same sources are built.
import os
import pathlib
import shlex
import shutil
from dataclasses import dataclass, field

from . import jobs

SOURCES = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("p2p.cpp", "collectives.cpp", "waiting.cpp", "datatype.cpp", "reductions.cpp", "threads.cpp", "io.cpp", "rma.cpp",
            "spawning.cpp", "partitioned.cpp", "tool_reads.cpp", "init_finalize.c")
NATIVE_PROGRAMS = ("limits.cpp", "startup.cpp")
FILE_OPENS = str(SOURCES / "file-opens")
WATCH_COST = str(SOURCES / "watch-cost")
FLAGS = {".c": ["-O2"], ".cpp": ["-O2", "-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]}


@dataclass
class Library:
    name: str
    kind: str  # whose launcher it has, as bench/veth calls it
    compilers: dict  # by suffix of the source
    launcher: list  # without -n
    tcp_arguments: list  # for the launcher: ranks of one machine use TCP
    info: list  # the command that prints everything the library knows about itself
    info_parsable: list  # the same for scripts, where there is such a form
    info_one: list  # about one component, where that can be asked
    version: list
    missing: str  # what to do when it is not there
    environment: dict = field(default_factory=dict)
    tcp_environment: dict = field(default_factory=dict)
    gives_way: bool = True  # whether ranks that wait let others of their processor run
    problem: str = ""  # why it cannot be measured; empty if it can
    folder: pathlib.Path = None

    def launch(self, ranks, command, over=""):
        """The command line of a job; `over` is how its ranks reach each other: as the library likes
        (''), by TCP on this machine (tcp), or over a wire between two hosts (veth, 2 ranks)."""
        if over == "veth":
            return [str(SOURCES / "veth"), "--launcher", self.kind, self.launcher[0], *command]
        return [*self.launcher, *(self.tcp_arguments if over == "tcp" else []), "-n", str(ranks), *command]

    def use_tcp(self):
        """TCP in every job, whatever a case says."""
        self.launcher, self.tcp_arguments = [*self.launcher, *self.tcp_arguments], []
        self.environment = {**self.environment, **self.tcp_environment}

    def program(self, name):
        return str(self.folder / pathlib.Path(name).stem)

    def full_environment(self, over=""):
        return {**os.environ, **self.environment, **(self.tcp_environment if over == "tcp" else {})}


def prefix_library(name, prefix, arguments):
    """A library installed under a prefix with bin/mpicc, bin/mpicxx and bin/mpiexec, as Tessera
    is."""
    folder = pathlib.Path(prefix).resolve() / "bin"
    return Library(
        name=name,
        kind="tessera",
        compilers={".c": str(folder / "mpicc"), ".cpp": str(folder / "mpicxx")},
        launcher=[str(folder / "mpiexec"), *arguments],
        tcp_arguments=["--mca", "btl", "self,tcp"],
        info=[str(folder / "ompi-info"), "--all"],
        info_parsable=[str(folder / "ompi-info"), "--parsable"],
        info_one=[str(folder / "ompi-info"), "--component", "btl/tcp"],
        version=[str(folder / "ompi-info"), "--version"],
        missing=f"install it there: cmake --install build --prefix {prefix}",
    )


def openmpi():
    return Library(
        name="openmpi",
        kind="openmpi",
        compilers={".c": "mpicc.openmpi", ".cpp": "mpicxx.openmpi"},
        launcher=["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"],
        # Other components of osc use shared memory whatever the transport is.
        tcp_arguments=["--mca", "btl", "self,tcp", "--mca", "pml", "ob1", "--mca", "osc", "pt2pt"],
        info=["ompi_info", "--all"],
        info_parsable=["ompi_info", "--all", "--parsable"],
        info_one=["ompi_info", "--param", "btl", "tcp", "--level", "9"],
        version=["mpirun.openmpi", "--version"],
        missing="`./dev bench` installs it, or: apt-get install openmpi-bin libopenmpi-dev",
    )


def mpich():
    return Library(
        name="mpich",
        kind="mpich",
        compilers={".c": "mpicc.mpich", ".cpp": "mpicxx.mpich"},
        launcher=["mpiexec.mpich"],
        tcp_arguments=[],
        info=["mpivars"],
        info_parsable=["mpivars"],
        info_one=["mpivars"],
        version=["mpichversion"],
        missing="`./dev bench` installs it, or: apt-get install mpich libmpich-dev",
        # Without NOLOCAL the ranks of one machine use shared memory whatever UCX is told.
        tcp_environment={"UCX_TLS": "tcp,self", "MPIR_CVAR_NOLOCAL": "1"},
        gives_way=False,
    )


PEERS = {"openmpi": openmpi, "mpich": mpich}


def select(prefix, peers, tessera_arguments, tcp):
    """Tessera, if a prefix is given, and the peers named: known ones, or NAME=PREFIX. ValueError
    names what is not known."""
    chosen = [prefix_library("tessera", prefix, shlex.split(tessera_arguments))] if prefix else []
    for peer in filter(None, peers.split(",")):
        name, _, place = peer.partition("=")
        if place:
            chosen.append(prefix_library(name, place, []))
        elif name in PEERS:
            chosen.append(PEERS[name]())
        else:
            raise ValueError(f"--peers {peer}: expected {', '.join(PEERS)} or NAME=PREFIX")
        if tcp:
            chosen[-1].use_tcp()
    return chosen


def version_of(library):
    """The first line in which the library says its version, or '?'."""
    lines = jobs.run(library.version, 10, library.full_environment()).output.strip().splitlines()
    return " ".join(lines[0].split()) if lines else "?"


def up_to_date(target, stamp, line, inputs):
    if not target.exists() or not stamp.exists() or stamp.read_text() != line:
        return False
    return all(path.stat().st_mtime <= target.stat().st_mtime for path in inputs)


def compile_program(compiler, source, folder):
    """Builds one program unless it is up to date. Returns the problem, or an empty string."""
    target = folder / source.stem
    found = shutil.which(compiler)
    if not found:
        return f"{compiler} not found"
    extra = ["-pthread"] if compiler == "g++" else []
    command = [compiler, *FLAGS[source.suffix], str(source), "-o", str(target), *extra]
    stamp, line = folder / f"{source.stem}.command", shlex.join(command)
    if up_to_date(target, stamp, line, [*SOURCES.glob("*.hpp"), source, pathlib.Path(found)]):
        return ""
    outcome = jobs.run(command, 300)
    if outcome.problem:
        return f"{source.name} does not build ({outcome.problem}): {outcome.errors.strip()[:300]}"
    stamp.write_text(line)
    return ""


def build_all(compiler_of, sources, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in sources:
        source = SOURCES / name
        problem = compile_program(compiler_of[source.suffix], source, folder)
        if problem:
            return problem
    return ""


def build(chosen, folder):
    """Builds every program with every library. Sets `problem` of those that cannot be measured;
    raises RuntimeError if the programs without MPI do not build."""
    problem = build_all({".cpp": "g++"}, NATIVE_PROGRAMS, folder / "native")
    if problem:
        raise RuntimeError(problem)
    for library in chosen:
        library.folder = folder / library.name
        absent = [c for c in (*library.compilers.values(), library.launcher[0]) if not shutil.which(c)]
        library.problem = f"{absent[0]} not found; {library.missing}" if absent else ""
        if not library.problem:
            library.problem = build_all(library.compilers, PROGRAMS, library.folder)
