// SPDX-License-Identifier: BSD-3-Clause
// Who waits for whom, and who therefore waits for ever: RankWait, WaitGraph.
#pragma once
//
// Contract. Pure functions of what the ranks have reported; nothing here looks at a process or at a
// clock. A rank is stuck if every way on leads to ranks that are stuck, too, or gone: a wait for
// all of several things is stuck with any of them, a wait for one of several with all of them. A
// rank that works, stands still, or did not answer is active, and so is all that it may come to
// serve. A rank with several threads is stuck when all of them are. A lock is waited for as long as
// one that excludes it is held: a holder that is stuck is enough. When in doubt a wait may be
// served by every process of its communicator, or of the job. So the set of stuck ranks is never
// too large, provided that each has looked at what arrived before it reported.
//
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/progress/wait_report.h"

namespace tessera::launcher {

struct KnownComm {
  std::uint64_t context = 0;
  std::string name;
  std::uint64_t calls = 0;
  std::uint32_t processes = 0;
  bool all_members = false;            // `members` names them all
  std::vector<std::uint32_t> members;  // ranks of the job
  std::uint32_t flavor = 0;            // nonzero: of a window
};

// A further thread of a rank that waits in a call; its waits are among those of the rank.
struct ThreadWait {
  std::string function;
  bool any = false;
};

// From where a message was sent, with mpiexec --check.
struct SendPlace {
  std::int32_t rank = kNoRank;
  std::int32_t tag = 0;
  std::uint64_t context = 0;
  std::string caller;  // as in WaitReport::places
  std::string place;   // "heat.c:81 (exchange)", once it was looked up
};

struct RankWait {
  enum class State : std::uint8_t { active, waits, gone };
  State state = State::active;
  std::string standing;          // of a rank that is gone: "has ended"
  std::string function;          // empty: all its threads are outside MPI
  std::int64_t since_ns = 0;     // by the clock of its host
  std::uint64_t standstill = 0;  // WaitReport::standstill
  std::int64_t waited_ms = 0;
  bool any = false;
  std::vector<ReportedWait> waits;
  std::vector<ThreadWait> further;  // by ReportedWait::thread, from 1
  std::uint32_t outside = 0;  // threads that only a thread of the rank can wake (outside_threads.h)
  std::string switches;       // OutsideThreads::switches
  std::vector<ReportedMessage> sends;
  std::vector<ReportedMessage> arrived;
  std::vector<ReportedMessage> receives;  // posted, and not those of the wait; on its own host only
  std::uint32_t sends_in_all = 0, arrived_in_all = 0, receives_in_all = 0;  // likewise
  std::string inventory;  // WaitReport::inventory; likewise
  std::vector<ReportedHold> holds;
  std::vector<KnownComm> comms;
  std::vector<SendPlace> sent_from;  // the latest first
  std::string callers;               // WaitReport::places
  std::vector<std::string> places;   // of the callers, innermost first: "heat.c:81 (exchange)"

  // Whether one wait of a call is enough to end it.
  bool any_is_enough(std::size_t thread) const noexcept {
    return thread == 0 ? any : further[thread - 1].any;
  }
  bool finalizes() const noexcept { return function == "MPI_Finalize"; }
  // In a few words: "works", "has ended", "MPI_Recv", "outside MPI".
  std::string in_short() const;
  const KnownComm* comm_of(const ReportedWait& wait) const noexcept {
    const auto index = static_cast<std::size_t>(wait.comm);
    return wait.comm >= 0 && index < comms.size() ? &comms[index] : nullptr;
  }
  const KnownComm* comm_with(std::uint64_t context) const noexcept;
};

class WaitGraph {
 public:
  explicit WaitGraph(std::span<const RankWait> ranks);

  const RankWait& rank(std::uint32_t rank) const noexcept { return ranks_[rank]; }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(ranks_.size()); }
  bool is_stuck(std::uint32_t rank) const noexcept { return stuck_[rank]; }
  bool anybody_stuck() const noexcept;

  // Those that could end this wait of `rank`; ascending, each once. Empty: nobody can. Of a lock
  // that somebody is known to hold: all that are known.
  std::vector<std::uint32_t> servers(std::uint32_t rank, const ReportedWait& wait) const;
  // Whether nobody can end it any more.
  bool is_hopeless(std::uint32_t rank, const ReportedWait& wait) const;
  // For whom a stuck rank waits: the servers of its hopeless waits.
  std::vector<std::uint32_t> waits_for(std::uint32_t rank) const;

  // Those that say they hold what the wait, for a lock of a window, is kept off by; ascending.
  std::vector<std::uint32_t> holders(std::uint32_t rank, const ReportedWait& wait) const;
  // Whether the wait is over, as far as others say, though `rank` may not have seen it yet.
  bool is_over(std::uint32_t rank, const ReportedWait& wait) const;

  // Two waits in one collective call of one communicator.
  bool same_call(std::uint32_t one, const ReportedWait& first, std::uint32_t other,
                 const ReportedWait& second) const noexcept;

 private:
  bool must_go_on(std::uint32_t rank) const;
  bool goes_on(std::uint32_t rank, std::size_t thread) const;
  bool can_come(std::uint32_t rank, const ReportedWait& wait) const;
  std::vector<std::uint32_t> everybody_else(std::uint32_t rank, const KnownComm* comm) const;
  std::vector<std::uint32_t> missing_in(std::uint32_t rank, const ReportedWait& wait) const;
  bool is_where(std::uint32_t other, std::uint32_t rank, const ReportedWait& wait) const noexcept;
  bool takes_part(std::uint32_t other, std::uint32_t rank, const ReportedWait& wait) const noexcept;
  bool has_passed(std::uint32_t other, const KnownComm& comm,
                  const ReportedWait& wait) const noexcept;

  std::span<const RankWait> ranks_;
  std::vector<bool> stuck_;
};

}  // namespace tessera::launcher
