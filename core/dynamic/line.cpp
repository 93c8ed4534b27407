// SPDX-License-Identifier: BSD-3-Clause
// Frames over a stream socket, with progress meanwhile.
#include "core/dynamic/line.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>
#include <string>

namespace tessera {
namespace {

Status gone(int error) noexcept {
  const char* const how = error == 0 ? "it closed the connection" : strerror(error);
  return Status::failure(Errc::peer_failed, std::string("the other side has gone: ") + how);
}

bool transient(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

std::int64_t steady_ms() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

Deadline::Deadline(Progress& progress, double seconds) noexcept : progress_(progress) {
  if (seconds <= 0) return;
  const auto ms = static_cast<std::int64_t>(std::ceil(seconds * 1000));
  at_ms_ = steady_ms() + ms;
  alarm_ = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  itimerspec when{};
  when.it_value.tv_sec = ms / 1000;
  when.it_value.tv_nsec = (ms % 1000 + 1) * 1'000'000 % 1'000'000'000;
  when.it_value.tv_sec += (ms % 1000 + 1) / 1000;
  if (alarm_ < 0 || timerfd_settime(alarm_, 0, &when, nullptr) != 0) return;
  (void)progress_.watch(alarm_, EPOLLIN);
}

Deadline::~Deadline() {
  if (alarm_ < 0) return;
  progress_.unwatch(alarm_);
  close(alarm_);
}

Line::~Line() {
  if (socket_ >= 0 && !lent_) close(socket_);
}

Status Line::send_raw(const void* data, std::size_t bytes, const Deadline& deadline) noexcept {
  const auto* at = static_cast<const std::byte*>(data);
  int error = 0;
  const bool sent = wait_beside(deadline, socket_, EPOLLOUT, [&] {
    const ssize_t count = ::send(socket_, at, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && !transient(errno)) error = errno;
    if (count > 0) {
      at += count;
      bytes -= static_cast<std::size_t>(count);
    }
    return bytes == 0 || error != 0;
  });
  if (error != 0) return gone(error);
  return sent ? Status() : Status(Errc::cancelled);
}

Status Line::receive_raw(void* data, std::size_t bytes, const Deadline& deadline) noexcept {
  auto* at = static_cast<std::byte*>(data);
  int error = -1;
  const bool all = wait_beside(deadline, socket_, EPOLLIN, [&] {
    while (bytes > 0) {
      const ssize_t count = ::recv(socket_, at, bytes, MSG_DONTWAIT);
      if (count < 0 && transient(errno)) return false;
      if (count <= 0) {
        error = count == 0 ? 0 : errno;
        return true;
      }
      at += count;
      bytes -= static_cast<std::size_t>(count);
    }
    return true;
  });
  if (error >= 0) return gone(error);
  return all ? Status() : Status(Errc::cancelled);
}

Status Line::send(std::span<const std::byte> frame, const Deadline& deadline) noexcept {
  const std::uint64_t bytes = frame.size();
  if (Status s = send_raw(&bytes, sizeof bytes, deadline); !s) return s;
  return send_raw(frame.data(), frame.size(), deadline);
}

Result<std::vector<std::byte>> Line::receive(const Deadline& deadline) noexcept try {
  std::uint64_t bytes = 0;
  if (Status s = receive_raw(&bytes, sizeof bytes, deadline); !s) return s;
  if (bytes > kMostBytes)
    return Status::failure(Errc::refused, "the other side is no process of this version");
  std::vector<std::byte> frame(bytes);
  if (Status s = receive_raw(frame.data(), bytes, deadline); !s) return s;
  return frame;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

bool Line::ended() const noexcept {
  char byte;
  const ssize_t count = ::recv(socket_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  return count == 0 || (count < 0 && !transient(errno));
}

}  // namespace tessera
