# SPDX-License-Identifier: BSD-3-Clause
"""A program that calls every function of the C++ interface once.

Functions of C that the program defines itself stand in for those of the library: they note their
name and arguments. Where the body in C++ is generated, the program compares both with what it
passed: a number or a pointer of its own for each parameter. Of the others (= hand in
cxx/functions.txt) it sees that they reach C.
"""
import re

import cxx_side
import table
from cxx_side import handle_of, is_class

HEAD = cxx_side.HEAD.replace("generate_cxx from cxx/functions.txt", "generate_cxx --calls") + """#include <mpicxx.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

using namespace MPI;

namespace {

// What the last function of C to be called heard.
struct Heard {
  const char* name;
  std::uintptr_t value;
};
const char* reached = "";
Heard heard[32];
int arguments = 0, wrong = 0;
char places[64];

// Everything that C was handed, so that a search for lost memory finds it.
volatile std::uintptr_t kept[10000];
std::size_t values = 0;

void begin(const char* function) {
  reached = function;
  arguments = 0;
}

std::uintptr_t number(long long value) { return static_cast<std::uintptr_t>(value); }
template <class Object>
std::uintptr_t number(Object* place) {
  return reinterpret_cast<std::uintptr_t>(place);
}

template <class Value>
void hear(const char* name, Value value) {
  heard[arguments++] = Heard{name, number(value)};
  kept[values++ % 10000] = number(value);
}

void complain(const char* function, const char* what, const char* name) {
  std::fprintf(stderr, "%s: %s %s\\n", function, what, name);
  ++wrong;
}

template <class Value>
void same(const char* function, const char* name, Value value) {
  for (int i = 0; i < arguments; ++i)
    if (std::strcmp(heard[i].name, name) == 0 && heard[i].value == number(value)) return;
  complain(function, "C gets another", name);
}

void expect(const char* function, const char* name) {
  if (name == nullptr ? *reached == 0 : std::strcmp(reached, name) != 0)
    complain(function, "this was called instead:", reached);
}

template <class Communicator>
void clone() {
  Communicator object;
  delete &object.Clone();
}

}  // namespace

"""
REST = """
  clone<Comm_Null>();
  clone<Intracomm>();
  clone<Intercomm>();
  clone<Cartcomm>();
  clone<Graphcomm>();
  clone<Distgraphcomm>();
  const Exception error(5);
  if (error.Get_error_code() != 5 || error.Get_error_class() < 0 || error.Get_error_string() == nullptr) ++wrong;
  return wrong == 0 ? 0 : 1;
}
"""


def stand_ins(prototypes):
    """A definition of each function of C that the headers call."""
    headers = "".join(path.read_text(encoding="utf-8") for path in (table.ROOT / "include/mpicxx").glob("*.h"))
    called = set(re.findall(r"\b(MPIX?_\w+)\(", headers))
    for row in cxx_side.c_functions():
        if row["name"] in called:
            names = [a.c_name for a in prototypes[row["name"]] if a.c_name != "..."]
            lines = [f"{row['returns']} {row['name']}({row['arguments']}) {{", f"  begin(\"{row['name']}\");"]
            lines += [f"  hear(\"{name}\", {name});" for name in names]
            yield "\n".join(lines + ["  return {};", "}", ""])


def initial(parameter, kind, place):
    """What a variable begins with: each one with something else."""
    if is_class(kind) and kind != "Status":
        return f"reinterpret_cast<{handle_of(kind)}>(std::uintptr_t{{{1000 + place}}})"
    if kind.rstrip("* ") in ("void", "char", "const void", "const char") and parameter.type.endswith("*"):
        return f"places + {place}"
    return {"bool": "true"}.get(kind, str(10 + place) if kind in ("int", "Aint", "Offset") else "{}")


def local(parameter, owner, place, distinct):
    """A variable that can be passed for a parameter."""
    if parameter.type.endswith("function*") and owner not in ("", "Op"):
        return f"{owner}::{parameter.text} = nullptr;"
    kind = parameter.type.removeprefix("const ").rstrip("&")
    text = "void" in kind or "char" in kind
    if parameter.array or kind.rstrip().endswith("*") and parameter.type.endswith("*") and not text:
        inner = parameter.type if "*" in parameter.type else kind
        return f"{inner.rstrip()} {parameter.name}{parameter.array.replace('[]', '[4]') or ''} = {{}};"
    value = initial(parameter, kind, place) if distinct else "{}"
    if kind == "Comm":
        return f"Intracomm {parameter.name} = {value if distinct else 'Intracomm()'};"
    whole = parameter.type.rstrip("&")
    return f"{whole if '*' in kind else whole.removeprefix('const ')} {parameter.name} = {value};"


def compared(function, arguments):
    """What C has to hear, argument by argument; what the function returns is not passed."""
    for word, argument in zip(cxx_side.Body(function, arguments).words, arguments):
        word = {"handle_": "object", "&handle_": "detail::address(object)"}.get(word, word)
        if word != "&result":
            value = word if argument.stars else f"static_cast<{argument.c_type}>({word})"
            yield f"  same(\"{function.owner}::{function.name}\", \"{argument.c_name}\", {value});"


def call(number, f, prototypes):
    owner = {"Comm": "Intracomm"}.get(f.owner, f.owner)
    target = f"object.{f.name}" if f.on_object else f"{owner or 'MPI'}::{f.name}"
    lines = [f"static void call_{number}() {{"]
    distinct = "" if f.owner == "Status" or f.by_hand else f" = reinterpret_cast<{handle_of(f.owner)}>(std::uintptr_t{{999}})"
    lines += [f"  {owner} object{distinct};"] if f.on_object else []
    lines += [f"  {local(p, f.owner, place, not f.by_hand)}" for place, p in enumerate(f.parameters)]
    text = f"{target}({', '.join(p.name for p in f.parameters)})"
    lines += ["  begin(\"\");", f"  {text};" if f.result == "void" else f"  {f.result} answer = {text};\n  (void)answer;"]
    name = "nullptr" if f.by_hand else f'"{f.c_name}"'
    lines += [f"  expect(\"{f.owner}::{f.name}\", {name});"]
    lines += [] if f.by_hand else compared(f, prototypes[f.c_name])
    return "\n".join(lines + ["}", "", ""])


def program():
    prototypes, functions = cxx_side.prototypes(), list(cxx_side.functions())
    text = HEAD + "extern \"C\" {\n\n" + "\n".join(stand_ins(prototypes)) + "\n}  // extern \"C\"\n\n"
    text += "".join(call(number, f, prototypes) for number, f in enumerate(functions))
    return text + "int main() {\n" + "".join(f"  call_{number}();\n" for number in range(len(functions))) + REST.lstrip("\n")
