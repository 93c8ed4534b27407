// SPDX-License-Identifier: BSD-3-Clause
// The stream between a client and the server: commands, and the reader that takes them apart.
#pragma once
//
// Contract. A command is eight bytes (code, length) and its payload. Three structures of the
// authentication stand in the stream without that header (BlockReader collects them), so a
// CommandReader never takes a byte beyond the command it completes: feed() moves the begin of the
// caller's span to the first byte it left. An unknown command is skipped by its length, as the
// protocol wants; a length that is negative or beyond its limit breaks the stream for good.
// Memory: at most one payload within the limit, and never more than has arrived.
//
#include <cstdint>
#include <string>
#include <string_view>

#include "impi/wire/bytes.h"
#include "impi/wire/constants.h"

namespace tessera::impi {

// The largest payloads that a reader accepts, in bytes.
struct CommandLimits {
  std::uint32_t auth = 128;
  std::uint32_t coll = 1 << 20;
  std::uint32_t unknown = 1 << 20;
};

Bytes encode_command(Command command, ByteView payload = {});
Bytes encode_auth(std::uint32_t mask);
Bytes encode_auth_reply(AuthMethod method, ByteView data = {});
Bytes encode_impi(std::int32_t rank_or_size);
Bytes encode_coll(std::uint32_t label, ByteView values);
Bytes encode_coll_reply(std::uint32_t label, std::uint32_t clients, ByteView values);

// "AUTH", or the number of a command that the protocol does not know.
std::string name_of(Command command);
bool is_known(Command command) noexcept;

// A gathered label as the server sends it to each client.
struct CollReply {
  std::uint32_t label = 0;
  std::uint32_t clients = 0;  // bit r: client r contributed
  ByteView values;            // of all clients that contributed, by ascending rank
};
bool decode_coll_reply(ByteView payload, CollReply& reply) noexcept;

enum class Fed : std::uint8_t { need_more, complete, broken };

class CommandReader {
 public:
  explicit CommandReader(CommandLimits limits = {}) : limits_(limits) {}

  // complete: command() and payload() hold until the next call; unknown commands are not shown.
  // broken: fault() says why, and the stream cannot be read further.
  Fed feed(ByteView& bytes);

  Command command() const noexcept { return command_; }
  ByteView payload() const noexcept { return payload_; }
  const std::string& fault() const noexcept { return fault_; }
  // Whether an unknown command was among what has arrived.
  bool has_skipped() const noexcept { return has_skipped_; }
  // Whether a command has begun: the end of the stream is then a cut.
  bool amid() const noexcept { return header_.size() != 0 || skip_ != 0; }

 private:
  Fed begin(ByteView& bytes);
  bool accept_header();

  CommandLimits limits_;
  Bytes header_;
  Bytes payload_;
  Command command_{};
  std::uint32_t length_ = 0;
  std::uint32_t skip_ = 0;
  bool has_skipped_ = false;
  std::string fault_;
};

// Collects a fixed number of bytes.
class BlockReader {
 public:
  explicit BlockReader(std::size_t size) : size_(size) {}
  bool feed(ByteView& bytes);  // whether all are there
  ByteView bytes() const noexcept { return bytes_; }

 private:
  std::size_t size_;
  Bytes bytes_;
};

}  // namespace tessera::impi
