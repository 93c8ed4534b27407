// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking calls whose data fit one round of the shared segment: NonblockingCalls.
#pragma once
//
// Contract. Such a call takes its round when it starts, shows what this process has for others, and
// is done when the chunks that it needs are there: often at once. start() never waits: where there
// is no room for the chunk, it is shown once there is. Calls under way are carried on in the
// engine's progress, and other calls on the communicator go on meanwhile, in later rounds; this
// process leaves the round of a call that is not done only with that call, and so no later round.
//
#include <memory>

#include "operations.h"
#include "plan.h"

namespace tessera::coll::sm {

// Whether one round holds the data of a call, and is better than a message. The same on all
// processes; known before there is a plan, which may ask for figures of the machine.
bool fits_one_round(const SharedSegment& segment, const Call& call) noexcept;
// Whether a plan for such a call takes that round, in which no process computes for others.
bool takes_one_round(const SharedSegment& segment, const Plan& plan, const Call& call) noexcept;

class NonblockingCalls final : public Poller {
 public:
  NonblockingCalls(SharedSegment& segment, Communicator& comm) noexcept
      : segment_(segment), comm_(comm) {}
  NonblockingCalls(const NonblockingCalls&) = delete;
  NonblockingCalls& operator=(const NonblockingCalls&) = delete;
  ~NonblockingCalls();

  // After SharedSegment::begin_nonblocking(). A failure: no memory.
  [[gnu::hot]] Status start(const Call& call, Module::Done done, void* context) noexcept;
  static Status no_memory() noexcept {
    return Status::failure(Errc::no_memory, "no memory for a nonblocking collective call");
  }
  // Waits until all have shown their chunks: later rounds take room behind them.
  void show_all() noexcept;

  [[gnu::hot]] int poll() noexcept override;
  void before_sleep() noexcept override;

 private:
  struct UnderWay {
    Call call;
    Module::Done done;
    void* context;
    Round round;
    std::uint64_t mark;  // of the call
    bool shown;
    int next;  // the first rank whose chunk may not be there
    Status outcome;
    std::unique_ptr<UnderWay> behind;
  };

  [[gnu::hot]] bool advance(UnderWay& one) noexcept;
  [[gnu::hot]] bool show(UnderWay& one) noexcept;
  [[gnu::hot]] bool arrived(UnderWay& one) const noexcept;
  std::unique_ptr<UnderWay>* find_done() noexcept;
  void take_out(std::unique_ptr<UnderWay>& place) noexcept;
  bool unshown() const noexcept { return last_ != nullptr && !last_->shown; }

  SharedSegment& segment_;
  Communicator& comm_;
  std::unique_ptr<UnderWay> first_;  // in the order of their rounds
  UnderWay* last_ = nullptr;
  std::unique_ptr<UnderWay> spare_;
  bool expects_ring_ = false;
};

}  // namespace tessera::coll::sm
