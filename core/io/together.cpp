// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a file tell each other.
#include "core/io/together.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/coll/table.h"
#include "core/datatype/predefined.h"

namespace tessera::io {
namespace {

constexpr std::size_t kTextBytes = 512;

coll::Side bytes_of(const void* data, std::size_t bytes) noexcept {
  coll::Side side;
  side.buffer = const_cast<void*>(data);
  side.count = static_cast<Count>(bytes);
  side.type = &byte_type();
  return side;
}

Status run(Comm& comm, const coll::Call& call) noexcept {
  auto table = comm.collectives();
  return table.ok() ? (*table)->run(call) : table.status();
}

}  // namespace

Status gather_all(Comm& comm, const void* mine, std::size_t bytes, void* all) noexcept {
  coll::Call call(coll::Operation::allgather, comm);
  call.send = bytes_of(mine, bytes);
  call.receive = bytes_of(all, bytes);
  return run(comm, call);
}

Status broadcast(Comm& comm, int root, void* data, std::size_t bytes) noexcept {
  if (comm.size() == 1) return {};
  coll::Call call(coll::Operation::bcast, comm);
  call.root = root;
  call.receive = bytes_of(data, bytes);
  call.send = call.receive;
  return run(comm, call);
}

Status barrier(Comm& comm) noexcept {
  if (comm.size() == 1) return {};
  return run(comm, coll::Call(coll::Operation::barrier, comm));
}

Status worst_of(Comm& comm, Status mine) noexcept {
  auto codes = gather_all(comm, mine.code());
  if (!codes.ok()) return codes.status();
  const auto failed =
      std::find_if(codes->begin(), codes->end(), [](Errc code) { return code != Errc::ok; });
  if (failed == codes->end()) return {};
  const int rank = static_cast<int>(failed - codes->begin());
  char text[kTextBytes] = {};
  if (rank == comm.rank()) std::strncpy(text, mine.text(), sizeof text - 1);
  if (Status told = broadcast(comm, rank, text, sizeof text); !told) return told;
  if (rank == comm.rank()) return mine;
  return Status::failure(*failed, fmt::format("{} [at rank {} of the file]", text, rank));
}

}  // namespace tessera::io
