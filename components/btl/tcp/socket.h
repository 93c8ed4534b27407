// SPDX-License-Identifier: BSD-3-Clause
// An owned descriptor, and the few socket operations the transport needs.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "settings.h"
#include "tessera/status.h"

namespace tessera::btl::tcp {

// Owns one descriptor; closes it when destroyed.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept;
  ~Socket() { close(); }

  int get() const noexcept { return descriptor_; }
  bool valid() const noexcept { return descriptor_ >= 0; }
  void close() noexcept;

 private:
  int descriptor_ = -1;
};

// "connect: Connection refused"; the failure carries Errc::system.
std::string system_text(const char* call, int error);
Status system_failure(const char* call, int error);

// Options of a connected (or connecting) socket: no delay, buffer sizes, time-outs of `settings`.
// Options a kernel does not know are left alone. On loopback there is no network to share: the
// plainest congestion control is chosen, because one that paces what it sends (BBR) costs latency
// and bandwidth.
void tune(const Socket& socket, const Settings& settings, bool loopback) noexcept;

// Buffer sizes; on a listener they are inherited by what it accepts, which alone lets them shape
// the window.
void set_buffers(const Socket& socket, const Settings& settings) noexcept;

// "192.0.2.1:4711": where the other side of a connected socket is.
std::string far_end(const Socket& socket);

// Bytes handed to the kernel that the peer's kernel has not acknowledged.
std::size_t unacknowledged(const Socket& socket) noexcept;

// Non-blocking, without SIGPIPE, EINTR retried; -errno on failure.
// A kernel short of buffers is taken for a full socket.
ssize_t send_some(int socket, const void* bytes, std::size_t count) noexcept;
// The same of bytes that others follow at once.
ssize_t send_first(int socket, const void* bytes, std::size_t count) noexcept;
ssize_t send_parts(int socket, std::span<iovec> parts) noexcept;
ssize_t receive_some(int socket, void* bytes, std::size_t count) noexcept;

// Reads and drops what has arrived. False when the stream has ended.
bool discard(const Socket& socket) noexcept;

}  // namespace tessera::btl::tcp
