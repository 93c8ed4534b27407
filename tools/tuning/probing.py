# SPDX-License-Identifier: BSD-3-Clause
# Runs the probe under mpiexec: what fits, and how long it takes.
import json
import os
import re
import subprocess
import tempfile
import threading

from .choices import SHIPPED, Choice, parse_size

QUESTION = re.compile(r"coll: which algorithm runs (\w+)(?: of \S+ bytes)? on line (\d+) \(")
ANSWER = re.compile(r"  \* (\w+) +yes, score [\d.]+: (.*)")
CHOSEN = re.compile(r"(\w+) \((.*)\)$")


class Failure(Exception):
    """A job did not do what it should; the text says which and why."""


class WrongResult(Exception):
    pass


def kinds(choices):
    """The choices in groups that one job can measure: rules give all operations to one component
    besides basic."""
    basic = [choice for choice in choices if choice.component == "basic"]
    others = [choice for choice in choices if choice.component not in ("basic", "shipped")]
    groups = [[choice] for choice in others]
    if groups:
        groups[0] = basic + groups[0]
    elif basic:
        groups = [basic]
    return groups + ([[SHIPPED]] if SHIPPED in choices else [])


def rules_text(operation, choices):
    """Gives the operation to the component that is not basic. Communicators that want basic exclude
    the other one."""
    rules = [
        f"  - {{component: {c.component}{', algorithm: ' + c.algorithm if c.algorithm else ''}}}"
        for c in choices
        if c.component not in ("basic", "shipped")
    ]
    return "\n".join([f"{operation}:", *rules]) + "\n" if rules else ""


def plan_line(number, operation, choice, count):
    if choice == SHIPPED:
        return f"{number} {operation} - - 0 0 {count}"
    if choice.component == "basic":
        return f"{number} {operation} basic {choice.algorithm} {choice.segment} {choice.radix} {count}"
    return f"{number} {operation} {choice.component},basic - 0 0 {count}"


def explained(output):
    """{line of the plan: (component, algorithm, rule)} from what --explain prints."""
    found, number = {}, None
    for line in output.splitlines():
        question, answer = QUESTION.match(line), ANSWER.match(line)
        if question:
            number = int(question[2])
        elif number is not None and answer:
            chosen = CHOSEN.match(answer[2])
            found[number] = (answer[1], chosen[1], chosen[2]) if chosen else (answer[1], "", "")
            number = None
    return found


def tuning_of_rule(rule, shipped_lines):
    """Segment and radix that the shipped rule has, which the explanation names by its line."""
    match = re.search(r"collectives\.yaml:(\d+)$", rule)
    line = shipped_lines[int(match[1]) - 1] if match and int(match[1]) <= len(shipped_lines) else ""
    segment, radix = re.search(r"segment: (\w+)", line), re.search(r"radix: (\d+)", line)
    return parse_size(segment[1]) if segment else 0, int(radix[1]) if radix else 0


class Prober:
    def __init__(self, folder, timeout, shipped_lines):
        self.mpiexec, self.probe = str(folder / "mpiexec"), str(folder / "tessera-tune-probe")
        self.timeout, self.shipped_lines = timeout, shipped_lines

    def lines(self, command, plan, seconds, what, errors):
        """Yields what the job prints, line by line. It has ended when this is left, in whatever
        way."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("TESSERA_MCA_", "OMPI_MCA_"))}
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
        )
        alarm = threading.Timer(seconds + 20, process.kill)  # if mpiexec does not end the job itself
        alarm.start()
        try:
            self.feed(process, plan)
            yield from process.stdout
            status = process.wait()
        finally:
            alarm.cancel()
            self.end(process)
        if status != 0:
            errors.seek(0)
            words = " ".join(errors.read().split())[-300:]
            reason = f"not done after {seconds:.0f} s" if status == 124 else f"exit status {status}"
            raise Failure(f"{what}: {reason}: {words}")

    @staticmethod
    def feed(process, plan):
        try:
            process.stdin.write(plan)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended, and its exit status says why

    @staticmethod
    def end(process):
        """mpiexec ends its ranks when it is asked to end."""
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        process.stdout.close()

    def run(self, ranks, operation, choices, points, arguments, seconds, errors):
        """Yields lines of a job that carries out `points`, a list of (choice, bytes)."""
        plan = "\n".join(plan_line(i, operation, choice, count) for i, (choice, count) in enumerate(points)) + "\n"
        text = rules_text(operation, choices)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as rules:
            rules.write(text)
            rules.flush()
            parameters = ["--mca", "coll_rules", rules.name] if text else []
            launch = [self.mpiexec, "--timeout", str(int(seconds) + 1), "-n", str(ranks), *parameters]
            yield from self.lines([*launch, *arguments], plan, seconds, f"{operation} on {ranks} ranks", errors)

    def check(self, ranks, operation, choices, points, seconds):
        """[((choice, bytes), fits, what ran)] of all points. WrongResult if one brings wrong
        data."""
        arguments = ["--explain=coll", self.probe, "--check"]
        with tempfile.TemporaryFile("w+") as errors:
            output = list(self.run(ranks, operation, choices, points, arguments, min(self.timeout, seconds), errors))
            errors.seek(0)
            explanation = errors.read()
        for record in map(json.loads, output):
            choice, count = points[record["line"]]
            if record["wrong"]:
                raise WrongResult(
                    f"{operation} by {choice.text()} on {ranks} ranks with {count} bytes is wrong: {record['wrong']}"
                )
        found = explained(explanation)
        if len(found) < len(points):
            missing = len(points) - len(found)
            raise Failure(f"{operation} on {ranks} ranks: --explain does not say what ran in {missing} calls")
        return [(points[number], *self.judge(points[number][0], *what)) for number, what in found.items()]

    def judge(self, choice, component, algorithm, rule):
        if choice == SHIPPED:
            return True, Choice(component, algorithm, *tuning_of_rule(rule, self.shipped_lines))
        fits = (choice.component, choice.algorithm) == (component, algorithm) and "by rule instead" not in rule
        return fits or (choice.component != "basic" and choice.component == component), None

    def measure(self, ranks, operation, choices, points, effort, seconds):
        """Yields ((choice, bytes), {pattern: (median, least)}) in microseconds, as soon as known.
        `effort`: repetitions and the length of one in milliseconds."""
        arguments = ["--repetitions", str(effort[0]), "--length", str(effort[1]), "--seconds", f"{seconds:.3f}"]
        limit = min(self.timeout, seconds + 10)
        with tempfile.TemporaryFile("w+") as errors:
            for line in self.run(ranks, operation, choices, points, [self.probe, *arguments], limit, errors):
                record = json.loads(line)
                yield points[record["line"]], record["patterns"]
