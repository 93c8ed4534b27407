// SPDX-License-Identifier: BSD-3-Clause
// Making a type again from what its recipe says, the way a user does with
// MPI_Type_get_contents.
#pragma once

#include "tests/datatype/types.h"

namespace tessera::test {

// Reads the arguments of a recipe in order.
class Reader {
 public:
  explicit Reader(const Recipe& recipe) : recipe_(recipe), large_(!recipe.counts().empty()) {}
  RecipeForm form() const { return large_ ? RecipeForm::large : RecipeForm::plain; }
  int integer() { return recipe_.integers().at(integers_++); }
  Count count() { return large_ ? recipe_.counts().at(counts_++) : integer(); }
  Count address() {
    return large_ ? recipe_.counts().at(counts_++) : recipe_.addresses().at(addresses_++);
  }
  std::vector<Count> counts(Count n) {
    std::vector<Count> all;
    for (Count i = 0; i < n; ++i) all.push_back(count());
    return all;
  }
  std::vector<Count> addresses(Count n) {
    std::vector<Count> all;
    for (Count i = 0; i < n; ++i) all.push_back(address());
    return all;
  }
  std::vector<int> integers(int n) {
    std::vector<int> all;
    for (int i = 0; i < n; ++i) all.push_back(integer());
    return all;
  }
  const TypeObject& type() const { return *recipe_.types().at(0); }
  bool done() const {
    return integers_ == recipe_.integers().size() && counts_ == recipe_.counts().size() &&
           addresses_ == recipe_.addresses().size();
  }

 private:
  const Recipe& recipe_;
  bool large_;
  std::size_t integers_ = 0, counts_ = 0, addresses_ = 0;
};

inline Result<TypeObject*> rebuild_blocks(Reader& r, Combiner combiner, const TypeObject& old) {
  const Count n = r.count();
  if (combiner == Combiner::indexed_block || combiner == Combiner::hindexed_block) {
    const Count length = r.count();
    return combiner == Combiner::indexed_block
               ? make_indexed_block(length, r.counts(n), old, r.form())
               : make_hindexed_block(length, r.addresses(n), old, r.form());
  }
  const auto lengths = r.counts(n);
  return combiner == Combiner::indexed ? make_indexed(lengths, r.counts(n), old, r.form())
                                       : make_hindexed(lengths, r.addresses(n), old, r.form());
}

inline Result<TypeObject*> rebuild_array(Reader& r, Combiner combiner, const TypeObject& old) {
  if (combiner == Combiner::subarray) {
    const int n = r.integer();
    const auto sizes = r.counts(n), subsizes = r.counts(n), starts = r.counts(n);
    return make_subarray(sizes, subsizes, starts, r.integer(), old, r.form());
  }
  const int size = r.integer(), rank = r.integer(), n = r.integer();
  const auto gsizes = r.counts(n);
  const auto distributions = r.integers(n), arguments = r.integers(n), processes = r.integers(n);
  return make_darray({size, rank, gsizes, distributions, arguments, processes, r.integer()}, old,
                     r.form());
}

inline Result<TypeObject*> rebuild_any(Reader& r, const Recipe& recipe) {
  const TypeObject& old = r.type();
  switch (recipe.combiner()) {
    case Combiner::dup:
      return make_dup(old);
    case Combiner::contiguous:
      return make_contiguous(r.count(), old, r.form());
    case Combiner::vector: {
      const auto v = r.counts(3);
      return make_vector(v[0], v[1], v[2], old, r.form());
    }
    case Combiner::hvector: {
      const auto v = r.counts(2);
      return make_hvector(v[0], v[1], r.address(), old, r.form());
    }
    case Combiner::resized: {
      const auto v = r.addresses(2);
      return make_resized(old, v[0], v[1], r.form());
    }
    case Combiner::structure: {
      const Count n = r.count();
      const auto lengths = r.counts(n), displacements = r.addresses(n);
      return make_struct(lengths, displacements, recipe.types(), r.form());
    }
    case Combiner::subarray:
    case Combiner::darray:
      return rebuild_array(r, recipe.combiner(), old);
    default:
      return rebuild_blocks(r, recipe.combiner(), old);
  }
}

inline Type rebuild(const TypeObject& type) {
  if (type.recipe() == nullptr) return Type(const_cast<TypeObject*>(&type));
  Reader reader(*type.recipe());
  Type again = made(rebuild_any(reader, *type.recipe()));
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(again->recipe()->integers(), type.recipe()->integers());
  EXPECT_EQ(again->recipe()->counts(), type.recipe()->counts());
  EXPECT_EQ(again->recipe()->addresses(), type.recipe()->addresses());
  EXPECT_EQ(again->recipe()->types(), type.recipe()->types());
  return again;
}

}  // namespace tessera::test
