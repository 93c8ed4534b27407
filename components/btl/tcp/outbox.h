// SPDX-License-Identifier: BSD-3-Clause
// Bytes accepted for a peer that the kernel has not taken yet.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/btl.h"

namespace tessera::btl::tcp {

// A bounded first-in first-out of bytes. It is empty while a connection keeps up; then nothing
// passes through it.
class Outbox {
 public:
  explicit Outbox(std::size_t limit) noexcept : limit_(limit) {}

  bool empty() const noexcept { return head_ == bytes_.size(); }
  std::size_t size() const noexcept { return bytes_.size() - head_; }
  // One packet is always taken by an empty outbox, whatever the limit.
  bool has_room(std::size_t more) const noexcept { return empty() || size() + more <= limit_; }

  void append(const void* bytes, std::size_t count);
  void append_packet(const Packet& packet);
  // Hands bytes to the kernel: 0 when all were taken or the socket is full, else errno.
  int flush(int socket) noexcept;
  void clear() noexcept;

 private:
  std::size_t limit_;
  std::size_t head_ = 0;
  std::vector<std::byte> bytes_;
};

}  // namespace tessera::btl::tcp
