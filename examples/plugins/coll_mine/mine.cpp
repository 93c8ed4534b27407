// SPDX-License-Identifier: BSD-3-Clause
// coll/mine: an allreduce for small vectors in one round: everybody sends to everybody, everybody
// reduces.
//
// Cost for n processes and m bytes: n - 1 messages out and in per process, one after the other on
// the wire but all in flight at once, and n - 1 reductions. Worth it where latency counts and m is
// small.
#include <vector>

#include "tessera/coll.h"

namespace {

using namespace tessera;

Count bytes(const coll::Call& call) {
  return call.receive.count * call.receive.type->size();
}

// Every process reduces in the order of ranks, from the last to the first: operations need not
// commute, and all processes compute the same bits.
void emit_exchange(const coll::Call& call, coll::Schedule& schedule) {
  const Count count = call.receive.count;
  const Datatype* type = call.receive.type;
  const coll::Buffer result{coll::Space::receive, 0, count, type};
  const coll::Buffer mine =
      call.in_place ? result : coll::Buffer{coll::Space::send, 0, count, type};
  struct Part {
    coll::Buffer where;
    coll::StepId there;  // the step after which it is there
  };
  std::vector<Part> parts;
  std::vector<coll::StepId> sends;
  for (int rank = 0; rank < call.size; ++rank) {
    const coll::Buffer place = schedule.scratch(count, type);
    if (rank == call.rank) {
      parts.push_back({place, schedule.copy(mine, place)});
    } else {
      sends.push_back(schedule.send(rank, mine));
      parts.push_back({place, schedule.recv(rank, place)});
    }
  }
  Part sum = parts.back();
  for (int rank = call.size - 2; rank >= 0; --rank)
    sum.there = schedule.reduce(parts[rank].where, sum.where, {parts[rank].there, sum.there});
  const coll::StepId last = schedule.copy(sum.where, result, {sum.there});
  for (const coll::StepId send : sends)
    schedule.order(send, last);  // in place, they read what this one writes
}

class Mine final : public coll::Module {
 public:
  explicit Mine(Count limit) noexcept : limit_(limit) {}
  bool serves(coll::Operation operation) const noexcept override {
    return operation == coll::Operation::allreduce;
  }
  Status emit(const coll::Call& call, coll::Schedule& schedule) noexcept override try {
    if (bytes(call) > limit_) return Errc::unsupported;  // the next component below does it
    schedule.label("exchange", "coll_mine_limit");
    if (bytes(call) > 0) emit_exchange(call, schedule);
    return schedule.status();
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }

 private:
  Count limit_;
};

class MineComponent final : public coll::Component {
 public:
  Status open(const Host& host) noexcept override {
    limit_ = static_cast<Count>(host.params.size("limit"));
    return {};
  }
  Result<coll::Module*> query(Communicator& comm) noexcept override {
    if (comm.inter()) return Status::failure(Errc::refused, "serves intracommunicators only");
    coll::Module* module = new (std::nothrow) Mine(limit_);
    if (module == nullptr) return Errc::no_memory;
    return module;
  }

 private:
  Count limit_ = 0;
};

}  // namespace

TESSERA_COMPONENT(coll, mine, "1.0.0", 90, MineComponent,
                  "An allreduce for small vectors in one round",
                  TESSERA_PARAM("limit", size, "1K", "0..1M", "bytes", 4,
                                "Longest vector it takes on."))
