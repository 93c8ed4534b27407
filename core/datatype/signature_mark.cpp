// SPDX-License-Identifier: BSD-3-Clause
// Type signatures in 16 bits, for messages that tell what is in them.
#include <mpi.h>

#include "core/datatype/type_object.h"
#include "tessera/pml.h"

namespace tessera::pml {

namespace {

constexpr std::uint16_t kSeveral = 0x8000;  // a checksum follows; else the mark is a Kind

// The engine makes all types of messages.
const Signature& signature_of(const Datatype& type) noexcept {
  return as_object(type).signature();
}

bool fits_any(const Signature& one) noexcept {
  const auto handle = reinterpret_cast<MPI_Datatype>(static_cast<std::uintptr_t>(one.kind));
  return one.elements == 0 || handle == MPI_BYTE || handle == MPI_PACKED;
}

std::uint16_t checksum(const Signature& all) noexcept {
  constexpr int kShift = 49;
  return static_cast<std::uint16_t>(kSeveral | all.hash >> kShift);
}

std::uint16_t checksum_of(std::uint16_t mark, std::uint64_t bytes) noexcept {
  const Basic* const only = (mark & kSeveral) == 0 ? find_basic(mark) : nullptr;
  if (only == nullptr) return mark;
  return checksum(Signature::of(mark).times(static_cast<Count>(bytes / only->size)));
}

}  // namespace

std::uint16_t signature_mark(const Datatype& type, Count count) noexcept {
  const Signature& one = signature_of(type);
  if (fits_any(one) || count == 0) return 0;
  return one.kind != 0 ? one.kind : checksum(one.times(count));
}

// Names of one number, such as MPI_INT and MPI_INT32_T, count as one. Where the message ends inside
// an element of several types, there is nothing to compare a checksum with.
bool signature_fits(std::uint16_t mark, std::uint64_t bytes, const Datatype& type) noexcept {
  const Signature& one = signature_of(type);
  if (mark == 0 || fits_any(one)) return true;
  const Basic* const sent = (mark & kSeveral) == 0 ? find_basic(mark) : nullptr;
  const Basic* const wanted = one.kind != 0 ? find_basic(one.kind) : nullptr;
  if (sent != nullptr && wanted != nullptr) return sent->number == wanted->number;
  const auto size = static_cast<std::uint64_t>(type.size());
  if (bytes % size != 0) return true;
  return checksum_of(mark, bytes) == checksum(one.times(static_cast<Count>(bytes / size)));
}

const char* signature_name(std::uint16_t mark) noexcept {
  const Basic* const known = (mark & kSeveral) == 0 ? find_basic(mark) : nullptr;
  return known != nullptr ? known->name : "several types";
}

}  // namespace tessera::pml
