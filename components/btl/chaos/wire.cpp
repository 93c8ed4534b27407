// SPDX-License-Identifier: BSD-3-Clause
// Making pieces, and their checksum.
#include "wire.h"

#include <cstring>

namespace tessera::btl::chaos {
namespace {

// FNV-1a: each step is a bijection, so a single wrong byte never goes unseen.
std::uint64_t add(std::uint64_t sum, const std::byte* at, std::size_t bytes) noexcept {
  for (std::size_t i = 0; i < bytes; ++i)
    sum = (sum ^ std::to_integer<std::uint64_t>(at[i])) * 0x100000001b3;
  return sum;
}

void seal(std::vector<std::byte>& bytes, Piece piece) {
  piece.checksum = checksum(piece, std::span(bytes).subspan(sizeof piece));
  std::memcpy(bytes.data(), &piece, sizeof piece);
}

void copy(std::byte* to, const void* from, std::size_t bytes) noexcept {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

}  // namespace

std::uint64_t checksum(const Piece& piece, std::span<const std::byte> payload) noexcept {
  Piece plain = piece;
  plain.checksum = 0;
  const std::uint64_t sum =
      add(0xcbf29ce484222325, reinterpret_cast<const std::byte*>(&plain), sizeof plain);
  return add(sum, payload.data(), payload.size());
}

std::vector<std::byte> cut(const Packet& packet, std::uint64_t number, std::size_t offset,
                           std::size_t bytes) {
  Piece piece;
  piece.header_bytes = offset == 0 ? packet.header_bytes : std::uint8_t{0};
  piece.number = number;
  piece.payload_bytes = packet.payload_bytes;
  piece.offset = offset;
  std::vector<std::byte> made(sizeof piece + piece.header_bytes + bytes);
  std::byte* at = made.data() + sizeof piece;
  copy(at, packet.header, piece.header_bytes);
  copy(at + piece.header_bytes, static_cast<const std::byte*>(packet.payload) + offset, bytes);
  seal(made, piece);
  return made;
}

std::vector<std::byte> hangup(std::uint64_t number) {
  Piece piece;
  piece.kind = PieceKind::hangup;
  piece.number = number;
  std::vector<std::byte> made(sizeof piece);
  seal(made, piece);
  return made;
}

Packet as_packet(Channel channel, std::span<const std::byte> bytes) noexcept {
  return {channel, static_cast<std::uint8_t>(sizeof(Piece)), bytes.data(),
          bytes.data() + sizeof(Piece), bytes.size() - sizeof(Piece)};
}

}  // namespace tessera::btl::chaos
