// SPDX-License-Identifier: BSD-3-Clause
// Runs one schedule over a communicator's point-to-point layer: Execution.
#pragma once
//
// Contract. The owner keeps schedule, scratch memory and Execution in place until done(). Each
// activation is prepare(), then run() (blocking: makes progress until done) or start() (returns;
// continuations of the messages carry it on, and `when_done` is called once, as the last thing).
// Nothing is allocated per step; more steps than an inline schedule has take one block at the first
// prepare(). After a failure the remaining steps still run (coll.h): messages of a wrong length, no
// reductions. But when a process of the communicator dies, the run ends as soon as the messages
// under way are complete or cancelled: who waits for a survivor that has given up would wait for
// ever.
//
#include <optional>

#include "tessera/coll.h"
#include "tessera/kept_status.h"
#include "tessera/pml.h"

namespace tessera::coll {

class Execution {
 public:
  using WhenDone = void (*)(void* owner) noexcept;

  Execution(const Call& call, const Schedule& schedule, int tag) noexcept;
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution();

  Status prepare(std::byte* scratch) noexcept;
  Status run() noexcept;
  void start(WhenDone when_done, void* owner) noexcept;

  bool done() const noexcept { return open_ == 0; }
  // With its text, whichever thread has found the failure.
  Status status() const noexcept { return status_.get(); }

 private:
  // The state of one step, and what its message's continuation is given.
  struct Slot {
    Execution* execution;
    Request* message;  // under way
    StepId
        ready;  // ready_[i]: the i-th step that became ready (unrelated to the step of this slot)
    std::uint32_t predecessors;
  };

  std::byte* address(const Buffer& buffer) const noexcept;
  pml::SendArgs send_args(const Step& step) const noexcept;
  pml::RecvArgs recv_args(const Step& step) const noexcept;

  void push_ready(StepId id) noexcept { slots_[tail_++].ready = id; }
  void release(const Step& step, bool issued) noexcept;
  void issue_ready() noexcept;
  void issue(StepId id) noexcept;
  static constexpr Count kLong = 4096;  // bytes; measured: docs/decisions/0065
  int place_of(const Step& step) const noexcept;
  void compute(const Step& step) noexcept;
  void communicate(StepId id, const Step& step) noexcept;
  void follow(StepId id, const Step& step, Result<Request*> request) noexcept;
  bool alone(const Step& step) const noexcept;
  void communicate_blocking(const Step& step) noexcept;
  void settle(const Step& step, const MessageStatus& message) noexcept;
  void done(const Step& step) noexcept;
  void fail(Status why) noexcept;
  // A nonblocking run where survivors go on: looks for deaths in each round of progress.
  struct Watch final : Poller {
    explicit Watch(Execution& watched) noexcept : execution(watched) {}
    int poll() noexcept override { return execution.give_up_if_lost(); }
    Execution& execution;
  };

  void cancel_messages() noexcept;
  Status give_up() noexcept;
  int give_up_if_lost() noexcept;
  void conclude() noexcept;
  Status outcome() noexcept;
  void look_for_dead() noexcept;
  static void arrived(Request& request, void* slot) noexcept;

  const Schedule& schedule_;
  Communicator& comm_;
  const Op* op_;
  std::byte* spaces_[3];
  int tag_;
  bool blocking_ = false;
  bool patient_ = true;  // a blocking message need not be given up when another process dies
  bool issuing_ = false;
  bool given_up_ = false;        // no further step begins
  std::uint32_t open_ = 0;       // steps not done
  std::uint32_t in_flight_ = 0;  // messages not complete
  std::uint32_t head_ =
      0;  // the ready queue is slots_[head_ .. tail_).ready; each step enters it once
  std::uint32_t tail_ = 0;
  std::uint32_t sends_from_ = 0;  // the place of the first long send that is ready at the start
  KeptStatus status_;
  WhenDone when_done_ = nullptr;
  void* owner_ = nullptr;
  std::optional<Watch> watch_;
  Slot* slots_ = reinterpret_cast<Slot*>(inline_slots_);
  alignas(Slot) std::byte inline_slots_[Schedule::kInline * sizeof(Slot)];
};

}  // namespace tessera::coll
