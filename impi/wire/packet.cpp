// SPDX-License-Identifier: BSD-3-Clause
#include "impi/wire/packet.h"

#include <algorithm>
#include <utility>

namespace tessera::impi {
namespace {

constexpr std::string_view kNames[kPacketTypes] = {"DATA",   "DATASYNC",  "PROTOACK", "SYNCACK",
                                                   "CANCEL", "CANCELYES", "CANCELNO", "FINI"};

void write(Writer& writer, const ProcId& id) noexcept {
  writer.bytes(id.host);
  writer.i64(id.pid);
}

ProcId read_proc(Reader& reader) noexcept {
  ProcId id;
  const ByteView host = reader.take(kHostIdBytes);
  std::copy(host.begin(), host.end(), id.host.begin());
  id.pid = reader.i64();
  return id;
}

}  // namespace

PacketBytes encode(const Packet& packet) noexcept {
  PacketBytes bytes;
  Writer writer(bytes);
  writer.u32(static_cast<std::uint32_t>(packet.type));
  writer.u32(packet.length);
  write(writer, packet.source);
  write(writer, packet.destination);
  writer.u64(packet.source_request);
  writer.u64(packet.destination_request);
  writer.u64(packet.message_length);
  writer.i32(packet.source_rank);
  writer.i32(packet.tag);
  writer.u64(packet.cid);
  writer.u64(packet.sequence);
  writer.i64(packet.count);
  writer.u64(packet.datatype);
  writer.u64(packet.reserved);
  return bytes;
}

Packet decode(ByteView bytes) noexcept {
  Reader reader(bytes.first(kPacketBytes));
  Packet packet;
  packet.type = static_cast<PacketType>(reader.u32());
  packet.length = reader.u32();
  packet.source = read_proc(reader);
  packet.destination = read_proc(reader);
  packet.source_request = reader.u64();
  packet.destination_request = reader.u64();
  packet.message_length = reader.u64();
  packet.source_rank = reader.i32();
  packet.tag = reader.i32();
  packet.cid = reader.u64();
  packet.sequence = reader.u64();
  packet.count = reader.i64();
  packet.datatype = reader.u64();
  packet.reserved = reader.u64();
  return packet;
}

std::string_view name_of(PacketType type) noexcept {
  const auto number = static_cast<std::uint32_t>(type);
  return number < kPacketTypes ? kNames[number] : "unknown";
}

std::string check_packet(const Packet& packet, std::uint32_t most_data) {
  if (static_cast<std::uint32_t>(packet.type) >= kPacketTypes)
    return "packet type " + std::to_string(static_cast<std::uint32_t>(packet.type)) +
           " does not exist, the types are 0 to 7";
  if (!carries_data(packet.type)) return {};
  const std::string length = std::to_string(packet.length);
  if (packet.length > most_data)
    return "a packet with " + length + " bytes of data, " + std::to_string(most_data) +
           " were agreed";
  if (packet.length > packet.message_length)
    return "a packet with " + length + " bytes of a message of " +
           std::to_string(packet.message_length);
  if (packet.length == 0 && packet.message_length != 0)
    return "a packet without data of a message of " + std::to_string(packet.message_length) +
           " bytes";
  if (packet.tag < 0) return "tag " + std::to_string(packet.tag) + ", tags start at 0";
  if (packet.source_rank < 0)
    return "rank " + std::to_string(packet.source_rank) + " of a sender, ranks start at 0";
  return {};
}

Packet answer_to(const Packet& packet, PacketType type) noexcept {
  Packet answer;
  answer.type = type;
  answer.source = packet.destination;
  answer.destination = packet.source;
  answer.source_request = packet.source_request;
  return answer;
}

bool PacketReader::take_header(ByteView& bytes) {
  if (header_bytes_ == kPacketBytes) return true;
  const std::size_t count = std::min(kPacketBytes - header_bytes_, bytes.size());
  std::copy_n(bytes.begin(), count, header_.begin() + static_cast<std::ptrdiff_t>(header_bytes_));
  header_bytes_ += count;
  bytes = bytes.subspan(count);
  if (header_bytes_ < kPacketBytes) return false;
  packet_ = decode(header_);
  fault_ = check_packet(packet_, most_data_);
  place_ = {};
  buffer_.clear();
  filled_ = 0;
  return fault_.empty();
}

Fed PacketReader::take_data(ByteView& bytes) {
  const std::size_t length = carries_data(packet_.type) ? packet_.length : 0;
  if (target().empty() && bytes.size() >= length) {
    data_ = bytes.first(length);
    bytes = bytes.subspan(length);
    return Fed::complete;
  }
  if (target().empty()) find_place(length);
  const std::span<std::byte> into = target();
  const std::size_t count = std::min(length - filled_, bytes.size());
  std::copy_n(bytes.begin(), count, into.begin() + static_cast<std::ptrdiff_t>(filled_));
  bytes = bytes.subspan(count);
  filled_ += count;
  data_ = into;
  return filled_ == length ? Fed::complete : Fed::need_more;
}

std::span<std::byte> PacketReader::target() noexcept {
  return place_.empty() ? std::span<std::byte>(buffer_) : place_;
}

void PacketReader::find_place(std::size_t length) {
  if (places_ != nullptr) place_ = places_->place_for(packet_);
  if (place_.empty()) buffer_.resize(length);
}

std::span<std::byte> PacketReader::missing() noexcept {
  return amid() ? target().subspan(filled_) : std::span<std::byte>();
}

Bytes PacketReader::take_data() {
  if (in_place()) return {};
  if (buffer_.empty()) return {data_.begin(), data_.end()};
  data_ = {};
  filled_ = 0;
  return std::exchange(buffer_, {});
}

Fed PacketReader::feed(ByteView& bytes) {
  if (!fault_.empty()) return Fed::broken;
  if (!take_header(bytes)) return fault_.empty() ? Fed::need_more : Fed::broken;
  const Fed fed = take_data(bytes);
  if (fed == Fed::complete) header_bytes_ = 0;
  return fed;
}

}  // namespace tessera::impi
