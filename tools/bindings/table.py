# SPDX-License-Identifier: BSD-3-Clause
"""The table of functions as the Fortran bindings see it.

A procedure's arguments follow from its C prototype in tests/abi/functions.tsv; arguments.tsv and
procedures.tsv hold what C does not say (first row that fits). Each argument gets one kind, and
everything that is written follows from the kinds:

    int big logical string handle status                 in, by reference where C takes a value
    int_out int_inout big_out logical_out string_out     out; big is an ADDRESS, COUNT or OFFSET
    handle_out handle_inout index_out status_out         index counts from 1 in Fortran
    int_array big_array logical_array handle_array ...   with the length in `detail` where it matters
    walk copy whole first                                choice buffers, see section.h
    absent                                               an argument of C only
"""
import csv
import fnmatch
import pathlib
import re
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent

HANDLES = ("Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win")
WIDE = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Count": "MPI_COUNT_KIND", "MPI_Offset": "MPI_OFFSET_KIND"}
CHOICE = ("walk", "copy", "whole", "first")
OUT_POINTERS = {"int": "int_out", **{wide: "big_out" for wide in WIDE}}
FORTRAN_NAMES = {"indx": "index"}
ASYNCHRONOUS = re.compile(r"MPI_(File_\w+_(begin|end)|Win_create|Win_attach|Win_detach|Buffer_attach|\w+_attach_buffer|"
                          r"Free_mem|Get_address|Put|Get|Accumulate|Get_accumulate|Compare_and_swap|Fetch_and_op)(_c)?$")


@dataclass
class Argument:
    c_name: str
    c_type: str  # without const and stars
    const: bool
    stars: int  # levels of pointer, an array among them
    is_array: bool
    kind: str = ""
    detail: str = ""

    @property
    def name(self):
        return FORTRAN_NAMES.get(self.c_name, self.c_name)

    @property
    def is_choice(self):
        return self.kind in CHOICE

    @property
    def is_callback(self):
        return self.kind == "callback"

    @property
    def wide_kind(self):
        return WIDE.get(self.c_type)


@dataclass
class Procedure:
    name: str  # as in C, MPI_Send_c
    group: str
    returns: str
    arguments: list
    where: str = ""
    by_hand: bool = False
    large: "Procedure" = field(default=None, repr=False)

    @property
    def short(self):
        return self.name.split("_", 1)[1]

    @property
    def is_extension(self):
        return self.name.startswith("MPIX_")

    @property
    def is_large(self):
        return self.name.endswith("_c")

    @property
    def has_choice(self):
        return any(argument.is_choice for argument in self.arguments)

    @property
    def is_function(self):
        return self.returns != "int"

    @property
    def has_ierror(self):
        return not self.is_function and self.name != "MPI_Pcontrol"

    @property
    def is_nonblocking(self):
        """True where MPI may still use the arguments after the call, or others use them
        meanwhile."""
        return bool(ASYNCHRONOUS.match(self.name)) or any(
            a.c_type == "MPI_Request" and a.kind == "handle_out" for a in self.arguments)

    @property
    def has_cptr(self):
        """True where module mpi has a second specific, whose address is a TYPE(C_PTR)."""
        return self.in_mpi and any(argument.kind == "address_out" for argument in self.arguments)

    @property
    def in_mpi(self):
        return self.where != "none" and not self.is_large

    @property
    def in_f08(self):
        return self.where == ""


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [{key: value or "" for key, value in row.items()}
                for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def fits(pattern, name):
    return any(fnmatch.fnmatchcase(name, part) for part in pattern.split("|"))


def parse_argument(text):
    text = text.strip()
    const = text.startswith("const ")
    if const:
        text = text[len("const "):]
    stars = text.count("*") + text.count("[") - text.count("[3]")
    is_array = "[" in text
    words = re.sub(r"\[\d*\]|\*", " ", text).split()
    return Argument(c_name=words[-1], c_type=words[0], const=const, stars=stars, is_array=is_array)


def choice_kind(argument, following):
    """A buffer that a count and a datatype follow can be walked; any other is taken as it lies."""
    types = [f.c_type for f in following[:2]]
    if len(types) == 2 and types[0] in ("int", "MPI_Count") and types[1] == "MPI_Datatype" and not following[0].stars:
        return "walk"
    return "copy"


def kind_by_rule(argument, following):
    kind, stars = argument.c_type, argument.stars
    handle = kind.removeprefix("MPI_") in HANDLES
    if handle:
        if not stars:
            return "handle"
        return "handle_array" if argument.const else "handle_array_inout" if argument.is_array else "handle_out"
    if kind == "MPI_Status":
        if argument.const:
            return "status"
        return "statuses_out" if "array" in argument.c_name else "status_out"
    if kind.endswith(("_function", "_function_c", "_fn")):
        return "callback"
    if kind == "void":
        return choice_kind(argument, following)
    if kind == "char":
        return "string" if argument.const else "string_out"
    if not stars:
        return "big" if kind in WIDE else "int"
    if argument.is_array:
        return ("big_array" if kind in WIDE else "int_array") + ("" if argument.const else "_out")
    return OUT_POINTERS.get(kind, "unknown")


def kind_of(argument, following, exceptions):
    for row in exceptions:
        if not fits(row["argument"], argument.c_name):
            continue
        kind = row["kind"]
        if kind.endswith("_out") and not argument.stars and kind != "absent":
            continue
        if kind.startswith("handle") and argument.c_type.removeprefix("MPI_") not in HANDLES:
            continue
        if kind == "handle_inout" and not argument.stars:
            continue
        if kind == "inout":
            kind = kind_by_rule(argument, following).replace("_out", "_inout")
        return kind, row["detail"]
    return kind_by_rule(argument, following), ""


def procedure_of(row, exceptions, procedures):
    arguments = []
    if row["arguments"] != "void":
        arguments = [parse_argument(text) for text in row["arguments"].split(",") if "..." not in text]
    ours = [exception for exception in exceptions if fits(exception["procedure"], row["name"])]
    for position, argument in enumerate(arguments):
        argument.kind, argument.detail = kind_of(argument, arguments[position + 1:], ours)
    procedure = Procedure(row["name"], row["group"], row["returns"], arguments)
    for known in procedures:
        if fits(known["procedure"], row["name"]):
            procedure.where, procedure.by_hand = known["where"], known["c_side"] == "hand"
            break
    return procedure


def without_absent(procedure):
    return [argument for argument in procedure.arguments if argument.kind != "absent"]


def load_extensions():
    """The procedures of mpix.h."""
    return load(FOLDER / "extensions.tsv")


def load(functions=ROOT / "tests/abi/functions.tsv"):
    """All procedures that Fortran knows, in the order of the table."""
    exceptions, procedures = rows(FOLDER / "arguments.tsv"), rows(FOLDER / "procedures.tsv")
    table = [procedure_of(row, exceptions, procedures) for row in rows(functions)]
    by_name = {procedure.name: procedure for procedure in table}
    for procedure in table:
        procedure.large = by_name.get(procedure.name + "_c")
    return [procedure for procedure in table if procedure.where != "none"]


def constants(path=ROOT / "tests/abi/constants.tsv"):
    return rows(path)
