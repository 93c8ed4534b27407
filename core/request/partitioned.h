// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication (MPI-5.0 chapter 4): PartitionedSend, PartitionedReceive.
#pragma once
//
// Contract. Both sides are persistent requests of the engine, built on messages of the pml. The
// n-th send that a process initializes for (communicator, destination, tag) belongs to the n-th
// receive that the destination initializes for (communicator, source, tag). Initializing sends
// nothing. The first start of a send announces its number and its division into units; the receive
// keeps that for all its starts. A unit is a run of consecutive partitions, each unit is a message
// of its own, and it leaves when its last partition is marked: partitions of less than
// `mpi_partitioned_unit` bytes share a unit. A receive posts one receive per unit, so that data of
// the next start cannot overwrite those of this one.
//
// Messages travel on the collective context of the communicator under source numbers that nothing
// else uses there (announcement_number, unit_number); no receive or probe of the program sees them.
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
  std::int32_t first_tag;  // unit u travels under tag first_tag + u
};

class PartitionedRequest : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  int partitions() const noexcept { return args_.partitions; }
  void free() noexcept override { release(); }

 protected:
  PartitionedRequest(Comm& comm, const PartitionedArgs& args) noexcept;
  ~PartitionedRequest() override;
  void begin_parts(int parts) noexcept;
  // A message of this request has ended, or could not begin.
  void part_done(Status outcome) noexcept;
  void wait_for_one_more() noexcept { ++pending_; }
  std::uint64_t total_bytes() const noexcept { return partition_bytes_ * partition_count(); }
  std::uint64_t partition_count() const noexcept {
    return static_cast<std::uint64_t>(args_.partitions);
  }
  virtual void complete_parts() noexcept = 0;

  Comm& comm_;
  PartitionedArgs args_;
  std::uint64_t partition_bytes_;
  std::uint64_t number_ = 0;
  Status outcome_;

 private:
  int pending_ = 0;
};

class PartitionedSend final : public PartitionedRequest {
 public:
  static Result<Request*> make(Comm& comm, const PartitionedArgs& args) noexcept;
  Status start() noexcept override;

  // Marks a partition as ready, once per start. The unit that this completes, kNone, or kAgain if
  // the partition was marked before.
  static constexpr int kNone = -1;
  static constexpr int kAgain = -2;
  int mark(int partition) noexcept;
  void send_unit(int unit) noexcept;

 private:
  PartitionedSend(Comm& comm, const PartitionedArgs& args);
  static void message_done(Request& message, void* self) noexcept;
  void track(Result<Request*> message) noexcept;
  void announce() noexcept;
  int partitions_of(int unit) const noexcept;
  void complete_parts() noexcept override;

  int per_unit_ = 1;  // partitions
  int units_ = 1;
  // Per partition the last round in which it was marked: every start marks all of them, so that
  // two values serve and nothing has to be cleared.
  std::unique_ptr<std::atomic<std::uint8_t>[]> marked_;
  std::uint8_t round_ = 0;
  std::unique_ptr<std::atomic<int>[]> missing_;  // per unit: partitions not marked yet
  PartitionedLayout layout_{};
  bool announced_ = false;
};

class PartitionedReceive final : public PartitionedRequest {
 public:
  static Result<Request*> make(Comm& comm, const PartitionedArgs& args) noexcept;
  Status start() noexcept override;
  bool arrived(int partition) const noexcept {
    return missing_[partition].load(std::memory_order_acquire) == 0;
  }

  // For PartitionedPairs.
  std::uint64_t number() const noexcept { return number_; }
  void found(const PartitionedLayout& layout) noexcept;
  void not_found(Status failure) noexcept;

 private:
  struct Unit {
    PartitionedReceive* owner;
    std::uint64_t first, last;  // bytes of the whole message
  };
  PartitionedReceive(Comm& comm, const PartitionedArgs& args);
  static void unit_done(Request& message, void* unit) noexcept;
  Status prepare(const PartitionedLayout& layout) noexcept;
  void reset_partitions() noexcept;
  void post_units() noexcept;
  void post(int unit) noexcept;
  void unit_arrived(const Unit& unit) noexcept;
  template <class Function>
  void for_partitions_of(const Unit& unit, Function function) noexcept;
  void complete_parts() noexcept override;

  std::unique_ptr<std::atomic<int>[]> missing_;  // per partition: units not there yet
  PartitionedLayout layout_{};
  bool known_ = false;  // the layout is
  std::vector<Unit> units_;
  std::vector<std::byte> staging_;  // for types that are not contiguous
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
