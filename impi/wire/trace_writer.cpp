// SPDX-License-Identifier: BSD-3-Clause
#include "impi/wire/trace_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace tessera::impi {
namespace {

constexpr std::size_t kLongestName = 255;

std::uint64_t now_ns() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::size_t kept_of(FrameKind kind, std::size_t size) noexcept {
  if (kind == FrameKind::secret) return 0;
  return std::min(size, kind == FrameKind::packet ? kTraceKeeps : kTraceKeepsOfCommands);
}

ByteView bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

bool write_whole(int file, ByteView bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

// The first characters of the file, by whichever of its writers comes first.
bool write_magic(int file) noexcept {
  struct stat about {};
  if (flock(file, LOCK_EX) != 0 || fstat(file, &about) != 0) return false;
  const bool good = about.st_size > 0 || write_whole(file, bytes_of(kTraceMagic));
  const int error = errno;
  flock(file, LOCK_UN);
  errno = error;
  return good;
}

}  // namespace

Checked TraceWriter::open(const std::string& path, std::string self) {
  return begin(path, std::move(self), O_TRUNC);
}

Checked TraceWriter::join(const std::string& path, std::string self) {
  return begin(path, std::move(self), 0);
}

Checked TraceWriter::begin(const std::string& path, std::string self, int flags) {
  close();
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | flags, 0600);
  if (file_ < 0) return Fault{"the trace '" + path + "' cannot be made: " + std::strerror(errno)};
  self_ = std::move(self);
  if (!write_magic(file_)) {
    const Fault fault{"the trace '" + path + "' cannot be written: " + std::strerror(errno)};
    close();
    return fault;
  }
  return Nothing{};
}

void TraceWriter::close() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void TraceWriter::record(FrameKind kind, Direction direction, std::string_view peer, ByteView frame,
                         ByteView more) noexcept {
  if (file_ < 0) return;
  const std::string_view self = std::string_view(self_).substr(0, kLongestName);
  peer = peer.substr(0, kLongestName);
  const std::size_t size = frame.size() + more.size();
  const std::size_t kept = kept_of(kind, size);
  std::byte room[kTraceRecordBytes + 2 * kLongestName + kTraceKeepsOfCommands];
  Writer writer(room);
  writer.u64(now_ns());
  writer.number(static_cast<std::uint8_t>(kind));
  writer.number(static_cast<std::uint8_t>(direction));
  writer.number(static_cast<std::uint8_t>(self.size()));
  writer.number(static_cast<std::uint8_t>(peer.size()));
  writer.u32(static_cast<std::uint32_t>(size));
  writer.u32(static_cast<std::uint32_t>(kept));
  writer.bytes(bytes_of(self));
  writer.bytes(bytes_of(peer));
  const std::size_t of_frame = std::min(kept, frame.size());
  writer.bytes(frame.first(of_frame));
  writer.bytes(more.first(kept - of_frame));
  if (!write_whole(file_, ByteView(room, writer.written()))) close();
}

void TraceWriter::note(std::string_view peer, std::string_view text) noexcept {
  record(FrameKind::note, Direction::sent, peer, bytes_of(text));
}

}  // namespace tessera::impi
