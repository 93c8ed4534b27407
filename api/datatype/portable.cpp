// SPDX-License-Identifier: BSD-3-Clause
// Predefined types chosen by what they can represent (MPI-5.0 §19.1.9), and pairs for MPI_MINLOC
// (§6.9.4).
#include <fmt/format.h>

#include <array>
#include <limits>

#include "api/datatype/arguments.h"
#include "core/datatype/predefined.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// A number type with the decimal digits and the decimal exponent range that it has.
struct Model {
  MPI_Datatype datatype;
  int precision;
  int range;
};
// Where long double has 64 binary digits, compilers of Fortran have it as REAL(10).
constexpr bool kExtended = std::numeric_limits<long double>::digits == 64;
const std::array kReals{Model{MPI_REAL4, 6, 37}, Model{MPI_REAL8, 15, 307},
                        Model{kExtended ? MPI_LONG_DOUBLE : MPI_REAL16, kExtended ? 18 : 33, 4931},
                        Model{MPI_REAL16, 33, 4931}};
const std::array kComplexes{
    Model{MPI_COMPLEX8, 6, 37}, Model{MPI_COMPLEX16, 15, 307},
    Model{kExtended ? MPI_C_LONG_DOUBLE_COMPLEX : MPI_COMPLEX32, kExtended ? 18 : 33, 4931},
    Model{MPI_COMPLEX32, 33, 4931}};
const std::array kIntegers{Model{MPI_INTEGER1, 0, 2}, Model{MPI_INTEGER2, 0, 4},
                           Model{MPI_INTEGER4, 0, 9}, Model{MPI_INTEGER8, 0, 18},
                           Model{MPI_INTEGER16, 0, 38}};

// MPI_UNDEFINED asks for nothing.
bool enough(int wanted, int offered) noexcept {
  return wanted == MPI_UNDEFINED || wanted <= offered;
}

template <class Models>
const TypeObject* smallest(const Models& models, int precision, int range) noexcept {
  for (const Model& model : models) {
    const TypeObject* type = find_type(model.datatype);
    if (type != nullptr && enough(precision, model.precision) && enough(range, model.range))
      return type;
  }
  return nullptr;
}

template <class Models>
int create(const char* function, Combiner combiner, const Models& models, int precision, int range,
           MPI_Datatype* newtype) {
  TypeArguments arguments(function);
  if (arguments.comm() == nullptr || !arguments.pointer(newtype, "newtype"))
    return arguments.raised();
  const bool nothing = precision == MPI_UNDEFINED && range == MPI_UNDEFINED;
  const TypeObject* equal = nothing ? nullptr : smallest(models, precision, range);
  if (equal == nullptr) {
    arguments.fail(
        MPI_ERR_ARG,
        nothing
            ? "no precision and no range is asked for; at least one must be given"
            : fmt::format("no type here has precision {} and range {}; the largest has {} and {}",
                          precision, range, models.back().precision, models.back().range));
    return arguments.raised();
  }
  *newtype = handle_of(*f90_type(combiner, precision, range, *equal));
  return MPI_SUCCESS;
}

// From the largest: REAL(10) takes as many bytes as REAL(16), which is what size 16 means.
template <class Models>
MPI_Datatype of_size(const Models& models, int size) noexcept {
  for (auto model = models.rbegin(); model != models.rend(); ++model) {
    const TypeObject* type = find_type(model->datatype);
    if (type != nullptr && type->size() == size) return model->datatype;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Datatype matching(int typeclass, int size) noexcept {
  switch (typeclass) {
    case MPI_TYPECLASS_INTEGER:
      return of_size(kIntegers, size);
    case MPI_TYPECLASS_REAL:
      return of_size(kReals, size);
    case MPI_TYPECLASS_COMPLEX:
      return of_size(kComplexes, size);
    default:
      return MPI_DATATYPE_NULL;
  }
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Type_create_f90_real)
extern "C" int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  return create("MPI_Type_create_f90_real", Combiner::f90_real, kReals, p, r, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_f90_complex)
extern "C" int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  return create("MPI_Type_create_f90_complex", Combiner::f90_complex, kComplexes, p, r, newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_create_f90_integer)
extern "C" int PMPI_Type_create_f90_integer(int r, MPI_Datatype* newtype) {
  return create("MPI_Type_create_f90_integer", Combiner::f90_integer, kIntegers, MPI_UNDEFINED, r,
                newtype);
}

TESSERA_WEAK_ALIAS(MPI_Type_match_size)
extern "C" int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  TypeArguments arguments("MPI_Type_match_size");
  if (arguments.comm() == nullptr || !arguments.pointer(datatype, "datatype"))
    return arguments.raised();
  const MPI_Datatype found = matching(typeclass, size);
  if (found == MPI_DATATYPE_NULL) {
    arguments.fail(MPI_ERR_ARG,
                   fmt::format("there is no type of {} bytes in type class {}; the classes are "
                               "MPI_TYPECLASS_INTEGER, _REAL and _COMPLEX",
                               size, typeclass));
    return arguments.raised();
  }
  *datatype = found;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Type_get_value_index)
extern "C" int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                                         MPI_Datatype* pair_type) {
  TypeArguments arguments("MPI_Type_get_value_index");
  const TypeObject* value = find_type(value_type);
  if (arguments.comm() == nullptr || !arguments.old_type(value_type, "value_type") ||
      !arguments.old_type(index_type, "index_type") || !arguments.pointer(pair_type, "pair_type")) {
    return arguments.raised();
  }
  const TypeObject* pair = value_index_type(*value, arguments.old());
  *pair_type = pair != nullptr ? handle_of(*pair) : MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}
