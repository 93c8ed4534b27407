// SPDX-License-Identifier: BSD-3-Clause
// Arguments of functions on datatypes. Without a communicator, MPI_COMM_SELF handles errors
// (MPI-5.0 §9.3).
#pragma once

#include <type_traits>
#include <vector>

#include "api/arguments.h"
#include "core/datatype/make.h"

namespace tessera::api {

// The form of a constructor follows from the type of its counts.
template <class Number>
constexpr RecipeForm kFormOf =
    std::is_same_v<Number, MPI_Count> ? RecipeForm::large : RecipeForm::plain;

// An array of the caller in 64 bits.
template <class Number>
std::vector<Count> wide(const Number* numbers, Count n) {
  return std::vector<Count>(numbers, numbers + n);
}

class TypeArguments : public Arguments {
 public:
  explicit TypeArguments(const char* function, MPI_Comm comm = no_comm()) noexcept
      : Arguments(function, comm) {}

  // A type that exists, committed or not; old() is it from then on.
  bool old_type(MPI_Datatype handle, const char* name = "oldtype") noexcept;
  const TypeObject& old() const noexcept { return *old_; }
  // An array of n elements that are read or written.
  bool array(const void* array, Count n, const char* name) noexcept;

  // Hands the new type to the caller, or reports why there is none.
  int conclude(Result<TypeObject*> made, MPI_Datatype* newtype) noexcept;

 private:
  const TypeObject* old_ = nullptr;
};

}  // namespace tessera::api
