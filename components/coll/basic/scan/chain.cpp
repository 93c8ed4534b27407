// SPDX-License-Identifier: BSD-3-Clause
// Prefix reductions along a chain, in segments: a process adds its contribution to one segment and
// passes it on while the next one arrives. Keeps the order of ranks. Cost for n bytes in s
// segments: (p - 2 + s) (latency + n / s / bandwidth + n / s / reduction speed); every process
// sends the data once.
#include "algorithms.h"
#include "segments.h"

namespace tessera::coll::basic {

namespace {

class Chain {
 public:
  Chain(const Call& call, Count segment, Schedule& schedule) noexcept
      : call_(call),
        schedule_(schedule),
        segments_(call.receive.count, result(call).bytes(), segment),
        from_left_(schedule),
        to_right_(schedule) {}

  void scan() noexcept {
    const Buffer landing = call_.rank > 0 ? spare() : Buffer{};
    StepId landing_free = kNoStep;
    for (int i = 0; i < segments_.number(); ++i) {
      const Buffer goal = part(result(call_), i);
      StepId ready = call_.in_place ? kNoStep : schedule_.copy(part(contribution(call_), i), goal);
      if (call_.rank > 0) {
        const Buffer before = landing.part(0, goal.count);
        const StepId got = receive(before, landing_free);
        ready = landing_free = schedule_.reduce(before, goal, {got, ready});
      }
      if (!last()) pass_on(goal, ready);
    }
  }

  // What comes is the result; what goes is that and the own contribution, made in scratch memory.
  void exscan() noexcept {
    const Buffer through = call_.rank > 0 && !last() ? spare() : Buffer{};
    StepId sent = kNoStep;
    for (int i = 0; i < segments_.number(); ++i) {
      const Buffer own = part(contribution(call_), i);
      const Buffer sum = through.part(0, own.count);
      if (call_.rank == 0) {
        if (!last()) pass_on(own, kNoStep);
      } else if (last()) {
        receive(part(result(call_), i), kNoStep);
      } else {
        const StepId saved = schedule_.copy(own, sum, {sent});
        const StepId got = receive(part(result(call_), i), call_.in_place ? saved : kNoStep);
        sent = pass_on(sum, schedule_.reduce(part(result(call_), i), sum, {got, saved}));
      }
    }
  }

 private:
  bool last() const noexcept { return call_.rank + 1 == call_.size; }
  Buffer part(const Buffer& data, int i) const noexcept {
    return data.part(segments_.begin(i), segments_.end(i) - segments_.begin(i));
  }
  Buffer spare() noexcept { return schedule_.scratch(segments_.longest(), call_.receive.type); }
  StepId receive(const Buffer& where, StepId after) noexcept {
    return from_left_(schedule_.recv(call_.rank - 1, where, {after}));
  }
  StepId pass_on(const Buffer& what, StepId after) noexcept {
    return to_right_(schedule_.send(call_.rank + 1, what, {after}));
  }

  const Call& call_;
  Schedule& schedule_;
  Segments segments_;
  OrderedChain from_left_, to_right_;
};

}  // namespace

static void scan_chain(const Call& call, const Tuning& tuning, Schedule& schedule) {
  Chain(call, tuning.segment, schedule).scan();
}

static void exscan_chain(const Call& call, const Tuning& tuning, Schedule& schedule) {
  Chain(call, tuning.segment, schedule).exscan();
}

const Algorithm registered_scan_chain{
    Operation::scan, "chain", scan_chain, kAlways, {.segment = 32 * 1024}};
const Algorithm registered_exscan_chain{
    Operation::exscan, "chain", exscan_chain, kAlways, {.segment = 32 * 1024}};

}  // namespace tessera::coll::basic
