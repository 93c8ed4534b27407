// SPDX-License-Identifier: BSD-3-Clause
// How much went from whom to whom, as the components named monitoring count it: Traffic.
#pragma once
//
// Contract. A square of counters, one row per origin (the sending process). Each process writes its
// own row only, in memory that all of them see where the job has such memory; elsewhere, and in a
// job of one process, a Traffic has its own row alone. Where memory is shared, all of a process's
// Traffics are the same counters: what osc/monitoring counts of windows stands in the table of
// pml/monitoring. The owner of a Traffic keeps it; the shared counters live as long as the job.
// Rows of others are final when all processes have closed their communication.
//
#include <atomic>
#include <memory>
#include <new>

#include "tessera/peer.h"

namespace tessera::traffic {

struct Cell {
  std::uint64_t messages = 0;  // or operations
  std::uint64_t bytes = 0;
};

// What one process sent to one other: on behalf of the program, inside collective operations, and
// through windows.
struct Pair {
  Cell program;
  Cell collective;
  Cell windows;
  std::uint64_t bytes() const noexcept { return program.bytes + collective.bytes; }
  std::uint64_t messages() const noexcept { return program.messages + collective.messages; }
};

enum class Kind : std::uint8_t { program, collective, window };

class Traffic {
 public:
  // no_space, no_memory: there is no room for the counters.
  static Result<Traffic> make(const Job& job) noexcept {
    Traffic traffic(job.size(), job.my_id());
    const std::size_t bytes = sizeof(Pair) * traffic.pairs() + sizeof(std::atomic<bool>);
    const bool one_machine = job.size() > 1 && job.local_size() == job.size();
    const Result<SharedRegion> region =
        one_machine ? job.shared("monitoring.traffic", bytes) : Errc::unsupported;
    if (!region) {
      traffic.own_.reset(new (std::nothrow) Pair[traffic.size_]);
      traffic.mine_ = traffic.own_.get();
      if (traffic.mine_ == nullptr) return Status(Errc::no_memory);
      return traffic;
    }
    if (const Status room = region.value().commit(0, bytes); !room.ok()) return room;
    traffic.rows_ = reinterpret_cast<Pair*>(region.value().base());  // zero is its initial state
    traffic.mine_ = traffic.rows_ + std::size_t{traffic.me_} * traffic.size_;
    return traffic;
  }

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t me() const noexcept { return me_; }
  bool complete() const noexcept { return own_ == nullptr; }  // all rows are here
  bool has(std::uint32_t from) const noexcept { return complete() || from == me_; }
  // Whether somebody counts what windows move, so that no operations means that there were none.
  bool counts_windows() const noexcept {
    return complete() && flag()->load(std::memory_order_acquire);
  }
  void begin_windows() noexcept {
    if (complete()) flag()->store(true, std::memory_order_release);
  }

  void sent(std::uint32_t to, std::uint64_t bytes, Kind kind) noexcept {
    if (to >= size_) return;  // a process of another job
    Pair& pair = mine_[to];
    Cell& cell = kind == Kind::program      ? pair.program
                 : kind == Kind::collective ? pair.collective
                                            : pair.windows;
    ++cell.messages;
    cell.bytes += bytes;
  }
  // Valid for rows that are here.
  const Pair& at(std::uint32_t from, std::uint32_t to) const noexcept {
    return complete() ? rows_[std::size_t{from} * size_ + to] : mine_[to];
  }

 private:
  Traffic(std::uint32_t size, std::uint32_t me) noexcept : size_(size), me_(me) {}
  std::size_t pairs() const noexcept { return std::size_t{size_} * size_; }
  std::atomic<bool>* flag() const noexcept {
    return reinterpret_cast<std::atomic<bool>*>(rows_ + pairs());
  }

  std::uint32_t size_;
  std::uint32_t me_;
  Pair* rows_ = nullptr;  // in shared memory, with the flag behind them
  Pair* mine_ = nullptr;
  std::unique_ptr<Pair[]> own_;
};

}  // namespace tessera::traffic
