// SPDX-License-Identifier: BSD-3-Clause
// The memory object that the processes of one job on one node share: JobSegment, JobView.
#pragma once
//
// Contract. mpiexec makes one anonymous memory object (memfd: sparse, without a name in any
// directory), fills in what it knows, and every rank inherits the descriptor. The environment
// variable TESSERA_JOB tells its number and the rank. When the last process of the job has ended
// the kernel frees it, however the processes ended.
//
// Layout: one header page; the directory of shared regions; one page per rank; the read-only texts;
// then the regions, in the order in which they were first asked for. Everything is zero until
// somebody writes it.
//
// Who writes what: the header (but for the directory and the abort record), the texts, launched_pid
// and app_number are written by the creator before the first rank runs, and constant afterwards. A
// rank page belongs to its rank; others read its atomics, its cards after `published` was seen, and
// ring its bell.
//
// Several Instances in one process (ranks as threads, in unit tests) share one JobSegment object
// and so one mapping of each region. All functions may be called by several threads; none throws.
//
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/load_note.h"
#include "tessera/cpu.h"
#include "tessera/peer.h"
#include "tessera/status.h"

namespace tessera {

// How far a rank has come. `started`, `ended` and `failed` are set by mpiexec, the others by the
// rank. Nothing more is to be expected from a rank that has ended, or failed: died before
// MPI_Finalize in a job that goes on without it (mpiexec --enable-recovery).
enum class RankState : std::uint32_t {
  unstarted,
  started,
  initialised,
  finalizing,
  finalized,
  ended,
  failed
};
const char* name_of(RankState state) noexcept;

// What a rank is waiting for, for whoever explains a hang from outside. An empty function: it is
// not waiting.
struct Blocked {
  char function[32] = {};         // the MPI function, cut and terminated
  char communicator[48] = {};     // its name, likewise; empty: it has none
  std::int64_t since_ns = 0;      // CLOCK_MONOTONIC
  std::int64_t peer = -1;         // rank in the communicator, -1: any or all
  std::int64_t peer_in_job = -1;  // the same process's number in the job
  std::int64_t tag = -1;          // -1: any or none
  std::uint64_t processes = 0;    // in the communicator's local group; 0: no communicator
  std::uint64_t collective = 0;  // of a collective operation: which one on the communicator, from 1
  std::uint64_t bytes = 0;       // of the data, where there is a buffer
  std::uint64_t requests = 0;    // that are waited for, where there are several
};

// A Blocked that one thread writes and any process may read: a sequence lock, odd while it is being
// written. The words are stored with release and loaded with acquire order, so neither side needs a
// fence.
class BlockedSlot {
 public:
  void write(const Blocked& blocked) noexcept;
  void clear() noexcept { words_[0].store(0, std::memory_order_release); }
  // The last complete record; an empty one after `attempts` collisions with the writer.
  Blocked read(int attempts = 100) const noexcept;

 private:
  static constexpr std::size_t kWords = sizeof(Blocked) / sizeof(std::uint64_t);
  static_assert(sizeof(Blocked) % sizeof(std::uint64_t) == 0);
  std::atomic<std::uint64_t> sequence_;
  std::atomic<std::uint64_t> words_[kWords];
};

// How mpiexec asks a rank that waits to say more: it raises `asked` and rings; the rank looks
// before it sleeps, writes its WaitReport (wait_report.h) and sets `answered` to what it has read.
// A rank that is stopped, or is not in a blocking call, does not answer.
struct WaitQuestion {
  std::atomic<std::uint32_t> asked;
  std::atomic<std::uint32_t> answered;
  bool pending() const noexcept {
    return asked.load(std::memory_order_relaxed) != answered.load(std::memory_order_relaxed);
  }
};

inline constexpr std::size_t kRankPageBytes = 4096;
inline constexpr std::size_t kCardValueBytes = 2048;  // all values of one rank together
inline constexpr std::size_t kCardKeyBytes = 63;      // longest key

struct alignas(kRankPageBytes) RankPage {
  Doorbell bell;
  std::atomic<std::int32_t>
      launched_pid;  // the process mpiexec started: the program, or a script that starts it
  std::atomic<std::int32_t> pid;  // the MPI process, once it has claimed the page; 0 before
  std::atomic<RankState> state;
  std::atomic<std::uint32_t> published;  // nonzero: the cards are complete
  std::atomic<std::uint32_t> aborted;    // nonzero: MPI_Abort was called with abort_code
  std::atomic<std::int32_t> abort_code;
  std::atomic<std::int32_t> wait_status;  // of a rank that failed, as wait(2) gives it
  std::uint32_t app_number;  // which of the programs separated by ':' on the command line
  std::atomic<std::uint32_t> connected;  // processes of other jobs that this one is connected with
  alignas(kCacheLine) BlockedSlot blocked;
  alignas(
      kCacheLine) std::atomic<std::int32_t> cpu;  // where it was last seen waiting (cpu_spread.h)
  WaitQuestion question;
  alignas(kCacheLine)
      std::uint32_t card_used;  // bytes of `cards` in use, written by the owner before `published`
  std::uint32_t card_values;    // sum of the value sizes
  std::byte cards[3 * 1024];    // entries: two-byte key size, two-byte value size, key, value
  LoadNote loading;             // the component that the rank is opening
};
static_assert(sizeof(RankPage) == kRankPageBytes);

// The opaque texts that the creator hands to all ranks: parameters and catalog
// (Microkernel::snapshot), topology; and the ids of the ranks that have a page, as numbers of 4
// bytes: empty where that are all ranks of the job.
enum class JobText : std::uint32_t { snapshot, topology, ids };
inline constexpr std::size_t kJobTexts = 3;

// Where one node of a job stands among the others.
struct NodePlace {
  std::uint32_t job_size = 0;          // ranks of the job; 0: those of this node
  std::span<const std::uint32_t> ids;  // of this node's ranks, ascending; empty: all of the job
  std::uint32_t node = 0;
  std::uint32_t nodes = 1;
};

inline constexpr std::size_t kRegionNameBytes = 31;  // longest name of a shared region
inline constexpr std::size_t kRegions = 512;         // at a time in one job

struct JobHeader;
struct RegionDirectory;
struct RegionEntry;
class JobView;

class JobSegment {
 public:
  struct Options {
    std::uint32_t usable_cpus = 0;  // 0: usable_cpus() of the caller
    std::string_view snapshot{};    // texts, copied
    std::string_view topology{};
    NodePlace place{};         // of this node's ranks in the job; `ids` is copied
    std::uint64_t job_id = 0;  // equal on all nodes; 0: random
    bool launched = true;      // by this process, which is told of aborts
    bool recovers = false;     // survivors go on when a rank dies
    std::uint64_t spawn_server =
        0;  // where mpiexec takes orders (core/dynamic/spawn_service.h); 0: nowhere
  };

  // A new segment for `ranks` processes on this machine. The caller is the launcher of the
  // job. argument: no ranks; no_memory, no_space, system: the object could not be made.
  static Result<std::shared_ptr<JobSegment>> create(std::uint32_t ranks,
                                                    const Options& options) noexcept;
  static Result<std::shared_ptr<JobSegment>> create(std::uint32_t ranks) noexcept {
    return create(ranks, {});
  }

  // The segment behind `descriptor`, which stays the caller's. refused: it is something else or of
  // another version.
  static Result<std::shared_ptr<JobSegment>> attach(int descriptor) noexcept;

  // The job this process was started in, from TESSERA_JOB. not_found: the variable is not set, that
  // is, the process was not started by mpiexec. refused: set, but the segment cannot be reached;
  // the text says why and what to do. A wrapper that closed the inherited descriptor does no harm:
  // the launcher's own one is opened through /proc.
  static Result<JobView> attach_inherited() noexcept;

  // The segment that process `pid` has under this descriptor. refused: it is another job's, or out
  // of reach.
  static Result<std::shared_ptr<JobSegment>> attach_in(std::int32_t pid, int descriptor,
                                                       std::uint64_t id) noexcept;

  JobSegment(const JobSegment&) = delete;
  JobSegment& operator=(const JobSegment&) = delete;
  ~JobSegment();

  // Local numbers are those of the pages; ids those of the job. They are equal in a job of one
  // node.
  std::uint32_t ranks() const noexcept;     // of this node: local numbers lie below
  std::uint32_t job_size() const noexcept;  // of the job: ids lie below
  std::uint32_t node() const noexcept;
  std::uint32_t nodes() const noexcept;
  std::uint32_t id_of(std::uint32_t local) const noexcept;
  std::optional<std::uint32_t> local_of(std::uint32_t id) const noexcept;  // none: another node's
  std::uint32_t usable_cpus()
      const noexcept;  // affinity mask of mpiexec and quota of its control group, at least 1
  std::uint64_t job_id() const noexcept;  // random
  std::int32_t launcher_pid() const noexcept;
  std::uint64_t spawn_server() const noexcept;
  RankPage& page(std::uint32_t local) const noexcept;  // 0 <= local < ranks()
  std::string_view text(JobText which) const noexcept;
  int descriptor() const noexcept { return descriptor_; }  // close-on-exec

  // Job::shared(); see there. no_space: more than kRegions names, or the file cannot grow.
  Result<SharedRegion> region(std::string_view name, std::size_t bytes) noexcept;
  // Job::release(); see there.
  Status release(std::string_view name) noexcept;

  // Keeps the first number other than 0 that any process of the job gives, and returns it to all.
  std::uint64_t first_opinion(std::uint64_t mine) const noexcept;

  // The rank of this node whose MPI_Abort came first, if any, by its local number.
  bool aborted(std::uint32_t& local, std::int32_t& code) const noexcept;

  // A number that no other job has; never 0.
  static std::uint64_t random_id() noexcept;

  // Whether survivors go on when a rank dies, and how many have died.
  bool recovers() const noexcept;
  std::uint32_t deaths() const noexcept;
  // For mpiexec: the rank has died, which all others shall know.
  void mark_failed(std::uint32_t rank, int wait_status) const noexcept;

  // Registers this process for the barriers of sleeping peers; where that is not possible, every
  // ringer of this job has to pay for a fence from now on (see doorbell.cpp).
  void join_barriers() const noexcept;

  // "TESSERA_JOB=..." as one rank shall find it in its environment.
  std::string environment(std::uint32_t rank, int inherited_descriptor) const;

 private:
  friend class JobView;
  struct Mapped {
    std::string name;
    SharedRegion region;
    std::uint32_t holders;  // in this process
  };
  JobSegment(int descriptor, std::byte* base, std::size_t bytes) noexcept;
  static Result<std::shared_ptr<JobSegment>> own(int descriptor) noexcept;
  std::span<const std::uint32_t> ids() const noexcept;
  JobHeader& header() const noexcept { return *reinterpret_cast<JobHeader*>(base_); }
  Result<SharedRegion> map(std::string_view name, std::uint64_t offset, std::size_t bytes) noexcept;
  Result<SharedRegion> hold(RegionEntry& entry, std::string_view name, std::size_t bytes) noexcept;
  RegionDirectory& directory() const noexcept;

  int descriptor_;
  std::byte* base_;    // header, rank pages, texts
  std::size_t bytes_;  // of these
  std::mutex mutex_;   // guards mapped_
  std::vector<Mapped> mapped_;
};

// A segment as one of its ranks sees it.
class JobView {
 public:
  JobView(std::shared_ptr<JobSegment> segment, std::uint32_t rank) noexcept
      : segment_(std::move(segment)), rank_(rank) {}

  std::uint32_t rank() const noexcept { return rank_; }  // local
  std::uint32_t id() const noexcept { return segment_->id_of(rank_); }
  JobSegment& segment() const noexcept { return *segment_; }
  const std::shared_ptr<JobSegment>& shared_segment() const noexcept { return segment_; }
  RankPage& page() const noexcept { return segment_->page(rank_); }
  std::uint32_t app_number() const noexcept { return page().app_number; }  // MPI_APPNUM

  // Makes this process the MPI process of the rank; idempotent. refused: another process is it
  // already.
  Status claim() const noexcept;

  // mpiexec judges the end of a process by this: one that ends while `initialised` or `finalizing`
  // has failed.
  void set_state(RankState state) const noexcept {
    page().state.store(state, std::memory_order_release);
  }

  // Records MPI_Abort(code) and tells mpiexec, which ends the other ranks and exits with the code.
  // The caller ends its own process afterwards.
  void record_abort(std::int32_t code) const noexcept;

 private:
  std::shared_ptr<JobSegment> segment_;
  std::uint32_t rank_;
};

}  // namespace tessera
