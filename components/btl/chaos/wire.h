// SPDX-License-Identifier: BSD-3-Clause
// What travels below: pieces of packets, each with a checksum.
#pragma once
//
// A piece is a packet of the transport below. Its header is a Piece; its payload is the header of
// the packet (in the first piece only) and a part of the packet's payload.
//
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/btl.h"

namespace tessera::btl::chaos {

enum class PieceKind : std::uint8_t { part, hangup };

struct Piece {
  static constexpr std::uint32_t kMagic = 0x314f4843;  // "CHO1"

  std::uint32_t magic = kMagic;
  PieceKind kind = PieceKind::part;
  std::uint8_t header_bytes = 0;  // of the packet, in the first piece
  std::uint16_t unused = 0;
  std::uint64_t number = 0;         // of the packet between the two processes
  std::uint64_t payload_bytes = 0;  // of the whole packet
  std::uint64_t offset = 0;         // of this part of it
  std::uint64_t checksum = 0;       // over all fields, with this one 0, and the payload
};
static_assert(sizeof(Piece) == 40 && sizeof(Piece) <= kMaxHeader);

// Differs whenever one byte differs.
std::uint64_t checksum(const Piece& piece, std::span<const std::byte> payload) noexcept;

// The piece of `packet` with the bytes [offset, offset + bytes) of its payload: a Piece and what
// follows it.
std::vector<std::byte> cut(const Packet& packet, std::uint64_t number, std::size_t offset,
                           std::size_t bytes);
std::vector<std::byte> hangup(std::uint64_t number);

// `bytes` as a packet for the transport below.
Packet as_packet(Channel channel, std::span<const std::byte> bytes) noexcept;

}  // namespace tessera::btl::chaos
