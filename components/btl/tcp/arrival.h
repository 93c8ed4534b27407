// SPDX-License-Identifier: BSD-3-Clause
// A connection that came in and has not been accepted as a peer's yet.
#pragma once

#include <array>
#include <cstdint>

#include "reactor.h"
#include "socket.h"
#include "station.h"
#include "wire.h"

namespace tessera::btl::tcp {

class Arrival;

// Owns arrivals: first the listener, then the meeting of the peer that it turned out to be.
class ArrivalOwner {
 public:
  virtual void greeted(Arrival&, const Hello&) noexcept {}  // it knows our door: whose is it?
  virtual void committed(Arrival&) noexcept {}              // the caller chose this connection
  virtual void gone(Arrival&) noexcept = 0;  // closed, or said something no peer says

 protected:
  ~ArrivalOwner() = default;
};

// Sends a Challenge, reads exactly one Hello, later exactly one `go`, and never a byte more: the
// endpoint goes on from there.
class Arrival final : public Watched {
 public:
  Arrival(Station& station, Socket socket, ArrivalOwner& owner) noexcept
      : station_(station), socket_(std::move(socket)), owner_(&owner) {}

  // Sends the challenge and waits for the answer.
  Status challenge() noexcept;
  int ready(std::uint32_t events) noexcept override;

  // A new owner takes over what has greeted; welcome() answers, now or later.
  void moved(ArrivalOwner& owner, const Hello& hello, std::int64_t at_us) noexcept;
  bool welcome() noexcept;
  bool welcomed() const noexcept { return phase_ == Phase::welcomed; }
  void say_bye() noexcept;

  bool greeted() const noexcept { return phase_ != Phase::stranger; }
  std::uint64_t max_packet() const noexcept { return max_packet_; }
  std::int64_t since_us() const noexcept { return since_us_; }
  Socket take_socket() noexcept { return std::move(socket_); }
  void close() noexcept { socket_.close(); }

 private:
  enum class Phase : std::uint8_t { stranger, parked, welcomed };
  bool knows_us(const Hello& hello) const noexcept;
  void read_hello() noexcept;
  void read_go() noexcept;

  Station& station_;
  Socket socket_;
  ArrivalOwner* owner_;
  Phase phase_ = Phase::stranger;
  std::array<std::byte, Hello::kBytes> bytes_{};
  std::size_t got_ = 0;
  std::uint64_t max_packet_ = 0;
  Secret challenge_{};
  Hello hello_;
  std::int64_t since_us_ = now_us();
};

}  // namespace tessera::btl::tcp
