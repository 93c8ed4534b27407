# SPDX-License-Identifier: BSD-3-Clause
"""The commands of a page, and what it says that they print.

```sh holds commands; "..." in the comment behind one is part of its output, and so is a block
```text below. ```console holds commands behind `$ ` and below each what it prints. Man pages have
commands in their section EXAMPLES.
"""
import dataclasses
import re
import subprocess

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
PROMPT = re.compile(r"^\w*\$ +")
# What looks like a command where no command belongs: in a block without a language, or in an
# indented one.
STRAY = re.compile(r"^ *(\w*\$ |(\./dev|mpicc|mpifort|mpiexec|impirun|impi-test|ompi-info|tessera-\w+|tools/\w+|bench/\w+|srun|ctest|"
                   r"cmake|export|gnuplot) )(?!--check:|=)")
NUMBER = r"\\d+(?:\\.\\d+)?"


@dataclasses.dataclass
class Command:
    text: str
    said: list = dataclasses.field(default_factory=list)  # what the page says that it prints, line by line


def complete(text):
    return not text.endswith("\\") and subprocess.run(["sh", "-nc", text], capture_output=True, check=False).returncode == 0


def of_shell(body):
    text, said = "", []
    for line in body.splitlines():
        line, *comment = re.split(r"(?:^|\s+)#\s", line, maxsplit=1)
        text += ("\n" if text else "") + line.rstrip()
        said += re.findall(r'"([^"]+)"', "".join(comment))
        if text.strip() and complete(text):
            yield Command(re.sub(r"\\\n\s*", "", text).strip(), said)
            text, said = "", []
    if text.strip():
        raise ValueError(f"not a command: {text}")


def of_console(body):
    command = None
    for line in body.splitlines():
        if PROMPT.match(line):
            if command:
                yield command
            command = Command(re.split(r"\s+#\s", PROMPT.sub("", line))[0])
        elif command and line.strip():
            command.said.append(line)
    if command:
        yield command


def of_page(text):
    commands = []
    for language, body in BLOCK.findall(text):
        if language == "sh":
            commands += of_shell(body)
        elif language == "console":
            commands += of_console(body)
        elif language == "text" and commands:
            commands[-1].said += [line for line in body.splitlines() if line.strip()]
    return commands


def of_man_page(text):
    examples = re.search(r"^\.SH EXAMPLES\n(.*?)(?=^\.SH|\Z)", text, re.S | re.M)
    for line in re.findall(r"^\.B (.*)", examples.group(1) if examples else "", re.M):
        yield Command(line.replace(r"\-", "-").replace(r"\(aq", "'").replace(r"\(ga", "`"))


def strays(text):
    """Commands that no test would see."""
    for language, body in BLOCK.findall(text):
        if language not in ("sh", "console", "text"):
            yield from (line for line in body.splitlines() if STRAY.match(line))
    for paragraph in re.split(r"\n\s*\n", BLOCK.sub("", text)):
        if re.match(r"\n?    ", paragraph):
            yield from (line for line in paragraph.splitlines() if STRAY.match(line))


def pattern(line, exact):
    """A line of a page as an expression: white space is free, `...` is anything, and numbers are
    any unless `exact`."""
    parts = [r"\s+".join(re.escape(word) for word in part.split()) for part in re.split(r"\.\.\.|…", line)]
    if not exact:
        parts = [re.sub(r"\d+(?:\\\.\d+)?", NUMBER, part).replace(r"on\s+vm\)", r"on\s+\S+\)") for part in parts]
    return r".*?".join(parts)


def missing(command, output, exact):
    plain = " ".join(output.split())
    return [line for line in command.said if not re.search(pattern(line, exact), plain)]
