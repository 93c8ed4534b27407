// SPDX-License-Identifier: BSD-3-Clause
// The shared memory of one communicator's collectives, and waiting for what others write there.
#include "board.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace tessera::coll::sm {

namespace {

constexpr std::size_t kPage = 4096;
constexpr int kSpins = 400;  // some microseconds: what an answer of a running process takes at most
constexpr int kTurns = 16;   // then somebody is late; the engine gives way to other threads as well
constexpr int kPatience =
    40;  // spins: about what it takes until another process has its turn on another CPU

void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

// Lets the engine see, right before it sleeps, what this process waits for. An event only once:
// another thread that waits would take it for progress again and again, and never leave the engine
// to the one that it concerns.
class Watch final : public Poller {
 public:
  Watch(const std::atomic<Step>& number, Step at_least) noexcept
      : number_(number), at_least_(at_least) {}
  bool holds() const noexcept { return number_.load(std::memory_order_acquire) >= at_least_; }
  int poll() noexcept override { return holds() && !std::exchange(reported_, true) ? 1 : 0; }

 private:
  const std::atomic<Step>& number_;
  Step at_least_;
  bool reported_ = false;
};

bool spin(const std::atomic<Step>& number, Step at_least, int spins) noexcept {
  for (int i = 0; i < spins; ++i) {
    if (number.load(std::memory_order_acquire) >= at_least) return true;
    cpu_relax();
  }
  return false;
}

// Whether a sleeper can make this process's stores and loads take place in order (bell.cpp). The
// engine has asked before; to ask again costs nothing.
bool ordered_by_sleepers() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

}  // namespace

std::size_t Board::control_bytes(int processes) noexcept {
  const std::size_t bytes = sizeof(Head) + static_cast<std::size_t>(processes) * sizeof(Desk);
  return (bytes + kPage - 1) / kPage * kPage;
}

std::size_t Board::Shape::bytes() const noexcept {
  return control_bytes(processes) + static_cast<std::size_t>(processes) * kSlots * capacity;
}

void Board::prepare(std::byte* memory, const Shape& shape) noexcept {
  std::memset(memory, 0, control_bytes(shape.processes));
  new (memory) Head{static_cast<std::uint32_t>(shape.processes), 0};
}

Board::Board(std::byte* memory, const Shape& shape, Communicator& comm) noexcept
    : memory_(memory),
      shape_(shape),
      comm_(comm),
      desks_(reinterpret_cast<Desk*>(memory + sizeof(Head))),
      buffers_(memory + control_bytes(shape.processes)),
      rank_(comm.rank()),
      turns_(comm.job().local_size() > comm.job().usable_cpus()),
      mates_({reinterpret_cast<std::byte*>(&desks_->seat), sizeof(Desk), shape.processes}, rank_,
             static_cast<std::uint32_t>(comm.size()) == comm.job().local_size()) {
  if (!ordered_by_sleepers()) head().sleepers.fetch_add(1, std::memory_order_seq_cst);
}

bool Board::abandon() noexcept {
  return reinterpret_cast<Head*>(memory_)->users.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void Board::wait_for(const std::atomic<Step>& number, Step at_least) noexcept {
  const bool alone = !comm_.progress().several_threads();  // this holds the engine's lock
  if (turns_ ? alone && wait_in_turns(number, at_least) : spin(number, at_least, kSpins)) return;
  wait_in_engine(number, at_least);
}

bool Board::wait_in_turns(const std::atomic<Step>& number, Step at_least) noexcept {
  mates_.wait_in(step_);
  for (int turn = 0; turn < kTurns; ++turn) {
    if (!mates_.behind(step_) && spin(number, at_least, kPatience)) return true;
    sched_yield();
    if (number.load(std::memory_order_acquire) >= at_least) return true;
  }
  return false;
}

void Board::wait_in_engine(const std::atomic<Step>& number, Step at_least) noexcept {
  Watch watch(number, at_least);
  head().sleepers.fetch_add(1, std::memory_order_seq_cst);
  comm_.progress().add(watch);
  comm_.progress().wait_until([&] { return watch.holds(); });
  comm_.progress().remove(watch);
  head().sleepers.fetch_sub(1, std::memory_order_relaxed);
}

void Board::ring() const noexcept {
  for (int rank = 0; rank < size(); ++rank) {
    if (rank != rank_) comm_.local_peer(rank).bell->ring();
  }
}

void Board::wait_for_room(Step left) noexcept {
  Step least = step_;
  for (int rank = 0; rank < size(); ++rank) {
    if (rank == rank_) continue;
    if (reader(rank).load(std::memory_order_acquire) < left) wait_for(reader(rank), left);
    // Acquire again: a later step may be seen here, and what was read in it has to be over, too.
    least = std::min(least, reader(rank).load(std::memory_order_acquire));
  }
  read_by_all_ = least;
}

}  // namespace tessera::coll::sm
