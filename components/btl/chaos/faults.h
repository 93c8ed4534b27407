// SPDX-License-Identifier: BSD-3-Clause
// Which faults befall which packet.
#pragma once
//
// A fault of the n-th packet from one process to another follows from the seed, the two processes
// and n, and from nothing else: a run whose packets are the same has the same faults.
//
#include <cstdint>

#include "tessera/btl.h"
#include "tessera/param.h"

namespace tessera::btl::chaos {

// Shares of packets, 0 to 1.
struct Settings {
  std::uint64_t seed = 1;
  double delay = 0;
  double reorder = 0;
  double refuse = 0;
  double partial = 0;
  double corrupt = 0;
  double drop = 0;
  std::int64_t delay_us = 0;  // the longest delay
  std::uint64_t after = 0;    // packets to each peer that pass before the first is corrupt or lost

  // Those of a process; none where the user chose another one.
  static Settings of(const Params& params, const Job& job) noexcept;
};

enum class Fault : std::uint8_t { delay, reorder, refuse, partial, corrupt, drop };

class Faults {
 public:
  Faults(const Settings& settings, const ProcessName& from, const ProcessName& to) noexcept;

  bool happens(Fault fault, std::uint64_t number) const noexcept;
  // A number below `limit`, for the details of a fault.
  std::uint64_t below(std::uint64_t limit, Fault fault, std::uint64_t number) const noexcept;

 private:
  double share(Fault fault) const noexcept;
  std::uint64_t draw(Fault fault, std::uint64_t number, std::uint64_t which) const noexcept;

  Settings settings_;
  std::uint64_t pair_;
};

}  // namespace tessera::btl::chaos
