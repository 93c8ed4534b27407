// SPDX-License-Identifier: BSD-3-Clause
// How much went from whom to whom: Traffic.
#pragma once
//
// Contract. A square of counters, one row per sending process. Each process writes its own row
// only, in memory that all of them see where the job has such memory; elsewhere a process has its
// own row alone.
//
#include <atomic>
#include <memory>
#include <string>

#include "tessera/peer.h"

namespace tessera::pml::monitoring {

struct Cell {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// What one process sent to one other: on behalf of the program, and inside collective operations.
struct Pair {
  Cell program;
  Cell collective;
  std::uint64_t bytes() const noexcept { return program.bytes + collective.bytes; }
  std::uint64_t messages() const noexcept { return program.messages + collective.messages; }
};

class Traffic {
 public:
  // no_space, no_memory: there is no room for the counters.
  static Result<Traffic> make(const Job& job) noexcept;

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t me() const noexcept { return me_; }
  bool complete() const noexcept { return own_ == nullptr; }  // all rows are here
  bool has(std::uint32_t from) const noexcept { return complete() || from == me_; }

  void sent(std::uint32_t to, std::uint64_t bytes, bool collective) noexcept {
    if (to >= size_) return;  // a process of another job
    Pair& pair = mine_[to];
    Cell& cell = collective ? pair.collective : pair.program;
    ++cell.messages;
    cell.bytes += bytes;
  }
  // Valid for rows that are here; final when all processes have closed their communication.
  const Pair& at(std::uint32_t from, std::uint32_t to) const noexcept {
    return complete() ? rows_[std::size_t{from} * size_ + to] : mine_[to];
  }

 private:
  Traffic(std::uint32_t size, std::uint32_t me) noexcept : size_(size), me_(me) {}
  std::uint32_t size_;
  std::uint32_t me_;
  Pair* rows_ = nullptr;  // in shared memory
  Pair* mine_ = nullptr;
  std::unique_ptr<Pair[]> own_;
};

// What was sent, pair by pair, as lines of a table.
std::string table(const Traffic& traffic);
// The bytes from each process (rows) to each other one (columns) as an SVG heat map. The traffic is
// complete.
std::string picture(const Traffic& traffic);

}  // namespace tessera::pml::monitoring
