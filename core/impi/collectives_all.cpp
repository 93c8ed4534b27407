// SPDX-License-Identifier: BSD-3-Clause
// Operations that give all processes something: reductions, allgather, alltoall, scan.
#include <algorithm>
#include <numeric>

#include "core/coll/local_copy.h"
#include "core/impi/collective_calls.h"

namespace tessera::impi {

// ---- reductions ----

Status CollectiveCalls::reduce(const Data& from, void* to, const Op& op, int root) {
  if (!op.commutative()) return reduce_in_order(from, to, op, root);
  TypedBuffer at_master;
  const int local_root = shape_.representative(shape_.mine(), root);
  if (shape_.rank == local_root && shape_.rank != root)
    at_master = TypedBuffer(from.count, *from.type);
  void* const acc = shape_.rank == root ? to : at_master.get();
  const auto& locals = shape_.local_to(shape_.mine());
  coll::Call call(coll::Operation::reduce, *local_);
  while (locals[static_cast<std::size_t>(call.root)] != local_root) ++call.root;
  call.op = &op;
  call.in_place = shape_.rank == local_root && from.buffer == acc;
  call.send = {from.buffer, from.count, from.type, {}, {}, nullptr};
  call.receive = {
      shape_.rank == local_root ? acc : nullptr, from.count, from.type, {}, {}, nullptr};
  if (Status s = local_run(call); !s) return s;
  return shape_.rank == local_root ? reduce_global({acc, from.count, from.type}, op, root)
                                   : Status();
}

// `acc` is this system's share, at the root in the end the result.
Status CollectiveCalls::reduce_global(const Data& acc, const Op& op, int root) {
  const int n = shape_.count();
  TypedBuffer room(acc.count, *acc.type);
  const Data in{room.get(), acc.count, acc.type};
  const auto fold = [&](int from) {
    if (Status s = receive(from, kReduceTag, in); !s) return s;
    return op.apply(in.buffer, acc.buffer, acc.count, *acc.type);
  };
  if (linear()) {
    if (shape_.rank != root) return send(root, kReduceTag, acc);
    for (int k = 0; k < n; ++k) {
      if (k == shape_.number_of(root)) continue;
      if (Status s = fold(shape_.master(k)); !s) return s;
    }
    return {};
  }
  const int v = shape_.virtual_number(root);
  for (int mask = 1; mask < n; mask <<= 1) {
    if ((v & mask) != 0) {
      return send(shape_.representative(shape_.real(v & ~mask, root), root), kReduceTag, acc);
    }
    if ((v | mask) >= n) continue;
    if (Status s = fold(shape_.master(shape_.real(v | mask, root))); !s) return s;
  }
  return {};
}

// Everybody's contribution goes to the root, which combines them from the last rank down.
Status CollectiveCalls::reduce_in_order(const Data& from, void* to, const Op& op, int root) {
  if (shape_.rank != root) return send(root, kReduceTag, from);
  TypedBuffer own(from.count, *from.type);
  TypedBuffer room(from.count, *from.type);
  coll::local_copy(from.buffer, from.count, from.type, own.get(), from.count, from.type);
  for (int rank = shape_.size - 1; rank >= 0; --rank) {
    void* in = own.get();
    if (rank != root) {
      in = rank == shape_.size - 1 ? to : room.get();
      if (Status s = receive(rank, kReduceTag, {in, from.count, from.type}); !s) return s;
    } else if (rank == shape_.size - 1) {
      coll::local_copy(own.get(), from.count, from.type, to, from.count, from.type);
    }
    if (rank == shape_.size - 1) continue;
    if (Status s = op.apply(in, to, from.count, *from.type); !s) return s;
  }
  return {};
}

Status CollectiveCalls::allreduce(const coll::Call& call) {
  const Side& out = call.receive;
  const Data in{call.in_place ? out.buffer : call.send.buffer, out.count, out.type};
  if (Status s = reduce(in, out.buffer, *call.op, 0); !s) return s;
  return bcast({out.buffer, out.count, out.type}, 0);
}

Status CollectiveCalls::reduce_scatter(const coll::Call& call) {
  const Side& out = call.receive;
  Count total = 0;
  std::vector<Count> counts;
  std::vector<Count> places;
  for (int rank = 0; rank < shape_.size; ++rank) {
    counts.push_back(out.counts[rank]);
    places.push_back(std::exchange(total, total + counts.back()));
  }
  TypedBuffer all(shape_.rank == 0 ? total : 0, *out.type);
  const void* const in = call.in_place ? out.buffer : call.send.buffer;
  if (Status s = reduce({const_cast<void*>(in), total, out.type}, all.get(), *call.op, 0); !s)
    return s;
  coll::Call scattering(coll::Operation::scatterv, comm_);
  scattering.root = 0;
  scattering.send = {all.get(), 0, out.type, counts.data(), places.data(), nullptr};
  scattering.receive = {out.buffer, out.counts[shape_.rank], out.type, {}, {}, nullptr};
  return scatterv(scattering, 0);
}

Status CollectiveCalls::scan(const coll::Call& call) {
  const Side& out = call.receive;
  const Data acc{out.buffer, out.count, out.type};
  if (!call.in_place)
    coll::local_copy(call.send.buffer, out.count, out.type, out.buffer, out.count, out.type);
  if (shape_.rank > 0) {
    TypedBuffer room(out.count, *out.type);
    if (Status s = receive(shape_.rank - 1, kScanTag, {room.get(), out.count, out.type}); !s)
      return s;
    if (Status s = call.op->apply(room.get(), out.buffer, out.count, *out.type); !s) return s;
  }
  return shape_.rank < shape_.size - 1 ? send(shape_.rank + 1, kScanTag, acc) : Status();
}

// ---- allgather ----

Status CollectiveCalls::allgather(const coll::Call& call) {
  coll::Call gathering = call;
  gathering.in_place = false;
  if (call.in_place) {
    const Data mine = block_of(call.receive, shape_.rank);
    gathering.send = {mine.buffer, mine.count, mine.type, {}, {}, nullptr};
    gathering.in_place = shape_.rank == 0;
  }
  if (Status s = gather(gathering, 0); !s) return s;
  return bcast({call.receive.buffer, call.receive.count * shape_.size, call.receive.type}, 0);
}

// The blocks travel in rank order, whatever their places in each process's buffer are.
Status CollectiveCalls::allgatherv(const coll::Call& call) {
  coll::Call gathering = call;
  gathering.in_place = false;
  if (call.in_place) {
    const Data mine = block_of(call.receive, shape_.rank);
    gathering.send = {mine.buffer, mine.count, mine.type, {}, {}, nullptr};
    gathering.in_place = shape_.rank == 0;
  }
  if (Status s = gatherv(gathering, 0); !s) return s;
  Count total = 0;
  for (int rank = 0; rank < shape_.size; ++rank) total += call.receive.counts[rank];
  TypedBuffer row(total, *call.receive.type);
  const Aint extent = call.receive.type->extent();
  const auto each_block = [&](auto copy) {
    Count place = 0;
    for (int rank = 0; rank < shape_.size; ++rank) {
      const Data block = block_of(call.receive, rank);
      copy(block, static_cast<std::byte*>(row.get()) + place * extent);
      place += block.count;
    }
  };
  each_block([&](const Data& block, std::byte* in_row) {
    if (shape_.rank == 0)
      coll::local_copy(block.buffer, block.count, block.type, in_row, block.count, block.type);
  });
  if (Status s = bcast({row.get(), total, call.receive.type}, 0); !s) return s;
  each_block([&](const Data& block, std::byte* in_row) {
    if (shape_.rank != 0)
      coll::local_copy(in_row, block.count, block.type, block.buffer, block.count, block.type);
  });
  return {};
}

// ---- alltoall ----

Status CollectiveCalls::alltoall(const coll::Call& call) {
  TypedBuffer copy;
  coll::Call mine = call;
  if (call.in_place) {
    const Count all = call.receive.count * shape_.size;
    copy = TypedBuffer(all, *call.receive.type);
    coll::local_copy(call.receive.buffer, all, call.receive.type, copy.get(), all,
                     call.receive.type);
    mine.send = call.receive;
    mine.send.buffer = copy.get();
    mine.in_place = false;
  }
  const std::size_t each = packed_size(mine.send.count, *mine.send.type);
  if (each >= static_cast<std::size_t>(systems_.roster().terms.short_below))
    return alltoall_directly(mine, kAlltoallTag, false);
  if (Status s = alltoall_directly(mine, kAlltoallTag, true); !s) return s;
  return alltoall_packed(mine, each);
}

Status CollectiveCalls::alltoallv(const coll::Call& call) {
  if (!call.in_place) return alltoall_directly(call, kAlltoallvTag, false);
  Count end = 0;
  for (int rank = 0; rank < shape_.size; ++rank)
    end = std::max(end, call.receive.displacements[rank] + call.receive.counts[rank]);
  TypedBuffer copy(end, *call.receive.type);
  coll::Call mine = call;
  mine.in_place = false;
  mine.send = call.receive;
  mine.send.buffer = copy.get();
  for (int rank = 0; rank < shape_.size; ++rank) {
    const Data from = block_of(call.receive, rank);
    const Data to = block_of(mine.send, rank);
    coll::local_copy(from.buffer, from.count, from.type, to.buffer, to.count, to.type);
  }
  return alltoall_directly(mine, kAlltoallvTag, false);
}

Status CollectiveCalls::alltoall_directly(const coll::Call& call, int tag, bool local_only) {
  std::vector<Request*> requests;
  Status outcome;
  const auto keep = [&](Result<Request*> request) {
    if (request.ok())
      requests.push_back(*request);
    else if (outcome.ok())
      outcome = request.status();
  };
  const ContextId context = comm_.collective_context();
  for (int rank = 0; rank < shape_.size; ++rank) {
    if (rank == shape_.rank || (local_only && !shape_.local(rank, shape_.rank))) continue;
    const Data to = block_of(call.receive, rank);
    keep(comm_.pml().irecv({to.buffer, to.count, to.type, &comm_.peer(rank), rank, tag, context}));
  }
  for (int rank = 0; rank < shape_.size; ++rank) {
    if (local_only && !shape_.local(rank, shape_.rank)) continue;
    const Data from = block_of(call.send, rank);
    if (rank == shape_.rank) {
      const Data to = block_of(call.receive, rank);
      coll::local_copy(from.buffer, from.count, from.type, to.buffer, to.count, to.type);
      continue;
    }
    keep(comm_.pml().isend({from.buffer, from.count, from.type, &comm_.peer(rank), shape_.rank, tag,
                            context, pml::Mode::standard}));
  }
  for (Request* request : requests) {
    comm_.progress().wait_until([request] { return request->complete(); });
    if (outcome.ok()) outcome = request->error();
    request->free();
  }
  return outcome;
}

// System i tells system j all at once: for each sender, for each receiver, a block.
Status CollectiveCalls::alltoall_packed(const coll::Call& call, std::size_t each) {
  const int n = shape_.count();
  const int mine = shape_.mine();
  for (int i = 0; i < n; ++i) {
    const auto& senders = shape_.local_to(i);
    for (int j = 0; j < n; ++j) {
      if (j == i || (mine != i && mine != j)) continue;
      const auto& receivers = shape_.local_to(j);
      Bytes all;
      if (mine == i) {
        Bytes row;
        for (const int rank : receivers) {
          if (Status s = pack(block_of(call.send, rank), row); !s) return s;
        }
        if (Status s = local_gather(row, all); !s) return s;
        if (!shape_.is_master()) continue;
        if (Status s = send_bytes(shape_.master(j), kAlltoallTag, all); !s) return s;
        continue;
      }
      Bytes columns;
      if (shape_.is_master()) {
        all.resize(senders.size() * receivers.size() * each);
        if (Status s = receive_bytes(shape_.master(i), kAlltoallTag, all); !s) return s;
        all.resize(senders.size() * receivers.size() * each);
        for (std::size_t q = 0; q < receivers.size(); ++q) {
          for (std::size_t p = 0; p < senders.size(); ++p)
            append(columns, ByteView(all).subspan((p * receivers.size() + q) * each, each));
        }
      }
      Bytes column(senders.size() * each);
      const std::vector<std::size_t> sizes(receivers.size(), column.size());
      if (Status s = local_scatter(columns, sizes, column); !s) return s;
      for (std::size_t p = 0; p < senders.size(); ++p)
        unpack(block_of(call.receive, senders[p]), ByteView(column).subspan(p * each, each));
    }
  }
  return {};
}

}  // namespace tessera::impi
