// SPDX-License-Identifier: BSD-3-Clause
// From the note of a call to its buffers.
#include "api/env/fault_buffers.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "api/p2p/point_to_point.h"
#include "tessera/coll_call.h"

namespace tessera::api {
namespace {

// Whether the data of `count` elements, from `displacement` bytes behind the buffer on, cover it.
bool covers(std::uintptr_t address, const void* buffer, const Datatype* type, Count count,
            Aint displacement = 0) noexcept {
  if (type == nullptr || type->size() == 0 || count <= 0) return false;
  const Aint last = (count - 1) * type->extent();
  const Aint first = displacement + type->true_lb();
  const Aint at = static_cast<Aint>(address - reinterpret_cast<std::uintptr_t>(buffer)) - first;
  return at >= std::min<Aint>(last, 0) && at < std::max<Aint>(last, 0) + type->true_extent();
}

bool is_one_of(std::string_view function, std::initializer_list<std::string_view> names) noexcept {
  return std::find(names.begin(), names.end(), function) != names.end();
}

// How many blocks a side of a call has at this process, where it counts here at all.
int blocks(const coll::Call& call, const coll::Side& side) noexcept {
  using enum coll::Operation;
  const bool sends = &side == &call.send;
  switch (call.operation) {
    case gather:
    case gatherv:
    case allgather:
    case allgatherv:
      return sends ? 1 : call.remote_size;
    case scatter:
    case scatterv:
      return sends ? call.remote_size : 1;
    case alltoall:
    case alltoallv:
    case alltoallw:
      return call.remote_size;
    case reduce_scatter:
    case reduce_scatter_block:
      return sends || call.in_place ? call.size : 1;
    case neighbor_allgather:
    case neighbor_allgatherv:
      return sends ? 1 : static_cast<int>(call.sources.size());
    case neighbor_alltoall:
    case neighbor_alltoallv:
    case neighbor_alltoallw:
      return static_cast<int>(sends ? call.destinations.size() : call.sources.size());
    default:
      return 1;
  }
}

// Each block has a type, and a displacement in bytes.
bool covers_typed(std::uintptr_t address, const coll::Side& side, int blocks) noexcept {
  for (int i = 0; i < blocks; ++i) {
    if (covers(address, side.buffer, side.types[i], side.counts[i], side.displacements[i]))
      return true;
  }
  return false;
}

// Blocks without displacements follow each other.
bool covers(std::uintptr_t address, const coll::Call& call, const coll::Side& side) noexcept {
  if (side.types != nullptr) return covers_typed(address, side, blocks(call, side));
  if (side.type == nullptr) return false;
  Count before = 0;
  for (int i = 0; i < blocks(call, side); ++i) {
    const Count count = side.counts ? side.counts[i] : side.count;
    const Count place = side.displacements ? side.displacements[i] : before;
    if (covers(address, side.buffer, side.type, count, place * side.type->extent())) return true;
    before += count;
  }
  return false;
}

const char* collective_buffer_at(std::uintptr_t address, bool written,
                                 const coll::Call& call) noexcept {
  if (!written && !call.in_place && covers(address, call, call.send)) return "sendbuf";
  if (!covers(address, call, call.receive)) return nullptr;
  return call.operation == coll::Operation::bcast ? "buffer" : "recvbuf";
}

}  // namespace

const char* buffer_at(std::uintptr_t address, bool written, const WaitNote& note) noexcept {
  if (note.detail != nullptr && note.detail->call != nullptr)
    return collective_buffer_at(address, written, *note.detail->call);
  const auto in = [address](const auto& args) {
    return covers(address, args.buffer, args.type, args.count);
  };
  if (is_one_of(note.function,
                {"MPI_Send", "MPI_Send_c", "MPI_Ssend", "MPI_Ssend_c", "MPI_Rsend", "MPI_Rsend_c"}))
    return in(reinterpret_cast<const NotedSend&>(note).args) ? "buf" : nullptr;
  if (is_one_of(note.function, {"MPI_Recv", "MPI_Recv_c"}))
    return in(reinterpret_cast<const NotedReceive&>(note).args) ? "buf" : nullptr;
  if (note.detail == nullptr || !is_one_of(note.function, {"MPI_Sendrecv", "MPI_Sendrecv_c"}))
    return nullptr;
  const auto& both = reinterpret_cast<const NotedExchange&>(*note.detail);
  if (!written && in(both.sending)) return "sendbuf";
  return in(both.receiving) ? "recvbuf" : nullptr;
}

}  // namespace tessera::api
