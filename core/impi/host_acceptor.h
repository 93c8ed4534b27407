// SPDX-License-Identifier: BSD-3-Clause
// Connections that other hosts open to this one: HostAcceptor.
#pragma once
//
// Contract. A connection says the rank of its host in four bytes. They are read from all
// connections side by side: one that says nothing, or says it slowly, keeps no other one waiting.
// Of those that have not said it yet, kMostUnidentified are kept; then the oldest is closed. The
// listener belongs to the caller, a connection to the HostAcceptor until next() hands it out.
//
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "impi/wire/bytes.h"

namespace tessera::impi {

class HostAcceptor {
 public:
  using Clock = std::chrono::steady_clock;
  using Said = std::array<std::byte, 4>;
  struct Accepted {
    int socket;
    Said said;
    std::uint32_t host() const noexcept { return load<std::uint32_t>(said.data()); }
  };
  static constexpr std::size_t kMostUnidentified = 64;

  explicit HostAcceptor(int listener) noexcept : listener_(listener) {}
  ~HostAcceptor();
  HostAcceptor(const HostAcceptor&) = delete;
  HostAcceptor& operator=(const HostAcceptor&) = delete;

  // The next connection that has said a rank; none: nobody did until then.
  std::optional<Accepted> next(Clock::time_point until);

 private:
  struct Unidentified {
    int socket;
    Said said{};
    std::size_t have = 0;
    bool ended = false;
  };
  void read(Unidentified& connection) noexcept;
  void accept();
  std::optional<Accepted> take_accepted();
  bool wait(Clock::time_point until);

  int listener_;
  std::vector<Unidentified> unidentified_;
};

}  // namespace tessera::impi
