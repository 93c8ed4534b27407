# SPDX-License-Identifier: BSD-3-Clause
"""Writes mpif.h, which reads the same in fixed and in free form: statements in columns 7 to 72,
continued with `&` in column 73 (free form) and in column 6 (fixed form), comments with `!` in
column 1.

Routines with a choice buffer have interfaces that accept anything for buffers and arrays, because
compilers compare the calls of one file with each other otherwise. All others are implicit, as
programs of MPI-1 expect.
"""
import fortran_text as fortran
import interfaces

HEAD = """! SPDX-License-Identifier: BSD-3-Clause
! mpif.h: MPI for Fortran, made by tools/bindings. For fixed and free
! form. New programs say: use mpi_f08.
"""
LAST_COLUMN = 72
KIND = 8  # of addresses, counts and offsets
FUNCTIONS = """      DOUBLE PRECISION MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      INTEGER(8) MPI_AINT_ADD, MPI_AINT_DIFF
      INTEGER(8) PMPI_AINT_ADD, PMPI_AINT_DIFF
      EXTERNAL MPI_AINT_ADD, MPI_AINT_DIFF
      EXTERNAL PMPI_AINT_ADD, PMPI_AINT_DIFF
"""
# A compiler that is told to make INTEGER wider stops here, whatever starts it: mpifort refuses such
# options itself.
WIDTH = """! An error here: INTEGER is wider than the 32 bits of the MPI ABI.
      INTEGER TESSERA_INTEGER_HAS_32_BITS(2)
      PARAMETER (TESSERA_INTEGER_HAS_32_BITS=(/0,0_4/))
"""
ADDRESSES = """      INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC
      INTEGER MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)
      INTEGER MPI_ERRCODES_IGNORE(1)
      COMMON /MPI_FORTRAN_ADDRESSES/ MPI_BOTTOM, MPI_IN_PLACE
      COMMON /MPI_FORTRAN_ADDRESSES/ MPI_BUFFER_AUTOMATIC
      COMMON /MPI_FORTRAN_ADDRESSES/ MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
      COMMON /MPI_FORTRAN_ADDRESSES/ MPI_ERRCODES_IGNORE
      INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      COMMON /MPI_FORTRAN_STATUSES/ MPI_STATUS_IGNORE
      COMMON /MPI_FORTRAN_STATUSES/ MPI_STATUSES_IGNORE
      CHARACTER*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1,1)
      COMMON /MPI_FORTRAN_STRINGS/ MPI_ARGV_NULL, MPI_ARGVS_NULL
      SAVE /MPI_FORTRAN_ADDRESSES/, /MPI_FORTRAN_STATUSES/
      SAVE /MPI_FORTRAN_STRINGS/
"""
CALLBACKS = ("MPI_NULL_COPY_FN", "MPI_DUP_FN", "MPI_NULL_DELETE_FN", "MPI_CONVERSION_FN_NULL") + tuple(
    f"MPI_{kind}_{name}" for kind in ("COMM", "TYPE", "WIN") for name in ("NULL_COPY_FN", "DUP_FN", "NULL_DELETE_FN"))


def statement(text):
    width = LAST_COLUMN - 6
    lines, rest = [], text
    while len(rest) > width:
        cut = rest.rfind(",", 0, width) + 1
        lines.append(rest[:cut])
        rest = rest[cut:].lstrip()
    lines.append(rest)
    out = "      " + lines[0]
    for line in lines[1:]:
        out = out.ljust(LAST_COLUMN) if "\n" not in out else out[:out.rfind("\n") + 1] + \
            out[out.rfind("\n") + 1:].ljust(LAST_COLUMN)
        out += "&\n     &" + line
    return out + "\n"


def parameter(name, value, kind="INTEGER"):
    return statement(f"{kind} {name}") + statement(f"PARAMETER ({name}={value})")


def is_loose(argument):
    return argument.is_choice or argument.kind == "detached" or bool(fortran.shape(argument, "mpi"))


def scalar(argument, procedure):
    kind = fortran.type_name(argument, procedure, "mpi").upper()
    for name in ("MPI_ADDRESS_KIND", "MPI_COUNT_KIND", "MPI_OFFSET_KIND"):
        kind = kind.replace(name, str(KIND))
    return statement(f"{kind.replace('CHARACTER(LEN=*)', 'CHARACTER*(*)')} {argument.name.upper()}")


def interface(prefix, procedure):
    name = interfaces.prefixed(prefix, procedure.name).upper()
    arguments = fortran.arguments_of(procedure)
    text = statement(f"SUBROUTINE {name}({', '.join(fortran.names(procedure)).upper()})")
    text += statement("IMPLICIT NONE")
    for argument in arguments:
        if not is_loose(argument):
            text += scalar(argument, procedure)
            continue
        dummy = argument.name.upper()
        text += "".join(directive.format(dummy) + "\n" for directive in fortran.DIRECTIVES)
        # The type matters to nothing but the hidden length of a CHARACTER.
        text += statement(f"{'CHARACTER*(*)' if 'string' in argument.kind else 'INTEGER'} {dummy}(*)")
    return text + statement("INTEGER IERROR") + statement("END SUBROUTINE")


# Fortran alone has this one, without ierror.
def sync_reg(prefix):
    directives = "".join(directive.format("BUF") + "\n" for directive in fortran.DIRECTIVES)
    return statement(f"SUBROUTINE {interfaces.prefixed(prefix, 'MPI_F_sync_reg').upper()}(BUF)") + directives + \
        statement("INTEGER BUF(*)") + statement("END SUBROUTINE")


def text(procedures, constants):
    out = HEAD + WIDTH
    out += parameter("MPI_ADDRESS_KIND", KIND) + parameter("MPI_COUNT_KIND", KIND) + parameter("MPI_OFFSET_KIND", KIND)
    out += parameter("MPI_INTEGER_KIND", 4) + parameter("MPI_STATUS_SIZE", 8)
    out += parameter("MPI_SOURCE", 1) + parameter("MPI_TAG", 2) + parameter("MPI_ERROR", 3)
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        out += parameter(name, ".FALSE.", "LOGICAL")
    for name, kind, value in interfaces.integer_constants(constants):
        out += parameter(name, value, "INTEGER" if kind == "integer" else f"INTEGER({KIND})")
    for name, _, value in interfaces.handle_constants(constants):
        out += parameter(name, value)
    out += ADDRESSES + FUNCTIONS
    for name in CALLBACKS:
        out += statement(f"EXTERNAL {name}")
    out += statement("INTERFACE")
    for procedure in procedures:
        if procedure.in_mpi and procedure.has_choice:
            out += "".join(interface(prefix, procedure) for prefix in interfaces.PREFIXES)
    for prefix in interfaces.PREFIXES:
        out += sync_reg(prefix)
    return out + statement("END INTERFACE")
