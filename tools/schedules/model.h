// SPDX-License-Identifier: BSD-3-Clause
// Collective operations without processes: types, ops and memories to run schedules against.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/coll.h"

namespace tessera::coll::schedules {

// A datatype given by the pieces of one element: (displacement, bytes).
class ModelType final : public Datatype {
 public:
  ModelType(std::vector<std::pair<Aint, Count>> pieces, Aint lb, Aint extent);
  const std::vector<std::pair<Aint, Count>>& pieces() const noexcept { return pieces_; }

 private:
  std::vector<std::pair<Aint, Count>> pieces_;
};

// What a reduction is done on: which ranks are in it (their number, a sum of one random number for
// each, and as a range), and which element of the vector it is. Two sets of ranks are confused once
// in 2^64 times.
struct Element {
  std::uint64_t sum = 0;
  std::int32_t ranks = 0;
  std::int32_t index = 0;
  std::int16_t first = 0;
  std::int16_t last = 0;
  std::int32_t broken = 0;
};
static_assert(sizeof(Element) == 24);
Element contribution_of(int rank, Count index);
Element sum_of(int first, int last, Count index);  // of ranks first .. last

// Combines elements; the result is marked broken if indices differ or, for the ordered op, ranks do
// not follow one another. A rank that comes in twice shows in the sum.
class ModelOp final : public Op {
 public:
  explicit ModelOp(bool commutes) { commutative_ = commutes; }
  bool accepts(const Datatype&) const noexcept override { return true; }
  Status apply(const void* in, void* inout, Count count,
               const Datatype& type) const noexcept override;
};

// A piece of memory of a process. Address 0 is `base` bytes from its start.
struct Memory {
  std::vector<std::byte> bytes;
  Aint base = 0;
  // For `count` elements of `type` at address 0, or nothing.
  static Memory of(Count count, const Datatype* type);
  static Memory of_bytes(std::size_t count);
};

const ModelType& dense_element();  // 24 bytes
const ModelType&
sparse_element();  // 24 bytes in two pieces that are far apart and in reverse order; lb below 0
const ModelType& dense_int();   // 4 bytes
const ModelType& sparse_int();  // 4 bytes in two pieces

// act(address, bytes) for each interval of a buffer, in type-map order.
template <class Act>
void each_interval(const Buffer& buffer, Act act) {
  if (buffer.type == nullptr || buffer.type->contiguous())
    return act(buffer.offset, buffer.bytes());
  const auto& type = static_cast<const ModelType&>(*buffer.type);
  for (Count i = 0; i < buffer.count; ++i) {
    for (const auto& [at, bytes] : type.pieces())
      act(buffer.offset + i * type.extent() + at, bytes);
  }
}
// Where the bytes lie. Throws std::out_of_range if the memory does not have them.
std::byte* place(Memory& memory, Aint at, Count bytes);
void check_inside(Memory& memory, const Buffer& buffer);

// Data bytes in type-map order, from one place to another. Throws std::out_of_range.
void unpack(std::span<const std::byte> data, Memory& memory, const Buffer& buffer);
void transfer(Memory& source, const Buffer& from, Memory& target, const Buffer& to);
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

  // The call, to be made on `comm` with the memories of this process.
  Call on(Communicator& comm) noexcept {
    Call made = call;
    made.comm = &comm;
    made.send.buffer = send.bytes.data() + send.base;
    made.receive.buffer = receive.bytes.data() + receive.base;
    return made;
  }
};

}  // namespace tessera::coll::schedules
