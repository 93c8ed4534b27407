// SPDX-License-Identifier: BSD-3-Clause
// Where context ids come from.
#pragma once

#include "tessera/comm.h"

namespace tessera {

// Draws ids that are unique in the job without asking anybody: the drawer's number and a counter.
// Whoever makes a communicator lets one process draw and tells the others; nothing is searched,
// nothing is given back, and 2^30 draws per process last for years of continuous use. Bit 0 stays
// free for collectives (see comm.h), bit 1 for the hidden communicator of an intercommunicator's
// local group: one draw serves both.
class ContextIds {
 public:
  static constexpr ContextId world = 4;
  static constexpr ContextId self = 8;
  static constexpr ContextId control =
      13;  // the engine's own exchanges; odd, for all processes take part

  explicit ContextIds(std::uint32_t my_id) noexcept : prefix_((ContextId{my_id} + 1) << 32) {}
  ContextId draw() noexcept { return prefix_ | (ContextId{next_++} << 2); }
  static constexpr ContextId of_local_group(ContextId drawn_by_its_leader) noexcept {
    return drawn_by_its_leader + 2;
  }

 private:
  ContextId prefix_;
  std::uint32_t next_ = 0;
};

}  // namespace tessera
