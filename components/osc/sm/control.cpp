// SPDX-License-Identifier: BSD-3-Clause
// Waiting for what others write, waking them, and the barrier of the fence.
#include "control.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "tessera/cpu.h"

namespace tessera::osc::sm {
namespace {

// Measured: docs/decisions/0065.
constexpr int kSpins = 600;  // some microseconds

// Lets the engine see, right before it sleeps, what this process waits for; an event only once.
class Watch final : public Poller {
 public:
  Watch(bool (*condition)(void*), void* self) noexcept : holds_(condition), self_(self) {}
  bool holds() noexcept { return held_ || (held_ = holds_(self_)); }
  int poll() noexcept override { return holds() && !std::exchange(reported_, true) ? 1 : 0; }

 private:
  bool (*holds_)(void*);
  void* self_;
  bool held_ = false;
  bool reported_ = false;
};

}  // namespace

std::size_t Control::bytes(int processes) noexcept {
  const auto n = static_cast<std::size_t>(processes);
  return sizeof(Head) + n * sizeof(Slot) +
         round_up(n * n * sizeof(std::atomic<std::uint32_t>), kCacheLine);
}

Control::Control(std::byte* memory, Window& window) noexcept
    : memory_(memory),
      window_(window),
      processes_(window.size()),
      slots_(reinterpret_cast<Slot*>(memory + sizeof(Head))),
      posts_(reinterpret_cast<std::atomic<std::uint32_t>*>(slots_ + processes_)) {
  const Job& job = window.comm().job();
  spins_ = job.local_size() > job.usable_cpus() ? 1 : kSpins;
  // Where the kernel cannot order this process's stores and loads, sleepers never rely on it.
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) != 0)
    window.look_up_regularly();
  for (int rank = 0; rank < processes_; ++rank) {
    if (rank != window.rank() && window.comm().peer(rank).bell == nullptr)
      window.look_up_regularly();
  }
}

void Control::ring() const noexcept {
  for (int rank = 0; rank < processes_; ++rank) {
    Doorbell* const bell = window_.comm().peer(rank).bell;
    if (rank != window_.rank() && bell != nullptr) bell->ring();
  }
}

bool Control::lost() const noexcept {
  for (int rank = 0; rank < processes_; ++rank) {
    if (window_.comm().peer(rank).failed.load(std::memory_order_relaxed)) return true;
  }
  return false;
}

Status Control::a_process_failed() const noexcept {
  for (int rank = 0; rank < processes_; ++rank) {
    if (!window_.comm().peer(rank).failed.load(std::memory_order_relaxed)) continue;
    return Status::failure(Errc::peer_failed, "rank " + std::to_string(rank) +
                                                  " of the window has died, and may hold what "
                                                  "this call waits for");
  }
  return Errc::peer_failed;
}

Status Control::wait_in_engine(bool (*holds)(void*), void* self, Waiting::What what,
                               int rank) noexcept {
  const Waiting waiting(window_, what, rank);
  Watch watch(holds, self);
  Progress& progress = window_.comm().progress();
  head().sleepers.fetch_add(1, std::memory_order_seq_cst);
  progress.add(watch);
  const Status waited =
      progress.wait_until([&] { return watch.holds(); }, [this] { return lost(); });
  progress.remove(watch);
  head().sleepers.fetch_sub(1, std::memory_order_relaxed);
  return waited.ok() ? waited : a_process_failed();
}

void Control::give_way(bool in_turns) noexcept {
  window_.comm().progress().poll();
  in_turns ? static_cast<void>(sched_yield()) : cpu_relax();
}

Status Control::barrier() noexcept {
  Head& h = head();
  const std::uint32_t round = h.round.load(std::memory_order_acquire);
  const auto all = static_cast<std::uint32_t>(processes_);
  if (h.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
    h.arrived.store(0, std::memory_order_relaxed);
    h.round.store(round + 1, std::memory_order_release);
    changed();
    return {};
  }
  return wait([&h, round] { return h.round.load(std::memory_order_acquire) != round; },
              Waiting::What::arrivals);
}

}  // namespace tessera::osc::sm
