// SPDX-License-Identifier: BSD-3-Clause
// The listening sockets, one for each address, and the strangers who have not greeted yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrival.h"
#include "station.h"

namespace tessera::btl::tcp {

// Takes over a connection whose Hello was right; may refuse it by destroying it.
class Reception {
 public:
  virtual void receive(std::unique_ptr<Arrival> arrival, const Hello& hello) noexcept = 0;

 protected:
  ~Reception() = default;
};

// Strangers cost a descriptor and a few hundred bytes each, and one HMAC once they have said all
// that a Hello needs. Past kMaxStrangers the eldest is shown out, and so is whoever has not greeted
// within btl_tcp_connect_timeout (a peer that was only slow calls again).
class Listener final : public Watched, public ArrivalOwner {
 public:
  static constexpr std::size_t kMaxStrangers = 128;

  Listener(Station& station, Reception& reception) noexcept
      : station_(station), reception_(reception) {}

  // Binds within the port range. A job on one machine is called over loopback alone, unless
  // btl_tcp_if_include says where; the port is reserved at the other addresses meanwhile. Else
  // listens at the addresses that the card names and at no other, all with one port. unsupported:
  // no IP sockets at all; no_space: all ports of the range are taken.
  Status open() noexcept;
  // A process of another machine will call: listens at all addresses of the card from now on.
  Status widen() noexcept;
  std::uint16_t port() const noexcept { return port_; }
  bool near() const noexcept { return reserved_.valid(); }  // listens at loopback alone
  bool paused() const noexcept { return paused_; }
  void resume() noexcept;
  // Shows out whose time is over; whether others are left.
  bool tick(std::int64_t now_us) noexcept;
  void close() noexcept;

  int ready(std::uint32_t events) noexcept override;
  void greeted(Arrival& arrival, const Hello& hello) noexcept override;
  void gone(Arrival& arrival) noexcept override;

 private:
  std::vector<Address> published() const;
  Status bind_any_port(const std::vector<Address>& addresses, bool near);
  int try_port(const std::vector<Address>& addresses, std::uint16_t port, bool near);
  int reserve(std::uint16_t port) noexcept;
  int listen_at_all(const std::vector<Address>& addresses, std::uint16_t port);
  Status watch_from(std::size_t first);
  int listen_at(const Address& address, std::uint16_t port);
  void look_for(std::uint32_t events) noexcept;
  bool accept_from(const Socket& socket) noexcept;
  std::optional<Address> chosen_address(const Socket& socket) const noexcept;
  void let_in(Socket socket) noexcept;
  std::unique_ptr<Arrival> release(Arrival& arrival) noexcept;

  Station& station_;
  Reception& reception_;
  std::vector<Socket> sockets_;
  Socket reserved_;  // keeps the port at all addresses; valid while we listen at loopback alone
  std::uint16_t port_ = 0;
  bool paused_ = false;
  std::vector<std::unique_ptr<Arrival>> strangers_;  // the eldest first
};

}  // namespace tessera::btl::tcp
