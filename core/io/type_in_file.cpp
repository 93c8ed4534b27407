// SPDX-License-Identifier: BSD-3-Clause
// Types with the sizes that their basic types have in a file (MPI-5.0 §14.5.1).
#include <vector>

#include "core/datatype/make.h"
#include "core/datatype/predefined.h"
#include "core/io/representation.h"

namespace tessera::io {
namespace {

using Made = Result<TypeObject*>;

// A recipe's numbers in the order of the constructor's arguments, whichever form was called: the
// plain one keeps counts among the integers, the large one counts and addresses together.
class Numbers {
 public:
  explicit Numbers(const Recipe& recipe) noexcept
      : recipe_(recipe), large_(!recipe.counts().empty()) {}
  int integer() noexcept { return recipe_.integers()[integer_++]; }
  Count count() noexcept { return large_ ? recipe_.counts()[count_++] : integer(); }
  Count address() noexcept {
    return large_ ? recipe_.counts()[count_++] : recipe_.addresses()[address_++];
  }
  std::vector<Count> counts(Count n) {
    std::vector<Count> values;
    for (Count i = 0; i < n; ++i) values.push_back(count());
    return values;
  }
  std::vector<Count> addresses(Count n) {
    std::vector<Count> values;
    for (Count i = 0; i < n; ++i) values.push_back(address());
    return values;
  }
  std::vector<int> integers(Count n) {
    std::vector<int> values;
    for (Count i = 0; i < n; ++i) values.push_back(integer());
    return values;
  }

 private:
  const Recipe& recipe_;
  bool large_;
  std::size_t integer_ = 0, count_ = 0, address_ = 0;
};

constexpr RecipeForm kForm = RecipeForm::large;

Made darray(Numbers& numbers, const TypeObject& old) {
  const int size = numbers.integer(), rank = numbers.integer(), n = numbers.integer();
  const auto gsizes = numbers.counts(n);
  const auto distributions = numbers.integers(n), arguments = numbers.integers(n),
             processes = numbers.integers(n);
  const int order = numbers.integer();
  return make_darray({size, rank, gsizes, distributions, arguments, processes, order}, old, kForm);
}

Made subarray(Numbers& numbers, const TypeObject& old) {
  const int n = numbers.integer();
  const auto sizes = numbers.counts(n), subsizes = numbers.counts(n), starts = numbers.counts(n);
  return make_subarray(sizes, subsizes, starts, numbers.integer(), old, kForm);
}

Made structure(const Recipe& recipe, const std::vector<TypeRef>& parts) {
  Numbers numbers(recipe);
  const Count n = numbers.count();
  const auto lengths = numbers.counts(n), displacements = numbers.addresses(n);
  std::vector<const TypeObject*> types;
  for (const TypeRef& part : parts) types.push_back(&*part);
  return make_struct(lengths, displacements, types, kForm);
}

Made indexed(Combiner combiner, Numbers& numbers, const TypeObject& old) {
  const Count n = numbers.count();
  if (combiner == Combiner::indexed_block || combiner == Combiner::hindexed_block) {
    const Count length = numbers.count();
    if (combiner == Combiner::indexed_block)
      return make_indexed_block(length, numbers.counts(n), old, kForm);
    return make_hindexed_block(length, numbers.addresses(n), old, kForm);
  }
  const auto lengths = numbers.counts(n);
  if (combiner == Combiner::indexed) return make_indexed(lengths, numbers.counts(n), old, kForm);
  return make_hindexed(lengths, numbers.addresses(n), old, kForm);
}

Made remake(const Recipe& recipe, const std::vector<TypeRef>& parts) {
  Numbers numbers(recipe);
  const TypeObject& old = *parts.front();
  switch (recipe.combiner()) {
    case Combiner::dup:
      return make_dup(old);
    case Combiner::contiguous:
      return make_contiguous(numbers.count(), old, kForm);
    case Combiner::vector: {
      const Count count = numbers.count(), length = numbers.count();
      return make_vector(count, length, numbers.count(), old, kForm);
    }
    case Combiner::hvector: {
      const Count count = numbers.count(), length = numbers.count();
      return make_hvector(count, length, numbers.address(), old, kForm);
    }
    case Combiner::indexed:
    case Combiner::hindexed:
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      return indexed(recipe.combiner(), numbers, old);
    case Combiner::structure:
      return structure(recipe, parts);
    case Combiner::subarray:
      return subarray(numbers, old);
    case Combiner::darray:
      return darray(numbers, old);
    case Combiner::resized: {
      const Count lb = numbers.address();
      return make_resized(old, lb, numbers.address(), kForm);
    }
    default:
      return Status::failure(Errc::type, "the datatype cannot be rebuilt for the file");
  }
}

// Bytes, as many as the predefined type has in the file.
Result<TypeRef> basic_in_file(const TypeObject& type, const Representation& representation) {
  if (type.size() == 0) return TypeRef(type);  // a marker
  auto extent = representation.extent_of(type);
  if (!extent.ok()) return extent.status();
  if (*extent < 0)
    return Status::failure(Errc::argument, "the extent function gave a negative extent");
  auto made = make_contiguous(*extent, static_cast<const TypeObject&>(byte_type()), kForm);
  if (!made.ok()) return made.status();
  return TypeRef::take(*made);
}

}  // namespace

Result<TypeRef> type_in_file(const TypeObject& type,
                             const Representation& representation) noexcept {
  if (!representation.resizes()) return TypeRef(type);
  if (type.predefined()) return basic_in_file(type, representation);
  std::vector<TypeRef> parts;
  for (const TypeObject* part : type.recipe()->types()) {
    auto in_file = type_in_file(*part, representation);
    if (!in_file.ok()) return in_file.status();
    parts.push_back(std::move(*in_file));
  }
  auto made = remake(*type.recipe(), parts);
  if (!made.ok()) return made.status();
  (*made)->commit();
  return TypeRef::take(*made);
}

}  // namespace tessera::io
