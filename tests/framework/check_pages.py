# SPDX-License-Identifier: BSD-3-Clause
"""Every shipped component has a page of the fixed form that names all its parameters; what the
pages show works.

Usage: check_pages.py OMPI_INFO SOURCE_DIR
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tool, source = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
HEADINGS = ["What it does", "When it is chosen", "Parameters", "Limits", "How to see it at work"]
failures = []


def names_on(page):
    """The parameters a page names; <operation> stands for any word of that kind."""
    return [re.compile(re.sub(r"<\w+>", r"\\w+", name)) for name in re.findall(r"`([a-z]+_[\w<>]+)`", page)]


def check_defaults(page, parameters):
    """A row about one parameter begins its second cell with the default, where there is one."""
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*?) *\|", page, re.M))
    for parameter in parameters:
        shown = rows.get(parameter["name"], parameter["default"])
        if parameter["default"] and shown.split(" ")[0] != parameter["default"]:
            failures.append(f"{parameter['name']} has the default {parameter['default']}; its page says {shown}")


def check(component, parameters):
    path = source / "docs" / "components" / f"{component['framework']}-{component['name']}.md"
    if not path.exists():
        failures.append(f"{path.relative_to(source)} is missing")
        return
    page = path.read_text()
    headings = re.findall(r"^## (.*)$", page, re.M)
    if headings != HEADINGS or not page.startswith(f"# {component['framework']}/{component['name']}: "):
        failures.append(f"{path.name}: the headings are {headings}, not {HEADINGS}")
    check_defaults(page, parameters)
    known = names_on(page)
    for parameter in parameters:
        if not any(name.fullmatch(parameter["name"]) for name in known):
            failures.append(f"{path.name} does not name {parameter['name']}")


def run(command, folder):
    environment = {"HOME": folder, "PATH": f"{pathlib.Path(tool).parent}:/usr/bin:/bin"}
    return subprocess.run(["bash", "-c", command], env=environment, cwd=folder, capture_output=True, text=True, timeout=240)


def check_file(page, kind, text, folder):
    """A parameter file that a page shows is read without a word."""
    (pathlib.Path(folder) / f"example.{kind}").write_text(text)
    done = run(f"ompi-info --changed --tune example.{kind}", folder)
    unheard = "Nothing matches" in done.stdout and "[communicator" not in text  # such a section changes nothing for all
    if done.returncode != 0 or done.stderr or unheard:
        failures.append(f"{page}: this {kind} file does not work: {done.stderr}\n{text}")


ENGINES = ("mpiexec.hydra", "mpirun.openmpi", "srun", "salloc", "prterun")  # of others; tests/engines tries them


def needs_missing_engine(command):
    return any(word in ENGINES and not shutil.which(word, path="/usr/bin:/bin") for word in command.split())


def check_command(page, line, folder):
    """A command that a page shows is accepted; `true` stands for the program, which has tests of
    its own."""
    command = re.sub(r"\./(hello|a\.out)", "true", line.partition(" # ")[0]).strip()
    if needs_missing_engine(command):
        return
    done = run(command, folder)
    if done.returncode < 0 and any(word in ENGINES for word in command.split()):
        return  # Debian's Hydra now and then dies of SIGPIPE when its program has ended at once
    if done.returncode not in (0, 1) or "param-unknown" in done.stderr:
        failures.append(f"{page}: `{command}` exits with {done.returncode}: {done.stderr}")


def check_examples(path, folder):
    for kind, text in re.findall(r"^```(\w*)\n(.*?)^```$", path.read_text(), re.M | re.S):
        if kind == "yaml" or (kind == "" and re.search(r"^\w+ = ", text, re.M)):
            check_file(path.name, kind or "conf", text, folder)
        for line in text.splitlines() if kind == "sh" else []:
            check_command(path.name, line, folder)


told = subprocess.run([tool, "--json"], env={"HOME": "/nonexistent"}, capture_output=True, text=True, timeout=240, check=True)
document = json.loads(told.stdout)
for one in document["components"]:
    check(one, [parameter for parameter in document["parameters"]
                if (parameter["framework"], parameter["component"]) == (one["framework"], one["name"])
                and not parameter["name"].endswith("_priority")])  # every component has that
if not document["components"]:
    failures.append("there are no components")
with tempfile.TemporaryDirectory() as scratch:
    for shown in (source / "docs" / "parameters.md", *sorted((source / "docs" / "components").glob("*.md"))):
        check_examples(shown, scratch)
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
