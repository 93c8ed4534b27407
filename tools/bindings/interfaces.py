# SPDX-License-Identifier: BSD-3-Clause
"""Writes the modules from the templates in fortran/modules, and the bodies of mpi_f08's procedures
with choice buffers."""
import re

import fortran_text as fortran
import table

TEMPLATES = table.ROOT / "fortran/modules"
ADDRESSES = ("MPI_BOTTOM", "MPI_IN_PLACE")
NOT_FORTRAN = re.compile(r"MPI_(T|F)_")
PREFIXES = ("MPI_", "PMPI_")
EXTENSION_PREFIXES = ("MPIX_", "PMPIX_")
BY_HAND_GENERIC = ("MPI_Op_create_c", "MPI_Register_datarep_c")  # explicit names: only the callback tells them apart


def prefixed(prefix, name):
    return prefix + name.split("_", 1)[1]


def prefixes_of(procedure):
    return EXTENSION_PREFIXES if procedure.is_extension else PREFIXES


def number(text):
    return str(int(text, 0))


def integer_constants(constants):
    """(name, kind, value) of everything that is an INTEGER in both modules."""
    for constant in constants:
        name, value = constant["name"], constant["value"]
        if NOT_FORTRAN.match(name) or constant["type"] not in ("int", "MPI_Offset"):
            continue
        value = int(value, 0)
        if name.startswith("MPI_MAX_"):
            value -= 1  # without room for the final null of C
        yield name, "integer(MPI_OFFSET_KIND)" if constant["type"] == "MPI_Offset" else "integer", value


def handle_constants(constants):
    for constant in constants:
        if constant["type"].removeprefix("MPI_") in table.HANDLES:
            yield constant["name"], constant["type"], int(constant["value"], 0)


def parameters(rows):
    return [line for name, kind, value in rows for line in fortran.wrapped(f"{kind}, parameter :: {name} = {value}", 2)]


def handles_as_integers(constants):
    return parameters((name, "integer", value) for name, _, value in handle_constants(constants))


def handles_as_types(constants):
    return parameters((name, f"type({kind})", f"{kind}({value})") for name, kind, value in handle_constants(constants))


def mpi_interfaces(procedures):
    lines = []
    for procedure in procedures:
        if not procedure.in_mpi:
            continue
        for prefix in PREFIXES:
            name = prefixed(prefix, procedure.name)
            lines.append(f"  interface {name}")
            lines += fortran.interface_body(name, procedure, "mpi", 4)
            if procedure.has_cptr:
                lines += fortran.interface_body(name + "_cptr", procedure, "cptr", 4)
            lines.append(f"  end interface {name}")
    return lines


def signature(procedure):
    kinds = [fortran.type_name(a, procedure, "f08") + fortran.shape(a, "f08") for a in fortran.arguments_of(procedure)
             if not a.is_choice]
    return re.sub(r"MPI_(ADDRESS|COUNT|OFFSET)_KIND", "8", " ".join(kinds))


def specific_name(procedure):
    suffix = "_f08ts" if procedure.has_choice else "_f08"
    return procedure.name + suffix


def specifics(procedure):
    """The procedure and its form with large counts, unless the machine's kinds make the two the
    same."""
    large = procedure.large
    if large and large.name not in BY_HAND_GENERIC and signature(large) != signature(procedure):
        return [procedure, large]
    return [procedure]


def f08_generics(procedures):
    return [p for p in procedures if p.in_f08 and (not p.is_large or p.name in BY_HAND_GENERIC)]


def f08_interfaces(procedures):
    lines = []
    for procedure in f08_generics(procedures):
        for prefix in prefixes_of(procedure):
            name = prefixed(prefix, procedure.name)
            lines.append(f"  interface {name}")
            for specific in specifics(procedure):
                specific_text = name if specific.is_function else prefixed(prefix, specific_name(specific))
                lines += fortran.interface_body(specific_text, specific, "f08", 4)
            lines.append(f"  end interface {name}")
    return lines


def c_declarations(procedure):
    """The same as declarations(), for the C function: a string is its characters and their
    number."""
    lines = []
    for argument in sorted(fortran.arguments_of(procedure), key=lambda argument: argument.kind != "int"):
        if argument.kind == "string":
            lines.append(f"      character(kind=c_char), intent(in) :: {argument.name}(*)")
            lines.append(f"      integer(c_size_t), value :: {argument.name}_length")
        else:
            lines += fortran.declaration(argument, procedure, "f08", 6)
    return lines + ["      integer, optional, intent(out) :: ierror"]


def c_arguments(procedure, actual):
    names = []
    for argument in fortran.arguments_of(procedure):
        names.append(argument.name)
        if argument.kind == "string":
            names.append(f"int(len({argument.name}), c_size_t)" if actual else f"{argument.name}_length")
    return ", ".join(names + ["ierror"])


def f08_body(prefix, procedure):
    name = prefixed(prefix, specific_name(procedure))
    symbol = f"{prefix.lower()}{procedure.short.lower()}_cdesc"
    uses_c = any(argument.kind == "string" for argument in procedure.arguments)
    lines = fortran.wrapped(f"subroutine {name}({', '.join(fortran.names(procedure))})")
    lines += ["  use, intrinsic :: iso_c_binding, only: c_char, c_size_t"] if uses_c else []
    lines += ["  use tessera_mpi_handles", "  implicit none"]
    lines += fortran.declarations(procedure, "f08", 2)
    lines += ["  interface"]
    lines += fortran.wrapped(f"subroutine c_function({c_arguments(procedure, False)}) bind(C, name=\"{symbol}\")", 4)
    lines += ["      import"] + c_declarations(procedure)
    lines += ["    end subroutine c_function", "  end interface"]
    lines += fortran.wrapped(f"call c_function({c_arguments(procedure, True)})", 2)
    return "\n".join(lines + [f"end subroutine {name}", ""])


def bodies(procedures, parts):
    pieces = [f08_body(prefix, specific) for procedure in f08_generics(procedures) if procedure.has_choice
              for specific in specifics(procedure) for prefix in prefixes_of(procedure)]
    size = -(-len(pieces) // parts)
    head = "! SPDX-License-Identifier: BSD-3-Clause\n! Made by tools/bindings from the table of functions.\n"
    for part in range(parts):
        yield f"bodies_{part}.F90", head + "\n".join(pieces[part * size:(part + 1) * size])


def filled(template, **parts):
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    for name, lines in parts.items():
        text = text.replace(f"@{name.upper()}@\n", "\n".join(lines) + "\n")
    return text


def extensions_names(extensions):
    names = [prefixed(prefix, procedure.name) for procedure in f08_generics(extensions) for prefix in EXTENSION_PREFIXES]
    return fortran.wrapped("public :: " + ", ".join(names), 2)


def files(procedures, extensions, constants, parts):
    yield "tessera_mpi_handles.F90", filled("tessera_mpi_handles.F90.in")
    yield "tessera_mpi_constants.F90", filled("tessera_mpi_constants.F90.in",
                                              integers=parameters(integer_constants(constants)))
    yield "mpi.F90", filled("mpi.F90.in", handles=handles_as_integers(constants), interfaces=mpi_interfaces(procedures))
    yield "mpi_f08.F90", filled("mpi_f08.F90.in", handles=handles_as_types(constants),
                                interfaces=f08_interfaces(procedures))
    yield "mpix_f08.F90", filled("mpix_f08.F90.in", names=extensions_names(extensions), interfaces=f08_interfaces(extensions))
    yield from bodies(procedures + extensions, parts)
