// SPDX-License-Identifier: BSD-3-Clause
// Reads both ends of a file at once, and the rest on demand.
#include "framework/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tessera {
namespace {

// False, with errno 0 where the file ends before: some bytes are missing.
bool read_all(int fd, std::uint64_t offset, std::span<std::byte> to) noexcept {
  while (!to.empty()) {
    const ssize_t got = pread(fd, to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

}  // namespace

FileBytes::FileBytes(std::span<const std::byte> memory) noexcept
    : size_(memory.size()), known_{Part{0, memory}} {}

FileBytes::FileBytes(const std::string& path) : problem_(open(path)) {}

FileBytes::~FileBytes() {
  if (fd_ >= 0) ::close(fd_);
}

std::string FileBytes::open(const std::string& path) {
  // O_NONBLOCK: a named pipe that bears a component's name must not stop us.
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) return fmt::format("cannot be opened: {}", std::strerror(errno));
  struct stat info {};
  if (fstat(fd_, &info) != 0) return fmt::format("cannot be examined: {}", std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return "is a directory";
  if (!S_ISREG(info.st_mode)) return "is not a regular file";
  if (info.st_size <= 0) return "is empty";
  size_ = static_cast<std::uint64_t>(info.st_size);
  return read_ends();
}

std::string FileBytes::read_ends() {
  const std::size_t length = static_cast<std::size_t>(std::min<std::uint64_t>(size_, kPart));
  const auto first = std::span(first_).first(length), last = std::span(last_).first(length);
  if (!read_all(fd_, 0, first) || !read_all(fd_, size_ - length, last))
    return fmt::format("cannot be read: {}", errno != 0 ? std::strerror(errno) : "it has shrunk");
  known_[0] = {0, first};
  known_[1] = {size_ - length, last};
  return {};
}

bool FileBytes::copy_known(std::uint64_t offset, std::span<std::byte> to) const noexcept {
  for (const Part& part : known_) {
    const std::uint64_t at = offset - part.offset;
    if (offset < part.offset || at > part.bytes.size() || to.size() > part.bytes.size() - at)
      continue;
    if (!to.empty()) std::memcpy(to.data(), part.bytes.data() + at, to.size());
    return true;
  }
  return false;
}

bool FileBytes::copy(std::uint64_t offset, std::span<std::byte> to) const noexcept {
  if (!holds(offset, to.size())) return false;
  if (copy_known(offset, to)) return true;
  if (to.size() > kPart / 2) return read_all(fd_, offset, to);
  const std::uint64_t begin = offset - std::min<std::uint64_t>(offset, kPart / 2);
  const auto latest = std::span(latest_).first(
      static_cast<std::size_t>(std::min<std::uint64_t>(kPart, size_ - begin)));
  known_[2] = {};
  if (!read_all(fd_, begin, latest)) return read_all(fd_, offset, to);
  known_[2] = {begin, latest};
  return copy_known(offset, to);
}

std::optional<std::vector<std::byte>> FileBytes::slice(std::uint64_t offset,
                                                       std::uint64_t size) const {
  if (!holds(offset, size)) return std::nullopt;
  std::vector<std::byte> bytes(size);
  if (!copy(offset, bytes)) return std::nullopt;
  return bytes;
}

}  // namespace tessera
