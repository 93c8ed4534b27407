// SPDX-License-Identifier: BSD-3-Clause
// The module: one link, all its sockets behind one poller and one descriptor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "endpoint.h"
#include "listener.h"
#include "station.h"
#include "tessera/btl.h"

namespace tessera::btl::tcp {

// open() makes the sockets and publishes the card; close() says goodbye to all peers. A module that
// is destroyed without close() drops its connections, and its peers take it for dead.
class TcpModule final : public Module, public Poller, private Reception {
 public:
  TcpModule(const Host& host, const Sinks& sinks, const Settings& settings,
            unsigned link = 0) noexcept;
  ~TcpModule() override;

  // refused: no interface is up, no IP sockets; argument: parameters (interfaces.h);
  // no_space, system.
  Status open() noexcept;
  void close() noexcept;

  const Attributes& attributes() const noexcept override { return station_.settings.attributes; }
  bool reaches(const Peer& peer) const noexcept override;
  Result<Endpoint*> connect(Peer& peer) noexcept override;
  void disconnect(Peer& peer) noexcept override;
  bool flushed() noexcept override;
  const char* describe() const noexcept override { return description_.c_str(); }

  int poll() noexcept override;
  const Counts& counts() const noexcept { return station_.counts; }

 private:
  Status choose_interfaces();
  Status publish();
  void describe_self();
  TcpEndpoint& endpoint(Peer& peer);
  void receive(std::unique_ptr<Arrival> arrival, const Hello& hello) noexcept override;
  bool resting(std::uint64_t now) const noexcept;
  int receive_from(TcpEndpoint& speaker, std::uint64_t now) noexcept;
  bool look_now(std::uint64_t now, bool listening) noexcept;
  int look(std::uint64_t now) noexcept;
  void tick() noexcept;
  bool watch_connections() noexcept;
  int tell_fallen() noexcept;
  void linger() noexcept;

  Station station_;
  Listener listener_{station_, *this};
  std::vector<std::unique_ptr<TcpEndpoint>> endpoints_;  // by peer id
  std::string description_;
  std::uint64_t last_event_ = 0;  // in ticks()
  std::uint64_t last_look_ = 0;
  std::uint64_t last_receive_ = 0;  // from who speaks alone
  bool in_vain_ = false;            // it brought nothing
  std::uint32_t unanswered_ = 0;    // receives from it since this process sent anything
  std::int64_t last_watch_us_ = 0;
  bool registered_ = false;
};

}  // namespace tessera::btl::tcp
