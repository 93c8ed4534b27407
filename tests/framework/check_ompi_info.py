# SPDX-License-Identifier: BSD-3-Clause
# Runs ompi-info as users do and checks what it prints, its exit codes, and that it runs no code of
# what it lists.
import json
import os
import re
import subprocess
import sys
import tempfile

tool, plugins, source = sys.argv[1:4]
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)


def run(*arguments, code=0, silent=True, **variables):
    environment = {"PATH": os.environ["PATH"], "HOME": home, "TESSERA_MCA_mca_component_path": plugins, **variables}
    for name in ("LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    done = subprocess.run([tool, *arguments], env=environment, capture_output=True, text=True, timeout=240)
    check(done.returncode == code, f"{arguments}: exit code {done.returncode}, not {code}: {done.stderr}")
    check("code of a plug-in ran" not in done.stderr, f"{arguments}: ran a plug-in")
    check(not silent or done.stderr == "", f"{arguments}: said {done.stderr!r}")
    return done.stdout if silent else done.stderr


def unescape(field):
    return re.sub(r"\\([\\tnr])", lambda found: {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}[found[1]], field)


def param(document, name):
    return next(one for one in document["parameters"] if one["name"] == name)


def check_summary():
    text = run("--mca", "btl_probe_depth", "8")
    check(len(text.splitlines()) <= 24, "the summary fits one screen: " + text)
    check("  btl   probe" in text, "the summary lists components")
    check("(refused)" in text and "more: ompi-info --all" in " ".join(text.split()), "the summary names what is not used")
    check("2 of them set" in text and "btl_probe_depth = 8 (command line, --mca btl_probe_depth)" in text, "what is set: " + text)
    check("component probe" not in text and "--why PARAM" in text, "the summary says how to ask more")
    for columns in ("60", "80"):
        text = run(TESSERA_COLUMNS=columns)
        check(max(len(line) for line in text.splitlines() if "/" not in line) <= int(columns), "wrapped at " + columns)
    settings = [("btl_probe_depth", "8")] + [(name + "_verbose", "1") for name in ("btl", "pml", "coll", "op", "topo")]
    text = run(*[word for setting in settings for word in ("--mca", *setting)])
    check(len(text.splitlines()) <= 24 and "more: ompi-info --changed" in text, "not all settings: " + text)


def check_questions_of_peers():
    both = run("--component", "btl/probe")
    for words in (("--param", "btl", "probe"), ("-param", "btl", "probe")):
        check(run(*words) == both, f"{words} is --component btl/probe")
    check(run("--param", "btl", "all") == run("--framework", "btl"), "--param btl all is --framework btl")
    check(run("--param", "all", "all") == run("--all"), "--param all all is everything")
    check("'prbe' (did you mean 'probe'?)" in run("--param", "btl", "prbe", code=2, silent=False), "--param of nothing")
    config = run("--config")
    for word in ("version", "c_compiler", "cxx_compiler", "build_type", "MPI_THREAD_MULTIPLE", "libmpi_abi.so.1"):
        check(word in config, f"--config says {word}: {config}")
    paths = dict(line.split() for line in run("--path").splitlines())
    check({"prefix", "bindir", "libdir", "incdir", "sysconfdir", "pkglibdir"} <= paths.keys(), f"--path: {paths}")
    check(run("--path", "libdir").strip() == paths["libdir"] and run("--path", "all") == run("--path"), "one path")
    check(f"path\tlibdir\tvalue\t{paths['libdir']}\n" in run("--path", "--parsable"), "paths for scripts")
    check("did you mean 'libdir'?" in run("--path", "libdri", code=2, silent=False), "no such path")


def check_text():
    text = run("--all")
    check("component probe 0.9, usable, priority 20" in text, "text lists the component")
    check("btl_probe_depth = 4 (default)" in text, "text lists its parameter")
    unwrapped = " ".join(text.split())  # where a line is broken depends on the length of the build folder's path
    check("tessera_demo_old.so: belongs to framework demo" in unwrapped, "text gives reasons")
    check(max(len(line) for line in text.splitlines() if "/" not in line) <= 100, "text is wrapped")
    check("refused" in run("--component", "demo/good"), "a refused component can be asked for")


def check_filters():
    check("btl_probe_depth" in run("DEPTH") and "btl_verbose" not in run("DEPTH"), "search ignores case")
    check("btl_probe_depth" in run("probe", "depth") and "priority" not in run("probe", "depth"), "several words")
    check(run("nosuchwordanywhere") == "Nothing matches.\n", "nothing matches")
    check("pml_verbose" not in run("--framework", "btl"), "framework filter")
    check("btl_probe_depth" not in run("--level", "4"), "level filter")
    check("mca_strict" in run("--framework", "core"), "core parameters")
    changed = run("--changed", "--mca", "btl_probe_depth", "8", "--mca", "btl_verbose", "1")
    check(len(re.findall("^  [a-z_]+ =", changed, re.M)) == 3, "only changed ones: " + changed)


def check_json():
    document = json.loads(run("--json", "--mca", "btl_probe_depth", "8", OMPI_MCA_btl_probe_depth="16"))
    depth = param(document, "btl_probe_depth")
    check((depth["value"], depth["default"], depth["source"], depth["level"], depth["allowed"], depth["unit"]) ==
          ("8", "4", "command line", 5, "1..64", "packets"), f"json parameter: {depth}")
    check([one["value"] for one in depth["heard"]] == ["8", "16"], "json has all sources")
    probe = next(one for one in document["components"] if one["name"] == "probe")
    check(probe["verdict"] == "usable" and probe["path"].startswith(plugins), "json component")
    excluded = json.loads(run("--json", "--mca", "btl", "^probe"))
    check(param(excluded, "btl_probe_depth")["component_verdict"] == "excluded", "json owner's verdict")


def check_parsable():
    document = json.loads(run("--json"))
    facts = [[unescape(field) for field in line.split("\t")] for line in run("--parsable").splitlines()]
    check(all(len(fact) == 4 for fact in facts), "parsable lines have four fields")
    values = {tuple(fact[:3]): fact[3] for fact in facts}
    for one in document["parameters"]:
        for field in ("value", "default", "help", "allowed", "source", "type"):
            check(values[("param", one["name"], field)] == one[field], f"parsable {one['name']} {field}")
    for one in document["components"]:
        check(values[("component", one["path"], "reason")] == one["reason"], f"parsable {one['path']}")


def check_markdown():
    text = run("--markdown")
    check("| `btl_probe_depth` | `4` | an integer, 1..64 (packets) | 5 | A \\| depth. |" in text, "markdown row")
    check(plugins not in text, "markdown does not depend on the machine")


def check_why():
    tune = os.path.join(home, "tune.conf")
    with open(tune, "w") as file:
        file.write("# first\nbtl_probe_depth = 32\n")
    text = run("--why", "btl_probe_depth", "--tune", tune, TESSERA_MCA_btl_probe_depth="16")
    check("in force '16' from environment variable TESSERA_MCA_btl_probe_depth" in text, "why: winner")
    check(f"defeated '32' from tune file {tune}:2" in text, "why: file and line")
    check("defeated '4' by default" in text, "why: default")
    why = json.loads(run("--why", "btl_probe_depth", "--json"))
    check(why["value"] == "4" and why["heard"] == [], "why as json")


def check_dump():
    settings = ("--mca", "btl_probe_depth", "8", "--mca", "btl", "^probe")
    dump = run("--dump", *settings)
    file = os.path.join(home, "dump.yaml")
    with open(file, "w") as out:
        out.write(dump)
    before = {one["name"]: one["value"] for one in json.loads(run("--json", *settings))["parameters"]}
    after = {one["name"]: one["value"] for one in json.loads(run("--json", "--tune", file))["parameters"]}
    check(before == after, "a dump reads back")


def check_sections():
    tune = os.path.join(home, "sections.conf")
    with open(tune, "w") as file:
        file.write("[ranks >= 4]\nbtl_probe_depth = 32\n")
    depth = json.loads(run("--why", "btl_probe_depth", "--tune", tune, "--json"))
    check((depth["value"], [one["when"] for one in depth["elsewhere"]]) == ("4", ["ranks >= 4"]), "elsewhere: " + str(depth))
    depth = json.loads(run("--why", "btl_probe_depth", "--tune", tune, "--json", "--ranks", "4"))
    check((depth["value"], depth["elsewhere"]) == ("32", []), "a section applies: " + str(depth))


def check_diff():
    dump = os.path.join(home, "diff.yaml")
    with open(dump, "w") as file:
        file.write(run("--dump", "--mca", "btl_probe_depth", "8"))
    check("are those that" in run("--diff", dump, "--mca", "btl_probe_depth", "0x8"), "the same in another notation")
    text = run("--diff", dump, code=1)
    check("btl_probe_depth\n  here '4' (default)\n  file '8' (tune file " + dump + ":2)" in text, "diff: " + text)
    document = json.loads(run("--diff", dump, "--json", code=1))
    check([(one["name"], one["here"]["value"], one["file"]["value"]) for one in document["differences"]] ==
          [("btl_probe_depth", "4", "8")], "diff as json")
    run("--diff", "/nonexistent/file", code=2, silent=False)


def check_doctor():
    # What the verdicts are is up to the machine; that everything is looked at and explained is not.
    done = subprocess.run([tool, "--doctor", "--json"], env={"PATH": os.environ["PATH"], "HOME": home,
                          "TESSERA_MCA_mca_component_path": plugins}, capture_output=True, text=True, timeout=240)
    document = json.loads(done.stdout)
    names = [one["name"] for one in document["findings"]]
    for name in ("processors", "topology", "shared_memory", "single_copy", "locked_memory", "open_files", "interfaces"):
        check(name in names, "the doctor looks at " + name)
    for one in document["findings"]:
        check(one["value"] and one["why"], "the doctor says what and why: " + str(one))
        check(one["verdict"] != "problem" or one["next_step"], "a problem has a next step: " + str(one))
    check(document["healthy"] == all(one["verdict"] != "problem" for one in document["findings"]), "healthy")
    check(done.returncode == (0 if document["healthy"] else 1), "the doctor's exit code")
    limited = subprocess.run(["bash", "-c", f"ulimit -n 40; exec '{tool}' --doctor"], capture_output=True, text=True, timeout=240,
                             env={"PATH": os.environ["PATH"], "HOME": home})
    check(limited.returncode == 1 and re.search(r"^problem +open_files +40$", limited.stdout, re.M),
          "too few files are a problem: " + limited.stdout)
    check("What to do: ulimit -n" in limited.stdout, "and what to do")
    bad = run("--doctor", "--mca", "btl_probe_depth", "65", code=1, silent=False)
    check(bad.count("param-bad-value") <= 1, "the doctor and a bad value: " + bad)


def check_mistakes():
    for arguments, hint in (
        (("--framework", "blt"), "'blt' (did you mean 'btl'?)"),
        (("--component", "prbe"), "'prbe' (did you mean 'probe'?)"),
        (("--component", "btl/prbe"), "'prbe' (did you mean 'probe'?)"),
        (("--why", "btl_probe_dept"), "'btl_probe_dept' (did you mean 'btl_probe_depth'?)"),
        (("--level", "0"), "level"),
        (("--nonsense",), "nonsense"),
        (("--mca", "alone"), "NAME VALUE"),
        (("--json", "--parsable"), "excludes"),
    ):
        text = run(*arguments, code=2, silent=False)
        check(hint in text, f"{arguments}: {text}")
    bad = run("--mca", "btl_probe_depth", "65", code=1, silent=False)
    check("btl_probe_depth = '65' (from command line, --mca btl_probe_depth) is too large" in bad, "bad value: " + bad)
    check(bad.count("param-bad-value") == 1, "a bad value is reported once")
    check("'1..64'" in bad or "1..64" in bad, "bad value says what is allowed")
    bad = run("--mca", "btl", "prbe", code=1, silent=False)
    check("did you mean 'probe'?" in bad, "bad list: " + bad)
    unknown = run("--mca", "btl_probe_dept", "6", code=0, silent=False)
    check("did you mean 'btl_probe_depth'?" in unknown, "unknown parameter: " + unknown)
    run("--tune", "/nonexistent/file", code=1, silent=False)


def check_user_file():
    os.makedirs(os.path.join(home, ".tessera"))
    path = os.path.join(home, ".tessera", "mca-params.yaml")
    with open(path, "w") as file:
        file.write("btl_probe:\n  depth: 2\n")
    with open(path.replace(".yaml", ".conf"), "w") as file:
        file.write("btl_probe_depth = 3\nbtl_probe_priority = 77\n")
    document = json.loads(run("--json"))
    check(param(document, "btl_probe_depth")["where"] == path + ":2", "user file, YAML wins")
    check(param(document, "btl_probe_priority")["value"] == "77", "user file, plain")
    with open(path, "w") as file:
        file.write("btl: [\n")
    text = run("--changed", code=1, silent=False)
    check(path + ":" in text, "a damaged user file is named: " + text)


def check_example():
    with open(os.path.join(source, "mca-params", "mca-params.yaml.example")) as file:
        lines = file.read()
    path = os.path.join(home, "example.yaml")
    with open(path, "w") as file:
        file.write(re.sub(r"^#(?! \S)", "", lines, flags=re.M))
    shown = run("--changed", "--tune", path)
    check("tune file" in shown, "the example sets something: " + shown)


with tempfile.TemporaryDirectory() as home:
    check("Tessera" in run("--version"), "version")
    check("--why" in run("--help"), "help")
    for part in (check_summary, check_questions_of_peers, check_text, check_filters, check_json, check_parsable, check_markdown, check_why, check_dump, check_sections,
                 check_diff, check_doctor,
                 check_mistakes, check_example, check_user_file):
        part()
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
