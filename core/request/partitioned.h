// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication (MPI-5.0 chapter 4): PartitionedSend, PartitionedReceive.
#pragma once
//
// Contract. Both sides are persistent requests of the engine, built on messages of the pml. The
// n-th send that a process initializes for (communicator, destination, tag) belongs to the n-th
// receive that the destination initializes for (communicator, source, tag). Initializing sends
// nothing. The first start of a send announces its number and its division into units; the receive
// keeps that for all its starts. A unit is a run of consecutive partitions that is ready when the
// last of them is marked: partitions of less than `mpi_partitioned_unit` bytes share a unit, a
// power of two of them.
//
// A ready unit leaves as a message of its own, or as one with the ready units beside it: while a
// message of a send is on the way, its units wait until that has arrived, all partitions are
// marked, or units of `mpi_partitioned_at_once` bytes wait. Where the marks of the last start came
// in a burst, the units of this one wait from the beginning, until all partitions are marked or the
// process makes progress. Where there are several units, a notice before each message says which
// units it has; so the receive posts what arrives and no more, and data of the next start cannot
// overwrite those of this one.
//
// Messages travel on the collective context of the communicator under source numbers that nothing
// else uses there (partitioned_numbers.h); no receive or probe of the program sees them.
//
// Threads. mark() and arrived() may be called by any thread without the engine's lock; everything
// else holds it. A send completes when all its units have been sent, which needs all partitions to
// be marked; a receive when all units of the sender are there.
//
#include <atomic>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/comm/communicator.h"
#include "core/object/freed_objects.h"
#include "core/request/ready_marks.h"
#include "tessera/kept_status.h"
#include "tessera/pml.h"

namespace tessera {

struct PartitionedArgs {
  void* buffer;  // of partitions * count elements
  int partitions;
  Count count;  // elements per partition
  const Datatype* type;
  int rank;  // of the other side; kProcNull: nobody
  int tag;
};

// What the first start of a send tells the receive.
struct PartitionedLayout {
  std::uint64_t number;  // of the pair
  std::uint64_t total;   // bytes of all partitions
  std::uint64_t unit;    // bytes of each unit but the last
  std::int32_t units;
  std::int32_t first_tag;  // a message that begins with unit u has the tag first_tag + u
  std::uint16_t mark;      // pml::signature_mark() of all partitions
};

// The units of one message.
struct PartitionedNotice {
  std::int32_t first;
  std::int32_t units;
};

class PartitionedRequest : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  int partitions() const noexcept { return args_.partitions; }
  const PartitionedArgs& args() const noexcept { return args_; }
  std::uint64_t total_bytes() const noexcept { return partition_bytes_ * partition_count(); }
  void free() noexcept override { release(); }

 protected:
  PartitionedRequest(Comm& comm, const PartitionedArgs& args) noexcept;
  ~PartitionedRequest() override;
  void begin_parts(int parts) noexcept;
  // A message of this request has ended, or could not begin.
  void part_done(Status outcome, int parts = 1) noexcept;
  void wait_for_one_more() noexcept { ++pending_; }
  std::uint64_t partition_count() const noexcept {
    return static_cast<std::uint64_t>(args_.partitions);
  }
  virtual void complete_parts() noexcept = 0;

  Comm& comm_;
  PartitionedArgs args_;
  std::uint64_t partition_bytes_;
  std::uint64_t number_ = 0;
  KeptStatus outcome_;

 private:
  int pending_ = 0;
};

class PartitionedSend final : public PartitionedRequest, private Poller {
 public:
  static Result<Request*> make(Comm& comm, const PartitionedArgs& args) noexcept;
  Status start() noexcept override;

  // Marks a partition as ready, once per start, in two halves (ReadyMarks): the unit that this
  // completes and that somebody has to send, ReadyMarks::kNone or kAgain.
  ReadyMarks::Step begin_mark(int partition) noexcept { return marks_.begin(partition); }
  int end_mark(ReadyMarks::Step step, int partition) noexcept {
    const int unit = marks_.end(step, partition);
    return args_.rank == kProcNull && unit >= 0 ? ReadyMarks::kNone : unit;
  }
  // Of a unit that end_mark() has returned, without the engine's lock. True: the caller has to call
  // send_unit() with the lock. False: the request may be gone.
  bool note_ready(int unit) noexcept;
  void send_unit(int unit) noexcept;
  bool all_marked() const noexcept { return marks_.all_marked(); }

 private:
  // noted: all its partitions are marked, and no thread with the engine's lock has seen it yet.
  enum class UnitState : std::uint8_t { open, noted, ready, sent };
  // A message, by its first unit.
  struct Run {
    PartitionedSend* owner;
    PartitionedNotice notice;
  };

  static constexpr std::uint32_t kHeld = 1U << 31;

  PartitionedSend(Comm& comm, const PartitionedArgs& args);
  ~PartitionedSend() override;
  int poll() noexcept override;
  void take(std::size_t unit) noexcept;
  void take_held() noexcept;
  bool state_is(std::size_t unit, UnitState state) const noexcept {
    return states_[unit].load(std::memory_order_relaxed) == state;
  }
  static void message_done(Request& message, void* self) noexcept;
  static void run_done(Request& message, void* run) noexcept;
  void track(Result<Request*> message) noexcept;
  void announce() noexcept;
  void send_ready() noexcept;
  Run& join_ready(std::size_t unit) noexcept;
  void send(Run& run) noexcept;
  void run_over(const Run& run, Status outcome) noexcept;
  void complete_parts() noexcept override;

  ReadyMarks marks_;
  PartitionedLayout layout_{};
  bool announced_ = false;
  int on_the_way_ = 0;         // messages
  std::uint64_t waiting_ = 0;  // units that are ready and have not been sent
  std::uint64_t enough_ = 1;   // of them for a message, whatever is on the way
  std::vector<Run> runs_;
  std::unique_ptr<std::atomic<UnitState>[]> states_;
  std::vector<int> ready_;      // all units that are, in the order of the last marks
  std::size_t next_ready_ = 0;  // those before it have been sent
  // The number of open units. With kHeld, a thread that notes a unit leaves it to the one that
  // notes the last, or to poll().
  std::atomic<std::uint32_t> open_{0};
  bool holds_ = false;          // units noted under kHeld may not be ready yet
  std::uint32_t held_ = 0;      // the number of those, once kHeld is gone
  std::uint64_t burst_ns_ = 0;  // the most between the first and the last unit of a burst
  bool in_burst_ = false;       // the units of the last start came in one
  std::atomic<std::uint64_t> first_ready_ns_{0};
};

class PartitionedReceive final : public PartitionedRequest {
 public:
  static Result<Request*> make(Comm& comm, const PartitionedArgs& args) noexcept;
  Status start() noexcept override;
  bool arrived(int partition) const noexcept;

  // For PartitionedPairs.
  std::uint64_t number() const noexcept { return number_; }
  void found(const PartitionedLayout& layout) noexcept;
  void not_found(Status failure) noexcept;

 private:
  struct Unit {
    PartitionedReceive* owner;
    std::uint64_t first, last;  // bytes of the whole message
    int run;                    // units of the message that begins here
  };
  PartitionedReceive(Comm& comm, const PartitionedArgs& args);
  static void run_done(Request& message, void* unit) noexcept;
  Status judge() const;
  Status prepare(const PartitionedLayout& layout) noexcept;
  void divide();
  bool unit_is_there(std::uint32_t unit) const noexcept {
    return there_[unit].load(std::memory_order_acquire) == round_;
  }
  void post_units() noexcept;
  static void noticed(Request& message, void* self) noexcept;
  void listen() noexcept;
  bool take_notice(Request& message) noexcept;
  void post(PartitionedNotice run) noexcept;
  void run_arrived(const Unit& first) noexcept;
  void unit_arrived(const Unit& unit) noexcept;
  void complete_parts() noexcept override;

  // What is there is kept by unit, where a unit is no smaller than a partition, else by partition:
  // whatever there are fewer of.
  struct Share {
    std::uint32_t first_unit = 0;
    std::uint32_t units = 0;  // that have data of this partition; 0: the sender has none for it
  };
  PartitionedLayout layout_{};
  std::atomic<bool> known_{false};     // the layout is, and what follows from it
  std::atomic<bool> complete_{false};  // in this round
  std::uint8_t round_ = 0;
  PartitionedNotice arriving_{};
  int noticed_ = 0;  // units in this round
  std::vector<Unit> units_;
  std::vector<Share> shares_;                              // by partition
  std::unique_ptr<std::atomic<std::uint8_t>[]> there_;     // per unit: the round it arrived in
  std::unique_ptr<std::atomic<std::uint32_t>[]> missing_;  // per partition, or null: units
  std::vector<std::byte> staging_;                         // for types that are not contiguous
};

// The pairs of one communicator.
class PartitionedPairs {
 public:
  explicit PartitionedPairs(Comm& comm) noexcept : comm_(comm) {}
  std::uint64_t next_send(int rank, int tag) { return sends_[{rank, tag}]++; }
  std::uint64_t next_receive(int rank, int tag) { return receives_[{rank, tag}]++; }
  int take_tags(int units) noexcept;
  // Calls found() or not_found() of the receive, now or later.
  void look_for(PartitionedReceive& receive, int rank, int tag);

 private:
  using Key = std::pair<int, int>;  // rank and tag
  struct Announcements {
    PartitionedPairs* pairs;
    Key key;
    bool listening = false;
    PartitionedLayout arriving{};
    std::vector<PartitionedLayout> kept;  // of receives that have not been started yet
    std::vector<PartitionedReceive*> waiting;
  };
  void listen(Announcements& from) noexcept;
  static void heard(Request& message, void* from) noexcept;

  Comm& comm_;
  std::map<Key, std::uint64_t> sends_;
  std::map<Key, std::uint64_t> receives_;
  std::map<Key, Announcements> announcements_;
  int next_tag_ = 0;
};

}  // namespace tessera
