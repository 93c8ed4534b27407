# SPDX-License-Identifier: BSD-3-Clause
"""Writes a program that calls every procedure in each of the three forms and looks at what arrives
in C and at what comes back.

watched.c has functions of the C names, which stand before those of the library: each notes its name
and arguments and writes results. The modules watched_FORM hand every procedure arguments that
differ, and compare both ways. Procedures with a C side written by hand are tested by hand.
tests/fortran/watch.f90 and watch.c have what both sides share.
"""
import fortran_text as fortran
import interfaces
import table

ELEMENTS = 40  # of each array, more than any number that is handed over
SMALL, WIDE, OUT = 2, 2**33, 7000  # the values are these and the place of the argument
HANDLES = {"Comm": ("MPI_COMM_SELF", "MPI_COMM_WORLD"), "Errhandler": ("MPI_ERRORS_RETURN",), "File": ("MPI_FILE_NULL",),
           "Datatype": ("MPI_INTEGER", "MPI_REAL", "MPI_COMPLEX", "MPI_DOUBLE_PRECISION"), "Group": ("MPI_GROUP_EMPTY", "MPI_GROUP_NULL"),
           "Info": ("MPI_INFO_ENV", "MPI_INFO_NULL"), "Message": ("MPI_MESSAGE_NO_PROC", "MPI_MESSAGE_NULL"),
           "Op": ("MPI_MAX", "MPI_SUM"), "Request": ("MPI_REQUEST_NULL",), "Session": ("MPI_SESSION_NULL",), "Win": ("MPI_WIN_NULL",)}
HEAD_OF_C = """// SPDX-License-Identifier: BSD-3-Clause
// Made by tools/bindings from the table of functions.
#define MPI_BUILD_DEPRECATED
#include <mpi.h>
#include <mpix.h>
#include <stdint.h>
#include <string.h>

#include "watch.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define NUMBER(handle) ((long long)(intptr_t)(handle))

"""
HEAD = """! SPDX-License-Identifier: BSD-3-Clause
! Made by tools/bindings from the table of functions.
module watched_{form}
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr
  use watch
{use}  implicit none
{include}  private :: c_ptr, c_null_ptr
contains
"""
USES = {"f08": "  use mpi_f08\n  use mpix_f08\n", "mpi": "  use mpi\n", "mpif": ""}
EMPTY = ("neighbors", "cart_dimensions")  # lengths that are 0 for a communicator without topology


def is_watched(procedure):
    return not procedure.by_hand and not procedure.is_function


def handle_name(argument, place):
    names = HANDLES[argument.c_type.removeprefix("MPI_")]
    return names[place % len(names)]


def is_count_of_array(argument, procedure):
    return any(other.detail == f"*{argument.c_name}" for other in procedure.arguments)


def value_in(argument, place, procedure):
    """What Fortran hands over where it is a number."""
    wide = argument.wide_kind and not is_count_of_array(argument, procedure)
    return place + (WIDE if wide else SMALL)


def value_out(argument, place):
    return place + (2 * WIDE if argument.wide_kind else OUT)


def is_array(argument):
    return argument.kind.startswith(("int_array", "big_array")) or argument.kind in ("weights", "triples")


def is_address(argument):
    return argument.is_choice or is_array(argument)


def has_element(argument):
    return not argument.detail.startswith(EMPTY)


# ---- the side of C ----


def notes(argument, place):
    """The statements of the C function for one argument."""
    name, kind = argument.c_name, argument.kind
    lines = []
    if is_address(argument) or kind in ("int", "big", "logical", "handle"):
        lines.append(f"watched_value({place}, NUMBER({name}));")
    elif kind in ("handle_array", "logical_array") and has_element(argument):
        lines.append(f"watched_value({place}, NUMBER({name}[0]));")
    elif kind.endswith("_inout"):
        lines.append(f"watched_value({place}, NUMBER(*{name}));")
    elif kind == "string":
        lines.append(f"watched_text({place}, {name});")
    elif kind == "status":
        lines.append(f"watched_value({place}, {name}->MPI_SOURCE);")
    return lines + results(argument, place)


def results(argument, place):
    name, kind = argument.c_name, argument.kind
    if kind in ("int_array_out", "big_array_out", "int_array_inout"):
        return [f"{name}[0] = {value_out(argument, place)};"]
    if kind in ("int_out", "big_out", "int_inout", "big_inout"):
        return [f"*{name} = {value_out(argument, place)};"]
    if kind == "logical_out":
        return [f"*{name} = 1;"]
    if kind in ("handle_out", "handle_inout"):
        return [f"*{name} = {handle_name(argument, place + 1)};"]
    if kind == "string_out":
        return [f'strcpy({name}, "out{place}");']
    if kind == "status_out":
        return [f"{name}->MPI_SOURCE = {OUT + place};"]
    if kind == "address_out":
        return [f"*(void**){name} = (void*){OUT + place};"]
    return []


def in_c(prototype, procedure):
    lines = [f'  watched_call("{procedure.name}");']
    for place, argument in enumerate(procedure.arguments):
        lines += ["  " + line for line in notes(argument, place) if argument.kind != "absent"]
    return f"int {procedure.name}({prototype}) {{\n" + "\n".join(lines) + "\n  return watched_answer;\n}\n\n"


# ---- the side of Fortran ----


def declared(argument, procedure, form):
    name, kind = argument.name, argument.kind
    if argument.is_choice:
        return f"integer :: {name}({ELEMENTS})"
    if kind.startswith("string"):
        return f"character(len=12) :: {name}"
    shape = fortran.shape(argument, form).replace("*", str(ELEMENTS))
    return f"{fortran.type_name(argument, procedure, form)} :: {name}{shape}"


def number_of(argument, form):
    return argument.name + ("%MPI_VAL" if form == "f08" else "")


def source_of(argument, form):
    return argument.name + ("%MPI_SOURCE" if form == "f08" else "(MPI_SOURCE)")


def before(argument, place, procedure, form):
    name, kind = argument.name, argument.kind
    if kind in ("int", "big", "int_inout", "big_inout"):
        number = value_in(argument, place, procedure)
        return f"{name} = {number}" + ("_MPI_COUNT_KIND" if argument.wide_kind else "")
    if kind in ("logical", "logical_array"):
        return f"{name} = .true."
    if kind in ("handle", "handle_array", "handle_inout"):
        return f"{name} = {handle_name(argument, place)}"
    if kind == "handle_out":
        return f"{number_of(argument, form)} = 0"
    if kind == "string":
        return f'{name} = "in{place}"'
    if kind == "logical_out":
        return f"{name} = .false."
    if kind in ("status", "status_out"):
        return f"{source_of(argument, form)} = {SMALL + place}"
    if kind == "address_out":
        return f"{name} = " + ("0" if form in ("mpi", "mpif") else "c_null_ptr")
    return f"{name} = 0" if is_address(argument) or kind in ("int_out", "big_out") else f'{name} = ""'


def arrived(argument, place, procedure, form):
    """What C has to have seen."""
    name, kind = argument.name, argument.kind
    if is_address(argument):
        return [f"call saw_address({place}, {name})"]
    if kind in ("int", "big", "int_inout", "big_inout"):
        return [f"call saw({place}, {value_in(argument, place, procedure)}_number)"]
    if kind == "logical" or (kind == "logical_array" and has_element(argument)):
        return [f"call saw({place}, 1_number)"]
    if kind in ("handle", "handle_inout") or (kind == "handle_array" and has_element(argument)):
        constant = handle_name(argument, place) + ("%MPI_VAL" if form == "f08" else "")
        return [f"call saw({place}, int({constant}, number))"]
    if kind == "string":
        return [f'call saw_text({place}, "in{place}")']
    if kind == "status":
        return [f"call saw({place}, {SMALL + place}_number)"]
    return []


def returned(argument, place, procedure, form):
    """What Fortran has to get."""
    name, kind = argument.name, argument.kind
    if argument.c_name == "resultlen":
        text = next(place for place, other in enumerate(procedure.arguments) if other.kind == "string_out")
        return [f"call got({place}, int({name}, number), {len(f'out{text}')}_number)"]
    if kind in ("int_out", "big_out", "int_inout", "big_inout"):
        return [f"call got({place}, int({name}, number), {value_out(argument, place)}_number)"]
    if kind in ("int_array_out", "big_array_out", "int_array_inout"):
        return [f"call got({place}, int({name}(1), number), {value_out(argument, place)}_number)"]
    if kind == "logical_out":
        return [f"call got({place}, merge(1_number, 0_number, {name}), 1_number)"]
    if kind in ("handle_out", "handle_inout"):
        constant = handle_name(argument, place + 1) + ("%MPI_VAL" if form == "f08" else "")
        return [f"call got({place}, int({number_of(argument, form)}, number), int({constant}, number))"]
    if kind == "string_out":
        return [f'call got_text({place}, {name}, "out{place}")']
    if kind == "status_out":
        return [f"call got({place}, int({source_of(argument, form)}, number), {OUT + place}_number)"]
    if kind == "address_out":
        address = name if form in ("mpi", "mpif") else f"transfer({name}, 0_number)"
        return [f"call got({place}, int({address}, number), {OUT + place}_number)"]
    return []


def watcher(procedure, form):
    arguments = [(place, a) for place, a in enumerate(procedure.arguments) if a.kind != "absent"]
    kinds = "mpi" if form == "mpif" else form
    subroutine = "watch_" + procedure.short + ("_cptr" if form == "cptr" else "")
    name = interfaces.prefixed(interfaces.prefixes_of(procedure)[0], procedure.name.removesuffix("_c"))
    lines = [f"  subroutine {subroutine}()"]
    lines += ["    " + declared(argument, procedure, kinds) for _, argument in arguments]
    lines += ["    integer :: ierror"]
    set_up = ["    " + before(argument, place, procedure, form) for place, argument in arguments]
    names = fortran.names(procedure)
    lines += set_up + [f'    call watch_for("{procedure.name}", "{form}")', "    ierror = -1"]
    lines += fortran.wrapped(f"call {name}({', '.join(names)})", 4) + ["    call called(ierror)"]
    for place, argument in arguments:
        lines += ["    " + line for line in arrived(argument, place, procedure, form) + returned(argument, place, procedure, form)]
    lines += set_up + ["    call watch_failing()"] + fortran.wrapped(f"call {name}({', '.join(names)})", 4) + ["    call called(ierror)"]
    if form == "f08":
        lines += set_up + ["    call watch_again()"] + fortran.wrapped(f"call {name}({', '.join(names[:-1])})", 4) + \
            ["    call called()"]
    return "\n".join(lines + [f"  end subroutine {subroutine}", "", ""]), subroutine


def module(form, procedures):
    include = "  include 'mpif.h'\n" if form == "mpif" else ""
    pieces = [watcher(procedure, form) for procedure in procedures]
    pieces += [watcher(procedure, "cptr") for procedure in procedures if form == "mpi" and procedure.has_cptr]
    text = HEAD.format(form=form, use=USES[form], include=include) + "".join(piece for piece, _ in pieces)
    text += f"  subroutine watch_{form}()\n" + "".join(f"    call {name}()\n" for _, name in pieces)
    return text + f"  end subroutine watch_{form}\nend module watched_{form}\n"


def files(procedures, extensions):
    all_of_them = procedures + extensions
    prototypes = {row["name"]: row["arguments"] for path in (table.ROOT / "tests/abi/functions.tsv", table.FOLDER / "extensions.tsv")
                  for row in table.rows(path)}
    yield "watched.c", HEAD_OF_C + "".join(in_c(prototypes[p.name], p) for p in all_of_them if is_watched(p))
    plain = [procedure for procedure in procedures if procedure.in_mpi and is_watched(procedure)]
    yield "watched_mpif.f90", module("mpif", plain)
    yield "watched_mpi.f90", module("mpi", plain)
    yield "watched_f08.f90", module("f08", [s for p in interfaces.f08_generics(all_of_them) for s in interfaces.specifics(p)
                                            if is_watched(s)])
