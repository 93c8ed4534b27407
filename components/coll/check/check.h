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

#include "record.h"
#include "tessera/kept_status.h"
#include "tessera/pml.h"
#include "text.h"

namespace tessera::coll::check {

class Checks;

class Check final : public Guard {
 public:
  Check(Checks& all, Communicator& comm);
  ~Check();
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  Status enter(const Call& call, CallForm form) noexcept override;
  Status enter(Making making, CallForm form) noexcept override;
  void begin() noexcept override { ++running_; }
  void end() noexcept override { --running_; }
  Status leave(Status outcome) noexcept override {
    return outcome.ok() && !failed_ ? outcome : explain(outcome);
  }
  // Concludes once it is known whether a mismatch is the cause, or kPatience has passed.
  void postpone(Conclude conclude, void* operation, Status outcome) noexcept override;

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
    Relation relation = Relation::intra;
  };
  struct Postponed {
    Conclude conclude;
    void* operation;
    KeptStatus outcome;  // another thread may report it
    std::uint64_t until_ns;
  };

  Status enter(const Statement& mine) noexcept;
  void find_neighbours(const Communicator& comm);
  static Neighbour at_place(const Communicator& comm, int place, bool local_first) noexcept;
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
  Text describe(Difference difference, const Record* theirs, const Statement* mine) const;
  void tell(const Text& text) const noexcept;
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
  Communicator* comm_;  // null once closed
  pml::Module& pml_;
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
  Text text_;
  std::uint64_t failed_ns_ = 0;
  std::vector<Postponed> postponed_;
};

// All of one process.
class Checks final : public Interposer, private Poller {
 public:
  Checks() = default;
  ~Checks() override;
  Checks(const Checks&) = delete;
  Checks& operator=(const Checks&) = delete;

  Status open(const Host& host, const Services& services) noexcept override;
  // Null where there is nobody to compare with, or no memory.
  Guard* guard(Communicator& comm) noexcept override;
  void forget(Guard& guard) noexcept override;
  // Sends what there is to say.
  void flush() noexcept override;
  // All communicators are at their end; `world` is told of even if it never had a collective call.
  void finish(Communicator& world) noexcept override;
  // Waits, for a limited time, for what the others say last.
  void hear_out() noexcept override;

 private:
  friend class Check;
  int poll() noexcept override;
  void sweep() noexcept;

  const Services* services_ = nullptr;
  Progress* progress_ = nullptr;
  std::vector<std::unique_ptr<Check>> all_;
  std::size_t closed_ = 0;  // of these, since the last sweep
  std::size_t sweep_at_ =
      0;  // closed ones: in proportion to those that the last sweep had to leave
  std::vector<Check*> watched_;  // those that a tick may concern
  std::uint32_t polls_ = 0;
  bool ticking_ = false;
  bool finished_ = false;
};

}  // namespace tessera::coll::check
