// SPDX-License-Identifier: BSD-3-Clause
// A persistent send that is counted each time it is started.
#pragma once

#include "tessera/pml.h"
#include "tessera/traffic.h"

namespace tessera::pml::monitoring {

// Where one send is counted.
struct Account {
  traffic::Traffic* traffic;
  std::uint32_t to;
  std::uint64_t bytes;
  traffic::Kind kind;
  void count() const noexcept { traffic->sent(to, bytes, kind); }
};

// Stands for the request of the pml below; takes it over. Null when there is no memory.
Request* counted(Request* below, const Account& account) noexcept;

}  // namespace tessera::pml::monitoring
