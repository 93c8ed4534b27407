// SPDX-License-Identifier: BSD-3-Clause
// A persistent send that is counted each time it is started.
#pragma once

#include "tessera/pml.h"
#include "traffic.h"

namespace tessera::pml::monitoring {

// Where one send is counted.
struct Account {
  Traffic* traffic;
  std::uint32_t to;
  std::uint64_t bytes;
  bool collective;
  void count() const noexcept { traffic->sent(to, bytes, collective); }
};

// Stands for the request of the pml below; takes it over. Null when there is no memory.
Request* counted(Request* below, const Account& account) noexcept;

}  // namespace tessera::pml::monitoring
