# SPDX-License-Identifier: BSD-3-Clause
"""Every way of giving a parameter or a command line wrongly (and rightly), against golden texts.

Usage: matrix.py BUILD_DIR GROUP [--update]

A group's cases run in a scratch prefix, home and working directory, from nothing but what is copied
there. What a case prints is compared with golden/GROUP.txt after paths and the machine's name were
replaced and wrapped lines joined, for where a line is broken depends on them. --update writes the
golden text instead; read the difference before you keep it.
"""
import difflib
import itertools
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

COMPONENTS = ("btl_self", "btl_sm", "btl_tcp", "coll_basic", "pml_ob1", "topo_basic")
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"


class Place:
    """A prefix with the programs and components, an empty home, an empty working directory."""

    def __init__(self, build, scratch):
        self.root = pathlib.Path(scratch).resolve()
        self.prefix, self.home, self.work = (self.root / name for name in ("prefix", "home", "work"))
        for folder in (self.prefix / "bin", self.prefix / "lib" / "tessera", self.prefix / "etc" / "tessera", self.home,
                       self.work):
            folder.mkdir(parents=True)
        library = next(build.glob("lib*/libtessera-core.so.1"))
        shutil.copy(library, self.prefix / "lib")
        for name in ("ompi-info", "mpiexec"):
            shutil.copy(build / "bin" / name, self.prefix / "bin")
        for name in COMPONENTS:
            shutil.copy(library.parent / "tessera" / f"tessera_{name}.so", self.prefix / "lib" / "tessera")

    def file(self, name, content):
        """`name` is relative to the working directory, or begins with ~/ or prefix/."""
        path = self.home / name[2:] if name.startswith("~/") else \
            self.root / name if name.startswith("prefix/") else self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def clear(self):
        for folder in (self.home, self.work, self.prefix / "etc" / "tessera"):
            shutil.rmtree(folder)
            folder.mkdir()

    def environment(self, variables):
        kept = {name: os.environ[name] for name in os.environ if name.endswith("SAN_OPTIONS")}
        return {"PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "HOME": str(self.home), "LANG": "C.UTF-8",
                "LD_LIBRARY_PATH": str(self.prefix / "lib"), **kept, **variables}

    def run(self, command, variables=None):
        return subprocess.run(command, cwd=self.work, env=self.environment(variables or {}), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=240, errors="surrogateescape")

    def tidy(self, text):
        for path, name in ((self.work, "<work>"), (self.prefix, "<prefix>"), (self.home, "<home>")):
            text = text.replace(str(path), name)
        text = text.replace(f"for host {platform.node()} ", "for host <host> ")
        text = re.sub(r"\(pid \d+\)", "(pid N)", text)
        text = re.sub(r"on " + re.escape(platform.node()) + r"\b", "on <host>", text)
        return re.sub(r"\n {9}(?! |What to do:)", " ", text)


class Group:
    def __init__(self, place):
        self.place = place
        self.text = ""
        self.failures = []

    def case(self, title, command, files=None, keep=False, **variables):
        """Runs one command and notes all that it does."""
        if not keep:
            self.place.clear()
        for name, content in (files or {}).items():
            self.place.file(name, content)
        done = self.place.run(command, variables)
        shown = " ".join([f"{name}={shlex.quote(value)}" for name, value in variables.items()] + [shlex.join(command)])
        self.text += f"# {title}\n$ {shown}\n"
        for mark, stream in (("|", done.stdout), ("!", done.stderr)):
            for line in self.place.tidy(stream).splitlines():
                self.text += f"{mark} {line}".rstrip() + "\n"
        self.text += f"exit {done.returncode}\n\n"
        return done

    def check(self, condition, what):
        if not condition:
            self.failures.append(what)


TYPOS = ("btl_tpc_sndbuf", "btl_tcp_snd_buf", "btl_tcp_sndbuff", "BTL_TCP_SNDBUF_", "bt_tcp_sndbuf", "btl_tcp_sndbfu",
         "coll_basic_alreduce_algorithm", "coll_basic_allreduce_algorithim", "coll_tuned_allreduce_algorithm",
         "pml_ob1_eager_limits", "pml_ob_eager_limit", "pml_obl_eager_limit", "mca_sctrict", "mca_componet_path",
         "core_wiat", "core_spin_tim", "mpi_argument_chek", "topo_basic_prioritee", "btl_sm_ringsize", "zzz")


def typos(group):
    """Twenty slips, each through one of four ways to say it."""
    ways = itertools.cycle(("command line", "environment", "tune file", "user file"))
    for name, way in zip(TYPOS, ways):
        files, variables, arguments = {}, {}, []
        if way == "command line":
            arguments = ["--mca", name, "1"]
        elif way == "environment":
            variables = {f"TESSERA_MCA_{name}": "1"}
        elif way == "tune file":
            files, arguments = {"tune.conf": f"# one line\n{name} = 1\n"}, ["--tune", "tune.conf"]
        else:
            files = {"~/.tessera/mca-params.yaml": f"{name}: 1\n"}
        done = group.case(f"{name}, {way}", ["mpiexec", *arguments, "-n", "1", "true"], files, **variables)
        group.check(done.returncode == 0 and done.stderr.count("[param-unknown]") == 1, f"{name}: one warning")
    group.case("strict", ["mpiexec", "--mca", "mca_strict", "1", "--mca", "zzz", "1", "-n", "1", "true"])
    group.case("a name of another MPI in its own variable", ["mpiexec", "-n", "1", "true"], OMPI_MCA_coll_tuned_x="1")
    group.case("ompi-info tells too", ["ompi-info", "--changed", "--mca", "btl_tpc_sndbuf", "1"])


BAD_VALUES = (("btl_tcp_latency", "abc"), ("btl_tcp_latency", "1.5"), ("btl_tcp_latency", "0"), ("btl_tcp_latency", "1e9"),
              ("btl_tcp_latency", "99999999999999999999"), ("btl_tcp_latency", ""), ("btl_verbose", "-1"),
              ("btl_tcp_sndbuf", "-5"), ("btl_tcp_sndbuf", "1T"), ("btl_tcp_sndbuf", "3G"), ("btl_tcp_sndbuf", "4KB"),
              ("btl_tcp_sndbuf", "0x"), ("btl_sm_eager_limit", "2M"), ("mca_strict", "maybe"), ("mca_strict", "2"),
              ("coll_basic_allreduce_algorithm", "rong"), ("btl_sm_single_copy", "CMA "), ("core_explain", "select,cool"),
              ("btl", "tpc,self"), ("btl", "self,^tcp"), ("btl", "self,,tcp"), ("btl", "^tpc"), ("coll_basic_priority", "101"))


def bad_values(group):
    for name, value in BAD_VALUES:
        done = group.case(f"{name} = {value!r}", ["mpiexec", "--mca", name, value, "-n", "1", "true"])
        group.check(done.returncode == 2 and done.stdout == "", f"{name}={value}: refused")
    group.case("from the environment", ["mpiexec", "-n", "1", "true"], TESSERA_MCA_btl_tcp_latency="abc")
    group.case("from another MPI's variable", ["mpiexec", "-n", "1", "true"], OMPI_MCA_btl_tcp_latency="abc")
    group.case("from a user's file", ["mpiexec", "-n", "1", "true"],
               {"~/.tessera/mca-params.conf": "\nbtl_tcp_latency = abc\n"})
    group.case("from the site's file", ["mpiexec", "-n", "1", "true"],
               {"prefix/etc/tessera/mca-params.yaml": "btl_tcp:\n  latency: abc\n"})
    group.case("from a tune file", ["mpiexec", "--tune", "t.yaml", "-n", "1", "true"], {"t.yaml": "btl_tcp_latency: abc\n"})
    group.case("twice on the command line",
               ["mpiexec", "--mca", "btl_tcp_latency", "1", "--mca", "btl_tcp_latency", "2", "-n", "1", "true"])
    group.case("ompi-info shows it and goes on", ["ompi-info", "--changed", "--mca", "core_spin_time", "abc"])
    for title, name, text in (("no value", "t.conf", "btl_tcp_latency\n"), ("open quote", "t.conf", "btl_tcp_ports = 'a\n"),
                              ("text after the quote", "t.conf", "btl_tcp_ports = 'a' b\n"), ("no map", "t.yaml", "- a\n"),
                              ("open list", "t.yaml", "btl: [self\n"), ("foreign option", "t.conf", "-x PATH\n")):
        group.case(f"a damaged file: {title}", ["mpiexec", "--tune", name, "-n", "1", "true"], {name: text})
    group.case("no such file", ["mpiexec", "--tune", "nothing.conf", "-n", "1", "true"])


SOURCES = ("override", "command line", "environment", "foreign environment", "tune", "user", "system")


def spoken(sources):
    """Files, variables and arguments in which each source says a number of its own."""
    files, variables, arguments = {}, {}, []
    for source in sources:
        value = 10 * (1 + SOURCES.index(source))
        line = f"btl_tcp_latency: {value}\n"
        if source == "override":
            files["prefix/etc/tessera/mca-params-override.yaml"] = line
        elif source == "system":
            files["prefix/etc/tessera/mca-params.yaml"] = line
        elif source == "user":
            files["~/.tessera/mca-params.yaml"] = line
        elif source == "tune":
            files["tune.yaml"] = line
            arguments += ["--tune", "tune.yaml"]
        elif source == "command line":
            arguments += ["--mca", "btl_tcp_latency", str(value)]
        else:
            variables["TESSERA_MCA_btl_tcp_latency" if source == "environment" else "OMPI_MCA_btl_tcp_latency"] = str(value)
    return files, variables, arguments


def precedence(group):
    """Each source against each other one, and all together."""
    pairs = [*itertools.combinations(SOURCES, 2), SOURCES]
    for sources in pairs:
        files, variables, arguments = spoken(sources)
        done = group.case(" and ".join(sources), ["ompi-info", "--why", "btl_tcp_latency", *arguments], files, **variables)
        group.check(done.stdout.startswith(f"btl_tcp_latency = '{10 * (1 + SOURCES.index(sources[0]))}'\n"),
                    f"{sources[0]} wins against {sources[1:]}")
    files = {"prefix/etc/tessera/mca-params-override.conf": "btl_tcp_latency = 1\n",
             "prefix/etc/tessera/mca-params-override.yaml": "btl_tcp_latency: 2\n"}
    group.case("both kinds of the site's last word", ["ompi-info", "--why", "btl_tcp_latency"], files)
    group.case("the site's last word is told", ["mpiexec", "--mca", "btl_tcp_latency", "7", "-n", "1", "true"], files)
    group.case("it cannot be turned off by its own site", ["mpiexec", "-n", "1", "true"],
               {"prefix/etc/tessera/mca-params-override.yaml": "btl_tcp_latency: [\n"})


def sections(group):
    plain = ("btl_tcp_latency = 1\n[host *, ranks >= 16]\nbtl_tcp_latency = 16\n[ranks < 4] # few\nbtl_tcp_latency = 3\n"
             "[host nosuchhost*]\nbtl_tcp_latency = 9\n[always]\nbtl_tcp_sndbuf = 5K\n")
    nested = ("btl_tcp_latency: 1\nsections:\n- when: {host: [nosuchhost, '*'], ranks: '>= 16'}\n  params: {btl_tcp: {latency: 16}}\n"
              "- when: {ranks: 2..3}\n  params:\n    btl_tcp_latency: 3\nbtl_tcp_sndbuf: 5K\n")
    for name, content in (("s.conf", plain), ("s.yaml", nested)):
        for ranks, value in ((None, 1), (2, 3), (8, 1), (16, 16)):
            arguments = ["--ranks", str(ranks)] if ranks else []
            done = group.case(f"{name} with {ranks or 'an unknown number of'} ranks",
                              ["ompi-info", "--why", "btl_tcp_latency", "--tune", name, *arguments], {name: content})
            group.check(done.stdout.startswith(f"btl_tcp_latency = '{value}'\n"), f"{name}, {ranks} ranks: {value}")
        group.case(f"{name}: what follows the sections", ["ompi-info", "--why", "btl_tcp_sndbuf", "--tune", name],
                   {name: content})
    group.case("mpiexec knows the number of ranks", ["mpiexec", "--tune", "t.conf", "-n", "1", "true"],
               {"t.conf": "[ranks 1]\nbtl_tcp_latency = abc\n"})
    group.case("and passes over the others", ["mpiexec", "--tune", "t.conf", "-n", "1", "true"],
               {"t.conf": "[ranks 2]\nbtl_tcp_latency = abc\n"})
    group.case("a typo is found in any section", ["mpiexec", "--tune", "t.conf", "-n", "1", "true"],
               {"t.conf": "[ranks 2]\nbtl_tpc_latency = 2\n"})
    for header in ("[]", "[host]", "[hsot node*]", "[ranks many]", "[ranks >= ]", "[communicator row]", "[ranks >= 2"):
        group.case(f"bad header {header}", ["mpiexec", "--tune", "t.conf", "-n", "1", "true"],
                   {"t.conf": f"btl_tcp_latency = 2\n{header}\n"})
    for section in ("3", "{when: {ranks: 2}}", "{when: 2, params: {a: 1}}", "{when: {rank: 2}, params: {a: 1}}",
                    "{wenn: {ranks: 2}, params: {a: 1}}"):
        group.case(f"bad section {section}", ["mpiexec", "--tune", "t.yaml", "-n", "1", "true"],
                   {"t.yaml": f"sections: {section}\n"})


VALUES = ("a=b", "a=b=c", "a,b", "a;b", "a b", "  both ends  ", "-leading", "--mca", "-", "=", "#hash", "a #b", "'single'", '"double"',
          "back\\slash", "tab\there", "line\nbreak", "Größe µ 名前 🚀", "~/x", "$HOME", "%d{}", ": yaml [", "null", "true", "0x10", "")


def yaml_quoted(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n") + '"'


def values(group):
    """Odd values arrive unchanged, whatever the way, and a dump brings them back."""
    name = "btl_tcp_ports"

    def read(*arguments, **variables):
        done = group.place.run(["ompi-info", "--parsable", name, *arguments], variables)
        line = next((one for one in done.stdout.splitlines() if one.startswith(f"param\t{name}\tvalue\t")), "")
        field = line.split("\t")[3] if line else None
        return field and re.sub(r"\\([\\tnr])", lambda m: {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}[m[1]], field)

    for value in VALUES:
        group.place.clear()
        group.check((read("--mca", name, value) or "") == value, f"command line: {value!r}")
        group.check((read(**{f"TESSERA_MCA_{name}": value}) or "") == value, f"environment: {value!r}")
        group.place.file("v.yaml", f"{name}: {yaml_quoted(value)}\n")
        group.check((read("--tune", "v.yaml") or "") == value, f"YAML: {value!r}")
        if "\n" not in value and not ("'" in value and '"' in value):
            quote = '"' if "'" in value else "'"
            group.place.file("v.conf", f"{name} = {quote}{value}{quote} # a comment\n")
            group.check((read("--tune", "v.conf") or "") == value, f"plain file: {value!r}")
        group.place.file("dump.yaml", group.place.run(["ompi-info", "--dump", "--mca", name, value]).stdout)
        group.check((read("--tune", "dump.yaml") or "") == value, f"dump: {value!r}")
        group.case(f"value {value!r}", ["ompi-info", "--dump", "--mca", name, value])
    kinds = (("btl_tcp_latency", "0x10"), ("btl_tcp_sndbuf", "4K"), ("mca_strict", "yes"), ("core_wait", "spin"),
             ("core_explain", "select,coll"), ("btl", "^tcp"), ("btl_tcp_if_include", "192.0.2.0/24,lo"))
    settings = [word for name_, value in kinds for word in ("--mca", name_, value)]
    dump = group.case("every kind of value", ["ompi-info", "--dump", *settings]).stdout
    group.place.file("kinds.yaml", dump)
    group.case("is read back", ["ompi-info", "--diff", "kinds.yaml", *settings], keep=True)
    group.place.file("all.yaml", group.place.run(["ompi-info", "--dump", "--all"]).stdout)
    group.case("all of them are read back", ["ompi-info", "--diff", "all.yaml"], keep=True)
    group.case("what differs from a file", ["ompi-info", "--diff", "kinds.yaml", "--mca", "btl_tcp_latency", "16", "--mca",
                                            "btl_tcp_sndbuf", "8K"], keep=True)


def mpiexec_lines(group):
    for words in ([], ["-n"], ["-n", "0", "true"], ["-n", "two", "true"], ["-n", "99999999", "true"], ["-n", "1"],
                  ["--np=", "true"], ["--nq", "1", "true"], ["--mac", "a", "b", "true"], ["--mca", "btl"], ["--tune"],
                  ["--timeout", "soon", "true"], ["--stdin", "3", "-n", "2", "true"], ["-x", "=1", "true"], ["--tag-output=1", "true"],
                  ["-n", "1", "true", ":", "true"], ["-n", "1", "true", ":"], ["-n", "1", "./nothing"], ["-n", "1", "./plain.txt"],
                  ["--wdir", "nowhere", "-n", "1", "true"], ["--hostfile", "none", "true"], ["--explain=everything", "true"]):
        done = group.case("mpiexec " + shlex.join(words), ["mpiexec", *words], {"plain.txt": "text\n"})
        group.check(done.returncode not in (0, 1) and done.stderr != "", f"mpiexec {words}: refused with a message")


def info_lines(group):
    for words in (["--nonsense"], ["--dcotor"], ["--framework"], ["--framework", "blt"], ["--component", "tpc"], ["--component", "btl/tpc"],
                  ["--component", "blt/tcp"], ["--component", "pml/tcp"], ["--level", "0"], ["--level", "ten"],
                  ["--why"], ["--why", "btl_tpc_sndbuf"], ["--why", "qqqqqqqqqqqq"], ["--diff"], ["--diff", "none.yaml"],
                  ["--diff", "bad.conf"], ["--mca", "alone"], ["--tune"], ["--ranks", "0"], ["--json", "--parsable"],
                  ["--json", "--dump"], ["--why", "btl", "--doctor"], ["--doctor", "--markdown"], ["--collectives", "--dump"]):
        done = group.case("ompi-info " + shlex.join(words), ["ompi-info", *words], {"bad.conf": "no equals sign\n"})
        group.check(done.returncode == 2, f"ompi-info {words}: exit code 2")
    for words, code in ((["--version"], 0), (["nosuchword"], 0), (["--collectives"], 0), (["--why", "btl"], 0),
                        (["--tune", "none.conf", "--changed"], 1), (["--diff", "empty.conf"], 0),
                        (["--diff", "empty.conf", "--mca", "btl", "self"], 1)):
        done = group.case("ompi-info " + shlex.join(words), ["ompi-info", *words], {"empty.conf": ""})
        group.check(done.returncode == code, f"ompi-info {words}: exit code {code}")


GROUPS = {function.__name__: function
          for function in (typos, bad_values, precedence, sections, values, mpiexec_lines, info_lines)}


def main():
    build, name = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    golden = GOLDEN / f"{name}.txt"
    with tempfile.TemporaryDirectory(prefix="matrix-") as scratch:
        group = Group(Place(build, scratch))
        GROUPS[name](group)
    if "--update" in sys.argv:
        golden.write_text(group.text, errors="surrogateescape")
    wanted = golden.read_text(errors="surrogateescape") if golden.exists() else ""
    difference = list(difflib.unified_diff(wanted.splitlines(), group.text.splitlines(), str(golden.name), "now", lineterm=""))
    for line in difference[:200]:
        print(line)
    if difference:
        print(f"To accept this: {shlex.join(sys.argv)} --update")
    for failure in group.failures:
        print("FAILED:", failure)
    return bool(difference or group.failures)


if __name__ == "__main__":
    sys.exit(main())
