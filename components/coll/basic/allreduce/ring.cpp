// SPDX-License-Identifier: BSD-3-Clause
// Allreduce around a ring: p - 1 rounds in which each process passes a partly reduced piece on,
// then p - 1 rounds in which the finished pieces go round. For operations that commute.
// segmented_ring passes a piece on in segments, so that one is reduced while the next arrives. Cost
// for n bytes: 2 (p - 1) (latency + n / p / bandwidth) + n (p - 1) / p / reduction speed: least
// data moved for any p. Source: Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for
// clusters of workstations", JPDC 69(2), 2009.
#include <algorithm>
#include <vector>

#include "algorithms.h"
#include "segments.h"

namespace tessera::coll::basic {

namespace {

class Ring {
 public:
  // Pieces travel in segments of about `segment` bytes.
  Ring(const Call& call, Count segment, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        segments_(output(0).count, output(0).bytes(), segment),
        sends_(schedule),
        recvs_(schedule),
        sent_(static_cast<std::size_t>(call.size) * number(), kNoStep),
        ready_(number(), kNoStep) {}

  // In round i, piece rank - i leaves with what was added so far, and piece rank - i - 1 arrives.
  // The sender's partial result lands in the receive buffer, or, if that holds the own
  // contribution, in scratch memory.
  void reduce_pieces() {
    const Buffer landing[2] = {spare(), spare()};
    std::vector<StepId> landing_free[2] = {ready_, ready_};
    for (int i = 0; i + 1 < call_.size; ++i) {
      for (int s = 0; s < segments_.number(); ++s) {
        pass_on(i, s, i == 0 ? mine(call_.rank, s) : output(piece_at(i), s));
        const Buffer target = output(piece_at(i + 1), s);
        if (call_.in_place) {
          const Buffer theirs = landing[i % 2].part(segments_.begin(s), target.count);
          const StepId got =
              recvs_(schedule_.recv(left(), theirs, {landing_free[i % 2][index(s)]}));
          landing_free[i % 2][index(s)] = ready_[index(s)] =
              schedule_.reduce(theirs, target, {got});
        } else {
          const StepId got = recvs_(schedule_.recv(left(), target));
          ready_[index(s)] = schedule_.reduce(mine(piece_at(i + 1), s), target, {got});
        }
      }
    }
  }

  // Piece rank + 1 is finished here and goes round; arriving pieces overwrite partial results once
  // those have left.
  void collect_pieces() {
    for (int i = 0; i + 1 < call_.size; ++i) {
      for (int s = 0; s < segments_.number(); ++s) {
        pass_on(i - 1, s, output(piece_at(i - 1), s));
        ready_[index(s)] =
            recvs_(schedule_.recv(left(), output(piece_at(i), s), {sent(piece_at(i), s)}));
      }
    }
  }

 private:
  static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
  std::size_t number() const noexcept { return index(segments_.number()); }
  StepId& sent(int i, int s) noexcept { return sent_[index(i) * number() + index(s)]; }
  int left() const noexcept { return modulo(call_.rank - 1, call_.size); }
  int piece_at(int round) const noexcept { return modulo(call_.rank - round, call_.size); }
  Buffer output(int i) const noexcept { return piece(result(call_), call_.size, i); }
  Buffer output(int i, int s) const noexcept { return segment(output(i), s); }
  Buffer mine(int i, int s) const noexcept {
    return segment(piece(contribution(call_), call_.size, i), s);
  }
  // The first piece is a longest one; of a shorter one, its last segment may lack an element.
  Buffer segment(const Buffer& piece, int s) const noexcept {
    const Count begin = std::min(segments_.begin(s), piece.count);
    return piece.part(begin, std::min(segments_.end(s), piece.count) - begin);
  }
  Buffer spare() noexcept {
    return call_.in_place ? schedule_.scratch(output(0).count, call_.receive.type) : Buffer{};
  }
  void pass_on(int round, int s, const Buffer& what) {
    sent(piece_at(round), s) =
        sends_(schedule_.send(modulo(call_.rank + 1, call_.size), what, {ready_[index(s)]}));
  }

  const Call& call_;
  Schedule& schedule_;
  Segments segments_;  // of the first piece
  OrderedChain sends_, recvs_;
  std::vector<StepId> sent_;   // the last step that sent each segment of each piece
  std::vector<StepId> ready_;  // made each segment of the piece that is sent next
};

void go_round(const Call& call, Count segment, Schedule& schedule) {
  if (call.size == 1) {
    if (!call.in_place) schedule.copy(contribution(call), result(call));
    return;
  }
  Ring ring(call, segment, schedule);
  ring.reduce_pieces();
  ring.collect_pieces();
}

}  // namespace

static void allreduce_ring(const Call& call, Schedule& schedule) {
  go_round(call, kOneSegment, schedule);
}

static void allreduce_segmented_ring(const Call& call, const Tuning& tuning, Schedule& schedule) {
  go_round(call, tuning.segment, schedule);
}

const Algorithm registered_allreduce_ring{Operation::allreduce, "ring", allreduce_ring, kCommutes};
const Algorithm registered_allreduce_segmented_ring{Operation::allreduce,
                                                    "segmented_ring",
                                                    allreduce_segmented_ring,
                                                    kCommutes,
                                                    {.segment = 64 * 1024}};

}  // namespace tessera::coll::basic
