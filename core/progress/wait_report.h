// SPDX-License-Identifier: BSD-3-Clause
// What a rank that waits says about its wait when mpiexec asks: WaitReport.
#pragma once
//
// Contract. The reports of a node's ranks lie in one shared region of the job segment, which exists
// from the first question on. A rank writes its own one, then sets WaitQuestion::answered; mpiexec
// reads it afterwards, and asks no further question before it has. Ranks are numbered as in the
// job. Entries without room are counted and `whole` is 0: then the wait is not judged. A reader
// trusts no number in it: the program may have written anywhere.
//
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/job/segment.h"

namespace tessera {

inline constexpr std::int32_t kNoRank = -1;     // any rank, or one of another job
inline constexpr std::int32_t kEveryRank = -2;  // of a window

// One thing that a call waits for.
struct ReportedWait {
  // partitions: those of a partitioned send, which the other process has not all marked; marks: the
  // process's own MPI_Pready. others: any call of any other process of the communicator may be what
  // is missing. On a window, which `comm` describes: the lock of the peer's memory; its
  // MPI_Win_post; its MPI_Win_complete; that all have come to the same call; its answer, which
  // needs no call.
  enum class Kind : std::uint32_t {
    receive,
    probe,
    send,
    partitions,
    marks,
    collective,
    others,
    unknown,
    exclusive_lock,
    shared_lock,
    post,
    completion,
    arrival,
    answer
  };
  Kind kind;
  std::int32_t peer;      // rank in the communicator, or kAnySource
  std::int32_t rank;      // the same process in the job
  std::int32_t tag;       // or kAnyTag
  std::int32_t root;      // of a collective operation
  std::int32_t comm;      // index of its ReportedComm, or -1
  std::uint32_t matched;  // it ends without a call of another process
  std::uint32_t nonblocking;
  std::uint32_t thread;  // 0: of the one that reports; else of further_thread[thread - 1]
  std::uint64_t bytes;
  std::uint64_t number;  // of a collective operation on its communicator
  char operation[24];    // likewise: its name
};

// A message on its way: sent and not yet received, or here and not asked for; or a receive for
// which none has come.
struct ReportedMessage {
  std::int32_t source;  // rank in the communicator, or kAnySource
  std::int32_t rank;    // the other process in the job
  std::int32_t tag;     // or kAnyTag
  std::uint32_t matched;
  std::uint64_t context;
  std::uint64_t bytes;  // or room for so many
};

// What a process has of a window, and others may wait for: the lock of the memory of `rank`, or an
// epoch for which `rank` has posted, and which is not completed.
struct ReportedHold {
  enum class Kind : std::uint32_t { exclusive_lock, shared_lock, exposure };
  Kind kind;
  std::int32_t rank;     // in the job, or kEveryRank
  std::uint64_t window;  // its ReportedComm::context
};

struct ReportedComm {
  struct Run {
    std::uint32_t first, count, step;  // ranks of the job
  };
  static constexpr std::size_t kRuns = 16;
  std::uint64_t context;
  char name[48];
  std::uint64_t calls;        // of collective operations so far
  std::uint32_t processes;    // of both groups
  std::uint32_t runs;         // of these, the members
  std::uint32_t all_members;  // nonzero: the runs name them all, and all are of this job
  Run run[kRuns];
  std::uint32_t flavor;  // nonzero: of a window, whose name this is (osc::Flavor)
};

// A further thread of the process that waits in a call.
struct ReportedThread {
  std::int32_t id;    // as the kernel numbers it
  std::uint32_t any;  // one of its waits is enough
  char function[32];
};

struct WaitReport {
  static constexpr std::size_t kThreads = 32;
  static constexpr std::size_t kWaits = 64;
  static constexpr std::size_t kMessages = 48;
  static constexpr std::size_t kComms = 8;
  static constexpr std::size_t kPlaces = 1536;
  static constexpr std::size_t kHolds = 64;
  static constexpr std::size_t kInventory = 2048;
  static constexpr std::size_t kSent = 2048;

  char function[32];
  std::int64_t since_ns;     // CLOCK_MONOTONIC
  std::uint64_t standstill;  // AdaptiveProgress::standstills()
  std::uint32_t any;         // one of the waits is enough
  std::uint32_t threads;     // nonzero: several threads may call MPI
  std::int32_t thread;       // that reports, as the kernel numbers it
  std::int32_t agent;        // the thread of the progress agent, or 0
  std::uint32_t whole;
  std::uint32_t further, waits, sends, unexpected, comms;
  std::uint32_t sends_in_all, unexpected_in_all;
  // Beside what the call waits for, and those of collective operations.
  std::uint32_t receives, receives_in_all;
  ReportedThread further_thread[kThreads];
  ReportedWait wait[kWaits];
  ReportedMessage send[kMessages];
  ReportedMessage arrived[kMessages];
  ReportedMessage receive[kMessages];
  ReportedComm comm[kComms];
  std::uint32_t holds;  // as many as fit: others may hold what is not among them
  ReportedHold hold[kHolds];
  // The callers, innermost first: lines of file, offset in it, and nearest symbol, between tabs.
  char places[kPlaces];
  // For people: a line for each thing that the process has open; those for which there is no room
  // are counted in the last one.
  char inventory[kInventory];
  // With mpiexec --check, from where the program has sent, the latest first: lines of rank in the
  // job, tag, context, and a place like those above, between tabs.
  char sent[kSent];
};

inline constexpr const char* kWaitReportsName = "core.wait_reports";

// The reports of all ranks of the node, by local number; made on first use. Each writer commits its
// own. Failures as of JobSegment::region.
Result<std::span<WaitReport>> wait_reports(JobSegment& segment) noexcept;

}  // namespace tessera
