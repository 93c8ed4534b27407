// SPDX-License-Identifier: BSD-3-Clause
// The shared memory of one communicator's collectives, and waiting for what others write there.
#include "board.h"

#include <algorithm>
#include <new>
#include <utility>

namespace tessera::coll::sm {

namespace {

constexpr std::size_t kPage = 4096;
constexpr int kSpins = 400;  // some microseconds: what an answer of a running process takes at most

void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

// Lets the engine see, right before it sleeps, what this process waits for. An event only once: another thread that waits
// would take it for progress again and again, and never leave the engine to the one that it concerns.
class Watch final : public Poller {
 public:
  Watch(const std::atomic<Step>& number, Step at_least) noexcept : number_(number), at_least_(at_least) {}
  bool holds() const noexcept { return number_.load(std::memory_order_acquire) >= at_least_; }
  int poll() noexcept override { return holds() && !std::exchange(reported_, true) ? 1 : 0; }

 private:
  const std::atomic<Step>& number_;
  Step at_least_;
  bool reported_ = false;
};

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
  new (memory) Head{static_cast<std::uint32_t>(shape.processes)};
}

Board::Board(std::byte* memory, const Shape& shape, Communicator& comm) noexcept
    : memory_(memory),
      shape_(shape),
      comm_(comm),
      desks_(reinterpret_cast<Desk*>(memory + sizeof(Head))),
      buffers_(memory + control_bytes(shape.processes)),
      rank_(comm.rank()),
      spins_(comm.job().local_size() <= comm.job().usable_cpus() ? kSpins : 0) {}

bool Board::abandon() noexcept {
  return reinterpret_cast<Head*>(memory_)->users.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void Board::wait_for(const std::atomic<Step>& number, Step at_least) noexcept {
  Watch watch(number, at_least);
  for (int i = 0; i < spins_; ++i) {
    if (watch.holds()) return;
    cpu_relax();
  }
  comm_.progress().add(watch);
  comm_.progress().wait_until([&] { return watch.holds(); });
  comm_.progress().remove(watch);
}

void Board::wait_for_room(Step step) noexcept {
  Step least = step;
  for (int rank = 0; rank < size(); ++rank) {
    if (rank == rank_) continue;
    wait_for(reader(rank), step - kSlots);
    least = std::min(least, reader(rank).load(std::memory_order_relaxed));
  }
  read_by_all_ = least;
}

}  // namespace tessera::coll::sm
