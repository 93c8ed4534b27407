# SPDX-License-Identifier: BSD-3-Clause
"""The command line of impi-test: chooses tests, runs them, says what they saw."""
import argparse
import fnmatch
import json
import pathlib

from . import host_job, host_tests, lam_tests, script, server_tests


def run_one(entry, arguments):
    group, name, *about, body = entry
    run = script.Run(arguments.patience)
    try:
        if arguments.role == "server":
            count, environment = about
            run.start_server(arguments.command, count, environment)
            body(run, count)
        else:
            rank, mine, meets = about
            kind = lam_tests.LamJob if arguments.profile == "lam" else host_job.Job
            job = kind(run, arguments.command, rank, mine)
            body(job.meet() if meets else job)
        why = ""
    except (script.Failed, OSError) as failure:
        why = str(failure) or type(failure).__name__
    finally:
        run.close()
    return {"group": group, "name": name, "passed": not why, "why": why, "steps": run.steps}


def show(result, verbose):
    print(f"{'pass' if result['passed'] else 'FAIL'} {result['name']}")
    for step in result["steps"] if verbose or not result["passed"] else []:
        seen = "" if step["expected"] is None else f": expected {step['expected']}"
        if not step["ok"]:
            seen += f", seen {step['seen']}"
        print(f"     {'  ' if step['ok'] else '* '}{step['who']}: {step['step']}{seen}")
    if result["why"]:
        print(f"     {result['why']}")


def main(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("role", choices=("server", "client"))
    parser.add_argument("command", help="how to start what is tested")
    parser.add_argument("--profile", choices=("standard", "lam"), default="standard",
                        help="what the tester is towards a client: as the protocol wants, or as LAM/MPI 7.1.4 is")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="tests whose name fits, such as 'labels.*'")
    parser.add_argument("--list", action="store_true", help="print the names of the tests")
    parser.add_argument("--json", metavar="FILE", help="write each test and each of its steps to FILE")
    parser.add_argument("--patience", type=float, default=20, help="seconds after which nothing more is expected")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the steps of tests that pass, too")
    arguments = parser.parse_args()
    of_clients = {"standard": host_tests.TESTS, "lam": lam_tests.TESTS}
    tests = server_tests.TESTS if arguments.role == "server" else of_clients[arguments.profile]
    chosen = [entry for entry in tests if fnmatch.fnmatch(entry[1], arguments.only)]
    if arguments.list:
        print("\n".join(entry[1] for entry in chosen))
        return 0
    results = []
    for entry in chosen:
        results.append(run_one(entry, arguments))
        show(results[-1], arguments.verbose)
    failed = [result["name"] for result in results if not result["passed"]]
    print(f"{len(results) - len(failed)} of {len(results)} tests passed")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"role": arguments.role, "tests": results}, indent=1) + "\n")
    return 1 if failed or not results else 0
