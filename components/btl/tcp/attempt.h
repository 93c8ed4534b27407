// SPDX-License-Identifier: BSD-3-Clause
// One call to one address of a peer.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "reactor.h"
#include "socket.h"
#include "station.h"
#include "wire.h"

namespace tessera::btl::tcp {

class Attempt;

// Hears how an attempt ended; may bury it.
class AttemptOwner {
 public:
  virtual void answered(Attempt& attempt) noexcept = 0;  // the right process said Welcome
  // `slammed`: the connection was made and closed again before the Welcome, which may pass.
  virtual void failed(Attempt& attempt, const std::string& why, bool slammed) noexcept = 0;

 protected:
  ~AttemptOwner() = default;
};

// connect, read the Challenge, send Hello, read exactly one Welcome. The kernel alone completes the
// first step, so it has a deadline; the others come when the peer's process next makes progress,
// which may be after hours of computing.
class Attempt final : public Watched {
 public:
  Attempt(Station& station, AttemptOwner& owner, std::size_t candidate) noexcept
      : station_(station), owner_(owner), candidate_(candidate) {}

  // Begins; 0, or the errno of what failed at once. `hello` still lacks its proof.
  int start(const Address& address, const Card& card, const Hello& hello) noexcept;
  int ready(std::uint32_t events) noexcept override;

  std::size_t candidate() const noexcept { return candidate_; }
  bool connecting() const noexcept { return phase_ == Phase::connecting; }
  std::int64_t since_us() const noexcept { return since_us_; }
  std::uint64_t max_packet() const noexcept { return max_packet_; }
  bool say_go() noexcept;
  Socket take_socket() noexcept { return std::move(socket_); }
  void close() noexcept { socket_.close(); }

 private:
  enum class Phase : std::uint8_t { connecting, challenged, greeting };
  void connected() noexcept;
  bool read_all(std::size_t bytes) noexcept;
  void answer_challenge() noexcept;
  void read_welcome() noexcept;

  Station& station_;
  AttemptOwner& owner_;
  std::size_t candidate_;
  Socket socket_;
  Phase phase_ = Phase::connecting;
  Hello hello_;
  Secret door_{}, sign_{}, challenge_{};
  std::array<std::byte, Welcome::kBytes> bytes_{};
  std::size_t got_ = 0;
  std::uint64_t max_packet_ = 0;
  std::int64_t since_us_ = 0;
};

}  // namespace tessera::btl::tcp
