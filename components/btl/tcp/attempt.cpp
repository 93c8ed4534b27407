// SPDX-License-Identifier: BSD-3-Clause
// The calling side of the greeting.
#include "attempt.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "proof.h"

namespace tessera::btl::tcp {
namespace {

std::string reason(int error) {
  return std::generic_category().message(error);
}

}  // namespace

int Attempt::start(const Address& address, const Card& card, const Hello& hello) noexcept {
  const SocketAddress to(address, card.port);
  hello_ = hello;
  door_ = card.door;
  sign_ = card.sign;
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
  if (phase_ != Phase::connecting) {
    phase_ == Phase::challenged ? answer_challenge() : read_welcome();
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
  phase_ = Phase::challenged;
  station_.reactor.change(socket_, EPOLLIN, *this);
}

// True once so many bytes are there.
bool Attempt::read_all(std::size_t bytes) noexcept {
  const ssize_t count = receive_some(socket_.get(), bytes_.data() + got_, bytes - got_);
  if (count == -EAGAIN) return false;
  if (count <= 0) {
    owner_.failed(
        *this,
        count == 0 ? "connection closed before the welcome" : reason(static_cast<int>(-count)),
        true);
    return false;
  }
  got_ += static_cast<std::size_t>(count);
  return got_ == bytes;
}

void Attempt::answer_challenge() noexcept {
  if (!read_all(challenge_.size())) return;
  std::copy_n(bytes_.begin(), challenge_.size(), challenge_.begin());
  got_ = 0;
  phase_ = Phase::greeting;
  const auto nonce = make_secret();
  if (!nonce) return owner_.failed(*this, "the system gives no random numbers", false);
  hello_.nonce = *nonce;
  hello_.proof = prove_caller(door_, challenge_, hello_);
  std::array<std::byte, Hello::kBytes> bytes;
  hello_.write(bytes.data());
  if (send_some(socket_.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    owner_.failed(*this, "connection closed", true);
}

void Attempt::read_welcome() noexcept {
  if (!read_all(bytes_.size())) return;
  const Welcome welcome = Welcome::read(bytes_.data());
  max_packet_ = welcome.max_packet;
  if (equal(welcome.proof, prove_called(sign_, challenge_, hello_, welcome))) {
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
