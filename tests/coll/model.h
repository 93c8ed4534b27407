// SPDX-License-Identifier: BSD-3-Clause
// Collective operations without processes: types, ops and memories to run schedules against.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tessera/coll.h"

namespace tessera::coll::test {

// A datatype given by the pieces of one element: (displacement, bytes).
class ModelType final : public Datatype {
 public:
  ModelType(std::vector<std::pair<Aint, Count>> pieces, Aint lb, Aint extent);
  const std::vector<std::pair<Aint, Count>>& pieces() const noexcept { return pieces_; }

 private:
  std::vector<std::pair<Aint, Count>> pieces_;
};

// What a reduction is done on: which ranks are in it, as a set and as a range, and which element of the
// vector it is.
struct Element {
  std::uint32_t ranks = 0;
  std::int16_t first = 0;
  std::int16_t last = 0;
  std::int32_t index = 0;
  std::int32_t broken = 0;
};
static_assert(sizeof(Element) == 16);
Element contribution_of(int rank, Count index);
Element sum_of(int first, int last, Count index);  // of ranks first .. last

// Combines elements; the result is marked broken if a rank comes in twice, indices differ, or, for the
// ordered op, ranks do not follow one another.
class ModelOp final : public Op {
 public:
  explicit ModelOp(bool commutes) { commutative_ = commutes; }
  bool accepts(const Datatype&) const noexcept override { return true; }
  Status apply(const void* in, void* inout, Count count, const Datatype& type) const noexcept override;
};

// A piece of memory of a process. Address 0 is `base` bytes from its start.
struct Memory {
  std::vector<std::byte> bytes;
  Aint base = 0;
  // For `count` elements of `type` at address 0, or nothing.
  static Memory of(Count count, const Datatype* type);
  static Memory of_bytes(std::size_t count);
};

const ModelType& dense_element();  // 16 bytes
const ModelType&
sparse_element();               // 16 bytes in two pieces that are far apart and in reverse order; lb below 0
const ModelType& dense_int();   // 4 bytes
const ModelType& sparse_int();  // 4 bytes in two pieces

// Intervals of addresses, in type-map order.
std::vector<std::pair<Aint, Count>> intervals(const Buffer& buffer);
// Data bytes of (address, count, type), in type-map order, and back.
std::vector<std::byte> pack(const Memory& memory, const Buffer& buffer);
void unpack(const std::vector<std::byte>& data, Memory& memory, const Buffer& buffer);
template <class T>
std::vector<std::byte> to_bytes(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// One process of an operation, with what its receive memory must hold afterwards.
struct Process {
  Call call;
  Memory send;
  Memory receive;
  std::vector<std::byte> expected;  // of the whole receive memory
  bool receive_matters = true;
  // The arrays that the call refers to.
  std::vector<int> numbers;
  std::vector<Count> wide_numbers;
  std::vector<const Datatype*> types;
};

}  // namespace tessera::coll::test
