// SPDX-License-Identifier: BSD-3-Clause
// Detection of collective calls that do not match (parameter coll_check): Check, Checks.
#pragma once
//
// Contract. The processes of a communicator form a ring; each tells the next one what it calls, and
// compares what the previous one tells with its own calls: all are equal if all neighbours are.
// Nobody waits for this. Records leave in batches: when kBatch are together, when the process has
// been waiting for some milliseconds inside MPI, and when it ends its use of the communicator
// (MPI_Comm_free, MPI_Finalize), which is told as well. So a mismatch that makes ranks wait is told
// while they wait, and any other one some calls later, at the end at the latest.
//
// A mismatch is written to standard error. Then the job is aborted, unless the communicator's error
// handler says otherwise: then the call in progress returns the failure, or the next one. A call
// that others do not take part in cannot be left, for its buffers are promised to messages: when it
// has gone on for kPatience after the mismatch was found, the job is aborted as well. A call that
// fails for another reason (a truncated message) waits for kPatience, so that the cause is told
// first.
//
// Messages have a tag of their own on the collective context. A Check is opened with the Table of a
// communicator and closed with it; it lives on among the Checks until the previous process has
// ended as well.
//
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/coll/check_record.h"
#include "tessera/pml.h"

namespace tessera {
class AdaptiveProgress;
class Comm;
class Boot;
}  // namespace tessera

namespace tessera::coll {

class Checks;

class Check {
 public:
  // What an operation that was put off is told.
  using Conclude = void (*)(void* operation, Status outcome) noexcept;

  Check(Checks& all, Comm& comm);
  ~Check();
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  // Before a call begins. A failure means that it must not.
  Status enter(const Statement& mine) noexcept;
  // Between these two a call may wait for others.
  void begin() noexcept { ++running_; }
  void end() noexcept { --running_; }
  // After a blocking call: what it shall return.
  Status leave(Status outcome) noexcept {
    return outcome.ok() && !failed_ ? outcome : explain(outcome);
  }
  // An operation with a request has failed with `outcome`: `conclude` is called once it is known
  // whether a mismatch is the cause, or kPatience has passed.
  void postpone(Conclude conclude, void* operation, Status outcome) noexcept;

 private:
  friend class Checks;
  static constexpr std::uint32_t kBatch = 64;
  enum class End : std::uint32_t { no, yes, unknown };  // unknown: the sender has stopped to look
  // What travels: the first `count` records, and whether they are the last.
  struct Batch {
    std::uint32_t count = 0;
    End end = End::no;
    std::array<Record, kBatch> records;
  };
  struct Outgoing {
    bool busy = false;
    Batch batch;
  };
  struct Neighbour {
    Peer* peer = nullptr;
    int number = 0;  // as source of messages on this communicator
    int rank = 0;    // in its group
    Seam seam = Seam::intra;
  };
  struct Postponed {
    Conclude conclude;
    void* operation;
    Status outcome;
    std::uint64_t until_ns;
  };

  void find_neighbours(const Comm& comm);
  static Neighbour at_place(const Comm& comm, int place, bool local_first) noexcept;
  void listen() noexcept;
  static void arrived(Request& request, void* self) noexcept;
  void take(const MessageStatus& message) noexcept;
  void hear(const Record& theirs);
  void hear_end() noexcept;
  void note(const Statement& mine);
  void settle(const Record& theirs, const Statement& mine) noexcept;

  void flush(End end = End::no) noexcept;
  bool sending() const noexcept;
  static void sent(Request& request, void* outgoing) noexcept;
  Outgoing& free_outgoing();
  void close() noexcept;
  bool over() const noexcept;

  void mismatch(Difference difference, const Record* theirs, const Statement* mine) noexcept;
  std::string describe(Difference difference, const Record* theirs, const Statement* mine) const;
  bool fatal() const noexcept;
  Status explain(Status outcome) noexcept;
  Status verdict() noexcept;
  void watch() noexcept;
  bool tick(std::uint64_t now_ns) noexcept;
  void tick_batch(std::uint64_t now_ns) noexcept;
  void tick_postponed(std::uint64_t now_ns) noexcept;
  std::string title() const;
  std::string name_of(const Neighbour& who) const;
  int number_for(const Neighbour& other) const noexcept;

  Checks& all_;
  Comm* comm_;  // null once closed
  ContextId context_;
  std::string name_;   // once closed
  bool fatal_ = true;  // likewise
  Neighbour previous_, next_, self_;

  std::deque<Statement> mine_;  // calls of which the previous process has not told yet
  std::deque<Record> theirs_;   // or the other way round
  std::uint64_t compared_ = 0;  // calls
  Batch incoming_;
  Request* receiving_ = nullptr;
  bool ended_ = false;  // the previous process, or it cannot be heard any more

  std::vector<std::unique_ptr<Outgoing>> outgoing_;
  Outgoing* filling_;
  std::uint64_t flushes_ = 0;
  std::uint64_t flushes_seen_ = ~std::uint64_t{0};  // when a tick last looked, at seen_ns_
  std::uint64_t seen_ns_ = 0;

  bool silent_ = false;  // a mismatch was told, or memory ran out: what follows means nothing
  bool failed_ = false;  // a mismatch was found that no call has returned yet
  int running_ = 0;      // calls
  bool watched_ = false;
  Errc failure_ = Errc::ok;
  std::string text_;
  std::uint64_t failed_ns_ = 0;
  std::vector<Postponed> postponed_;
};

// All of one process.
class Checks final : public Poller {
 public:
  // `job` may be null (ranks of a unit test).
  Checks(pml::Module& pml, AdaptiveProgress& progress, Boot& boot);
  ~Checks();
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;

  // Null where there is nobody to compare with, or no memory.
  Check* open(Comm& comm) noexcept;
  void close(Check& check) noexcept;
  // Sends what there is to say.
  void flush() noexcept;
  // All communicators are at their end; `world` is told of even if it never had a collective call.
  void finish(Comm& world) noexcept;
  // After all processes have finished: waits, for a limited time, for what the others say last.
  void hear_out() noexcept;

  int poll() noexcept override;

 private:
  friend class Check;
  void sweep() noexcept;
  bool ending() const noexcept;  // another process has ended the job, and said why
  [[noreturn]] void abort() noexcept;

  pml::Module& pml_;
  AdaptiveProgress& progress_;
  Boot& boot_;
  std::vector<std::unique_ptr<Check>> all_;
  std::size_t closed_ = 0;  // of these, since the last sweep
  std::size_t sweep_at_ =
      0;  // closed ones: in proportion to those that the last sweep had to leave
  std::vector<Check*> watched_;  // those that a tick may concern
  std::uint32_t polls_ = 0;
  bool ticking_ = false;
  bool finished_ = false;
};

}  // namespace tessera::coll
