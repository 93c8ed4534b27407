// SPDX-License-Identifier: BSD-3-Clause
// What the processes of one communicator show each other in shared memory: Board.
#pragma once
//
// Contract. An operation is a sequence of steps, numbered from 1 over the life of the communicator;
// all processes go through the same steps. In a step a process may publish one package (at most
// capacity() bytes), may read the packages that others publish in it, and ends it with leave(). A
// package is readable until its reader has left the step.
//
//   Step step = board.enter();
//   std::memcpy(board.room(step, bytes), data, bytes);     // may wait until the readers of older
//   steps are gone board.publish(step); const std::byte* theirs = board.package(step, rank, bytes);
//   // waits for that process board.leave(step);
//
// A package of up to kWithSecond bytes has room for a second part of the same length in its line,
// before the package is published or after that. Nobody waits for a second part: it is there or
// not.
//
// Memory. Each process writes to lines of its own only. A package of up to kInline bytes travels in
// the cache line that announces it, so that a reader misses one line; a longer one in one of the
// process's kSlots buffers. There is no lock and no read-modify-write. With short packages a
// process may be kLines steps ahead of its readers: where processes take turns, a turn is then
// worth that many operations of those that read from lower ranks or the root only. Once that far
// ahead, it waits until half of the lines are free: to look for each step how far the others are
// would cost both sides a line.
//
// Failure. When a process of the communicator dies, every wait on the board ends. What this process
// writes and reads from then on is a private copy of the board, where nobody waits: so an operation
// runs through to its end without a check in each step, nobody else sees what it computed from
// missing data, and its result is the failure that died() tells. Control data read from such a copy
// is zero: no address, no length, no answer.
//
// Waiting. A short spin while all processes have a CPU; where they take turns, a few turns
// (seat.h). Then the engine's adaptive wait, and only then does anybody have to ring.
//
#include <cstring>

#include "seat.h"
#include "tessera/coll.h"

namespace tessera::coll::sm {

class Board {
 public:
  static constexpr std::size_t kInline = 48;
  static constexpr std::size_t kWithSecond = kInline / 2;
  static constexpr Step kSlots = 4;
  static constexpr Step kLines = 256;

  // How a board of so many processes is laid out.
  struct Shape {
    int processes;
    std::size_t capacity;  // bytes of a package; a multiple of the page size
    std::size_t bytes() const noexcept;
  };

  // `memory` has shape.bytes() bytes, prepared by one process before any other looks at them.
  static void prepare(std::byte* memory, const Shape& shape) noexcept;
  Board(std::byte* memory, const Shape& shape, Communicator& comm) noexcept;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;
  ~Board();
  // Whether a process has died in whose place this one waited, or would have.
  bool broken() const noexcept { return copy_ != nullptr; }
  // peer_failed if a process of the communicator is known to be dead, also to mpiexec only: for
  // what was read from the memory of the others, who may have given up and gone on.
  Status intact() const noexcept;
  // True for the last process that leaves the board for good: the memory is then nobody's.
  bool abandon() noexcept;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return shape_.processes; }
  std::size_t capacity() const noexcept { return shape_.capacity; }
  bool in_turns() const noexcept { return turns_; }

  Step enter() noexcept { return ++step_; }
  std::byte* room(Step step, std::size_t bytes) noexcept {
    const bool is_short = bytes <= kInline;
    if (step > read_by_all_ + (is_short ? kLines : kSlots)) [[unlikely]]
      wait_for_room(step - (is_short ? kLines / 2 : kSlots));
    return place(rank_, step, bytes);
  }
  // For a package that `reader` alone reads, in a row of such steps of which the first kSlots took
  // room(): so nobody else can still be reading what this one replaces.
  std::byte* room_for(int reader, Step step, std::size_t bytes) noexcept {
    std::atomic<Step>& left = this->reader(reader);
    if (left.load(std::memory_order_acquire) + kSlots < step) wait_for(left, step - kSlots);
    return place(rank_, step, bytes);
  }
  void publish(Step step) noexcept {
    line(rank_, step).step.store(step, std::memory_order_release);
  }
  const std::byte* package(Step step, int rank, std::size_t bytes) noexcept {
    const Line& theirs = line(rank, step);
    if (theirs.step.load(std::memory_order_acquire) != step) wait_for(theirs.step, step);
    return place(rank, step, bytes);
  }
  // The second part: after room() of the first one, which has as many bytes.
  std::byte* second_room(Step step, std::size_t bytes) noexcept {
    return second_place(rank_, step, bytes);
  }
  void publish_second(Step step) noexcept {
    line(rank_, step).second.store(step, std::memory_order_release);
  }
  // Null: not there yet.
  const std::byte* second(Step step, int rank, std::size_t bytes) const noexcept {
    const bool there = line(rank, step).second.load(std::memory_order_acquire) == step;
    return there ? second_place(rank, step, bytes) : nullptr;
  }
  // For a step in which this process has seen the packages of all: they have left the steps before.
  void seen_all(Step step) noexcept { read_by_all_ = step - 1; }
  // Whoever sleeps is woken only now. That is enough: a process publishes in a step before it waits
  // for others in it, so the last one to publish finds all it needs, leaves, and rings.
  void leave(Step step) noexcept {
    reader(rank_).store(step, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (head().sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      ring();
  }

 private:
  struct alignas(64) Line {
    std::atomic<Step> step;
    std::atomic<Step> second;  // the step of the second part
    alignas(16) std::byte data[kInline];
  };
  struct Desk {  // one process's
    Line lines[kLines];
    Seat seat;
  };
  struct alignas(64) Head {
    std::atomic<std::uint32_t> users;
    // How many wait in the engine and may sleep. Also counts processes whose rings need a fence,
    // for ever.
    std::atomic<std::uint32_t> sleepers;
  };

  static std::size_t control_bytes(int processes) noexcept;
  Desk& desk(int rank) const noexcept { return desks_[rank]; }
  Line& line(int rank, Step step) const noexcept { return desk(rank).lines[step % kLines]; }
  std::atomic<Step>& reader(int rank) const noexcept { return desk(rank).seat.read; }
  std::byte* place(int rank, Step step, std::size_t bytes) const noexcept {
    if (bytes <= kInline) return line(rank, step).data;
    return buffers_ + (static_cast<std::size_t>(rank) * kSlots + step % kSlots) * shape_.capacity;
  }
  // At the end of the line, so that what is aligned to its own size is so here as well.
  std::byte* second_place(int rank, Step step, std::size_t bytes) const noexcept {
    return line(rank, step).data + kInline - (bytes + 7) / 8 * 8;
  }
  Head& head() const noexcept { return *reinterpret_cast<Head*>(memory_); }
  void ring() const noexcept;
  void wait_for(const std::atomic<Step>& number, Step at_least) noexcept;
  bool wait_in_turns(const std::atomic<Step>& number, Step at_least) noexcept;
  void wait_in_engine(const std::atomic<Step>& number, Step at_least) noexcept;
  void wait_for_room(Step left) noexcept;  // until all have left it
  const Peer* first_dead() const noexcept;
  void break_off() noexcept;

  std::byte* memory_;
  Shape shape_;
  Communicator& comm_;
  Desk* desks_;
  std::byte* buffers_;
  std::byte* copy_ = nullptr;  // of a broken board
  int rank_;
  bool turns_;  // processes share CPUs
  Mates mates_;
  Step step_ = 0;
  Step read_by_all_ = 0;  // all have left this step, as far as known
};

}  // namespace tessera::coll::sm
