// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking calls that go through rounds of the shared segment: NonblockingCalls.
#pragma once
//
// Contract. Such a call takes its rounds when it starts, shows in each a part of what this process
// has for others, and is done when the chunks that it needs have been read: often at once. start()
// never waits: where there is no room for a chunk, it is shown once there is. Calls under way are
// carried on in the engine's progress, and other calls on the communicator go on meanwhile, in
// later rounds; of the rounds of calls that are not done this process leaves those that it has
// read, up to the first one that it has not, and no later round.
//
#include <algorithm>
#include <memory>

#include "operations.h"
#include "plan.h"

namespace tessera::coll::sm {

// Whether a call may go through rounds: one, or several if they are better than messages. The same
// on all processes; known before there is a plan, which may ask for figures of the machine.
bool fits_rounds(const SharedSegment& segment, const Call& call) noexcept;
// Whether a plan for such a call takes those rounds, in which no process computes for others.
bool takes_rounds(const SharedSegment& segment, const Plan& plan, const Call& call) noexcept;

class NonblockingCalls final : public Poller {
 public:
  // The bytes of a block that go in one of the rounds of a call.
  struct Part {
    std::size_t position, bytes;
  };

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
    std::uint64_t mark;  // of the call
    std::size_t bytes;   // of a block, or of the vector
    std::size_t most;    // of these in a round
    Round first, last;
    Round to_show;  // the first round in which this process may have something to show
    Round to_read;  // likewise to read; behind the last one if it needs nothing
    int next;       // the first rank whose chunk of to_read may not be there
    bool waited;    // a turn has been kept for it
    Status outcome;
    std::unique_ptr<UnderWay> behind;

    Part part(Round round) const noexcept {
      const std::size_t position = (round - first) * most;
      return {position, std::min(most, bytes - position)};
    }
    bool shown() const noexcept { return to_show > last; }
    bool done_with_all() const noexcept { return shown() && to_read > last; }
    bool of_many_rounds() const noexcept { return last != first; }
  };

  [[gnu::hot]] bool advance(UnderWay& one) noexcept;
  [[gnu::hot]] bool show_next(UnderWay& one) noexcept;
  [[gnu::hot]] bool read_next(UnderWay& one) noexcept;
  [[gnu::hot]] bool arrived(UnderWay& one) const noexcept;
  std::unique_ptr<UnderWay>* find_done() noexcept;
  bool keep_turn(UnderWay& one) noexcept;
  void take_out(std::unique_ptr<UnderWay>& place) noexcept;
  void leave_what_is_read() noexcept;
  bool unshown() const noexcept { return last_ != nullptr && !last_->shown(); }

  SharedSegment& segment_;
  Communicator& comm_;
  std::unique_ptr<UnderWay> first_;  // in the order of their rounds
  UnderWay* last_ = nullptr;
  std::unique_ptr<UnderWay> spare_;
  bool expects_ring_ = false;
  bool moved_ = false;  // a call of several rounds went on that others may wait for
};

}  // namespace tessera::coll::sm
