// SPDX-License-Identifier: BSD-3-Clause
// The queue behind a full socket.
#include "outbox.h"

#include <cerrno>

#include "socket.h"
#include "wire.h"

namespace tessera::btl::tcp {
namespace {

// Memory that an empty outbox keeps; more goes back, since many peers may each have had a full
// socket once.
constexpr std::size_t kKeep = std::size_t{64} << 10;

}  // namespace

void Outbox::append(const void* bytes, std::size_t count) {
  if (empty()) {
    clear();
  } else if (head_ > bytes_.size() / 2) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  const auto* from = static_cast<const std::byte*>(bytes);
  bytes_.insert(bytes_.end(), from, from + count);
}

void Outbox::append_packet(const Packet& packet) {
  std::byte frame[Frame::kBytes];
  Frame{static_cast<std::uint32_t>(packet.payload_bytes), packet.header_bytes,
        static_cast<std::uint8_t>(packet.channel), FrameKind::packet}
      .write(frame);
  append(frame, sizeof frame);
  append(packet.header, packet.header_bytes);
  append(packet.payload, packet.payload_bytes);
}

int Outbox::flush(int socket) noexcept {
  while (!empty()) {
    const ssize_t sent = send_some(socket, bytes_.data() + head_, size());
    if (sent == -EAGAIN) return 0;
    if (sent < 0) return static_cast<int>(-sent);
    head_ += static_cast<std::size_t>(sent);
  }
  clear();
  if (bytes_.capacity() > kKeep) bytes_ = {};
  return 0;
}

void Outbox::clear() noexcept {
  bytes_.clear();
  head_ = 0;
}

}  // namespace tessera::btl::tcp
