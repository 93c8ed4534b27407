// SPDX-License-Identifier: BSD-3-Clause
// Names of MPI-1 that the standard removed: addresses are INTEGERs of default kind there. They call
// today's functions of C, so this library runs over any libmpi_abi.
#include <limits>
#include <vector>

#include "fortran/source/convert.h"
#include "fortran/source/names.h"

using namespace tessera::fortran;

namespace {

// An address that an INTEGER cannot hold is an error, not a value with its upper half cut off.
int store_narrow(const char* procedure, const char* modern, MPI_Aint value, Fint* place) {
  if (value < std::numeric_limits<Fint>::min() || value > std::numeric_limits<Fint>::max()) {
    return refuse(MPI_COMM_SELF, MPI_ERR_ARG,
                  std::string(procedure) + ", called from Fortran: the result does not fit an " +
                      "INTEGER of default kind; use " + modern + " with KIND=MPI_ADDRESS_KIND");
  }
  *place = static_cast<Fint>(value);
  return MPI_SUCCESS;
}

void bounds(const char* procedure, const Fint* datatype, bool extent_wanted, bool upper,
            Fint* result, Fint* ierror) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  int code = MPI_Type_get_extent(handle<MPI_Datatype>(datatype), &lower, &extent);
  if (code == MPI_SUCCESS) {
    const MPI_Aint value = extent_wanted ? extent : upper ? lower + extent : lower;
    code = store_narrow(procedure, "MPI_TYPE_GET_EXTENT", value, result);
  }
  finish(ierror, code);
}

std::vector<MPI_Aint> widened(const Fint* narrow, Fint count) {
  return {narrow, narrow + std::max(count, 0)};
}

template <class Call>
void make_type(Fint* newtype, Fint* ierror, Call call) {
  Out<MPI_Datatype> newtype_(newtype);
  const int code = call(newtype_);
  if (code == MPI_SUCCESS) newtype_.store();
  finish(ierror, code);
}

}  // namespace

extern "C" void F(address)(const void* location, Fint* address, Fint* ierror) {
  MPI_Aint value = 0;
  int code = MPI_Get_address(choice(location), &value);
  if (code == MPI_SUCCESS) code = store_narrow("MPI_Address", "MPI_GET_ADDRESS", value, address);
  finish(ierror, code);
}

extern "C" void F(type_extent)(const Fint* datatype, Fint* extent, Fint* ierror) {
  bounds("MPI_Type_extent", datatype, true, false, extent, ierror);
}
extern "C" void F(type_lb)(const Fint* datatype, Fint* displacement, Fint* ierror) {
  bounds("MPI_Type_lb", datatype, false, false, displacement, ierror);
}
extern "C" void F(type_ub)(const Fint* datatype, Fint* displacement, Fint* ierror) {
  bounds("MPI_Type_ub", datatype, false, true, displacement, ierror);
}

extern "C" void F(type_hvector)(const Fint* count, const Fint* blocklength, const Fint* stride,
                                const Fint* oldtype, Fint* newtype, Fint* ierror) {
  make_type(newtype, ierror, [&](MPI_Datatype* made) {
    return MPI_Type_create_hvector(*count, *blocklength, *stride, handle<MPI_Datatype>(oldtype),
                                   made);
  });
}

extern "C" void F(type_hindexed)(const Fint* count, const Fint* blocklengths,
                                 const Fint* displacements, const Fint* oldtype, Fint* newtype,
                                 Fint* ierror) {
  make_type(newtype, ierror, [&](MPI_Datatype* made) {
    return MPI_Type_create_hindexed(*count, blocklengths, widened(displacements, *count).data(),
                                    handle<MPI_Datatype>(oldtype), made);
  });
}

extern "C" void F(type_struct)(const Fint* count, const Fint* blocklengths,
                               const Fint* displacements, const Fint* types, Fint* newtype,
                               Fint* ierror) {
  Handles<MPI_Datatype> types_(types, *count);
  make_type(newtype, ierror, [&](MPI_Datatype* made) {
    return MPI_Type_create_struct(*count, blocklengths, widened(displacements, *count).data(),
                                  types_.data(), made);
  });
}

extern "C" void F(errhandler_get)(const Fint* comm, Fint* errhandler, Fint* ierror) {
  Out<MPI_Errhandler> errhandler_(errhandler);
  const int code = MPI_Comm_get_errhandler(handle<MPI_Comm>(comm), errhandler_);
  if (code == MPI_SUCCESS) errhandler_.store();
  finish(ierror, code);
}

extern "C" void F(errhandler_set)(const Fint* comm, const Fint* errhandler, Fint* ierror) {
  finish(ierror,
         MPI_Comm_set_errhandler(handle<MPI_Comm>(comm), handle<MPI_Errhandler>(errhandler)));
}
