#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program that holds mpi.h against functions.tsv and constants.tsv: generate_checks.py
FOLDER OUTPUT.

The program is both C and C++. It does not compile when a function has another type than the table
says (req errata 3.2), or when an integer constant has another value; run, it compares the constants
that are pointers and the layout of the status.
"""
import csv
import pathlib
import sys

HEAD = """/* Made by generate_checks.py. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__cplusplus)
#include <type_traits>
#define CHECK(condition, text) static_assert(condition, text)
#define HAS_TYPE(constant, wanted) (std::is_same<std::decay<decltype(constant)>::type, wanted>::value)
#else
#define CHECK(condition, text) _Static_assert(condition, text)
#define HAS_TYPE(constant, wanted) _Generic((constant), wanted : 1, default : 0)
#endif
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

CHECK(sizeof(MPI_Aint) == sizeof(void*) && (MPI_Aint)-1 < 0, "MPI_Aint holds an address and is signed");
CHECK(sizeof(MPI_Offset) == 8 && (MPI_Offset)-1 < 0, "MPI_Offset has 64 bits and is signed");
CHECK(sizeof(MPI_Count) == 8 && (MPI_Count)-1 < 0, "MPI_Count has 64 bits and is signed");
CHECK(sizeof(MPI_Status) == 8 * sizeof(int), "a status has eight integers");
CHECK(offsetof(MPI_Status, MPI_SOURCE) == 0, "the source comes first");
CHECK(offsetof(MPI_Status, MPI_TAG) == sizeof(int), "the tag comes second");
CHECK(offsetof(MPI_Status, MPI_ERROR) == 2 * sizeof(int), "the error comes third");
CHECK(offsetof(MPI_Status, MPI_internal) == 3 * sizeof(int), "the rest is the library's");
CHECK(sizeof(MPI_Comm) == sizeof(void*), "handles are pointers");

"""

# All constants are macros, so that programs can test for them, except those of the two enumeration
# types.
ENUMERATORS = ("MPI_T_CB_REQUIRE_", "MPI_T_SOURCE_")


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def function_checks(functions):
    for function in functions:
        for prefix in ("", "P"):
            name = prefix + function["name"]
            yield f"{function['returns']} (*volatile check_{name})({function['arguments']}) = {name};\n"


def constant_checks(constants):
    for constant in constants:
        name, kind, value = constant["name"], constant["type"], constant["value"]
        if not name.startswith(ENUMERATORS):
            yield f'#if !defined({name})\n#error "{name} is not a macro"\n#endif\n'
        if kind in ("int", "MPI_Offset"):
            yield f'CHECK({name} == {value}, "{name} is {value}");\n'
        else:
            yield f'CHECK(HAS_TYPE({name}, {kind}), "{name} has type {kind}");\n'


def pointer_checks(constants):
    yield "int main(void) {\n  int wrong = 0;\n"
    for constant in constants:
        if constant["type"] in ("int", "MPI_Offset"):
            continue
        name, value = constant["name"], constant["value"]
        yield f"  if ((uintptr_t){name} != {value}) wrong += printf(\"{name} is not {value}\\n\");\n"
    yield "  return wrong != 0;\n}\n"


def main():
    folder = pathlib.Path(sys.argv[1])
    functions, constants = rows(folder / "functions.tsv"), rows(folder / "constants.tsv")
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        output.write(HEAD)
        for part in (function_checks(functions), constant_checks(constants), pointer_checks(constants)):
            output.writelines(part)


main()
