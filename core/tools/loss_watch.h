// SPDX-License-Identifier: BSD-3-Clause
// Tells tools which processes are lost: LossWatch.
#pragma once

#include <vector>

#include "tessera/btl.h"
#include "tessera/component.h"

namespace tessera {

// A sink on a channel of its own, to which nobody sends: transports and engine tell it of losses
// as they tell all sinks. A process may be lost twice; it counts once.
class LossWatch final : public btl::Sink {
 public:
  static constexpr auto kChannel = static_cast<btl::Channel>(btl::kChannels - 1);

  LossWatch(Events& events, const Job& job) noexcept : events_(events), job_(job) {}
  std::uint64_t count() const noexcept { return count_; }

  void deliver(btl::Endpoint&, std::span<const std::byte>,
               std::span<const std::byte>) noexcept override {}
  void lost(Peer& peer, Status why) noexcept override;

 private:
  Events& events_;
  const Job& job_;
  std::vector<bool> known_;  // by id
  std::uint64_t count_ = 0;
};

}  // namespace tessera
