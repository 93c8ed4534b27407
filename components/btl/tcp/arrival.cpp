// SPDX-License-Identifier: BSD-3-Clause
// The called side of the greeting.
#include "arrival.h"

#include <cerrno>

#include "proof.h"

namespace tessera::btl::tcp {

Status Arrival::challenge() noexcept {
  const auto drawn = make_secret();
  if (!drawn) return Errc::system;
  challenge_ = *drawn;
  const auto bytes = static_cast<ssize_t>(challenge_.size());
  if (send_some(socket_.get(), challenge_.data(), challenge_.size()) != bytes) return Errc::system;
  return station_.reactor.add(socket_, EPOLLIN, *this);
}

int Arrival::ready(std::uint32_t) noexcept {
  if (!socket_.valid()) return 0;
  const std::size_t wanted = phase_ == Phase::stranger ? Hello::kBytes : Frame::kBytes;
  const ssize_t count = receive_some(socket_.get(), bytes_.data() + got_, wanted - got_);
  if (count == -EAGAIN) return 0;
  if (count > 0 && phase_ != Phase::parked) {
    got_ += static_cast<std::size_t>(count);
    if (got_ < wanted) return 1;
    phase_ == Phase::stranger ? read_hello() : read_go();
  } else {
    owner_->gone(*this);
  }
  return 1;
}

bool Arrival::knows_us(const Hello& hello) const noexcept {
  const Peer* const caller = station_.caller(hello);
  return hello.to == station_.my_name().index && caller != nullptr &&
         caller->id != station_.my_id() &&
         equal(hello.proof, prove_caller(station_.card.door, challenge_, hello));
}

void Arrival::read_hello() noexcept {
  const auto hello = Hello::read(bytes_.data());
  if (hello && knows_us(*hello)) {
    owner_->greeted(*this, *hello);
  } else {
    owner_->gone(*this);
  }
}

void Arrival::read_go() noexcept {
  const Frame frame = Frame::read(bytes_.data());
  if (frame.kind == FrameKind::go && frame.total() == Frame::kBytes) {
    owner_->committed(*this);
  } else {
    owner_->gone(*this);
  }
}

void Arrival::moved(ArrivalOwner& owner, const Hello& hello, std::int64_t at_us) noexcept {
  owner_ = &owner;
  hello_ = hello;
  max_packet_ = hello.max_packet;
  since_us_ = at_us;
  phase_ = Phase::parked;
  got_ = 0;
}

bool Arrival::welcome() noexcept {
  if (phase_ == Phase::welcomed) return true;
  std::array<std::byte, Welcome::kBytes> bytes;
  Welcome welcome{station_.settings.attributes.max_packet, {}};
  welcome.proof = prove_called(station_.card.sign, challenge_, hello_, welcome);
  welcome.write(bytes.data());
  if (send_some(socket_.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return false;
  phase_ = Phase::welcomed;
  return true;
}

void Arrival::say_bye() noexcept {
  if (!welcomed()) return;
  std::array<std::byte, Frame::kBytes> bytes;
  Frame{0, 0, 0, FrameKind::bye}.write(bytes.data());
  (void)send_some(socket_.get(), bytes.data(), bytes.size());
}

}  // namespace tessera::btl::tcp
