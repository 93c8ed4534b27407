// SPDX-License-Identifier: BSD-3-Clause
// The calling side of the greeting.
#include "attempt.h"

#include <sys/socket.h>

#include <cerrno>
#include <system_error>

namespace tessera::btl::tcp {
namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace

int Attempt::start(const Address& address, std::uint16_t port, const Hello& hello,
                   const Secret& sign) noexcept {
  const SocketAddress to(address, port);
  hello_ = hello;
  sign_ = sign;
  since_us_ = now_us();
  socket_ = Socket(socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_.valid()) return errno;
  tune(socket_, station_.settings, address.is_loopback());
  if (connect(socket_.get(), to.get(), to.size()) != 0 && errno != EINPROGRESS) return errno;
  // Also when it is connected already: one way for both, through ready().
  return station_.reactor.add(socket_, EPOLLOUT, *this) ? 0 : ENOSPC;
}

int Attempt::ready(std::uint32_t) noexcept {
  if (!socket_.valid()) return 0;
  if (phase_ == Phase::greeting) {
    read_welcome();
    return 1;
  }
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error == 0) {
    connected();
  } else {
    owner_.failed(*this, reason(error), false);
  }
  return 1;
}

void Attempt::connected() noexcept {
  phase_ = Phase::greeting;
  std::array<std::byte, Hello::kBytes> bytes;
  hello_.write(bytes.data());
  if (send_some(socket_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    station_.reactor.change(socket_, EPOLLIN, *this);
  } else {
    owner_.failed(*this, "connection closed", true);
  }
}

void Attempt::read_welcome() noexcept {
  const ssize_t count = receive_some(socket_.get(), bytes_.data() + got_, bytes_.size() - got_);
  if (count == -EAGAIN) return;
  if (count <= 0) {
    owner_.failed(
        *this,
        count == 0 ? "connection closed before the welcome" : reason(static_cast<int>(-count)),
        true);
    return;
  }
  got_ += static_cast<std::size_t>(count);
  if (got_ < bytes_.size()) return;
  const Welcome welcome = Welcome::read(bytes_.data());
  max_packet_ = welcome.max_packet;
  if (welcome.sign == sign_) {
    owner_.answered(*this);
  } else {
    owner_.failed(*this, "some other program answers there", false);
  }
}

bool Attempt::say_go() noexcept {
  std::array<std::byte, Frame::kBytes> bytes;
  Frame{0, 0, 0, FrameKind::go}.write(bytes.data());
  return send_some(socket_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

}  // namespace tessera::btl::tcp
