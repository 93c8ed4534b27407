// SPDX-License-Identifier: BSD-3-Clause
// One transport with faults in front of it.
#pragma once
//
// A Layer stands for one open transport: it gives it sinks of its own and answers with modules and
// endpoints of its own. It outlives the transport, which calls the sinks until it is closed;
// retire() ends its polling.
//
#include <array>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "alarm.h"
#include "endpoint.h"
#include "tessera/btl.h"
#include "tessera/peer.h"

namespace tessera::btl::chaos {

class Layer;

// Receives on one channel in place of the sink above, which may come later.
class ChannelSink final : public Sink {
 public:
  void attach(Layer& layer, Channel channel) noexcept { layer_ = &layer, channel_ = channel; }
  void deliver(Endpoint& from, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept override;
  void lost(Peer& peer, Status why) noexcept override;

 private:
  Layer* layer_ = nullptr;
  Channel channel_{};
};

class ChaosModule final : public Module {
 public:
  ChaosModule(Module& below, Layer& layer) noexcept;
  const Attributes& attributes() const noexcept override { return attributes_; }
  bool reaches(const Peer& peer) const noexcept override { return below_.reaches(peer); }
  Result<Endpoint*> connect(Peer& peer) noexcept override;
  void disconnect(Peer& peer) noexcept override;
  bool flushed() noexcept override;
  const char* describe() const noexcept override { return below_.describe(); }

 private:
  Module& below_;
  Layer& layer_;
  Attributes attributes_;
};

class Layer final : public Poller {
 public:
  Layer(const Host& host, const Sinks& above, const char* transport, Counters& counters);
  ~Layer() { retire(); }

  Result<std::span<Module* const>> open(Wrapped& below) noexcept;
  void retire() noexcept;
  int poll() noexcept override;

  const Sinks& above() const noexcept { return above_; }
  ChaosEndpoint& before(Endpoint& below);
  void forget(const Peer& peer) noexcept;
  bool empty() const noexcept;

 private:
  int tell_fallen() noexcept;

  Progress& progress_;
  const Sinks& above_;
  Shared shared_;
  Alarm alarm_;
  std::array<ChannelSink, kChannels> channel_sinks_;
  Sinks sinks_;
  bool lands_ = false;
  bool registered_ = false;
  std::size_t first_ = 0;  // who is served first in the next round
  std::vector<std::unique_ptr<ChaosEndpoint>> endpoints_;
  std::unordered_map<const Endpoint*, ChaosEndpoint*> before_;
  std::vector<std::unique_ptr<ChaosModule>> modules_;
  std::vector<Module*> offered_;
};

}  // namespace tessera::btl::chaos
