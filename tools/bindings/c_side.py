# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C++ functions behind the procedures: one for mpif.h, `mpi` and mpi_f08 (by_reference),
and one more for each procedure with a choice buffer, which gets a descriptor from mpi_f08
(by_descriptor)."""

HEAD = """// SPDX-License-Identifier: BSD-3-Clause
// Made by tools/bindings from the table of functions.
#define MPI_BUILD_DEPRECATED
#include "fortran/source/convert.h"
#include "fortran/source/names.h"
#include "fortran/source/section.h"
#include "mpix.h"

using namespace tessera::fortran;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

"""

LONGEST = {"comm_name": "MPI_MAX_OBJECT_NAME", "type_name": "MPI_MAX_OBJECT_NAME", "win_name": "MPI_MAX_OBJECT_NAME",
           "string": "MPI_MAX_ERROR_STRING", "datarep": "MPI_MAX_DATAREP_STRING", "version": "MPI_MAX_LIBRARY_VERSION_STRING",
           "name": "MPI_MAX_PROCESSOR_NAME", "key": "MPI_MAX_INFO_KEY", "port_name": "MPI_MAX_PORT_NAME"}
PLAIN = ("int", "big")
POINTERS = ("int_out", "int_inout", "int_array", "int_array_out", "int_array_inout", "big_out", "big_inout", "big_array",
            "big_array_out")


class Call:
    """One argument in one form: its parameter, what happens before the call, its expression, what
    happens after."""

    def __init__(self, procedure, argument, by_descriptor):
        self.procedure, self.argument, self.by_descriptor = procedure, argument, by_descriptor
        self.name, self.kind = argument.c_name, argument.kind
        self.c_type = "Fint" if argument.c_type == "int" else argument.c_type
        self.before, self.success, self.always, self.hidden = [], [], [], []
        self.parameter = self.expression = None
        self.fill()

    def fill(self):
        if self.argument.is_choice:
            self.choice()
        else:
            getattr(self, self.kind if hasattr(self, self.kind) else self.group())()

    def group(self):
        return "plain" if self.kind in PLAIN else "pointer" if self.kind in POINTERS else "missing"

    def missing(self):
        raise SystemExit(f"bindings: {self.procedure.name}: no conversion for argument {self.name} of kind {self.kind}")

    def plain(self):
        self.parameter, self.expression = f"const {self.c_type}* {self.name}", f"*{self.name}"

    def pointer(self):
        const = "const " if self.argument.const else ""
        self.parameter, self.expression = f"{const}{self.c_type}* {self.name}", self.name

    def logical(self):
        self.parameter, self.expression = f"const Fint* {self.name}", f"truth({self.name})"

    def logical_out(self):
        self.parameter, self.expression = f"Fint* {self.name}", f"&{self.name}_"
        self.before = [f"int {self.name}_ = 0;"]
        self.success = [f"*{self.name} = logical({self.name}_);"]

    def logical_array(self):
        self.parameter, self.expression = f"const Fint* {self.name}", f"{self.name}_.data()"
        self.before = [f"Truths {self.name}_({self.name}, {self.argument.detail});"]

    def handle(self):
        self.parameter, self.expression = f"const Fint* {self.name}", f"handle<{self.argument.c_type}>({self.name})"

    def handle_out(self):
        self.parameter, self.expression = f"Fint* {self.name}", f"{self.name}_"
        self.before = [f"Out<{self.argument.c_type}> {self.name}_({self.name});"]
        self.success = [f"{self.name}_.store();"]

    def handle_inout(self):
        self.parameter, self.expression = f"Fint* {self.name}", f"{self.name}_"
        self.before = [f"InOut<{self.argument.c_type}> {self.name}_({self.name});"]
        self.always = [f"{self.name}_.store();"]

    def handle_array(self):
        self.parameter, self.expression = f"const Fint* {self.name}", f"{self.name}_.data()"
        length = self.argument.detail
        if self.by_descriptor and "sendbuf" in length:
            length = length.replace("sendbuf", "sendbuf->base_addr")
        self.before = [f"Handles<{self.argument.c_type}> {self.name}_({self.name}, {length});"]

    def status(self):
        self.parameter, self.expression = f"const Fint* {self.name}", f"status_at({self.name})"

    def status_out(self):
        self.parameter, self.expression = f"Fint* {self.name}", f"status_at({self.name})"

    def weights(self):
        const = "const " if self.argument.const else ""
        self.parameter = f"{const}Fint* {self.name}"
        self.expression = f"weights_at({self.name})"

    def triples(self):
        self.parameter = f"Fint* {self.name}"
        self.expression = f"reinterpret_cast<Fint(*)[3]>({self.name})"

    def address_out(self):
        self.parameter, self.expression = f"void* {self.name}", self.name

    def length(self):
        length = f"{self.name}_length"
        if self.by_descriptor:
            self.parameter += f", std::size_t {length}"
        else:
            self.hidden = [f"std::size_t {length}"]
        return length

    def string(self):
        self.parameter = f"const char* {self.name}"
        cut = ", Cut::both" if self.procedure.name.startswith("MPI_Info_") else ""
        self.before = [f"const std::string {self.name}_ = text({self.name}, {self.length()}{cut});"]
        self.expression = f"{self.name}_.c_str()"

    def string_out(self):
        self.parameter = f"char* {self.name}"
        self.before = [f"OutText<{LONGEST[self.name]}> {self.name}_;"]
        self.expression = f"{self.name}_.data()"
        stored = f"{self.name}_.store({self.name}, {self.length()})"
        counted = any(argument.c_name == "resultlen" for argument in self.procedure.arguments)
        self.success = [f"*resultlen = static_cast<Fint>({stored});" if counted else stored + ";"]

    def choice(self):
        const = "const " if self.argument.const else ""
        if not self.by_descriptor:
            self.parameter, self.expression = f"{const}void* {self.name}", f"choice({self.name})"
            return
        self.parameter = f"Descriptor* {self.name}"
        if self.kind == "first":
            self.expression = f"first({self.name})"
            return
        self.expression = f"{self.name}_.address()"
        way = "" if self.kind == "whole" else f", Way::{'in' if self.argument.const else 'inout'}"
        described = ""
        if self.kind == "walk":
            count, datatype = self.described()
            described = f", *{count.c_name}, handle<MPI_Datatype>({datatype.c_name})"
        self.before = [f"{self.kind.capitalize()} {self.name}_(call, {self.name}{described}{way});"]

    def described(self):
        place = self.procedure.arguments.index(self.argument)
        return self.procedure.arguments[place + 1:place + 3]


def calls_of(procedure, by_descriptor):
    arguments = [argument for argument in procedure.arguments if argument.kind != "absent"]
    calls = {argument.c_name: Call(procedure, argument, by_descriptor) for argument in arguments}
    if by_descriptor:
        for call in list(calls.values()):
            if call.kind == "walk":
                count, datatype = call.described()
                calls[count.c_name].expression = f"{call.name}_.count<{calls[count.c_name].c_type}>()"
                calls[datatype.c_name].expression = f"{call.name}_.type()"
    return list(calls.values())


def duration_of(procedure):
    requests = any(a.c_type == "MPI_Request" and a.kind == "handle_out" for a in procedure.arguments)
    if requests:
        return "persistent" if procedure.short.removesuffix("_c").endswith("_init") else "request"
    return "epoch" if procedure.is_nonblocking else "call"


def communicator_of(procedure):
    comms = [a.c_name for a in procedure.arguments if a.c_type == "MPI_Comm" and a.kind == "handle"]
    return f"handle<MPI_Comm>({comms[0]})" if comms else "MPI_COMM_SELF"


def parameters(calls):
    ierror = ["Fint* ierror"]
    return ", ".join([call.parameter for call in calls] + ierror + [text for call in calls for text in call.hidden])


def body(procedure, calls, sections):
    lines = []
    if sections:
        lines.append(f'Sections call("{procedure.name}", {communicator_of(procedure)}, '
                     f"Duration::{duration_of(procedure)});")
    for call in sorted(calls, key=lambda call: call.kind in ("walk", "copy", "whole")):
        lines += call.before
    if sections:
        lines.append("if (!call.ok()) return finish(ierror, call.code());")
    arguments = ", ".join(call.expression for call in calls)
    lines.append(f"const int code = {'MPIX' if procedure.is_extension else 'MPI'}_{procedure.short}({arguments});")
    success = [text for call in calls for text in call.success]
    if success:
        lines.append("if (code == MPI_SUCCESS) {")
        lines += ["  " + text for text in success]
        lines.append("}")
    lines += [text for call in calls for text in call.always]
    if sections:
        later = duration_of(procedure) in ("request", "persistent")
        lines.append("finish(ierror, call.later(code, request));" if later else "call.done();")
        if later:
            return lines
    lines.append("finish(ierror, code);")
    return lines


def function(name, procedure, by_descriptor):
    calls = calls_of(procedure, by_descriptor)
    sections = by_descriptor and any(call.kind in ("walk", "copy", "whole") for call in calls)
    lines = "\n".join("  " + line for line in body(procedure, calls, sections))
    return f'extern "C" void {name}({parameters(calls)}) {{\n{lines}\n}}\n'


def by_reference(procedure):
    low = procedure.short.lower()
    name = f"mpix_{low}_" if procedure.is_extension else f"F({low})"
    text = function(name, procedure, by_descriptor=False)
    if procedure.in_f08 and not procedure.has_choice:
        text += f"F08({low})\n"
    if procedure.has_cptr:
        text += f"CPTR({low})\n"
    return text + "\n"


def by_descriptor(procedure):
    prefix = "mpix" if procedure.is_extension else "mpi"
    return function(f"{prefix}_{procedure.short.lower()}_cdesc", procedure, by_descriptor=True) + "\n"


def texts(procedures):
    for procedure in procedures:
        text = ""
        if not procedure.by_hand and not procedure.is_function and (procedure.in_mpi or not procedure.has_choice or procedure.is_extension):
            text += by_reference(procedure)
        if procedure.has_choice and procedure.in_f08:
            text += by_descriptor(procedure)
        if text:
            yield text


def files(procedures, parts):
    """The functions in `parts` files of about the same size, so that they compile side by side."""
    pieces = list(texts(procedures))
    size = -(-len(pieces) // parts)
    for part in range(parts):
        yield f"procedures_{part}.cpp", HEAD + "".join(pieces[part * size:(part + 1) * size])
