// SPDX-License-Identifier: BSD-3-Clause
// Allreduce around a ring: p - 1 rounds in which each process passes a partly reduced piece on, then p - 1
// rounds in which the finished pieces go round. For operations that commute.
// Cost for n bytes: 2 (p - 1) (latency + n / p / bandwidth) + n (p - 1) / p / reduction speed: least data
// moved for any p.
// Source: Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC
// 69(2), 2009.
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
        sent_(static_cast<std::size_t>(call.size), kNoStep) {}

  // In round i, piece rank - i leaves with what was added so far, and piece rank - i - 1 arrives. The
  // sender's partial result lands in the receive buffer, or, if that holds the own contribution, in scratch
  // memory.
  void reduce_pieces() {
    const Buffer landing[2] = {spare(), spare()};
    StepId landing_free[2] = {kNoStep, kNoStep};
    for (int i = 0; i + 1 < call_.size; ++i) {
      pass_on(i, i == 0 ? mine(call_.rank) : output(piece_at(i)));
      const Buffer target = output(piece_at(i + 1));
      if (call_.in_place) {
        const StepId got =
            recvs_(schedule_.recv(left(), sized(landing[i % 2], target), {landing_free[i % 2]}));
        ready_ = schedule_.reduce(sized(landing[i % 2], target), target, {got});
        landing_free[i % 2] = ready_;
      } else {
        const StepId got = recvs_(schedule_.recv(left(), target));
        ready_ = schedule_.reduce(mine(piece_at(i + 1)), target, {got});
      }
    }
  }

  // Piece rank + 1 is finished here and goes round; arriving pieces overwrite partial results once those have
  // left.
  void collect_pieces() {
    for (int i = 0; i + 1 < call_.size; ++i) {
      pass_on(i - 1, output(piece_at(i - 1)));
      ready_ = recvs_(schedule_.recv(left(), output(piece_at(i)), {sent_[index(piece_at(i))]}));
    }
  }

 private:
  int left() const noexcept { return modulo(call_.rank - 1, call_.size); }
  int piece_at(int round) const noexcept { return modulo(call_.rank - round, call_.size); }
  static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
  Buffer mine(int i) const noexcept { return piece(contribution(call_), call_.size, i); }
  Buffer output(int i) const noexcept { return piece(result(call_), call_.size, i); }
  // The first piece is a longest one.
  Buffer spare() noexcept {
    return call_.in_place ? schedule_.scratch(output(0).count, call_.receive.type) : Buffer{};
  }
  static Buffer sized(Buffer place, const Buffer& like) noexcept {
    place.count = like.count;
    return place;
  }
  void pass_on(int round, const Buffer& what) {
    sent_[index(piece_at(round))] =
        sends_(schedule_.send(modulo(call_.rank + 1, call_.size), what, {ready_}));
  }

  const Call& call_;
  Schedule& schedule_;
  Lane sends_, recvs_;
  std::vector<StepId> sent_;  // the last step that sent each piece
  StepId ready_ = kNoStep;    // made the piece that is sent next
};

}  // namespace

void allreduce_ring(const Call& call, Schedule& schedule) {
  if (call.size == 1) {
    if (!call.in_place) schedule.copy(contribution(call), result(call));
    return;
  }
  Ring ring(call, schedule);
  ring.reduce_pieces();
  ring.collect_pieces();
}

}  // namespace tessera::coll::basic
