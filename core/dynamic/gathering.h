// SPDX-License-Identifier: BSD-3-Clause
// What the members of a group tell each other while it meets another one: Gathering.
#pragma once
//
// Contract. Collective over the communicator, each call under a number of its own. Texts of a
// failure travel with it, so that all members say what the root has found out.
//
#include <cstddef>
#include <span>
#include <vector>

#include "core/comm/agreement.h"
#include "core/comm/communicator.h"

namespace tessera {

class Gathering {
 public:
  Gathering(Comm& comm, int root) noexcept : comm_(comm), root_(root) {}
  bool is_root() const noexcept { return comm_.rank() == root_; }

  // The root's status at all; the same status, where the exchange itself works.
  Status agree(const Status& of_root) noexcept;
  // The root's bytes at all.
  Status spread(std::vector<std::byte>& bytes) noexcept;
  // Everybody's bytes at all, by rank.
  Result<std::vector<std::vector<std::byte>>> collect(std::span<const std::byte> mine);
  // ok where everybody said so; else the failure of the first one that did not.
  Status all_well(const Status& mine) noexcept;

 private:
  PeerGroup peers() noexcept;
  Comm& comm_;
  int root_;
};

}  // namespace tessera
