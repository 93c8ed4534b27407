// SPDX-License-Identifier: BSD-3-Clause
// How a datatype was made (MPI-5.0 §5.1.13).
#include <fmt/format.h>

#include <algorithm>

#include "api/datatype/arguments.h"

using namespace tessera;
using namespace tessera::api;

static_assert(static_cast<int>(Combiner::named) == MPI_COMBINER_NAMED &&
              static_cast<int>(Combiner::structure) == MPI_COMBINER_STRUCT &&
              static_cast<int>(Combiner::resized) == MPI_COMBINER_RESIZED &&
              static_cast<int>(Combiner::value_index) == MPI_COMBINER_VALUE_INDEX);

namespace {

// The four lengths and the combiner; all lengths are 0 for a type with a name.
struct Envelope {
  Count integers = 0;
  Count addresses = 0;
  Count counts = 0;
  Count types = 0;
  Combiner combiner = Combiner::named;

  explicit Envelope(const Recipe* recipe) noexcept {
    if (recipe == nullptr) return;
    integers = static_cast<Count>(recipe->integers().size());
    addresses = static_cast<Count>(recipe->addresses().size());
    counts = static_cast<Count>(recipe->counts().size());
    types = static_cast<Count>(recipe->types().size());
    combiner = recipe->combiner();
  }
};

// Types made with MPI_Count can be described by the functions with MPI_Count only.
bool describable(TypeArguments& arguments, const Envelope& envelope, bool large) {
  return large || envelope.counts == 0 ||
         arguments.fail(
             MPI_ERR_TYPE,
             fmt::format("argument `datatype` was made with counts of MPI_Count; {}_c describes it",
                         arguments.function()));
}

bool right_outputs(TypeArguments& arguments, std::initializer_list<const void*> outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [&](const void* output) {
    return arguments.pointer(output, "num_integers .. combiner");
  });
}

bool room(TypeArguments& arguments, Count given, Count needed, const char* name) {
  return given >= needed ||
         arguments.fail(MPI_ERR_ARG, fmt::format("argument `{}` is {}; it must be at least {}",
                                                 name, given, needed));
}

struct Room {
  Count integers;
  Count addresses;
  Count counts;
  Count types;
};

bool right_room(TypeArguments& arguments, const Envelope& envelope, const Room& given, bool large) {
  if (envelope.combiner == Combiner::named) {
    return arguments.fail(
        MPI_ERR_TYPE, "argument `datatype` has a name; only types that were made have contents");
  }
  return describable(arguments, envelope, large) &&
         room(arguments, given.integers, envelope.integers, "max_integers") &&
         room(arguments, given.addresses, envelope.addresses, "max_addresses") &&
         room(arguments, given.counts, envelope.counts,
              large ? "max_large_counts" : "max_counts") &&
         room(arguments, given.types, envelope.types, "max_datatypes");
}

// New objects for the caller to free, without the name and the attributes of the old ones;
// predefined types are themselves.
void store_types(const std::vector<const TypeObject*>& types, MPI_Datatype* handles) {
  for (const TypeObject* type : types)
    *handles++ = handle_of(type->predefined() ? *type : *type->clone());
}

int contents(const char* function, MPI_Datatype datatype, const Room& given, bool large,
             int* integers, MPI_Aint* addresses, MPI_Count* counts, MPI_Datatype* types) {
  TypeArguments arguments(function);
  if (arguments.comm() == nullptr || !arguments.old_type(datatype, "datatype"))
    return arguments.raised();
  const Recipe* recipe = arguments.old().recipe();
  const Envelope envelope(recipe);
  if (!right_room(arguments, envelope, given, large) ||
      !arguments.array(integers, envelope.integers, "array_of_integers") ||
      !arguments.array(addresses, envelope.addresses, "array_of_addresses") ||
      !arguments.array(counts, envelope.counts, "array_of_large_counts") ||
      !arguments.array(types, envelope.types, "array_of_datatypes")) {
    return arguments.raised();
  }
  std::copy(recipe->integers().begin(), recipe->integers().end(), integers);
  std::copy(recipe->addresses().begin(), recipe->addresses().end(), addresses);
  std::copy(recipe->counts().begin(), recipe->counts().end(), counts);
  store_types(recipe->types(), types);
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Type_get_envelope)
extern "C" int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses,
                                      int* num_datatypes, int* combiner) {
  TypeArguments arguments("MPI_Type_get_envelope");
  if (arguments.comm() == nullptr || !arguments.old_type(datatype, "datatype") ||
      !right_outputs(arguments, {num_integers, num_addresses, num_datatypes, combiner})) {
    return arguments.raised();
  }
  const Envelope envelope(arguments.old().recipe());
  if (!describable(arguments, envelope, false)) return arguments.raised();
  *num_integers = static_cast<int>(envelope.integers);
  *num_addresses = static_cast<int>(envelope.addresses);
  *num_datatypes = static_cast<int>(envelope.types);
  *combiner = static_cast<int>(envelope.combiner);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Type_get_envelope_c)
extern "C" int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers,
                                        MPI_Count* num_addresses, MPI_Count* num_large_counts,
                                        MPI_Count* num_datatypes, int* combiner) {
  TypeArguments arguments("MPI_Type_get_envelope_c");
  if (arguments.comm() == nullptr || !arguments.old_type(datatype, "datatype") ||
      !right_outputs(arguments,
                     {num_integers, num_addresses, num_large_counts, num_datatypes, combiner})) {
    return arguments.raised();
  }
  const Envelope envelope(arguments.old().recipe());
  *num_integers = envelope.integers;
  *num_addresses = envelope.addresses;
  *num_large_counts = envelope.counts;
  *num_datatypes = envelope.types;
  *combiner = static_cast<int>(envelope.combiner);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Type_get_contents)
extern "C" int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                                      int max_datatypes, int array_of_integers[],
                                      MPI_Aint array_of_addresses[],
                                      MPI_Datatype array_of_datatypes[]) {
  return contents("MPI_Type_get_contents", datatype,
                  {max_integers, max_addresses, 0, max_datatypes}, false, array_of_integers,
                  array_of_addresses, nullptr, array_of_datatypes);
}

TESSERA_WEAK_ALIAS(MPI_Type_get_contents_c)
extern "C" int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers,
                                        MPI_Count max_addresses, MPI_Count max_large_counts,
                                        MPI_Count max_datatypes, int array_of_integers[],
                                        MPI_Aint array_of_addresses[],
                                        MPI_Count array_of_large_counts[],
                                        MPI_Datatype array_of_datatypes[]) {
  return contents("MPI_Type_get_contents_c", datatype,
                  {max_integers, max_addresses, max_large_counts, max_datatypes}, true,
                  array_of_integers, array_of_addresses, array_of_large_counts, array_of_datatypes);
}
