// SPDX-License-Identifier: BSD-3-Clause
#include "impi/wire/command.h"

#include <algorithm>
#include <cstdio>

namespace tessera::impi {
namespace {

// Moves at most `most` bytes from the begin of `from` to the end of `to`.
void move_bytes(ByteView& from, Bytes& to, std::size_t most) {
  const std::size_t count = std::min(most, from.size());
  append(to, from.first(count));
  from = from.subspan(count);
}

std::string four_characters(std::uint32_t code) {
  std::string name;
  for (int shift = 24; shift >= 0; shift -= 8) name += static_cast<char>((code >> shift) & 0xFF);
  return name;
}

}  // namespace

Bytes encode_command(Command command, ByteView payload) {
  Bytes bytes;
  bytes.reserve(kCommandBytes + payload.size());
  append_number(bytes, static_cast<std::uint32_t>(command));
  append_number(bytes, static_cast<std::uint32_t>(payload.size()));
  append(bytes, payload);
  return bytes;
}

Bytes encode_auth(std::uint32_t mask) {
  Bytes payload;
  append_number(payload, mask);
  return encode_command(Command::auth, payload);
}

Bytes encode_auth_reply(AuthMethod method, ByteView data) {
  Bytes bytes;
  append_number(bytes, static_cast<std::uint32_t>(method));
  append_number(bytes, static_cast<std::uint32_t>(data.size()));
  append(bytes, data);
  return bytes;
}

Bytes encode_impi(std::int32_t rank_or_size) {
  Bytes payload;
  append_number(payload, rank_or_size);
  return encode_command(Command::impi, payload);
}

Bytes encode_coll(std::uint32_t label, ByteView values) {
  Bytes payload;
  payload.reserve(4 + values.size());
  append_number(payload, label);
  append(payload, values);
  return encode_command(Command::coll, payload);
}

Bytes encode_coll_reply(std::uint32_t label, std::uint32_t clients, ByteView values) {
  Bytes payload;
  payload.reserve(8 + values.size());
  append_number(payload, label);
  append_number(payload, clients);
  append(payload, values);
  return encode_command(Command::coll, payload);
}

bool is_known(Command command) noexcept {
  switch (command) {
    case Command::auth:
    case Command::impi:
    case Command::coll:
    case Command::done:
    case Command::fini:
      return true;
  }
  return false;
}

std::string name_of(Command command) {
  const auto code = static_cast<std::uint32_t>(command);
  if (is_known(command)) return four_characters(code);
  char number[16];
  std::snprintf(number, sizeof number, "0x%08X", code);
  return number;
}

bool decode_coll_reply(ByteView payload, CollReply& reply) noexcept {
  Reader reader(payload);
  const std::uint32_t label = reader.u32();
  const std::uint32_t clients = reader.u32();
  if (!reader.ok()) return false;
  reply = {label, clients, reader.rest()};
  return true;
}

bool CommandReader::accept_header() {
  Reader reader(header_);
  command_ = static_cast<Command>(reader.u32());
  const std::int32_t length = reader.i32();
  std::uint32_t most = 0;
  std::uint32_t least = 0;
  switch (command_) {
    case Command::auth:
      least = 4, most = limits_.auth;
      break;
    case Command::impi:
      least = 4, most = 4;
      break;
    case Command::coll:
      least = 4, most = limits_.coll;
      break;
    case Command::done:
    case Command::fini:
      break;
    default:
      most = limits_.unknown;
  }
  length_ = static_cast<std::uint32_t>(length);
  if (length >= 0 && length_ >= least && length_ <= most) return true;
  fault_ = "the length of " + name_of(command_) + " is " + std::to_string(length) +
           " bytes, allowed are " + std::to_string(least) + " to " + std::to_string(most);
  return false;
}

// The header; complete here means that it is there.
Fed CommandReader::begin(ByteView& bytes) {
  if (header_.size() == kCommandBytes) return Fed::complete;
  move_bytes(bytes, header_, kCommandBytes - header_.size());
  if (header_.size() < kCommandBytes) return Fed::need_more;
  payload_.clear();
  return accept_header() ? Fed::complete : Fed::broken;
}

Fed CommandReader::feed(ByteView& bytes) {
  if (!fault_.empty()) return Fed::broken;
  while (true) {
    const std::size_t skipped = std::min<std::size_t>(skip_, bytes.size());
    bytes = bytes.subspan(skipped);
    skip_ -= static_cast<std::uint32_t>(skipped);
    if (skip_ != 0) return Fed::need_more;
    if (const Fed begun = begin(bytes); begun != Fed::complete) return begun;
    if (is_known(command_)) break;
    skip_ = length_;
    has_skipped_ = true;
    header_.clear();
  }
  move_bytes(bytes, payload_, length_ - payload_.size());
  if (payload_.size() < length_) return Fed::need_more;
  header_.clear();
  return Fed::complete;
}

bool BlockReader::feed(ByteView& bytes) {
  move_bytes(bytes, bytes_, size_ - bytes_.size());
  return bytes_.size() == size_;
}

}  // namespace tessera::impi
