# SPDX-License-Identifier: BSD-3-Clause
"""Declarations of the procedures in Fortran: form "mpi" (handles are INTEGER) and form "f08"
(handles are types)."""

LONGEST_LINE = 100

IN = {"int", "big", "logical", "handle", "int_array", "big_array", "logical_array", "handle_array", "string", "extra_state",
      "string_array", "string_table", "triples", "status"}
OUT = {"int_out", "big_out", "logical_out", "handle_out", "string_out", "index_out", "int_array_out", "big_array_out",
       "handle_array_out", "index_array_out", "logical_array_out", "address_out", "detached", "errcodes"}
DIRECTIVES = ("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {0}", "!DEC$ ATTRIBUTES NO_ARG_CHECK :: {0}", "!DIR$ IGNORE_TKR {0}")
ARRAYS = {"triples": "(3,*)", "string_table": "(count,*)"}
NARROW = "removed in MPI 3.0"


def wrapped(statement, indent=0, longest=LONGEST_LINE):
    """One statement in free form, continued over lines where it is long."""
    text = " " * indent + statement
    lines = []
    while len(text) > longest:
        cut = max(text.rfind(", ", 0, longest - 2), text.rfind(" ", indent + 4, longest - 2)) + 1
        lines.append(text[:cut].rstrip() + " &")
        text = " " * (indent + 4) + text[cut:].lstrip()
    return lines + [text]


def intent(argument, procedure):
    kind = argument.kind
    if kind in ("attribute", "logical_word"):
        return "out" if "get" in procedure.name.lower() else "in"
    if kind == "weights":
        return "in" if argument.const else "out"
    if procedure.name == "MPI_Cancel" or (argument.const and kind == "handle_array_inout"):
        return "in"
    if argument.is_choice:
        return "in" if argument.const else ""
    if kind.endswith("_inout"):
        return "inout"
    return "in" if kind in IN else "out" if kind in OUT else ""


def is_asynchronous(argument, procedure):
    if not procedure.is_nonblocking:
        return False
    return argument.is_choice or (argument.is_array and argument.const and procedure.has_choice)


def shape(argument, form):
    if argument.kind in ARRAYS:
        return ARRAYS[argument.kind]
    if argument.kind in ("status", "status_out", "statuses_out"):
        several = argument.kind == "statuses_out"
        if form == "f08":
            return "(*)" if several else ""
        return "(MPI_STATUS_SIZE,*)" if several else "(MPI_STATUS_SIZE)"
    if argument.kind in ("string", "string_out"):
        return ""
    return "(*)" if argument.is_array or argument.kind in ("weights", "errcodes", "string_array") else ""


def type_name(argument, procedure, form):
    kind = argument.kind
    if kind == "callback":
        return f"procedure({argument.c_type})" if form == "f08" else "external"
    if kind in ("address_out", "detached"):
        return "type(c_ptr)" if form in ("f08", "cptr") else "integer(MPI_ADDRESS_KIND)"
    if kind.startswith("logical"):
        return "logical"
    if kind.startswith("string"):
        return "character(len=*)"
    if kind in ("extra_state", "attribute"):
        return "integer" if procedure.where == "not f08" else "integer(MPI_ADDRESS_KIND)"
    if kind.startswith("status"):
        return "type(MPI_Status)" if form == "f08" else "integer"
    if kind.startswith("handle") and form == "f08":
        return f"type({argument.c_type})"
    if argument.wide_kind and procedure.group != NARROW:
        return f"integer({argument.wide_kind})"
    return "integer"


def unchecked(name, indent):
    """A dummy of the form "mpi" that takes anything."""
    return [directive.format(name) for directive in DIRECTIVES] + [" " * indent + f"real, dimension(*) :: {name}"]


def declaration(argument, procedure, form, indent):
    name = argument.name
    if argument.is_choice or (argument.kind == "detached" and form != "f08"):
        if form != "f08":
            return unchecked(name, indent)
        attributes = ["type(*), dimension(..)"]
    else:
        attributes = [type_name(argument, procedure, form)]
        if argument.is_callback:
            return [" " * indent + f"{attributes[0]} :: {name}"]
        name += shape(argument, form)
    if form == "f08":
        attributes += [f"intent({intent(argument, procedure)})"] if intent(argument, procedure) else []
        attributes += ["asynchronous"] if is_asynchronous(argument, procedure) else []
    return wrapped(f"{', '.join(attributes)} :: {name}", indent)


def arguments_of(procedure):
    return [argument for argument in procedure.arguments if argument.kind != "absent"]


def names(procedure):
    return [argument.name for argument in arguments_of(procedure)] + (["ierror"] if procedure.has_ierror else [])


def declarations(procedure, form, indent):
    # Sizes first: `count` is the bound of another argument.
    ordered = sorted(arguments_of(procedure), key=lambda argument: argument.kind != "int")
    lines = [line for argument in ordered for line in declaration(argument, procedure, form, indent)]
    if procedure.has_ierror:
        optional = ", optional, intent(out)" if form == "f08" else ""
        lines.append(" " * indent + f"integer{optional} :: ierror")
    return lines


def result(procedure):
    return "double precision" if procedure.returns == "double" else "integer(MPI_ADDRESS_KIND)"


def interface_body(name, procedure, form, indent):
    word = "function" if procedure.is_function else "subroutine"
    lines = wrapped(f"{word} {name}({', '.join(names(procedure))})", indent)
    lines += [" " * (indent + 2) + "import", " " * (indent + 2) + "implicit none"]
    if procedure.is_function:
        lines.append(" " * (indent + 2) + f"{result(procedure)} :: {name}")
    lines += declarations(procedure, form, indent + 2)
    return lines + [" " * indent + f"end {word} {name}"]
