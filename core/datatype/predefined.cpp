// SPDX-License-Identifier: BSD-3-Clause
// Making the predefined datatypes. They are never destroyed: exit handlers may
// still use them.
#include "core/datatype/predefined.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>

namespace tessera {
namespace {

Kind kind_behind(MPI_Datatype handle) noexcept {
  return static_cast<Kind>(reinterpret_cast<std::uintptr_t>(handle));
}

TypeObject::Description describe(const Basic& basic) {
  TypeObject::Description description;
  description.bytes = description.elements = {0, basic.size, basic.kind, nullptr};
  description.bounds.data = true;
  description.bounds.high = basic.size;
  description.bounds.alignment = basic.alignment;
  description.signature = Signature::of(basic.kind);
  description.ub = basic.size;
  return description;
}

const TypeObject* make_basic(const Basic& basic) {
  return new TypeObject(basic.kind, basic.kind, basic.name, describe(basic), nullptr);
}

// As the compiler lays out a struct of the two.
TypeObject::Description describe(const PairType& pair) {
  const Basic& value = *find_basic(pair.value);
  const Basic& index = *find_basic(pair.index);
  const Aint offset = (value.size + index.alignment - 1) / index.alignment * index.alignment;
  const std::vector<Piece> pieces = {{0, value.size, pair.value, nullptr},
                                     {offset, index.size, pair.index, nullptr}};
  TypeObject::Description description;
  description.bytes = sequence(pieces, Merging::any_kind);
  description.elements = sequence(pieces, Merging::same_kind);
  description.bounds.data = true;
  description.bounds.high = offset + index.size;
  description.bounds.alignment = std::max(value.alignment, index.alignment);
  description.signature = Signature::of(pair.value) + Signature::of(pair.index);
  description.ub = description.bounds.ub().value();
  return description;
}

// The markers of MPI-1: no data, only a bound.
const TypeObject* make_marker(MPI_Datatype handle, const char* name, bool upper) {
  TypeObject::Description description;
  (upper ? description.bounds.upper_marker : description.bounds.lower_marker) = true;
  return new TypeObject(kind_behind(handle), kind_behind(handle), name, std::move(description),
                        nullptr);
}

PredefinedTypes make_types() {
  PredefinedTypes types{};
  const auto put = [&](const TypeObject* type) {
    types.by_value[type->handle() - PredefinedTypes::kFirst] = type;
  };
  for (const Basic& basic : basics()) put(make_basic(basic));
  for (const PairType& pair : pairs()) {
    if (pair.name != nullptr)
      put(new TypeObject(pair.kind, pair.kind, pair.name, describe(pair), nullptr));
  }
  put(make_marker(MPI_LB, "MPI_LB", false));
  put(make_marker(MPI_UB, "MPI_UB", true));
  return types;
}

const PredefinedTypes table = make_types();

const TypeObject* make_nameless(const PairType& pair) {
  auto recipe = std::make_unique<Recipe>(Combiner::value_index, RecipeForm::plain);
  recipe->type(*predefined_type(pair.value)).type(*predefined_type(pair.index));
  return new TypeObject(0, pair.kind, "", describe(pair), std::move(recipe));
}

// Indexed like pairs(); null for those with a name.
using PairTypes = std::vector<const TypeObject*>;

const PairTypes& nameless_pairs() {
  static const PairTypes& all = *[] {
    auto* made = new PairTypes;
    for (const PairType& pair : pairs())
      made->push_back(pair.name == nullptr ? make_nameless(pair) : nullptr);
    return made;
  }();
  return all;
}

struct F90Types {
  std::mutex mutex;
  std::map<std::tuple<Combiner, int, int>, const TypeObject*> types;
};

const TypeObject* make_f90(Combiner combiner, int precision, int range, const TypeObject& equal) {
  auto recipe = std::make_unique<Recipe>(combiner, RecipeForm::plain);
  if (combiner != Combiner::f90_integer) recipe->integer(precision);
  recipe->integer(range);
  return new TypeObject(0, equal.kind(), "", equal.description(), std::move(recipe));
}

}  // namespace

const PredefinedTypes* const predefined_types = &table;

const Datatype& byte_type() noexcept {
  return *predefined_type(reinterpret_cast<std::uintptr_t>(MPI_BYTE));
}

const TypeObject* value_index_type(const TypeObject& value, const TypeObject& index) noexcept {
  // MPI_INT32_T and MPI_INT are one type to arithmetic, so either name finds
  // the pair; but not so for a floating-point index, which Fortran's pairs have
  // and C has not: MPI_FLOAT with MPI_FLOAT is no MPI_2REAL.
  const auto alike = [](Kind a, Kind b) {
    const Basic* x = find_basic(a);
    const Basic* y = find_basic(b);
    return a == b ||
           (x != nullptr && y != nullptr && x->group == y->group && x->number == y->number);
  };
  const auto same = [](Kind a, Kind b) { return a == b; };
  const auto find = [&](auto equal) {
    return std::find_if(pairs().begin(), pairs().end(), [&](const PairType& pair) {
      return equal(pair.value, value.kind()) && equal(pair.index, index.kind());
    });
  };
  const Basic* number = find_basic(index.kind());
  const bool floating = number != nullptr && number->group == BasicGroup::floating;
  auto found = find(same);
  if (found == pairs().end() && !floating) found = find(alike);
  if (found == pairs().end()) return nullptr;
  return found->name != nullptr
             ? predefined_type(found->kind)
             : nameless_pairs()[static_cast<std::size_t>(found - pairs().begin())];
}

const TypeObject* f90_type(Combiner combiner, int precision, int range, const TypeObject& equal) {
  static F90Types& cache = *new F90Types;
  const std::lock_guard lock(cache.mutex);
  const TypeObject*& type = cache.types[{combiner, precision, range}];
  if (type == nullptr) type = make_f90(combiner, precision, range, equal);
  return type;
}

}  // namespace tessera
