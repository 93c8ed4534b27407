// SPDX-License-Identifier: BSD-3-Clause
// Allgather(v) for any number of processes in ceil(log_k p) rounds with `radix` - 1 = k - 1
// partners each: blocks are collected in the order of ranks from the own one on, packed, and turned
// round at the end. Cost for blocks of n bytes: ceil(log_k p) latency + n (p - 1) / bandwidth + one
// copy of everything. Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for
// all-to-all communications in multiport message-passing systems", IEEE TPDS 8(11), 1997.
#include <algorithm>
#include <vector>

#include "algorithms.h"
#include "blocks.h"

namespace tessera::coll::basic {

namespace {

// Position i of the packed blocks is that of rank + i. What partners hold begins at their own
// block.
class Bruck {
 public:
  Bruck(const Call& call, Schedule& schedule) : call_(call), schedule_(schedule) {
    begin_.reserve(static_cast<std::size_t>(call.size) + 1);
    begin_.push_back(0);
    for (int i = 0; i < call.size; ++i) begin_.push_back(begin_.back() + target(i).bytes());
    packed_ = schedule.scratch(begin_.back(), nullptr);
  }

  void run(int radix) noexcept {
    held_ = schedule_.copy(own_block(call_), positions(0, 1));
    for (int distance = 1; distance < call_.size; distance = times(distance, radix))
      collect(distance, radix);
    call_.receive.counts ? place_each() : place_runs();
  }

 private:
  Buffer target(int position) const noexcept {
    return block(call_, Space::receive, modulo(call_.rank + position, call_.size));
  }
  Buffer positions(int first, int number) const noexcept {
    const Count begin = begin_[static_cast<std::size_t>(first)];
    return packed_.part(begin, begin_[static_cast<std::size_t>(first + number)] - begin);
  }
  int times(int distance, int radix) const noexcept {
    return distance <= call_.size / radix ? distance * radix : call_.size;
  }

  void collect(int distance, int radix) noexcept {
    const StepId collected = join(schedule_, {held_});
    for (int way = distance; way < call_.size && way / distance < radix; way += distance) {
      const int number = std::min(distance, call_.size - way);
      schedule_.send(modulo(call_.rank - way, call_.size), positions(0, number), {held_});
      const StepId got =
          schedule_.recv(modulo(call_.rank + way, call_.size), positions(way, number));
      schedule_.order(got, collected);
    }
    held_ = collected;
  }

  // Blocks of one size lie side by side: two runs.
  void place_runs() noexcept {
    const Count elements = call_.receive.count;
    const int to_end = call_.size - call_.rank;
    const Buffer all{Space::receive, 0, call_.size * elements, call_.receive.type};
    schedule_.copy(positions(0, to_end), all.part(call_.rank * elements, to_end * elements),
                   {held_});
    if (call_.rank > 0)
      schedule_.copy(positions(to_end, call_.rank), all.part(0, call_.rank * elements), {held_});
  }
  void place_each() noexcept {
    for (int i = call_.in_place ? 1 : 0; i < call_.size; ++i)
      if (target(i).bytes() > 0) schedule_.copy(positions(i, 1), target(i), {held_});
  }

  const Call& call_;
  Schedule& schedule_;
  std::vector<Count> begin_;  // of each position, in bytes
  Buffer packed_;
  StepId held_ = kNoStep;
};

}  // namespace

static void allgather_bruck(const Call& call, const Tuning& tuning, Schedule& schedule) {
  Bruck(call, schedule).run(std::max(2, std::min(tuning.radix, std::max(2, call.size))));
}

const Algorithm registered_allgather_bruck{
    Operation::allgather, "bruck", allgather_bruck, kAlways, {.radix = 2}};
const Algorithm registered_allgatherv_bruck{
    Operation::allgatherv, "bruck", allgather_bruck, kAlways, {.radix = 2}};

}  // namespace tessera::coll::basic
