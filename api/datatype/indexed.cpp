// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of blocks at listed displacements (MPI-5.0 §5.1.2).
#include "api/datatype/arguments.h"

using namespace tessera;
using namespace tessera::api;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // some names are those of MPI-1

namespace {

// What the four functions on one old type have in common.
template <class Number>
bool right(TypeArguments& arguments, Number count, const void* displacements, MPI_Datatype oldtype,
           MPI_Datatype* newtype) {
  return arguments.comm() != nullptr && arguments.count(count) &&
         arguments.array(displacements, count, "array_of_displacements") &&
         arguments.old_type(oldtype) && arguments.pointer(newtype, "newtype");
}

using MakeIndexed = Result<TypeObject*>(Counts, Counts, const TypeObject&, RecipeForm);

template <class Number, class Displacement>
int indexed(const char* function, MakeIndexed make, Number count, const Number* lengths,
            const Displacement* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  if (!right(arguments, count, displacements, oldtype, newtype) ||
      !arguments.array(lengths, count, "array_of_blocklengths")) {
    return arguments.raised();
  }
  return arguments.conclude(
      make(wide(lengths, count), wide(displacements, count), arguments.old(), kFormOf<Number>),
      newtype);
}

using MakeBlocks = Result<TypeObject*>(Count, Counts, const TypeObject&, RecipeForm);

template <class Number, class Displacement>
int indexed_block(const char* function, MakeBlocks make, Number count, Number length,
                  const Displacement* displacements, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  if (!right(arguments, count, displacements, oldtype, newtype) ||
      !arguments.count(length, "blocklength")) {
    return arguments.raised();
  }
  return arguments.conclude(
      make(length, wide(displacements, count), arguments.old(), kFormOf<Number>), newtype);
}

// The objects of the types; false, with the report kept, if one is none.
bool find_types(TypeArguments& arguments, const MPI_Datatype* handles, Count n,
                std::vector<const TypeObject*>& types) {
  if (!arguments.array(handles, n, "array_of_types")) return false;
  for (Count i = 0; i < n; ++i) {
    if (!arguments.old_type(handles[i], "array_of_types")) return false;
    types.push_back(&arguments.old());
  }
  return true;
}

template <class Number, class Displacement>
int structure(const char* function, Number count, const Number* lengths,
              const Displacement* displacements, const MPI_Datatype* handles,
              MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  std::vector<const TypeObject*> types;
  if (arguments.comm() == nullptr || !arguments.count(count) ||
      !arguments.array(lengths, count, "array_of_blocklengths") ||
      !arguments.array(displacements, count, "array_of_displacements") ||
      !find_types(arguments, handles, count, types) || !arguments.pointer(newtype, "newtype")) {
    return arguments.raised();
  }
  return arguments.conclude(
      make_struct(wide(lengths, count), wide(displacements, count), types, kFormOf<Number>),
      newtype);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Type_indexed)
extern "C" int PMPI_Type_indexed(int count, const int array_of_blocklengths[],
                                 const int array_of_displacements[], MPI_Datatype oldtype,
                                 MPI_Datatype* newtype) {
  return indexed("MPI_Type_indexed", make_indexed, count, array_of_blocklengths,
                 array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_indexed_c)
extern "C" int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                   const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                   MPI_Datatype* newtype) {
  return indexed("MPI_Type_indexed_c", make_indexed, count, array_of_blocklengths,
                 array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_hindexed)
extern "C" int PMPI_Type_create_hindexed(int count, const int array_of_blocklengths[],
                                         const MPI_Aint array_of_displacements[],
                                         MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed("MPI_Type_create_hindexed", make_hindexed, count, array_of_blocklengths,
                 array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_hindexed_c)
extern "C" int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                           const MPI_Count array_of_displacements[],
                                           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed("MPI_Type_create_hindexed_c", make_hindexed, count, array_of_blocklengths,
                 array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_indexed_block)
extern "C" int PMPI_Type_create_indexed_block(int count, int blocklength,
                                              const int array_of_displacements[],
                                              MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed_block("MPI_Type_create_indexed_block", make_indexed_block, count, blocklength,
                       array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_indexed_block_c)
extern "C" int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
                                                const MPI_Count array_of_displacements[],
                                                MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed_block("MPI_Type_create_indexed_block_c", make_indexed_block, count, blocklength,
                       array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_hindexed_block)
extern "C" int PMPI_Type_create_hindexed_block(int count, int blocklength,
                                               const MPI_Aint array_of_displacements[],
                                               MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed_block("MPI_Type_create_hindexed_block", make_hindexed_block, count, blocklength,
                       array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_hindexed_block_c)
extern "C" int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
                                                 const MPI_Count array_of_displacements[],
                                                 MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed_block("MPI_Type_create_hindexed_block_c", make_hindexed_block, count, blocklength,
                       array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_struct)
extern "C" int PMPI_Type_create_struct(int count, const int array_of_blocklengths[],
                                       const MPI_Aint array_of_displacements[],
                                       const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  return structure("MPI_Type_create_struct", count, array_of_blocklengths, array_of_displacements,
                   array_of_types, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_struct_c)
extern "C" int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                         const MPI_Count array_of_displacements[],
                                         const MPI_Datatype array_of_types[],
                                         MPI_Datatype* newtype) {
  return structure("MPI_Type_create_struct_c", count, array_of_blocklengths, array_of_displacements,
                   array_of_types, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_hindexed)
extern "C" int PMPI_Type_hindexed(int count, int array_of_blocklengths[],
                                  MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                                  MPI_Datatype* newtype) {
  return indexed("MPI_Type_hindexed", make_hindexed, count, array_of_blocklengths,
                 array_of_displacements, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_struct)
extern "C" int PMPI_Type_struct(int count, int array_of_blocklengths[],
                                MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[],
                                MPI_Datatype* newtype) {
  return structure("MPI_Type_struct", count, array_of_blocklengths, array_of_displacements,
                   array_of_types, newtype);
}
