// SPDX-License-Identifier: BSD-3-Clause
// A trace: the frames that a server or a host sent and received, in a file.
#pragma once
//
// Contract. The file begins with eight characters and holds records, all numbers big-endian:
//   u64 time (ns since 1970), u8 kind, u8 direction (0 sent, 1 received), u8 length of the name of
//   the writer, u8 length of the name of its peer, u32 bytes of the frame, u32 bytes kept of it;
//   then both names and the bytes kept.
// A frame is a whole command, a whole packet or a raw structure; frames with a secret keep no byte.
// Of a packet the header and the first bytes of data are kept. Records are written whole, one
// write() each, so that a trace is readable up to the moment in which its writer is killed, and
// several writers of one machine can share a file. One thread at a time per writer. A write that
// fails ends the trace, never the job.
//
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "impi/wire/bytes.h"
#include "impi/wire/outcome.h"

namespace tessera::impi {

enum class FrameKind : std::uint8_t {
  command,     // between client and server, with its header
  auth_reply,  // the raw structure with which a server answers AUTH, and the data after it
  secret,      // a key or a proof
  host_rank,   // the four bytes that open a stream between hosts
  packet,      // between hosts
  note,        // a line of text: connected, closed, why
};
enum class Direction : std::uint8_t { sent, received };

inline constexpr std::string_view kTraceMagic = "IMPITRC1";
inline constexpr std::size_t kTraceRecordBytes = 20;
inline constexpr std::size_t kTraceKeeps = 128 + 32;  // bytes of a packet
inline constexpr std::size_t kTraceKeepsOfCommands = 4096;

class TraceWriter {
 public:
  TraceWriter() = default;
  ~TraceWriter() { close(); }
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // Makes the file with mode 0600, or empties it. `self` names the writer: "server", "host 2".
  Checked open(const std::string& path, std::string self);
  // Goes on with a file that another writer, perhaps of another process, has made or will make.
  Checked join(const std::string& path, std::string self);
  bool is_open() const noexcept { return file_ >= 0; }
  void rename(std::string self) { self_ = std::move(self); }
  void close() noexcept;

  // `frame` and `more` are one frame: a packet's header and its data need not stand together.
  void record(FrameKind kind, Direction direction, std::string_view peer, ByteView frame,
              ByteView more = {}) noexcept;
  void note(std::string_view peer, std::string_view text) noexcept;

 private:
  Checked begin(const std::string& path, std::string self, int flags);

  int file_ = -1;
  std::string self_;
};

}  // namespace tessera::impi
