// SPDX-License-Identifier: BSD-3-Clause
// Random datatypes by every constructor of MPI, each beside its type map.
#pragma once
//
// A Typed owns its MPI handle. A Forge draws everything from one generator, so that a seed says it
// all and processes with the same seed make the same types.
//
#include <array>
#include <random>
#include <string>
#include <utility>

#include "type_map.h"

class Typed {
 public:
  Typed(MPI_Datatype handle, TypeMap entries, std::string title, bool own = true)
      : type(handle), map(std::move(entries)), name(std::move(title)), own_(own) {}
  Typed(Typed&& other) noexcept
      : type(other.type),
        map(std::move(other.map)),
        name(std::move(other.name)),
        own_(std::exchange(other.own_, false)) {}
  Typed& operator=(Typed&&) = delete;
  ~Typed() {
    if (own_) MPI_Type_free(&type);
  }

  MPI_Datatype type;
  TypeMap map;
  std::string name;

 private:
  bool own_;
};

enum class Maker {
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
  resized,
  dup,
};
constexpr int kMakers = static_cast<int>(Maker::dup) + 1;
const char* name_of(Maker maker);

class Forge {
 public:
  explicit Forge(unsigned seed) : random_(seed) {}

  // From least to most, both included.
  MPI_Count number(MPI_Count least, MPI_Count most) {
    return std::uniform_int_distribution<MPI_Count>(least, most)(random_);
  }
  std::mt19937& generator() { return random_; }

  // The i-th predefined type: basic ones, then pairs.
  static Typed predefined(std::size_t i);
  static std::size_t predefined_types() { return basics().size() + pairs().size(); }
  Typed any_predefined();
  // One more constructor around `child`. Not committed.
  Typed wrap(Maker maker, const Typed& child);
  // `depth` constructors one inside the other; a small type map. Not committed.
  Typed tree(int depth);

 private:
  enum class Form { plain, large, mpi1 };
  using Numbers = std::vector<MPI_Count>;

  Form form(bool mpi1) { return static_cast<Form>(number(0, mpi1 ? 2 : 1)); }
  Numbers numbers(std::size_t n, MPI_Count least, MPI_Count most);
  Typed contiguous(const Typed& child);
  Typed vector(const Typed& child);
  Typed hvector(const Typed& child);
  Typed indexed(const Typed& child);
  Typed hindexed(const Typed& child);
  Typed indexed_block(const Typed& child);
  Typed hindexed_block(const Typed& child);
  Typed structure(const Typed& child);
  Typed structure_with_markers(const Typed& child);
  Typed subarray(const Typed& child);
  Typed darray(const Typed& child);
  Typed resized(const Typed& child);
  Typed dup(const Typed& child);

  std::mt19937 random_;
};
