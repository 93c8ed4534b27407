// SPDX-License-Identifier: BSD-3-Clause
// The table of predefined datatypes.
#include "core/datatype/predefined.h"

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>

namespace tessera {
namespace {

template <class First>
struct Pair {
  First value;
  int index;
};

template <class T>
TypeObject basic(MPI_Datatype handle, const char* name) {
  return {static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(handle)), name, sizeof(T), sizeof(T)};
}

template <class First>
TypeObject pair(MPI_Datatype handle, const char* name) {
  return {static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(handle)), name,
          sizeof(First) + sizeof(int), sizeof(Pair<First>)};
}

#define BASIC(handle, type) basic<type>(handle, #handle)
#define PAIR(handle, type) pair<type>(handle, #handle)

const auto& table() {
  static const std::array types = {BASIC(MPI_BYTE, char),
                                   BASIC(MPI_PACKED, char),
                                   BASIC(MPI_CHAR, char),
                                   BASIC(MPI_SIGNED_CHAR, signed char),
                                   BASIC(MPI_UNSIGNED_CHAR, unsigned char),
                                   BASIC(MPI_WCHAR, wchar_t),
                                   BASIC(MPI_SHORT, short),
                                   BASIC(MPI_INT, int),
                                   BASIC(MPI_LONG, long),
                                   BASIC(MPI_LONG_LONG, long long),
                                   BASIC(MPI_UNSIGNED_SHORT, unsigned short),
                                   BASIC(MPI_UNSIGNED, unsigned),
                                   BASIC(MPI_UNSIGNED_LONG, unsigned long),
                                   BASIC(MPI_UNSIGNED_LONG_LONG, unsigned long long),
                                   BASIC(MPI_FLOAT, float),
                                   BASIC(MPI_DOUBLE, double),
                                   BASIC(MPI_LONG_DOUBLE, long double),
                                   BASIC(MPI_C_FLOAT_COMPLEX, std::complex<float>),
                                   BASIC(MPI_C_DOUBLE_COMPLEX, std::complex<double>),
                                   BASIC(MPI_C_BOOL, bool),
                                   BASIC(MPI_INT8_T, std::int8_t),
                                   BASIC(MPI_INT16_T, std::int16_t),
                                   BASIC(MPI_INT32_T, std::int32_t),
                                   BASIC(MPI_INT64_T, std::int64_t),
                                   BASIC(MPI_UINT8_T, std::uint8_t),
                                   BASIC(MPI_UINT16_T, std::uint16_t),
                                   BASIC(MPI_UINT32_T, std::uint32_t),
                                   BASIC(MPI_UINT64_T, std::uint64_t),
                                   BASIC(MPI_AINT, MPI_Aint),
                                   BASIC(MPI_COUNT, MPI_Count),
                                   BASIC(MPI_OFFSET, MPI_Offset),
                                   PAIR(MPI_FLOAT_INT, float),
                                   PAIR(MPI_DOUBLE_INT, double),
                                   PAIR(MPI_LONG_INT, long),
                                   PAIR(MPI_2INT, int),
                                   PAIR(MPI_SHORT_INT, short),
                                   PAIR(MPI_LONG_DOUBLE_INT, long double)};
  return types;
}

}  // namespace

const Datatype& byte_type() noexcept {
  return table()[0];
}

const TypeObject* predefined_type(std::uintptr_t handle) noexcept {
  for (const TypeObject& type : table()) {
    if (type.handle() == handle) return &type;
  }
  return nullptr;
}

}  // namespace tessera
