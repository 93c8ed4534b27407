// SPDX-License-Identifier: BSD-3-Clause
// A port that accepts those alone who show a secret: Listener.
#pragma once
//
// Contract. The business card holds the secret, then an address for each interface; it reaches
// those who may connect in a way that strangers cannot read. Who connects shows the secret and says
// a number. A stranger is refused, and keeps nobody waiting: of more than kMostCallers who have not
// yet shown the secret the first is refused.
//
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tessera/status.h"

namespace tessera::launcher::carrier {

struct Connection {
  int socket = -1;           // the receiver's to close; calls on it block. -1: nobody came
  std::uint32_t number = 0;  // as said
};

class Listener {
 public:
  static constexpr std::size_t kSecretBytes = 16;
  static constexpr std::size_t kMostCallers = 64;
  static constexpr std::int64_t kPatienceMs = 30'000;  // for two hosts of a job that starts

  // peer_failed: no port, or no random numbers.
  static Result<Listener> open();
  Listener(Listener&& from) noexcept
      : socket_(std::exchange(from.socket_, -1)),
        port_(from.port_),
        secret_(from.secret_),
        callers_(std::move(from.callers_)) {}
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  std::vector<std::byte> card() const;
  // The next one who shows the secret, within `limit_ms`.
  Connection accept(std::int64_t limit_ms);

  // From the other side: a socket. refused: that is no card; peer_failed: nobody answers.
  static Result<int> connect(std::span<const std::byte> card, std::uint32_t number,
                             std::int64_t limit_ms);

 private:
  using Secret = std::array<std::byte, kSecretBytes>;
  struct Hello {
    Secret secret;
    std::uint32_t number;
  };
  struct Caller {
    int socket;
    Hello hello;
    std::size_t heard;  // bytes of `hello`
  };
  Listener(int socket, std::uint16_t port, const Secret& secret) noexcept
      : socket_(socket), port_(port), secret_(secret) {}
  void take_calls();
  bool hear(Caller& caller, Connection& accepted) const noexcept;

  int socket_;
  std::uint16_t port_;
  Secret secret_;
  std::vector<Caller> callers_;
};

}  // namespace tessera::launcher::carrier
