// SPDX-License-Identifier: BSD-3-Clause
// The stream between two hosts: the 128-byte packet header, its rules, the reader of the stream.
#pragma once
//
// Contract. A packet is a header and, for the types data and datasync alone, `length` bytes of user
// data; all numbers are big-endian. Fields that a type does not use are sent as 0 and ignored on
// receipt: other implementations leave anything there. check_packet() says what a receiver must not
// accept. PacketReader allocates for the data of one packet at most, after the header was checked,
// and only where the packet does not stand whole in the bytes it is given.
//
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "impi/wire/bytes.h"
#include "impi/wire/command.h"
#include "impi/wire/constants.h"

namespace tessera::impi {

using HostId = std::array<std::byte, kHostIdBytes>;

// A process: compared byte by byte, never normalised.
struct ProcId {
  HostId host{};
  std::int64_t pid = 0;
  friend auto operator<=>(const ProcId&, const ProcId&) = default;
};

struct Packet {
  PacketType type = PacketType::data;
  std::uint32_t length = 0;  // bytes of user data in this packet
  ProcId source;             // sender of this packet
  ProcId destination;
  std::uint64_t source_request = 0;       // of the process that sent the message
  std::uint64_t destination_request = 0;  // of the process that receives the message
  std::uint64_t message_length = 0;       // bytes of the whole message
  std::int32_t source_rank = 0;  // in the communicator; of an intercommunicator, in the group
  std::int32_t tag = 0;
  std::uint64_t cid = 0;  // context id
  std::uint64_t sequence = 0;
  std::int64_t count = 0;
  std::uint64_t datatype = 0;
  std::uint64_t reserved = 0;
  friend bool operator==(const Packet&, const Packet&) = default;
};

using PacketBytes = std::array<std::byte, kPacketBytes>;
PacketBytes encode(const Packet& packet) noexcept;
// `bytes` has at least kPacketBytes bytes.
Packet decode(ByteView bytes) noexcept;

std::string_view name_of(PacketType type) noexcept;  // "DATA" ...; "unknown" for others

constexpr bool carries_data(PacketType type) noexcept {
  return type == PacketType::data || type == PacketType::datasync;
}
// Whether a packet is one of the packets that ackmark and hiwater count.
constexpr bool is_counted(PacketType type) noexcept {
  return type != PacketType::protoack && type != PacketType::fini;
}
// Data that continues a message: anything but a message that stands whole in one packet.
constexpr bool is_fragment(const Packet& packet) noexcept {
  return packet.type == PacketType::data && packet.length != packet.message_length;
}

// Empty, or what is wrong with a packet where at most `most_data` bytes of user data were agreed.
std::string check_packet(const Packet& packet, std::uint32_t most_data);

// The answer to a packet: the same request, source and destination exchanged.
Packet answer_to(const Packet& packet, PacketType type) noexcept;

// Knows where the data of a packet is to lie in the end.
class DataPlaces {
 public:
  // Asked once for each packet whose data does not come with its header. Empty: nowhere yet. Else
  // packet.length bytes, which hold until the packet is complete.
  virtual std::span<std::byte> place_for(const Packet& packet) noexcept = 0;

 protected:
  ~DataPlaces() = default;
};

class PacketReader {
 public:
  // `places` may be null.
  explicit PacketReader(std::uint32_t most_data, DataPlaces* places = nullptr)
      : most_data_(most_data), places_(places) {}

  // complete: packet() and data() hold until the next call. broken: fault() says why, for good.
  Fed feed(ByteView& bytes);

  // Where the rest of the data of the packet under way goes, and that its first `count` bytes lie
  // there now. Empty: its header is not whole, or nothing is missing. feed() takes what follows.
  std::span<std::byte> missing() noexcept;
  void put(std::size_t count) noexcept { filled_ += count; }

  const Packet& packet() const noexcept { return packet_; }
  ByteView data() const noexcept { return data_; }
  // data(), for good; and whether it lies in its place already, and is not among these bytes.
  Bytes take_data();
  bool in_place() const noexcept { return !place_.empty(); }
  const std::string& fault() const noexcept { return fault_; }
  bool amid() const noexcept { return header_bytes_ != 0; }

 private:
  bool take_header(ByteView& bytes);
  Fed take_data(ByteView& bytes);
  void find_place(std::size_t length);
  std::span<std::byte> target() noexcept;

  std::uint32_t most_data_;
  DataPlaces* places_;
  PacketBytes header_;
  std::size_t header_bytes_ = 0;
  Packet packet_;
  // Of data that comes in several pieces: its place, or as many bytes of our own.
  std::span<std::byte> place_;
  Bytes buffer_;
  std::size_t filled_ = 0;
  ByteView data_;
  std::string fault_;
};

}  // namespace tessera::impi
