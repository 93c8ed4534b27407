// SPDX-License-Identifier: BSD-3-Clause
// Alltoall of small blocks in ceil(log_k p) rounds with `radix` - 1 = k - 1 messages each: in round
// i, all blocks whose remaining way has a digit j at position i to the base k travel j k^i further.
// Cost for blocks of n bytes: ceil(log_k p) latency + n p log_k p (k - 1) / k / bandwidth, and
// every block is copied as often. Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient
// algorithms for all-to-all communications in multiport message-passing systems", IEEE TPDS 8(11),
// 1997.
#include <algorithm>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

class Bruck {
 public:
  Bruck(const Call& call, int radix, Schedule& schedule) noexcept
      : call_(call),
        schedule_(schedule),
        radix_(std::max(2, std::min(radix, call.size))),
        each_(block(call, Space::receive, 0).bytes()),
        way_(schedule.scratch(call.size * each_, nullptr)),
        out_(schedule.scratch(most_moving() * each_, nullptr)),
        in_(schedule.scratch(most_moving() * each_, nullptr)) {}

  void run() noexcept {
    sort_by_way();
    for (int distance = 1; distance < call_.size; distance = next(distance)) travel(distance);
    sort_by_origin();
  }

 private:
  // Position i of way_ holds the block that has i processes to go.
  void sort_by_way() noexcept {
    const Buffer all = whole_of(call_.in_place ? Space::receive : Space::send);
    const Count elements = all.count / call_.size;
    const int to_end = call_.size - call_.rank;
    round_ = join(schedule_);
    copy_run(all.part(call_.rank * elements, to_end * elements), way_.part(0, to_end * each_));
    if (call_.rank > 0)
      copy_run(all.part(0, call_.rank * elements), way_.part(to_end * each_, call_.rank * each_));
  }

  void travel(int distance) noexcept {
    const StepId over = join(schedule_, {round_});
    Count at = 0;
    for (int digit = 1; digit < radix_ && digit * distance < call_.size; ++digit)
      at += travel(distance, digit, at, over);
    round_ = over;
  }

  // Packed at `at` of out_ and in_. How many bytes.
  Count travel(int distance, int digit, Count at, StepId over) noexcept {
    const int way = digit * distance;
    const StepId packed = join(schedule_, {round_});
    const Count amount = each_run(distance, digit, at, [&](const Buffer& run, Count to) {
      schedule_.order(schedule_.copy(run, out_.part(to, run.count), {round_}), packed);
    });
    const StepId sent =
        schedule_.send(modulo(call_.rank + way, call_.size), out_.part(at, amount), {packed});
    const StepId got =
        schedule_.recv(modulo(call_.rank - way, call_.size), in_.part(at, amount), {round_});
    each_run(distance, digit, at, [&](const Buffer& run, Count from) {
      schedule_.order(schedule_.copy(in_.part(from, run.count), run, {got, packed}), over);
    });
    schedule_.order(sent, over);
    return amount;
  }

  // What has come i processes far is from rank - i.
  void sort_by_origin() noexcept {
    for (int i = 0; i < call_.size; ++i) {
      schedule_.copy(way_.part(i * each_, each_),
                     block(call_, Space::receive, modulo(call_.rank - i, call_.size)), {round_});
    }
  }

  Buffer whole_of(Space space) const noexcept {
    const Side& side = space == Space::send ? call_.send : call_.receive;
    return {space, 0, call_.size * side.count, side.type};
  }
  void copy_run(const Buffer& from, const Buffer& to) noexcept {
    schedule_.order(schedule_.copy(from, to), round_);
  }

  // Positions with this digit lie in runs of `distance` from digit * distance on.
  template <class Act>
  Count each_run(int distance, int digit, Count at, Act act) const noexcept {
    const Count start = at;
    for (Count first = Count{digit} * distance; first < call_.size;
         first += Count{radix_} * distance) {
      const Count length = std::min<Count>(distance, call_.size - first) * each_;
      act(way_.part(first * each_, length), at);
      at += length;
    }
    return at - start;
  }

  int next(int distance) const noexcept {
    return distance <= call_.size / radix_ ? distance * radix_ : call_.size;
  }
  // The most blocks that move in a round: those whose way does not have the digit 0 there.
  Count most_moving() const noexcept {
    Count most = 0;
    for (int distance = 1; distance < call_.size; distance = next(distance)) {
      const Count period = Count{radix_} * distance;
      const Count staying =
          call_.size / period * distance + std::min<Count>(distance, call_.size % period);
      most = std::max(most, call_.size - staying);
    }
    return most;
  }

  const Call& call_;
  Schedule& schedule_;
  int radix_;
  Count each_;  // bytes of a block
  Buffer way_, out_, in_;
  StepId round_ = kNoStep;  // everything before the current round is done
};

}  // namespace

static void alltoall_bruck(const Call& call, const Tuning& tuning, Schedule& schedule) {
  Bruck(call, tuning.radix, schedule).run();
}

const Algorithm registered_alltoall_bruck{
    Operation::alltoall, "bruck", alltoall_bruck, kAlways, {.radix = 2}};

}  // namespace tessera::coll::basic
