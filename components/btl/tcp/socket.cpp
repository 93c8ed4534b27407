// SPDX-License-Identifier: BSD-3-Clause
// Socket operations: options, non-blocking transfers, error texts.
#include "socket.h"

#include "address.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string_view>
#include <system_error>

namespace tessera::btl::tcp {
namespace {

void set_option(const Socket& socket, int level, int name, int value) noexcept {
  (void)setsockopt(socket.get(), level, name, &value, sizeof value);
}

// Linux 6.15 and later: the longest pause between two attempts to send, which is 120 s otherwise.
constexpr int kLongestPause = 44;  // TCP_RTO_MAX_MS
constexpr int kLongestPauseMs = 5000;

// A dead machine is noticed here while the link is idle; while data wait, by Watch.
void keep_alive(const Socket& socket, int seconds) noexcept {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, seconds / 2));
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, seconds / 6));
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set_option(socket, IPPROTO_TCP, kLongestPause, kLongestPauseMs);
}

ssize_t send_error(int error) noexcept {
  return error == ENOBUFS || error == ENOMEM || error == EWOULDBLOCK ? -EAGAIN : -error;
}

ssize_t send_with(int socket, const void* bytes, std::size_t count, int flags) noexcept {
  for (;;) {
    const ssize_t sent = ::send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL | flags);
    if (sent >= 0) return sent;
    if (errno != EINTR) return send_error(errno);
  }
}

}  // namespace

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

void Socket::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

std::string system_text(const char* call, int error) {
  return std::string(call) + ": " + std::generic_category().message(error);
}

Status system_failure(const char* call, int error) {
  return Status::failure(Errc::system, system_text(call, error));
}

void set_buffers(const Socket& socket, const Settings& settings) noexcept {
  constexpr std::size_t limit = std::numeric_limits<int>::max();
  if (settings.sndbuf != 0) {
    set_option(socket, SOL_SOCKET, SO_SNDBUF, static_cast<int>(std::min(settings.sndbuf, limit)));
  }
  // Through a smaller window, data moves only when TCP's timer for closed windows fires.
  constexpr std::size_t least = 4096;
  if (settings.rcvbuf != 0) {
    set_option(socket, SOL_SOCKET, SO_RCVBUF,
               static_cast<int>(std::clamp(settings.rcvbuf, least, limit)));
  }
}

void tune(const Socket& socket, const Settings& settings, bool loopback) noexcept {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_buffers(socket, settings);
  static constexpr std::string_view plain = "reno";
  if (loopback)
    (void)setsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, plain.data(), plain.size());
  if (settings.silence_s > 0) keep_alive(socket, settings.silence_s);
}

std::string far_end(const Socket& socket) {
  sockaddr_storage there{};
  socklen_t bytes = sizeof there;
  auto* const generic = reinterpret_cast<sockaddr*>(&there);
  const bool known = getpeername(socket.get(), generic, &bytes) == 0;
  const auto address = known ? Address::of(generic) : std::nullopt;
  if (!address) return "a closed connection";
  const std::uint16_t port = there.ss_family == AF_INET
                                 ? reinterpret_cast<const sockaddr_in&>(there).sin_port
                                 : reinterpret_cast<const sockaddr_in6&>(there).sin6_port;
  return with_port(*address, ntohs(port));
}

std::size_t unacknowledged(const Socket& socket) noexcept {
  int bytes = 0;
  if (ioctl(socket.get(), SIOCOUTQ, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::size_t>(bytes);
}

ssize_t send_some(int socket, const void* bytes, std::size_t count) noexcept {
  return send_with(socket, bytes, count, 0);
}

ssize_t send_first(int socket, const void* bytes, std::size_t count) noexcept {
  return send_with(socket, bytes, count, MSG_MORE);
}

ssize_t send_parts(int socket, std::span<iovec> parts) noexcept {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  for (;;) {
    const ssize_t sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno != EINTR) return send_error(errno);
  }
}

ssize_t receive_some(int socket, void* bytes, std::size_t count) noexcept {
  for (;;) {
    const ssize_t received = ::recv(socket, bytes, count, MSG_DONTWAIT);
    if (received >= 0) return received;
    if (errno != EINTR) return -errno;
  }
}

bool discard(const Socket& socket) noexcept {
  std::array<char, 16384> sink;
  for (;;) {
    const ssize_t got = receive_some(socket.get(), sink.data(), sink.size());
    if (got == -EAGAIN) return true;
    if (got <= 0) return false;
  }
}

}  // namespace tessera::btl::tcp
