// SPDX-License-Identifier: BSD-3-Clause
// What travels on a connection: the greeting that opens it, then frames. All integers are
// little-endian.
#pragma once
//
// Greeting. Who is called sends a Challenge, 16 random bytes; who dials answers with Hello, the
// called one with Welcome, and the dialler closes the bargain with a frame of kind `go`. Several
// connections between the same two processes may be in their greeting at once (both sides dial, or
// one dials several addresses); the one on which `go` is sent is theirs, all others are closed, and
// none of them has carried a packet. Hello and Welcome prove that their senders know the secrets on
// the card of the called process (proof.h): so neither a stranger, nor one who repeats what he has
// heard, nor a wrong machine with the same private address gets through, and no secret is ever
// sent.
//
// Then both sides send frames: 8 bytes, the packet's header, its payload. A frame of kind `bye` is
// the last one.
//
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace tessera::btl::tcp {

template <class T>
void put(std::byte* at, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

template <class T>
T take(const std::byte* at) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | (static_cast<T>(at[i]) << (8 * i)));
  return value;
}

using Secret = std::array<std::byte, 16>;

enum class FrameKind : std::uint8_t { packet = 0x50, go, bye };

struct Frame {
  static constexpr std::size_t kBytes = 8;

  std::uint32_t payload_bytes = 0;
  std::uint8_t header_bytes = 0;
  std::uint8_t channel = 0;
  FrameKind kind = FrameKind::packet;

  std::size_t total() const noexcept { return kBytes + header_bytes + payload_bytes; }
  void write(std::byte* at) const noexcept {
    put(at, payload_bytes);
    put(at + 4, static_cast<std::uint32_t>(header_bytes | channel << 8 |
                                           static_cast<std::uint32_t>(kind) << 16));
  }
  static Frame read(const std::byte* at) noexcept {
    const auto word = take<std::uint32_t>(at + 4);
    return {take<std::uint32_t>(at), static_cast<std::uint8_t>(word),
            static_cast<std::uint8_t>(word >> 8),
            static_cast<FrameKind>(static_cast<std::uint8_t>(word >> 16))};
  }
};

inline constexpr std::uint64_t kMagic =
    0x3330504354535354;  // "TSSTCP03": name and version of this protocol

struct Hello {
  static constexpr std::size_t kBytes = 64;
  static constexpr std::size_t kProven = 48;  // what the proof is about

  std::uint32_t from = 0;        // index of the caller in its job
  std::uint32_t to = 0;          // of the called process in its own
  std::uint64_t max_packet = 0;  // the largest packet the sender of this will ever send
  std::uint64_t job = 0;         // of the caller
  Secret nonce{};                // drawn for this connection
  Secret proof{};

  void write(std::byte* at) const noexcept {
    put(at, kMagic);
    put(at + 8, from);
    put(at + 12, to);
    put(at + 16, max_packet);
    put(at + 24, job);
    std::memcpy(at + 32, nonce.data(), nonce.size());
    std::memcpy(at + 48, proof.data(), proof.size());
  }
  static std::optional<Hello> read(const std::byte* at) noexcept {
    if (take<std::uint64_t>(at) != kMagic) return std::nullopt;
    Hello hello{take<std::uint32_t>(at + 8),
                take<std::uint32_t>(at + 12),
                take<std::uint64_t>(at + 16),
                take<std::uint64_t>(at + 24),
                {},
                {}};
    std::memcpy(hello.nonce.data(), at + 32, hello.nonce.size());
    std::memcpy(hello.proof.data(), at + 48, hello.proof.size());
    return hello;
  }
};

struct Welcome {
  static constexpr std::size_t kBytes = 24;
  static constexpr std::size_t kProven = 8;

  std::uint64_t max_packet = 0;
  Secret proof{};

  void write(std::byte* at) const noexcept {
    put(at, max_packet);
    std::memcpy(at + 8, proof.data(), proof.size());
  }
  static Welcome read(const std::byte* at) noexcept {
    Welcome welcome{take<std::uint64_t>(at), {}};
    std::memcpy(welcome.proof.data(), at + 8, welcome.proof.size());
    return welcome;
  }
};

}  // namespace tessera::btl::tcp
