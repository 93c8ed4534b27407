// SPDX-License-Identifier: BSD-3-Clause
// How a datatype was made, for MPI_Type_get_envelope and MPI_Type_get_contents
// (MPI-5.0 §5.1.13).
#pragma once

#include <vector>

#include "tessera/data.h"

namespace tessera {

class TypeObject;

// The combiners of the ABI.
enum class Combiner : int {
  named = 101,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  f90_real,
  f90_complex,
  f90_integer,
  resized,
  value_index,
};

// Which form of the constructor was called: with int and MPI_Aint, or with
// MPI_Count (names ending in _c).
enum class RecipeForm : std::uint8_t { plain, large };

// The arguments of the constructor, in the standard's order. Holds a reference
// to each type.
class Recipe {
 public:
  Recipe(Combiner combiner, RecipeForm form) noexcept : combiner_(combiner), form_(form) {}
  Recipe(Recipe&&) noexcept = default;
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;
  Recipe& operator=(Recipe&&) = delete;
  ~Recipe();

  // An argument that is an int in both forms; one that is MPI_Count in the
  // large form, and else an int or MPI_Aint.
  Recipe& integer(int value);
  Recipe& count(Count value);
  Recipe& address(Count value);
  Recipe& type(const TypeObject& type);

  Combiner combiner() const noexcept { return combiner_; }
  const std::vector<int>& integers() const noexcept { return integers_; }
  const std::vector<Aint>& addresses() const noexcept { return addresses_; }
  const std::vector<Count>& counts() const noexcept { return counts_; }
  const std::vector<const TypeObject*>& types() const noexcept { return types_; }

 private:
  Combiner combiner_;
  RecipeForm form_;
  std::vector<int> integers_;
  std::vector<Aint> addresses_;
  std::vector<Count> counts_;
  std::vector<const TypeObject*> types_;
};

}  // namespace tessera
