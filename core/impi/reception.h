// SPDX-License-Identifier: BSD-3-Clause
// Connections that other hosts open to this one: Reception.
#pragma once
//
// Contract. A connection says the rank of its host in four bytes. They are read from all
// connections side by side: one that says nothing, or says it slowly, keeps no other one waiting.
// Of those that have not said it yet, kMostStrangers are kept; then the oldest is closed. The
// listener belongs to the caller, a connection to the Reception until next() hands it out.
//
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "impi/wire/bytes.h"

namespace tessera::impi {

class Reception {
 public:
  using Clock = std::chrono::steady_clock;
  using Said = std::array<std::byte, 4>;
  struct Guest {
    int socket;
    Said said;
    std::uint32_t host() const noexcept { return load<std::uint32_t>(said.data()); }
  };
  static constexpr std::size_t kMostStrangers = 64;

  explicit Reception(int listener) noexcept : listener_(listener) {}
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  // The next connection that has said a rank; none: nobody did until then.
  std::optional<Guest> next(Clock::time_point until);

 private:
  struct Stranger {
    int socket;
    Said said{};
    std::size_t have = 0;
    bool ended = false;
  };
  void read(Stranger& stranger) noexcept;
  void accept();
  std::optional<Guest> take_guest();
  bool wait(Clock::time_point until);

  int listener_;
  std::vector<Stranger> strangers_;
};

}  // namespace tessera::impi
