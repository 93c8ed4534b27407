// SPDX-License-Identifier: BSD-3-Clause
// Reduction around a ring: p - 1 rounds in which each process passes a partly reduced piece on,
// then every process sends its finished piece to the root. For operations that commute. Cost for n
// bytes: (p - 1) (latency + n / p / bandwidth + n / p / reduction speed), then n (p - 1) / p /
// bandwidth into the root: every process but the root sends n bytes, whatever p.
#include <array>
#include <vector>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

class Ring {
 public:
  Ring(const Call& call, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        sends_(schedule),
        recvs_(schedule),
        is_root_(call.rank == call.root),
        used_(static_cast<std::size_t>(call.size), kNoStep) {
    for (Buffer& each : landing_)
      each = schedule.scratch(piece(contribution(call), call.size, 0).count, call.receive.type);
  }

  // In round i, piece rank - i leaves with what was added so far, and piece rank - i - 1 arrives.
  void reduce_pieces() noexcept {
    Buffer outgoing = mine(call_.rank);
    for (int i = 0; i + 1 < call_.size; ++i) {
      sent_ = sends_(schedule_.send(modulo(call_.rank + 1, call_.size), outgoing, {ready_}));
      if (i == 0) used(call_.rank) = sent_;
      const Buffer own = mine(piece_at(i + 1));
      Buffer theirs = landing_[i % 2];
      theirs.count = own.count;
      const StepId got = recvs_(schedule_.recv(left(), theirs, {free_[i % 2]}));
      ready_ = used(piece_at(i + 1)) = schedule_.reduce(own, theirs, {got});
      free_[(i + 1) % 2] = sent_;
      outgoing = theirs;
    }
    finished_ = outgoing;
  }

  // Process i has finished piece i + 1.
  void collect_pieces() noexcept {
    if (!is_root_) {
      sends_(schedule_.send(call_.root, finished_, {ready_}));
      return;
    }
    schedule_.copy(finished_, output(piece_at(-1)), {ready_});
    for (int i = 0; i < call_.size; ++i) {
      if (i == call_.root) continue;
      const int number = modulo(i + 1, call_.size);
      const StepId got =
          schedule_.recv(i, output(number), {call_.in_place ? used(number) : kNoStep});
      if (i == left()) recvs_(got);
    }
  }

 private:
  int left() const noexcept { return modulo(call_.rank - 1, call_.size); }
  int piece_at(int round) const noexcept { return modulo(call_.rank - round, call_.size); }
  StepId& used(int i) noexcept { return used_[static_cast<std::size_t>(i)]; }
  Buffer mine(int i) const noexcept { return piece(contribution(call_), call_.size, i); }
  Buffer output(int i) const noexcept { return piece(result(call_), call_.size, i); }

  const Call& call_;
  Schedule& schedule_;
  OrderedChain sends_, recvs_;
  bool is_root_;
  std::vector<StepId> used_;  // the step that reads the own contribution to each piece
  std::array<Buffer, 2> landing_;
  std::array<StepId, 2> free_ = {kNoStep, kNoStep};
  StepId sent_ = kNoStep;
  StepId ready_ = kNoStep;  // made the piece that is sent next
  Buffer finished_;
};

}  // namespace

static void reduce_ring(const Call& call, Schedule& schedule) {
  if (call.size == 1) {
    if (!call.in_place) schedule.copy(contribution(call), result(call));
    return;
  }
  Ring ring(call, schedule);
  ring.reduce_pieces();
  ring.collect_pieces();
}

const Algorithm registered_reduce_ring{Operation::reduce, "ring", reduce_ring, kCommutes};

}  // namespace tessera::coll::basic
