// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of one or of regular blocks (MPI-5.0 §5.1.2, §5.1.7, §5.1.10).
#include "api/datatype/arguments.h"

using namespace tessera;
using namespace tessera::api;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // one name is that of MPI-1

namespace {

template <class Number>
int contiguous(const char* function, Number count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  if (arguments.comm() == nullptr || !arguments.count(count) || !arguments.old_type(oldtype) ||
      !arguments.pointer(newtype, "newtype")) {
    return arguments.raised();
  }
  return arguments.conclude(make_contiguous(count, arguments.old(), kFormOf<Number>), newtype);
}

using MakeVector = Result<TypeObject*>(Count, Count, Count, const TypeObject&, RecipeForm);

template <class Number>
int vector(const char* function, MakeVector make, Number count, Number blocklength, Count stride,
           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  if (arguments.comm() == nullptr || !arguments.count(count) ||
      !arguments.count(blocklength, "blocklength") || !arguments.old_type(oldtype) ||
      !arguments.pointer(newtype, "newtype")) {
    return arguments.raised();
  }
  return arguments.conclude(make(count, blocklength, stride, arguments.old(), kFormOf<Number>),
                            newtype);
}

int resized(const char* function, MPI_Datatype oldtype, Count lb, Count extent, RecipeForm form,
            MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  if (arguments.comm() == nullptr || !arguments.old_type(oldtype) ||
      !arguments.pointer(newtype, "newtype")) {
    return arguments.raised();
  }
  return arguments.conclude(make_resized(arguments.old(), lb, extent, form), newtype);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Type_contiguous)
extern "C" int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous("MPI_Type_contiguous", count, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_contiguous_c)
extern "C" int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype,
                                      MPI_Datatype* newtype) {
  return contiguous("MPI_Type_contiguous_c", count, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_vector)
extern "C" int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                                MPI_Datatype* newtype) {
  return vector("MPI_Type_vector", make_vector, count, blocklength, stride, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_vector_c)
extern "C" int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector("MPI_Type_vector_c", make_vector, count, blocklength, stride, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_hvector)
extern "C" int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride,
                                        MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector("MPI_Type_create_hvector", make_hvector, count, blocklength, stride, oldtype,
                newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_hvector_c)
extern "C" int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                          MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector("MPI_Type_create_hvector_c", make_hvector, count, blocklength, stride, oldtype,
                newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_hvector)
extern "C" int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                                 MPI_Datatype* newtype) {
  return vector("MPI_Type_hvector", make_hvector, count, blocklength, stride, oldtype, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_resized)
extern "C" int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                                        MPI_Datatype* newtype) {
  return resized("MPI_Type_create_resized", oldtype, lb, extent, RecipeForm::plain, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_resized_c)
extern "C" int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                                          MPI_Datatype* newtype) {
  return resized("MPI_Type_create_resized_c", oldtype, lb, extent, RecipeForm::large, newtype);
}
