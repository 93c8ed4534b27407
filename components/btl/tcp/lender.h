// SPDX-License-Identifier: BSD-3-Clause
// Sends memory without copying it: Lender.
#pragma once
//
// Contract. The pages of a payload go into a pipe by vmsplice(2), and from there into the socket by
// splice(2): the kernel reads them where they are, also after send() has returned, until the peer's
// kernel has acknowledged them, or over loopback until the peer has received them. The caller
// leaves them unchanged as long. One Lender serves all connections of a module, one call at a time.
//
#include <cstddef>
#include <span>

#include "socket.h"

namespace tessera::btl::tcp {

class Lender {
 public:
  // Bytes that the socket took: fewer than there are where it is full or broken, or where the
  // system does not allow this.
  std::size_t send(int socket, std::span<const std::byte> payload) noexcept;

 private:
  bool open() noexcept;
  void close() noexcept;
  std::size_t fill(std::span<const std::byte> payload) noexcept;
  std::size_t drain(int socket, std::size_t bytes, bool more) noexcept;

  Socket out_, in_;       // the ends of the pipe
  std::size_t room_ = 0;  // bytes of it
  bool refused_ = false;  // by the system
};

}  // namespace tessera::btl::tcp
