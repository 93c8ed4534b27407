// SPDX-License-Identifier: BSD-3-Clause
#include "core/impi/stream.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tessera::impi {
namespace {

Status broken() {
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return Errc::again;
  return Status::failure(Errc::peer_failed, std::strerror(errno));
}

}  // namespace

Stream::~Stream() {
  close();
}

void Stream::close() noexcept {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

Status Stream::write(const Packet& packet, ByteView data, bool more) noexcept try {
  PacketBytes header = encode(packet);
  iovec pieces[2] = {{header.data(), header.size()},
                     {const_cast<std::byte*>(data.data()), data.size()}};
  msghdr message{};
  message.msg_iov = pieces;
  message.msg_iovlen = data.empty() ? 1 : 2;
  const ssize_t sent =
      ::sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0));
  if (sent < 0) return broken();
  auto done = static_cast<std::size_t>(sent);
  if (done == header.size() + data.size()) return {};
  rest_.clear();
  written_ = 0;
  if (done < header.size()) append(rest_, ByteView(header).subspan(done));
  append(rest_, data.subspan(done > header.size() ? done - header.size() : 0));
  return {};
} catch (const std::bad_alloc&) {
  return Status::failure(Errc::peer_failed, "no memory for a packet");
}

Status Stream::write_rest() noexcept {
  while (!clear()) {
    const ssize_t sent = ::send(socket_, rest_.data() + written_, rest_.size() - written_,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return broken();
    written_ += static_cast<std::size_t>(sent);
  }
  rest_.clear();
  written_ = 0;
  return {};
}

}  // namespace tessera::impi
