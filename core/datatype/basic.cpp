// SPDX-License-Identifier: BSD-3-Clause
// The table of basic datatypes.
#include "core/datatype/basic.h"

#include <mpi.h>

#include <array>
#include <cstddef>
#include <type_traits>

#include "core/datatype/wide_numbers.h"

namespace tessera {
namespace {

// The alignment that counts is that inside a struct, which alignof does not
// promise on every ABI.
template <class T>
struct Probe {
  char before;
  T value;
};

template <class T>
struct ComplexOf {
  T parts[2];
};

Kind kind_of(MPI_Datatype handle) noexcept {
  return static_cast<Kind>(reinterpret_cast<std::uintptr_t>(handle));
}

template <class T>
Basic row(MPI_Datatype handle, const char* name, Number number, BasicGroup group,
          std::size_t external = sizeof(T)) {
  return {kind_of(handle),
          name,
          number,
          group,
          sizeof(T),
          static_cast<std::uint8_t>(offsetof(Probe<T>, value)),
          static_cast<std::uint8_t>(external)};
}

template <class T>
constexpr Number signed_number() noexcept {
  switch (sizeof(T)) {
    case 1:
      return Number::i8;
    case 2:
      return Number::i16;
    case 4:
      return Number::i32;
    default:
      return sizeof(T) == 8 ? Number::i64 : Number::i128;
  }
}

template <class T>
constexpr Number unsigned_number() noexcept {
  switch (sizeof(T)) {
    case 1:
      return Number::u8;
    case 2:
      return Number::u16;
    default:
      return sizeof(T) == 4 ? Number::u32 : Number::u64;
  }
}

template <class T>
constexpr Number logical_number() noexcept {
  switch (sizeof(T)) {
    case 1:
      return Number::l8;
    case 2:
      return Number::l16;
    case 4:
      return Number::l32;
    default:
      return sizeof(T) == 8 ? Number::l64 : Number::l128;
  }
}

constexpr Number kCharNumber = std::is_signed_v<char> ? Number::i8 : Number::u8;

#define TESSERA_SIGNED(handle, T, ...) \
  row<T>(handle, #handle, signed_number<T>(), BasicGroup::integer __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_UNSIGNED(handle, T, ...) \
  row<T>(handle, #handle, unsigned_number<T>(), BasicGroup::integer __VA_OPT__(, ) __VA_ARGS__)
#define TESSERA_FORTRAN_INTEGER(handle, T) \
  row<T>(handle, #handle, signed_number<T>(), BasicGroup::fortran_integer)
#define TESSERA_LOGICAL(handle, T) row<T>(handle, #handle, logical_number<T>(), BasicGroup::logical)
#define TESSERA_OTHER(handle, T, number, group, ...) \
  row<T>(handle, #handle, Number::number, BasicGroup::group __VA_OPT__(, ) __VA_ARGS__)

const auto& basic_table() noexcept {
  static const std::array table = {
      TESSERA_OTHER(MPI_BYTE, char, u8, byte),
      TESSERA_OTHER(MPI_PACKED, char, u8, none),
      row<char>(MPI_CHAR, "MPI_CHAR", kCharNumber, BasicGroup::c_char),
      TESSERA_OTHER(MPI_CHARACTER, char, u8, character),
      TESSERA_OTHER(MPI_WCHAR, wchar_t, u32, character, 2),
      TESSERA_SIGNED(MPI_SIGNED_CHAR, signed char),
      TESSERA_SIGNED(MPI_SHORT, short),
      TESSERA_SIGNED(MPI_INT, int),
      TESSERA_SIGNED(MPI_LONG, long, 4),
      TESSERA_SIGNED(MPI_LONG_LONG, long long),
      TESSERA_SIGNED(MPI_INT8_T, std::int8_t),
      TESSERA_SIGNED(MPI_INT16_T, std::int16_t),
      TESSERA_SIGNED(MPI_INT32_T, std::int32_t),
      TESSERA_SIGNED(MPI_INT64_T, std::int64_t),
      TESSERA_UNSIGNED(MPI_UNSIGNED_CHAR, unsigned char),
      TESSERA_UNSIGNED(MPI_UNSIGNED_SHORT, unsigned short),
      TESSERA_UNSIGNED(MPI_UNSIGNED, unsigned),
      TESSERA_UNSIGNED(MPI_UNSIGNED_LONG, unsigned long, 4),
      TESSERA_UNSIGNED(MPI_UNSIGNED_LONG_LONG, unsigned long long),
      TESSERA_UNSIGNED(MPI_UINT8_T, std::uint8_t),
      TESSERA_UNSIGNED(MPI_UINT16_T, std::uint16_t),
      TESSERA_UNSIGNED(MPI_UINT32_T, std::uint32_t),
      TESSERA_UNSIGNED(MPI_UINT64_T, std::uint64_t),
      TESSERA_OTHER(MPI_AINT, MPI_Aint, i64, address, 8),
      TESSERA_OTHER(MPI_COUNT, MPI_Count, i64, address, 8),
      TESSERA_OTHER(MPI_OFFSET, MPI_Offset, i64, address, 8),
      TESSERA_FORTRAN_INTEGER(MPI_INTEGER, std::int32_t),
      TESSERA_FORTRAN_INTEGER(MPI_INTEGER1, std::int8_t),
      TESSERA_FORTRAN_INTEGER(MPI_INTEGER2, std::int16_t),
      TESSERA_FORTRAN_INTEGER(MPI_INTEGER4, std::int32_t),
      TESSERA_FORTRAN_INTEGER(MPI_INTEGER8, std::int64_t),
      TESSERA_FORTRAN_INTEGER(MPI_INTEGER16, Int128),
      TESSERA_OTHER(MPI_FLOAT, float, f32, floating),
      TESSERA_OTHER(MPI_DOUBLE, double, f64, floating),
      TESSERA_OTHER(MPI_LONG_DOUBLE, long double, f80, floating, 16),
      TESSERA_OTHER(MPI_REAL, float, f32, floating),
      TESSERA_OTHER(MPI_DOUBLE_PRECISION, double, f64, floating),
      TESSERA_OTHER(MPI_REAL4, float, f32, floating),
      TESSERA_OTHER(MPI_REAL8, double, f64, floating),
      TESSERA_OTHER(MPI_REAL16, Float128, f128, floating),
      TESSERA_OTHER(MPI_C_FLOAT_COMPLEX, ComplexOf<float>, c32, complex),
      TESSERA_OTHER(MPI_C_DOUBLE_COMPLEX, ComplexOf<double>, c64, complex),
      TESSERA_OTHER(MPI_C_LONG_DOUBLE_COMPLEX, ComplexOf<long double>, c80, complex, 32),
      TESSERA_OTHER(MPI_CXX_FLOAT_COMPLEX, ComplexOf<float>, c32, complex),
      TESSERA_OTHER(MPI_CXX_DOUBLE_COMPLEX, ComplexOf<double>, c64, complex),
      TESSERA_OTHER(MPI_CXX_LONG_DOUBLE_COMPLEX, ComplexOf<long double>, c80, complex, 32),
      TESSERA_OTHER(MPI_COMPLEX, ComplexOf<float>, c32, complex),
      TESSERA_OTHER(MPI_DOUBLE_COMPLEX, ComplexOf<double>, c64, complex),
      TESSERA_OTHER(MPI_COMPLEX8, ComplexOf<float>, c32, complex),
      TESSERA_OTHER(MPI_COMPLEX16, ComplexOf<double>, c64, complex),
      TESSERA_OTHER(MPI_COMPLEX32, ComplexOf<Float128>, c128, complex),
      TESSERA_LOGICAL(MPI_C_BOOL, bool),
      TESSERA_LOGICAL(MPI_CXX_BOOL, bool),
      TESSERA_LOGICAL(MPI_LOGICAL, std::int32_t),
      TESSERA_LOGICAL(MPI_LOGICAL1, std::int8_t),
      TESSERA_LOGICAL(MPI_LOGICAL2, std::int16_t),
      TESSERA_LOGICAL(MPI_LOGICAL4, std::int32_t),
      TESSERA_LOGICAL(MPI_LOGICAL8, std::int64_t),
      TESSERA_LOGICAL(MPI_LOGICAL16, Int128),
  };
  return table;
}

// The value types of the nameless pairs, each with an index of MPI_INT (if
// there is no name) and of MPI_INT64_T.
struct NamelessPairs {
  MPI_Datatype value;
  bool with_int;
};

auto make_pairs() noexcept {
  std::array<PairType, 25> table{};
  std::size_t n = 0;
  const auto add = [&](Kind kind, const char* name, MPI_Datatype value, MPI_Datatype index) {
    table[n++] = {kind, name, kind_of(value), kind_of(index)};
  };
  add(kind_of(MPI_FLOAT_INT), "MPI_FLOAT_INT", MPI_FLOAT, MPI_INT);
  add(kind_of(MPI_DOUBLE_INT), "MPI_DOUBLE_INT", MPI_DOUBLE, MPI_INT);
  add(kind_of(MPI_LONG_INT), "MPI_LONG_INT", MPI_LONG, MPI_INT);
  add(kind_of(MPI_2INT), "MPI_2INT", MPI_INT, MPI_INT);
  add(kind_of(MPI_SHORT_INT), "MPI_SHORT_INT", MPI_SHORT, MPI_INT);
  add(kind_of(MPI_LONG_DOUBLE_INT), "MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE, MPI_INT);
  add(kind_of(MPI_2REAL), "MPI_2REAL", MPI_REAL, MPI_REAL);
  add(kind_of(MPI_2DOUBLE_PRECISION), "MPI_2DOUBLE_PRECISION", MPI_DOUBLE_PRECISION,
      MPI_DOUBLE_PRECISION);
  add(kind_of(MPI_2INTEGER), "MPI_2INTEGER", MPI_INTEGER, MPI_INTEGER);
  constexpr Kind first_nameless = 0x280;
  const std::array<NamelessPairs, 11> values = {{{MPI_INT8_T, true},
                                                 {MPI_UINT8_T, true},
                                                 {MPI_INT16_T, false},
                                                 {MPI_UINT16_T, true},
                                                 {MPI_INT32_T, false},
                                                 {MPI_UINT32_T, true},
                                                 {MPI_INT64_T, false},
                                                 {MPI_UINT64_T, true},
                                                 {MPI_FLOAT, false},
                                                 {MPI_DOUBLE, false},
                                                 {MPI_LONG_DOUBLE, false}}};
  Kind next = first_nameless;
  for (const NamelessPairs& v : values) {
    if (v.with_int) add(next++, nullptr, v.value, MPI_INT);
    add(next++, nullptr, v.value, MPI_INT64_T);
  }
  return table;
}

const auto& pair_table() noexcept {
  static const auto table = make_pairs();
  return table;
}

auto make_index() noexcept {
  std::array<const Basic*, 256> index{};
  for (const Basic& basic : basic_table()) index[basic.kind & 0xff] = &basic;
  return index;
}

}  // namespace

std::span<const Basic> basics() noexcept {
  return basic_table();
}

std::span<const PairType> pairs() noexcept {
  return pair_table();
}

const Basic* find_basic(Kind kind) noexcept {
  static const auto index = make_index();
  return index[kind & 0xff];
}

}  // namespace tessera
