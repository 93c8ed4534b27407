// SPDX-License-Identifier: BSD-3-Clause
#include "core/impi/collectives.h"

#include <new>

#include "core/datatype/predefined.h"
#include "core/impi/collective_calls.h"

namespace tessera::impi {

namespace {

class Collectives final : public coll::Component {
 public:
  explicit Collectives(Systems& systems) noexcept : systems_(systems) {}
  Status open(const Host&) noexcept override { return {}; }
  Result<coll::Module*> query(Communicator& comm) noexcept override try {
    if (comm.inter()) {
      return Status::failure(Errc::refused,
                             "the protocol between MPI systems has no collective operations on "
                             "intercommunicators");
    }
    return static_cast<coll::Module*>(new CollectiveCalls(systems_, static_cast<Comm&>(comm)));
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }

 private:
  Systems& systems_;
};

}  // namespace

std::unique_ptr<coll::Component> make_collectives(Systems& systems) {
  return std::make_unique<Collectives>(systems);
}

bool CollectiveCalls::serves(coll::Operation operation) const noexcept {
  using enum coll::Operation;
  switch (operation) {
    case barrier:
    case bcast:
    case gather:
    case gatherv:
    case scatter:
    case scatterv:
    case allgather:
    case allgatherv:
    case alltoall:
    case alltoallv:
    case reduce:
    case allreduce:
    case reduce_scatter:
    case scan:
      return true;
    default:
      return false;
  }
}

Status CollectiveCalls::run(const coll::Call& call) noexcept try {
  if (auto made = local(); !made.ok()) return made.status();
  return dispatch(call);
} catch (const std::bad_alloc&) {
  return Status::failure(Errc::no_memory, "no memory for a collective operation between systems");
}

Status CollectiveCalls::dispatch(const coll::Call& call) {
  const Side& in = call.in_place ? call.receive : call.send;
  using enum coll::Operation;
  switch (call.operation) {
    case barrier:
      return this->barrier();
    case bcast:
      return this->bcast({call.receive.buffer, call.receive.count, call.receive.type}, call.root);
    case gather:
      return this->gather(call, call.root);
    case gatherv:
      return this->gatherv(call, call.root);
    case scatter:
      return this->scatter(call, call.root);
    case scatterv:
      return this->scatterv(call, call.root);
    case allgather:
      return this->allgather(call);
    case allgatherv:
      return this->allgatherv(call);
    case alltoall:
      return this->alltoall(call);
    case alltoallv:
      return this->alltoallv(call);
    case reduce:
      return this->reduce({in.buffer, call.receive.count, call.receive.type}, call.receive.buffer,
                          *call.op, call.root);
    case allreduce:
      return this->allreduce(call);
    case reduce_scatter:
      return this->reduce_scatter(call);
    case scan:
      return this->scan(call);
    default:
      return Errc::unsupported;
  }
}

// ---- barrier, bcast ----

Status CollectiveCalls::barrier() {
  if (Status s = local_run(coll::Call(coll::Operation::barrier, *local_)); !s) return s;
  if (shape_.is_master()) {
    if (Status s = linear() ? barrier_linear() : barrier_tree(); !s) return s;
  }
  return local_run(coll::Call(coll::Operation::barrier, *local_));
}

Status CollectiveCalls::barrier_linear() {
  const Data nothing{nullptr, 0, &byte_type()};
  if (shape_.rank != 0) {
    if (Status s = send(0, kBarrierTag, nothing); !s) return s;
    return receive(0, kBarrierTag, nothing);
  }
  for (int k = 1; k < shape_.count(); ++k) {
    if (Status s = receive(shape_.master(k), kBarrierTag, nothing); !s) return s;
  }
  for (int k = 1; k < shape_.count(); ++k) {
    if (Status s = send(shape_.master(k), kBarrierTag, nothing); !s) return s;
  }
  return {};
}

Status CollectiveCalls::barrier_tree() {
  const Data nothing{nullptr, 0, &byte_type()};
  const int k = shape_.mine();
  const int d = cube(shape_.count());
  const int h = highest_bit(k, d);
  for (int i = d - 1; i > h; --i) {
    const int child = k | 1 << i;
    if (child >= shape_.count()) continue;
    if (Status s = receive(shape_.master(child), kBarrierTag, nothing); !s) return s;
  }
  if (k > 0) {
    const int parent = shape_.master(k & ~(1 << h));
    if (Status s = send(parent, kBarrierTag, nothing); !s) return s;
    if (Status s = receive(parent, kBarrierTag, nothing); !s) return s;
  }
  for (int i = h + 1; i < d; ++i) {
    const int child = k | 1 << i;
    if (child >= shape_.count()) continue;
    if (Status s = send(shape_.master(child), kBarrierTag, nothing); !s) return s;
  }
  return {};
}

Status CollectiveCalls::bcast(const Data& data, int root) {
  if (shape_.represents(root)) {
    if (Status s = bcast_global(data, root); !s) return s;
  }
  const auto& locals = shape_.local_to(shape_.mine());
  const int source = shape_.representative(shape_.mine(), root);
  coll::Call call(coll::Operation::bcast, *local_);
  while (locals[static_cast<std::size_t>(call.root)] != source) ++call.root;
  call.receive = {data.buffer, data.count, data.type, {}, {}, nullptr};
  return local_run(call);
}

Status CollectiveCalls::bcast_global(const Data& data, int root) {
  const int n = shape_.count();
  if (linear()) {
    if (shape_.rank != root) return receive(root, kBcastTag, data);
    for (int k = 0; k < n; ++k) {
      if (k == shape_.number_of(root)) continue;
      if (Status s = send(shape_.master(k), kBcastTag, data); !s) return s;
    }
    return {};
  }
  const int v = shape_.virtual_number(root);
  const int d = cube(n);
  const int h = highest_bit(v, d);
  if (v > 0) {
    const int parent = shape_.representative(shape_.real(v & ~(1 << h), root), root);
    if (Status s = receive(parent, kBcastTag, data); !s) return s;
  }
  for (int i = h + 1; i < d; ++i) {
    const int child = v | 1 << i;
    if (child >= n) continue;
    if (Status s = send(shape_.master(shape_.real(child, root)), kBcastTag, data); !s) return s;
  }
  return {};
}

}  // namespace tessera::impi
