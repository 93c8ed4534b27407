# SPDX-License-Identifier: BSD-3-Clause
"""Every form of ompi-info --json against the schema that is shipped, by a validator of the keywords
that the schema uses.

Usage: check_schema.py OMPI_INFO SCHEMA
"""
import copy
import json
import subprocess
import sys
import tempfile

tool, schema_file = sys.argv[1:3]
with open(schema_file) as file:
    schema = json.load(file)
failures = []

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "properties", "required", "additionalProperties", "items",
         "enum", "oneOf", "minimum", "maximum"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def mistakes(value, rule, where="$"):
    """What is wrong with a value; empty when it fits."""
    if "$ref" in rule:
        return mistakes(value, schema["$defs"][rule["$ref"].rpartition("/")[2]], where)
    if unknown := set(rule) - KNOWN:
        return [f"{where}: the validator does not know {unknown}"]
    if "type" in rule and not is_type(value, rule["type"]):
        return [f"{where}: {value!r} is no {rule['type']}"]
    found = []
    if "enum" in rule and value not in rule["enum"]:
        found.append(f"{where}: {value!r} is none of {rule['enum']}")
    if "minimum" in rule and not rule["minimum"] <= value <= rule["maximum"]:
        found.append(f"{where}: {value} is out of range")
    if "oneOf" in rule:
        fitting = [one for one in rule["oneOf"] if not mistakes(value, one, where)]
        if len(fitting) != 1:
            found.append(f"{where}: fits {len(fitting)} of the alternatives")
    if isinstance(value, list) and "items" in rule:
        for i, item in enumerate(value):
            found += mistakes(item, rule["items"], f"{where}[{i}]")
    if isinstance(value, dict):
        found += members(value, rule, where)
    return found


def members(value, rule, where):
    known = rule.get("properties", {})
    found = [f"{where}: {name} is missing" for name in rule.get("required", []) if name not in value]
    for name, item in value.items():
        if name in known:
            found += mistakes(item, known[name], f"{where}.{name}")
        elif rule.get("additionalProperties") is False:
            found.append(f"{where}: {name} is not in the schema")
    return found


def output(*arguments):
    done = subprocess.run([tool, *arguments, "--json"], capture_output=True, text=True, timeout=240)
    return json.loads(done.stdout)


def check(name, document):
    found = mistakes(document, schema["$defs"][name]) + mistakes(document, schema)
    failures.extend(f"{name}: {one}" for one in found[:5])


with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
    file.write("btl_verbose = 1\n[ranks >= 99999]\ncore_wait = spin\nnobody_knows = 1\n")
    file.flush()
    check("report", output())
    check("report", output("--tune", file.name, "--mca", "btl_verbose", "101", "--mca", "core_wait", "sleep"))
    check("parameter", output("--why", "core_wait", "--tune", file.name))
    check("diff", output("--diff", file.name))
    check("doctor", output("--doctor"))
    check("collectives", output("--collectives"))

# The validator and the schema can fail.
good = output("--why", "core_wait")
for change in ({"level": 10}, {"level": True}, {"source": "somebody"}, {"heard": {}}, {"extra": 1}):
    bad = {**copy.deepcopy(good), **change}
    if not mistakes(bad, schema):
        failures.append(f"{change} is let through")
del good["help"]
if not mistakes(good, schema):
    failures.append("a missing member is let through")

try:
    import jsonschema
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(output("--doctor"), schema)
except ImportError:
    pass  # a second opinion where there is one
for failure in failures:
    print("FAILED:", failure)
sys.exit(bool(failures))
