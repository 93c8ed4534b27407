# SPDX-License-Identifier: BSD-3-Clause
"""Writes three modules that call every procedure once, under MPI_ and PMPI_, in each of the three
forms. They are compiled and linked, not run: a procedure or specific that is missing or has other
arguments than the table says fails there."""
import fortran_text as fortran
import interfaces

HEAD = """! SPDX-License-Identifier: BSD-3-Clause
! Made by tools/bindings from the table of functions.
module calls_{form}
{use}
  implicit none
{include}contains
"""
C_PTR = "  use, intrinsic :: iso_c_binding, only: c_ptr\n"
USES = {"f08": C_PTR + "  use mpi_f08\n  use mpix_f08", "mpi": C_PTR + "  use mpi", "mpif": ""}
BY_HAND = """
  subroutine call_sizes()
    integer :: size, ierror
    real :: x(2, 2)
    call MPI_Sizeof(x, size, ierror)
    call MPI_Sizeof(1.0d0, size, ierror)
    call MPI_Sizeof("c", size, ierror)
    call PMPI_Sizeof(.true., size, ierror)
    call MPI_F_sync_reg(x)
    call PMPI_F_sync_reg(x)
  end subroutine call_sizes
"""


def local(argument, procedure, form):
    name = argument.name
    if argument.is_choice or (argument.kind == "detached" and form != "f08"):
        return f"real :: {name}(4)"
    if argument.is_callback:
        interface = argument.c_type if form == "f08" else ""
        return f"procedure({interface}), pointer :: {name}"
    kind = fortran.type_name(argument, procedure, form).replace("len=*", "len=8")
    shape = fortran.shape(argument, form).replace("*", "4").replace("count", "4")
    asynchronous = ", asynchronous" if fortran.is_asynchronous(argument, procedure) else ""
    return f"{kind}{asynchronous} :: {name}{shape}"


def call(procedure, form):
    subroutine = "call_" + procedure.short + ("_cptr" if form == "cptr" else "")
    lines = [f"  subroutine {subroutine}()"]
    lines += ["    " + local(argument, procedure, form) for argument in fortran.arguments_of(procedure)]
    lines += ["    integer :: ierror"] if procedure.has_ierror else []
    lines += [f"    {fortran.result(procedure)} :: answer"] if procedure.is_function else []
    for prefix in interfaces.prefixes_of(procedure):
        name = prefix + interfaces.prefixed("", generic_name(procedure))
        word = "answer =" if procedure.is_function else "call"
        lines += fortran.wrapped(f"{word} {name}({', '.join(fortran.names(procedure))})", 4)
        if form == "f08" and procedure.has_ierror:
            lines += fortran.wrapped(f"call {name}({', '.join(fortran.names(procedure)[:-1])})", 4)
    return "\n".join(lines + [f"  end subroutine {subroutine}", "", ""])


def generic_name(procedure):
    return procedure.name if procedure.name in interfaces.BY_HAND_GENERIC else procedure.name.removesuffix("_c")


def module(form, procedures):
    include = "  include 'mpif.h'\n" if form == "mpif" else ""
    text = HEAD.format(form=form, use=USES[form], include=include)
    text += "".join(call(procedure, form) for procedure in procedures)
    text += "".join(call(procedure, "cptr") for procedure in procedures if form == "mpi" and procedure.has_cptr)
    text += BY_HAND if form != "mpif" else ""
    return text + f"end module calls_{form}\n"


def files(procedures, extensions):
    plain = [procedure for procedure in procedures if procedure.in_mpi]
    specifics = [s for p in interfaces.f08_generics(procedures) for s in interfaces.specifics(p)]
    yield "calls_mpif.f90", module("mpif", plain)
    yield "calls_mpi.f90", module("mpi", plain)
    specifics += [s for p in interfaces.f08_generics(extensions) for s in interfaces.specifics(p)]
    yield "calls_f08.f90", module("f08", specifics)
