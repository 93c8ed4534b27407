# SPDX-License-Identifier: BSD-3-Clause
"""Old programs of others that use the C++ interface, from Debian's archive.

Usage: old_cxx.py BUILD. Fetches packages by apt-get, with a configuration of its own; exits with 77
where it cannot. All is built by `mpicxx -DTESSERA_CXX_BINDINGS`:
  mpich         its programs for the interface, built and run; each says "No Errors" when all is well
  openmpi       the examples hello_cxx and ring_cxx, built and run
  libmusic-dev  the examples of MUSIC, whose interface has classes of MPI in it, compiled
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCES = """Types: deb deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
# What configure of that package would find out.
CONFIGURATION = ["HAVE_CXX_BINDING", "HAVE_CXX", "HAVE_IOSTREAM", "HAVE_NAMESPACE_STD", "HAVE_NAMESPACES", "HAVE_CXX_COMPLEX",
                 "HAVE_MPI_IO", "HAVE_MPI_WIN_CREATE", "STDC_HEADERS", "HAVE_STDLIB_H", "HAVE_STRING_H", "HAVE_UNISTD_H",
                 "HAVE_STDARG_H", "HAVE_LONG_DOUBLE", "HAVE_LONG_LONG", "HAVE_LONG_LONG_INT"]
# Why some are left out.
LEFT_OUT = {
    "fkeyvaltypex": "needs a library of that package", "packsizex": "needs a library of that package",
    "redscatblk": "expects the result in place elsewhere than the standard has it",
    "uscan": "expects an operation to be called with all elements at once",
    "initstat2x": "needs arguments", "fileerrx": "removes one file twice", "fileinfox": "expects a hint of that library",
    "setinfox": "ends MPI twice", "typenamex": "expects names that later standards changed",
}


def run(*command, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)


def apt_get(folder, *command):
    """Whether it works; what it fetches lies in the folder."""
    options = [f"-oDir::Etc::sourcelist={os.devnull}", f"-oDir::Etc::sourceparts={folder}/parts", f"-oDir::State::lists={folder}/lists",
               f"-oDir::Cache={folder}/cache", "-oAPT::Sandbox::User=root"]
    return shutil.which("apt-get") is not None and run("apt-get", *options, *command, cwd=folder, timeout=300).returncode == 0


def unpacked(folder, package, depth, *files):
    """Whether these files of a source package are there now."""
    if not apt_get(folder, "source", "--download-only", package):
        return False
    archive = next(folder.glob(f"{package}_*.orig.tar.*"), None)
    return archive is not None and run("tar", "xf", archive, f"--strip-components={depth}", "--wildcards", *files,
                                       cwd=folder).returncode == 0


def fetched(folder):
    """The folder of the programs, or None."""
    for name in ("parts", "lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "parts/src.sources").write_text(SOURCES)
    if not apt_get(folder, "update") or not unpacked(folder, "mpich", 3, "*/test/mpi/cxx", "*/test/mpi/util", "*/test/mpi/include",
                                                     "*/test/mpi/errors/cxx"):
        return None
    lines = [f"#define {name} 1" for name in CONFIGURATION]
    lines += ["#define SIZEOF_VOID_P 8", "#define SIZEOF_LONG 8", "#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX"]
    (folder / "include/mpitestconf.h").write_text("\n".join(lines) + "\n")
    return folder


def compiled(folder, source, *more, compiler="mpicxx"):
    language = ["-std=c++11", "-DTESSERA_CXX_BINDINGS"] if compiler == "mpicxx" else []
    return run(BUILD / "bin" / compiler, *language, "-w", f"-I{folder}/include", source, *more)


def problem(folder, source, helpers):
    program = folder / source.stem
    built = compiled(folder, source, *helpers, "-o", program)
    if built.returncode != 0:
        return "is not built: " + built.stderr[:500]
    ranks = 4 if source.parent.name in ("topo", "comm", "rma") else 2
    done = run(BUILD / "bin/mpiexec", "--timeout", 60, "-n", ranks, program, cwd=folder / "files", timeout=240)
    good = done.returncode == 0 and "No Errors" in done.stdout
    return None if good else f"ends with {done.returncode}: {done.stdout[:500]}{done.stderr[:500]}"


def problems_of_openmpi(folder):
    """What is wrong with two of its examples."""
    if not unpacked(folder, "openmpi", 2, "*/examples/hello_cxx.cc", "*/examples/ring_cxx.cc"):
        print("openmpi cannot be had")
        return
    for name, words in (("hello_cxx", "I am 2 of 3"), ("ring_cxx", "Process 2 exiting")):
        built = compiled(folder, folder / f"{name}.cc", "-o", folder / name)
        if built.returncode != 0:
            yield f"{name} is not built: {built.stderr[:500]}"
            continue
        done = run(BUILD / "bin/mpiexec", "--timeout", 60, "-n", 3, folder / name, timeout=240)
        if done.returncode != 0 or words not in done.stdout:
            yield f"{name} ends with {done.returncode}: {done.stdout[:500]}{done.stderr[:500]}"
        print(f"openmpi: {name}")


def problems_of_music(folder):
    """What is wrong with the examples of MUSIC; its library is not there to link with."""
    if not apt_get(folder, "download", "libmusic-dev"):
        print("libmusic-dev cannot be had")
        return
    run("dpkg-deb", "-x", next(folder.glob("libmusic-dev_*.deb")), folder / "music")
    for name in ("waveproducer", "waveconsumer"):
        source = folder / f"music/usr/share/doc/libmusic-dev/examples/{name}.cc"
        built = compiled(folder, f"-I{folder}/music/usr/include", source, "-c", "-o", folder / f"{name}.o")
        if built.returncode != 0:
            yield f"{name} is not compiled: {built.stderr[:500]}"
        print(f"libmusic-dev: {name}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = fetched(pathlib.Path(name))
        if folder is None:
            print("the source package cannot be had")
            return 77
        (folder / "files").mkdir()
        helpers = [folder / "mtest_cxx.o", folder / "mtest_common.o"]
        for helper, source, compiler in zip(helpers, ("mtest_cxx.cxx", "mtest_common.c"), ("mpicxx", "mpicc")):
            built = compiled(folder, folder / "util" / source, "-c", "-o", helper, compiler=compiler)
            if built.returncode != 0:
                print(f"{source}: {built.stderr[:1000]}")
                return 1
        programs = [path for path in sorted(folder.glob("**/*.cxx"))
                    if path.parent.name not in ("util", "spawn") and path.stem not in LEFT_OUT]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = pool.map(lambda path: problem(folder, path, helpers), programs)
            wrong = [f"{path.stem} {what}" for path, what in zip(programs, found) if what]
        wrong += [*problems_of_openmpi(folder), *problems_of_music(folder)]
    print("\n".join(wrong) or f"{len(programs)} programs")
    return 1 if wrong or len(programs) < 40 else 0


sys.exit(main())
