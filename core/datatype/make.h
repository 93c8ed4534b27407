// SPDX-License-Identifier: BSD-3-Clause
// The datatype constructors of MPI. Source: MPI-5.0 §5.1.2-5.1.10; MPI-1.1
// §3.12.1 for the markers.
#pragma once
//
// Each returns a new type, uncommitted unless said otherwise, with one
// reference for the caller. Displacements and strides are in extents of the old
// type where the standard says so, else in bytes. A failure is of code
// `argument`; its text names the argument, its value and what is valid. `form`
// is kept for MPI_Type_get_envelope.
//
#include <span>

#include "core/datatype/type_object.h"

namespace tessera {

using Counts = std::span<const Count>;

Result<TypeObject*> make_contiguous(Count count, const TypeObject& old, RecipeForm form);
// Stride in extents.
Result<TypeObject*> make_vector(Count count, Count blocklength, Count stride, const TypeObject& old,
                                RecipeForm form);
// Stride in bytes.
Result<TypeObject*> make_hvector(Count count, Count blocklength, Count stride,
                                 const TypeObject& old, RecipeForm form);
// Displacements in extents; both arrays are as long as each other.
Result<TypeObject*> make_indexed(Counts blocklengths, Counts displacements, const TypeObject& old,
                                 RecipeForm form);
Result<TypeObject*> make_hindexed(Counts blocklengths, Counts displacements, const TypeObject& old,
                                  RecipeForm form);
Result<TypeObject*> make_indexed_block(Count blocklength, Counts displacements,
                                       const TypeObject& old, RecipeForm form);
Result<TypeObject*> make_hindexed_block(Count blocklength, Counts displacements,
                                        const TypeObject& old, RecipeForm form);
// The types may be MPI_LB and MPI_UB.
Result<TypeObject*> make_struct(Counts blocklengths, Counts displacements,
                                std::span<const TypeObject* const> types, RecipeForm form);
Result<TypeObject*> make_resized(const TypeObject& old, Count lb, Count extent, RecipeForm form);
// As committed as the old type. Attributes are the caller's to copy.
Result<TypeObject*> make_dup(const TypeObject& old);

enum class Order : int { c = 0xC, fortran = 0xF };  // the values of the ABI

Result<TypeObject*> make_subarray(Counts sizes, Counts subsizes, Counts starts, int order,
                                  const TypeObject& old, RecipeForm form);

// How a dimension of a distributed array is dealt out; the values are those of
// the ABI.
enum class Distribution : int { none = 16, block = 17, cyclic = 18 };
constexpr int kDefaultDistribution = 19;  // the argument that asks for the default block size

struct DistributedArray {
  int size;  // processes
  int rank;
  Counts gsizes;
  std::span<const int> distributions;
  std::span<const int> arguments;
  std::span<const int> processes;  // per dimension
  int order;
};
Result<TypeObject*> make_darray(const DistributedArray& array, const TypeObject& old,
                                RecipeForm form);

}  // namespace tessera
