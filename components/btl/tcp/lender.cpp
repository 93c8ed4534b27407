// SPDX-License-Identifier: BSD-3-Clause
// Pages through a pipe into a socket.
#include "lender.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace tessera::btl::tcp {
namespace {

// What the pipe asks for: a user's pipes may have 64 MiB together before the system makes them
// smaller.
constexpr int kPipeBytes = 256 << 10;

// splice(2) raises SIGPIPE where the peer has gone, and cannot be told not to. Held back meanwhile,
// and taken away, unless it was held back before.
class NoBrokenPipe {
 public:
  NoBrokenPipe() noexcept {
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before_);
  }
  ~NoBrokenPipe() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  void take() noexcept {
    constexpr timespec now{};
    if (sigismember(&before_, SIGPIPE) == 0) (void)sigtimedwait(&broken_pipe_, nullptr, &now);
  }

 private:
  sigset_t broken_pipe_;
  sigset_t before_;
};

}  // namespace

bool Lender::open() noexcept {
  if (in_.valid()) return true;
  int ends[2];
  if (refused_ || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  out_ = Socket(ends[0]);
  in_ = Socket(ends[1]);
  (void)fcntl(in_.get(), F_SETPIPE_SZ, kPipeBytes);
  room_ = static_cast<std::size_t>(std::max(fcntl(in_.get(), F_GETPIPE_SZ), 4096));
  return true;
}

void Lender::close() noexcept {
  out_.close();
  in_.close();
}

// A pipe holds pages, and a payload may begin in the middle of one.
std::size_t Lender::fill(std::span<const std::byte> payload) noexcept {
  const iovec piece{const_cast<std::byte*>(payload.data()), payload.size()};
  for (;;) {
    const ssize_t n = vmsplice(in_.get(), &piece, 1, SPLICE_F_NONBLOCK);
    if (n < 0 && errno == EINTR) continue;
    refused_ = n <= 0;
    return refused_ ? 0 : static_cast<std::size_t>(n);
  }
}

std::size_t Lender::drain(int socket, std::size_t bytes, bool more) noexcept {
  NoBrokenPipe guard;
  const unsigned flags = SPLICE_F_NONBLOCK | (more ? SPLICE_F_MORE : 0U);
  std::size_t sent = 0;
  while (sent < bytes) {
    const ssize_t n = splice(out_.get(), nullptr, socket, nullptr, bytes - sent, flags);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) guard.take();
    refused_ = n < 0 && (errno == EINVAL || errno == ENOSYS || errno == EPERM);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  return sent;
}

std::size_t Lender::send(int socket, std::span<const std::byte> payload) noexcept {
  std::size_t sent = 0;
  while (sent < payload.size() && open()) {
    const auto rest = payload.subspan(sent);
    const std::size_t in_pipe = fill(rest.first(std::min(rest.size(), room_)));
    const std::size_t taken = drain(socket, in_pipe, in_pipe < rest.size());
    sent += taken;
    if (taken == in_pipe && !refused_) continue;
    close();  // and what is left in the pipe
    break;
  }
  return sent;
}

}  // namespace tessera::btl::tcp
