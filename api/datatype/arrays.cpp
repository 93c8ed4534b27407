// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of parts of arrays (MPI-5.0 §5.1.3, §5.1.4).
#include "api/datatype/arguments.h"

using namespace tessera;
using namespace tessera::api;

static_assert(static_cast<int>(Order::c) == MPI_ORDER_C &&
              static_cast<int>(Order::fortran) == MPI_ORDER_FORTRAN);
static_assert(static_cast<int>(Distribution::block) == MPI_DISTRIBUTE_BLOCK &&
              static_cast<int>(Distribution::cyclic) == MPI_DISTRIBUTE_CYCLIC &&
              static_cast<int>(Distribution::none) == MPI_DISTRIBUTE_NONE &&
              kDefaultDistribution == MPI_DISTRIBUTE_DFLT_DARG);

namespace {

template <class Number>
int subarray(const char* function, int ndims, const Number* sizes, const Number* subsizes,
             const Number* starts, int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  if (arguments.comm() == nullptr || !arguments.count(ndims, "ndims") ||
      !arguments.array(sizes, ndims, "array_of_sizes") ||
      !arguments.array(subsizes, ndims, "array_of_subsizes") ||
      !arguments.array(starts, ndims, "array_of_starts") || !arguments.old_type(oldtype) ||
      !arguments.pointer(newtype, "newtype")) {
    return arguments.raised();
  }
  return arguments.conclude(
      make_subarray(wide(sizes, ndims), wide(subsizes, ndims), wide(starts, ndims), order,
                    arguments.old(), kFormOf<Number>),
      newtype);
}

struct Dealing {
  int size;
  int rank;
  int ndims;
  const int* distributions;
  const int* arguments;
  const int* processes;
  int order;
};

template <class Number>
int darray(const char* function, const Dealing& dealing, const Number* gsizes, MPI_Datatype oldtype,
           MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  const int ndims = dealing.ndims;
  if (arguments.comm() == nullptr || !arguments.count(ndims, "ndims") ||
      !arguments.array(gsizes, ndims, "array_of_gsizes") ||
      !arguments.array(dealing.distributions, ndims, "array_of_distribs") ||
      !arguments.array(dealing.arguments, ndims, "array_of_dargs") ||
      !arguments.array(dealing.processes, ndims, "array_of_psizes") ||
      !arguments.old_type(oldtype) || !arguments.pointer(newtype, "newtype")) {
    return arguments.raised();
  }
  const auto n = static_cast<std::size_t>(ndims);
  const std::vector<Count> sizes = wide(gsizes, ndims);
  const DistributedArray array{
      dealing.size,           dealing.rank,           sizes,        {dealing.distributions, n},
      {dealing.arguments, n}, {dealing.processes, n}, dealing.order};
  return arguments.conclude(make_darray(array, arguments.old(), kFormOf<Number>), newtype);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Type_create_subarray)
extern "C" int PMPI_Type_create_subarray(int ndims, const int array_of_sizes[],
                                         const int array_of_subsizes[], const int array_of_starts[],
                                         int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return subarray("MPI_Type_create_subarray", ndims, array_of_sizes, array_of_subsizes,
                  array_of_starts, order, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_darray)
extern "C" int PMPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[],
                                       const int array_of_distribs[], const int array_of_dargs[],
                                       const int array_of_psizes[], int order, MPI_Datatype oldtype,
                                       MPI_Datatype* newtype) {
  return darray("MPI_Type_create_darray",
                {size, rank, ndims, array_of_distribs, array_of_dargs, array_of_psizes, order},
                array_of_gsizes, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_subarray_c)
extern "C" int PMPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[],
                                           const MPI_Count array_of_subsizes[],
                                           const MPI_Count array_of_starts[], int order,
                                           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return subarray("MPI_Type_create_subarray_c", ndims, array_of_sizes, array_of_subsizes,
                  array_of_starts, order, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_darray_c)
extern "C" int PMPI_Type_create_darray_c(int size, int rank, int ndims,
                                         const MPI_Count array_of_gsizes[],
                                         const int array_of_distribs[], const int array_of_dargs[],
                                         const int array_of_psizes[], int order,
                                         MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return darray("MPI_Type_create_darray_c",
                {size, rank, ndims, array_of_distribs, array_of_dargs, array_of_psizes, order},
                array_of_gsizes, oldtype, newtype);
}
