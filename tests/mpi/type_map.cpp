// SPDX-License-Identifier: BSD-3-Clause
// Type maps written out by hand.
#include "type_map.h"

#include <wchar.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

__extension__ typedef __int128 Int128;
__extension__ typedef __float128 Float128;

template <class T>
struct Member {  // the alignment that counts is that inside a struct
  char before;
  T value;
};

template <class T>
Basic row(MPI_Datatype type, const char* name, std::size_t external = sizeof(T), int parts = 1,
          bool extended = false) {
  return {type,
          name,
          static_cast<int>(sizeof(T)),
          static_cast<int>(offsetof(Member<T>, value)),
          static_cast<int>(external),
          parts,
          extended};
}
template <class T>
Basic complex_row(MPI_Datatype type, const char* name) {
  return row<T[2]>(type, name, 2 * sizeof(T), 2, std::is_same_v<T, long double>);
}

const std::vector<Basic>& table() {
  static const std::vector<Basic> all = {
      row<char>(MPI_BYTE, "BYTE"),
      row<char>(MPI_PACKED, "PACKED"),
      row<char>(MPI_CHAR, "CHAR"),
      row<char>(MPI_CHARACTER, "CHARACTER"),
      row<wchar_t>(MPI_WCHAR, "WCHAR", 2),
      row<signed char>(MPI_SIGNED_CHAR, "SIGNED_CHAR"),
      row<short>(MPI_SHORT, "SHORT"),
      row<int>(MPI_INT, "INT"),
      row<long>(MPI_LONG, "LONG", 4),
      row<long long>(MPI_LONG_LONG, "LONG_LONG"),
      row<std::int8_t>(MPI_INT8_T, "INT8_T"),
      row<std::int16_t>(MPI_INT16_T, "INT16_T"),
      row<std::int32_t>(MPI_INT32_T, "INT32_T"),
      row<std::int64_t>(MPI_INT64_T, "INT64_T"),
      row<unsigned char>(MPI_UNSIGNED_CHAR, "UNSIGNED_CHAR"),
      row<unsigned short>(MPI_UNSIGNED_SHORT, "UNSIGNED_SHORT"),
      row<unsigned>(MPI_UNSIGNED, "UNSIGNED"),
      row<unsigned long>(MPI_UNSIGNED_LONG, "UNSIGNED_LONG", 4),
      row<unsigned long long>(MPI_UNSIGNED_LONG_LONG, "UNSIGNED_LONG_LONG"),
      row<std::uint8_t>(MPI_UINT8_T, "UINT8_T"),
      row<std::uint16_t>(MPI_UINT16_T, "UINT16_T"),
      row<std::uint32_t>(MPI_UINT32_T, "UINT32_T"),
      row<std::uint64_t>(MPI_UINT64_T, "UINT64_T"),
      row<MPI_Aint>(MPI_AINT, "AINT"),
      row<MPI_Count>(MPI_COUNT, "COUNT"),
      row<MPI_Offset>(MPI_OFFSET, "OFFSET"),
      row<std::int32_t>(MPI_INTEGER, "INTEGER"),
      row<std::int8_t>(MPI_INTEGER1, "INTEGER1"),
      row<std::int16_t>(MPI_INTEGER2, "INTEGER2"),
      row<std::int32_t>(MPI_INTEGER4, "INTEGER4"),
      row<std::int64_t>(MPI_INTEGER8, "INTEGER8"),
      row<Int128>(MPI_INTEGER16, "INTEGER16"),
      row<float>(MPI_FLOAT, "FLOAT"),
      row<double>(MPI_DOUBLE, "DOUBLE"),
      row<long double>(MPI_LONG_DOUBLE, "LONG_DOUBLE", 16, 1, true),
      row<float>(MPI_REAL, "REAL"),
      row<double>(MPI_DOUBLE_PRECISION, "DOUBLE_PRECISION"),
      row<float>(MPI_REAL4, "REAL4"),
      row<double>(MPI_REAL8, "REAL8"),
      row<Float128>(MPI_REAL16, "REAL16"),
      complex_row<float>(MPI_C_FLOAT_COMPLEX, "C_FLOAT_COMPLEX"),
      complex_row<double>(MPI_C_DOUBLE_COMPLEX, "C_DOUBLE_COMPLEX"),
      complex_row<long double>(MPI_C_LONG_DOUBLE_COMPLEX, "C_LONG_DOUBLE_COMPLEX"),
      complex_row<float>(MPI_CXX_FLOAT_COMPLEX, "CXX_FLOAT_COMPLEX"),
      complex_row<double>(MPI_CXX_DOUBLE_COMPLEX, "CXX_DOUBLE_COMPLEX"),
      complex_row<long double>(MPI_CXX_LONG_DOUBLE_COMPLEX, "CXX_LONG_DOUBLE_COMPLEX"),
      complex_row<float>(MPI_COMPLEX, "COMPLEX"),
      complex_row<double>(MPI_DOUBLE_COMPLEX, "DOUBLE_COMPLEX"),
      complex_row<float>(MPI_COMPLEX8, "COMPLEX8"),
      complex_row<double>(MPI_COMPLEX16, "COMPLEX16"),
      complex_row<Float128>(MPI_COMPLEX32, "COMPLEX32"),
      row<bool>(MPI_C_BOOL, "C_BOOL"),
      row<bool>(MPI_CXX_BOOL, "CXX_BOOL"),
      row<std::int32_t>(MPI_LOGICAL, "LOGICAL"),
      row<std::int8_t>(MPI_LOGICAL1, "LOGICAL1"),
      row<std::int16_t>(MPI_LOGICAL2, "LOGICAL2"),
      row<std::int32_t>(MPI_LOGICAL4, "LOGICAL4"),
      row<std::int64_t>(MPI_LOGICAL8, "LOGICAL8"),
      row<Int128>(MPI_LOGICAL16, "LOGICAL16"),
  };
  return all;
}

constexpr auto first_byte = [](const Entry& a, const Entry& b) { return a.at < b.at; };
constexpr auto last_byte = [](const Entry& a, const Entry& b) {
  return a.at + a.basic->size < b.at + b.basic->size;
};

}  // namespace

std::span<const Basic> basics() {
  return table();
}

const Basic& basic_of(MPI_Datatype type) {
  for (const Basic& basic : table()) {
    if (basic.type == type) return basic;
  }
  std::abort();  // a mistake of the test
}

std::span<const Pair> pairs() {
  static const std::vector<Pair> all = {
      {MPI_FLOAT_INT, "FLOAT_INT", MPI_FLOAT, MPI_INT},
      {MPI_DOUBLE_INT, "DOUBLE_INT", MPI_DOUBLE, MPI_INT},
      {MPI_LONG_INT, "LONG_INT", MPI_LONG, MPI_INT},
      {MPI_2INT, "2INT", MPI_INT, MPI_INT},
      {MPI_SHORT_INT, "SHORT_INT", MPI_SHORT, MPI_INT},
      {MPI_LONG_DOUBLE_INT, "LONG_DOUBLE_INT", MPI_LONG_DOUBLE, MPI_INT},
      {MPI_2REAL, "2REAL", MPI_REAL, MPI_REAL},
      {MPI_2DOUBLE_PRECISION, "2DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
      {MPI_2INTEGER, "2INTEGER", MPI_INTEGER, MPI_INTEGER},
  };
  return all;
}

TypeMap TypeMap::of(const Pair& pair) {
  const Basic &value = basic_of(pair.value), &index = basic_of(pair.index);
  MPI_Aint place = value.size;
  while (place % index.alignment != 0) ++place;
  return {{{0, &value}, {place, &index}}, {}, {}};
}

void TypeMap::add(const TypeMap& other, MPI_Aint shift) {
  for (const Entry& e : other.entries) entries.push_back({e.at + shift, e.basic});
  if (other.lower) lower = std::min(lower.value_or(*other.lower + shift), *other.lower + shift);
  if (other.upper) upper = std::max(upper.value_or(*other.upper + shift), *other.upper + shift);
}

MPI_Count TypeMap::size() const {
  MPI_Count sum = 0;
  for (const Entry& e : entries) sum += e.basic->size;
  return sum;
}

MPI_Aint TypeMap::true_lb() const {
  return entries.empty() ? 0 : std::min_element(entries.begin(), entries.end(), first_byte)->at;
}

MPI_Aint TypeMap::true_ub() const {
  if (entries.empty()) return 0;
  const Entry& last = *std::max_element(entries.begin(), entries.end(), last_byte);
  return last.at + last.basic->size;
}

MPI_Aint TypeMap::ub() const {
  if (upper) return *upper;
  if (entries.empty()) return lb();
  int alignment = 1;
  for (const Entry& e : entries) alignment = std::max(alignment, e.basic->alignment);
  MPI_Aint result = true_ub();
  while ((result - lb()) % alignment != 0) ++result;
  return result;
}

const Basic* TypeMap::only_basic() const {
  const auto other = [&](const Entry& e) { return e.basic != entries.front().basic; };
  return entries.empty() || std::any_of(entries.begin(), entries.end(), other)
             ? nullptr
             : entries.front().basic;
}

bool TypeMap::overlaps(long count) const {
  std::vector<std::pair<MPI_Aint, MPI_Aint>> ranges;
  const MPI_Aint step = extent();
  for (long i = 0; i < count; ++i) {
    for (const Entry& e : entries)
      ranges.emplace_back(e.at + i * step, e.at + i * step + e.basic->size);
  }
  std::sort(ranges.begin(), ranges.end());
  const auto clash = [](const auto& a, const auto& b) { return b.first < a.second; };
  return std::adjacent_find(ranges.begin(), ranges.end(), clash) != ranges.end();
}

Room::Room(const TypeMap& map, long count) : map_(&map), count_(count), origin_(kMargin) {
  MPI_Aint low = 0, high = 0;
  if (count > 0) {
    const MPI_Aint reach = (count - 1) * map.extent();
    low = std::min<MPI_Aint>(0, map.true_lb() + std::min<MPI_Aint>(0, reach));
    high = std::max<MPI_Aint>(0, map.true_ub() + std::max<MPI_Aint>(0, reach));
  }
  origin_ = kMargin - low;
  bytes_.resize(static_cast<std::size_t>(high - low + 2 * kMargin));
}

void Room::fill(unsigned seed) {
  ::fill(bytes_, seed);
}

std::vector<std::byte> Room::gather() {
  std::vector<std::byte> data(static_cast<std::size_t>(map_->size() * count_));
  std::byte* to = data.data();
  each([&](const std::byte* at, const Basic& basic) {
    for (int b = 0; b < basic.size; ++b) *to++ = at[b];
  });
  return data;
}

void Room::scatter(std::span<const std::byte> data) {
  const std::byte *from = data.data(), *end = from + data.size();
  each([&](std::byte* at, const Basic& basic) {
    for (int b = 0; b < basic.size && from != end; ++b) at[b] = *from++;
  });
}

void fill(std::span<std::byte> bytes, unsigned seed) {
  std::uint64_t state = seed + 0x9e37'79b9'7f4a'7c15U;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof state) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t mixed = state ^ state >> 29;  // the low bits alone repeat themselves soon
    std::memcpy(&bytes[i], &mixed, std::min(sizeof mixed, bytes.size() - i));
  }
}
