// SPDX-License-Identifier: BSD-3-Clause
// Gather and scatter between systems, long and short.
//
// Long: each process exchanges its block with the root directly, typed. Short: the master of each
// system stands for its processes, with blocks in external32, one message per system.
#include <algorithm>
#include <numeric>

#include "core/coll/local_copy.h"
#include "core/datatype/predefined.h"
#include "core/impi/collective_calls.h"
#include "mpi.h"

namespace tessera::impi {
namespace {

const Datatype& int4() noexcept {
  return *predefined_type(reinterpret_cast<std::uintptr_t>(MPI_INT32_T));
}

}  // namespace

Status CollectiveCalls::gather(const coll::Call& call, int root) {
  const Side& mine = call.in_place ? call.receive : call.send;
  const std::size_t each = packed_size(mine.count, *mine.type);
  if (each >= static_cast<std::size_t>(systems_.roster().terms.short_below))
    return gather_directly(call, root, kGatherTag);
  return gather_packed(call, root, kGatherTag, static_cast<Count>(each));
}

// The root says how long the longest block is; 0 stands for the long form. Only the root's
// arguments count.
Status CollectiveCalls::agree_on_size(const coll::Call&, int root, const Side& side, Count& most) {
  std::int32_t said = 0;
  if (shape_.rank == root) {
    const Count each = static_cast<Count>(packed_size(1, *side.type));
    Count longest = 0;
    for (int rank = 0; rank < shape_.size; ++rank)
      longest = std::max(longest, side.counts[rank] * each);
    said = longest > systems_.roster().terms.short_below ? 0 : static_cast<std::int32_t>(longest);
  }
  const Status s = bcast({&said, 1, &int4()}, root);
  most = said;
  return s;
}

Status CollectiveCalls::gatherv(const coll::Call& call, int root) {
  Count most = 0;
  if (Status s = agree_on_size(call, root, call.receive, most); !s) return s;
  return most == 0 ? gather_directly(call, root, kGathervTag)
                   : gather_packed(call, root, kGathervTag, most);
}

Status CollectiveCalls::gather_directly(const coll::Call& call, int root, int tag) {
  const Data mine{call.send.buffer, call.send.count, call.send.type};
  if (shape_.rank != root) return send(root, tag, mine);
  for (int rank = 0; rank < shape_.size; ++rank) {
    const Data block = block_of(call.receive, rank);
    if (rank != root) {
      if (Status s = receive(rank, tag, block); !s) return s;
    } else if (!call.in_place) {
      coll::local_copy(mine.buffer, mine.count, mine.type, block.buffer, block.count, block.type);
    }
  }
  return {};
}

Status CollectiveCalls::gather_packed(const coll::Call& call, int root, int tag, Count most) {
  const Data mine{call.send.buffer, call.send.count, call.send.type};
  const std::size_t bound = static_cast<std::size_t>(most) * static_cast<std::size_t>(shape_.size);
  Bytes block;
  if (shape_.local(shape_.rank, root)) {
    if (shape_.rank != root) return send(root, tag, mine);
    for (const int rank : shape_.local_to(shape_.mine())) {
      const Data to = block_of(call.receive, rank);
      if (rank != root) {
        if (Status s = receive(rank, tag, to); !s) return s;
      } else if (!call.in_place) {
        coll::local_copy(mine.buffer, mine.count, mine.type, to.buffer, to.count, to.type);
      }
    }
  } else if (!shape_.is_master()) {
    if (Status s = pack(mine, block); !s) return s;
    return send_bytes(shape_.master(shape_.mine()), tag, block);
  } else {
    if (Status s = pack(mine, block); !s) return s;
    for (const int rank : shape_.local_to(shape_.mine())) {
      if (rank == shape_.rank) continue;
      Bytes piece(static_cast<std::size_t>(most));
      if (Status s = receive_bytes(rank, tag, piece); !s) return s;
      append(block, piece);
    }
  }
  if (Status s = collect(block, root, tag, bound); !s) return s;
  return shape_.rank == root ? unpack_collected(call, block, root) : Status();
}

// At the root: the blocks of all other systems, as they came; elsewhere the block goes up.
Status CollectiveCalls::collect(Bytes& block, int root, int tag, std::size_t most) {
  const int n = shape_.count();
  if (linear()) {
    if (shape_.rank != root) return send_bytes(root, tag, block);
    for (int k = 0; k < n; ++k) {
      if (k == shape_.number_of(root)) continue;
      Bytes piece(most);
      if (Status s = receive_bytes(shape_.master(k), tag, piece); !s) return s;
      append(block, piece);
    }
    return {};
  }
  const int v = shape_.virtual_number(root);
  for (int mask = 1; mask < n; mask <<= 1) {
    if ((v & mask) != 0) {
      const int parent = shape_.representative(shape_.real(v & ~mask, root), root);
      return send_bytes(parent, tag, block);
    }
    if ((v | mask) >= n) continue;
    Bytes piece(most);
    if (Status s = receive_bytes(shape_.master(shape_.real(v | mask, root)), tag, piece); !s)
      return s;
    append(block, piece);
  }
  return {};
}

// Linear: in the order of masters. Tree: beginning behind the root's own system.
Status CollectiveCalls::unpack_collected(const coll::Call& call, const Bytes& blocks, int root) {
  ByteView rest(blocks);
  for (int i = 0; i < shape_.count(); ++i) {
    const int number = linear() ? i : shape_.real(i, root);
    if (number == shape_.number_of(root)) continue;
    for (const int rank : shape_.local_to(number)) {
      const Data to = block_of(call.receive, rank);
      const std::size_t bytes = packed_size(to.count, *to.type);
      if (bytes > rest.size()) {
        return Status::failure(Errc::truncated,
                               "rank " + std::to_string(rank) +
                                   " has sent less than the root of a gather expects of it");
      }
      unpack(to, rest.first(bytes));
      rest = rest.subspan(bytes);
    }
  }
  return rest.empty() ? Status()
                      : Status::failure(Errc::truncated,
                                        "processes have sent more than the root of a gather "
                                        "expects of them");
}

// ---- scatter ----

Status CollectiveCalls::scatter(const coll::Call& call, int root) {
  const Side& mine = call.in_place ? call.send : call.receive;
  const std::size_t each = packed_size(mine.count, *mine.type);
  if (each >= static_cast<std::size_t>(systems_.roster().terms.short_below))
    return scatter_directly(call, root, kScatterTag);
  return scatter_packed(call, root, kScatterTag, each, each);
}

Status CollectiveCalls::scatterv(const coll::Call& call, int root) {
  Count most = 0;
  if (Status s = agree_on_size(call, root, call.send, most); !s) return s;
  if (most == 0) return scatter_directly(call, root, kScattervTag);
  const Side& to = call.receive;
  const std::size_t mine = call.in_place ? 0 : packed_size(to.count, *to.type);
  return scatter_packed(call, root, kScattervTag, mine, static_cast<std::size_t>(most));
}

Status CollectiveCalls::scatter_directly(const coll::Call& call, int root, int tag) {
  const Data to{call.receive.buffer, call.receive.count, call.receive.type};
  if (shape_.rank != root) return receive(root, tag, to);
  for (int rank = 0; rank < shape_.size; ++rank) {
    const Data block = block_of(call.send, rank);
    if (rank != root) {
      if (Status s = send(rank, tag, block); !s) return s;
    } else if (!call.in_place) {
      coll::local_copy(block.buffer, block.count, block.type, to.buffer, to.count, to.type);
    }
  }
  return {};
}

// The borders within a system's block follow from what its processes receive.
Status CollectiveCalls::scatter_packed(const coll::Call& call, int root, int tag, std::size_t mine,
                                       std::size_t most) {
  const Data to{call.receive.buffer, call.receive.count, call.receive.type};
  const bool at_root = shape_.rank == root;
  if (at_root) {
    for (int k = 0; k < shape_.count(); ++k) {
      if (k == shape_.number_of(root)) continue;
      Bytes block;
      for (const int rank : shape_.local_to(k)) {
        if (Status s = pack(block_of(call.send, rank), block); !s) return s;
      }
      if (Status s = send_bytes(shape_.master(k), tag, block); !s) return s;
    }
  }
  if (shape_.local(shape_.rank, root)) {
    if (!at_root) return receive(root, tag, to);
    for (const int rank : shape_.local_to(shape_.mine())) {
      const Data block = block_of(call.send, rank);
      if (rank != root) {
        if (Status s = send(rank, tag, block); !s) return s;
      } else if (!call.in_place) {
        coll::local_copy(block.buffer, block.count, block.type, to.buffer, to.count, to.type);
      }
    }
    return {};
  }
  Bytes all(most * shape_.local_to(shape_.mine()).size());
  if (shape_.is_master()) {
    if (Status s = receive_bytes(root, tag, all); !s) return s;
  }
  const std::uint64_t size = mine;
  Bytes sizes_bytes;
  if (Status s = local_gather(std::as_bytes(std::span(&size, 1)), sizes_bytes); !s) return s;
  std::vector<std::size_t> sizes(sizes_bytes.size() / sizeof size);
  std::copy(sizes_bytes.begin(), sizes_bytes.end(),
            std::as_writable_bytes(std::span(sizes)).begin());
  Bytes piece(mine);
  const std::size_t sent = all.size();
  const std::size_t wanted = std::reduce(sizes.begin(), sizes.end());
  if (shape_.is_master()) all.resize(wanted);
  if (Status s = local_scatter(all, sizes, piece); !s) return s;
  unpack(to, piece);
  if (!shape_.is_master() || sent == wanted) return {};
  return Status::failure(Errc::truncated,
                         "the root of a scatter has sent " + std::to_string(sent) +
                             " bytes in external32 to this system, whose processes expect " +
                             std::to_string(wanted));
}

}  // namespace tessera::impi
