// SPDX-License-Identifier: BSD-3-Clause
// Writing to whatever standard output is, without waiting for whoever reads it.
#include "launcher/output_sink.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace tessera::launcher {
namespace {

int open_again(int descriptor) noexcept {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  return open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

// A pipe that polls writable takes this much without blocking.
long write_carefully(int descriptor, std::string_view data) noexcept {
  pollfd ready{descriptor, POLLOUT, 0};
  if (poll(&ready, 1, 0) == 1)
    return ::write(descriptor, data.data(), std::min<std::size_t>(data.size(), PIPE_BUF));
  errno = EAGAIN;
  return -1;
}

}  // namespace

OutputSink::Way OutputSink::way_to(int descriptor, int& own) noexcept {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return Way::plain;
  if (S_ISSOCK(facts.st_mode)) return Way::socket;
  if (!S_ISFIFO(facts.st_mode) && isatty(descriptor) == 0) return Way::plain;
  own = open_again(descriptor);
  return own >= 0 ? Way::no_wait : Way::careful;
}

OutputSink::OutputSink(int descriptor, bool in_lines) noexcept
    : in_lines_(in_lines),
      way_(way_to(descriptor, own_)),
      descriptor_(own_ >= 0 ? own_ : descriptor) {}

OutputSink::~OutputSink() {
  if (own_ >= 0) close(own_);
}

// Lines above PIPE_BUF bytes may be divided.
std::string_view OutputSink::next_piece(std::string_view data) const noexcept {
  if (!in_lines_ || data.size() <= PIPE_BUF) return data;
  const std::size_t end = data.rfind('\n', PIPE_BUF - 1);
  return data.substr(0, end == std::string_view::npos ? PIPE_BUF : end + 1);
}

long OutputSink::write_once(std::string_view rest) noexcept {
  const std::string_view data = next_piece(rest);
  if (way_ == Way::socket)
    return send(descriptor_, data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (way_ == Way::careful) return write_carefully(descriptor_, data);
  return ::write(descriptor_, data.data(), data.size());
}

std::size_t OutputSink::write(std::string_view data) noexcept {
  std::size_t taken = 0;
  while (taken < data.size() && !broken()) {
    const long count = write_once(data.substr(taken));
    if (count >= 0) {
      taken += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      return taken;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return data.size();
}

bool same_target(int a, int b) noexcept {
  struct stat of_a {};
  struct stat of_b {};
  if (fstat(a, &of_a) != 0 || fstat(b, &of_b) != 0) return false;
  return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino && of_a.st_rdev == of_b.st_rdev;
}

}  // namespace tessera::launcher
