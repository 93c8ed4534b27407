// SPDX-License-Identifier: BSD-3-Clause
// The portable representation of data, external32. Source: MPI-5.0 §14.5.2.
#pragma once
//
// Big-endian two's complement integers and IEEE numbers, without padding, in
// type-map order. MPI_LONG and MPI_UNSIGNED_LONG have 4 bytes there and
// MPI_WCHAR 2, so values that need more lose their upper bytes; long double
// becomes an IEEE number of 16 bytes.
//
#include "core/datatype/type_object.h"

namespace tessera {

// Bytes that one element of the type takes.
Count external32_size(const TypeObject& type) noexcept;
// Writes count * external32_size(type) bytes, or reads as many.
void external32_pack(const TypeObject& type, const void* data, Count count, void* out) noexcept;
void external32_unpack(const TypeObject& type, void* data, Count count, const void* in) noexcept;

// Whether all values keep their worth outside: what is shorter there has nothing in its upper
// bytes.
bool external32_fits(const TypeObject& type, const void* data, Count count) noexcept;
// Reads of `count` elements as many as `bytes` bytes of `in` have, whole basic elements only; how
// many bytes of data that makes here.
Count external32_unpack_some(const TypeObject& type, void* data, Count count, const void* in,
                             std::size_t bytes) noexcept;

// What a probe says of a message in that form: its bytes there, and this mark.
inline constexpr std::uint64_t kExternal32Bytes = 1ull << 63;
// Bytes of a message; those with the mark as bytes of data of this type. A basic element that is
// not whole counts as a byte of it.
std::uint64_t bytes_here(std::uint64_t bytes, const TypeObject& type) noexcept;

}  // namespace tessera
