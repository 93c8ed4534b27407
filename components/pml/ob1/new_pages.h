// SPDX-License-Identifier: BSD-3-Clause
// NewPages: whether receive buffers are memory that nobody has touched yet.
#pragma once
//
// Contract. The kernel makes the pages of such a buffer while a message is copied there, which
// takes many times as long as the copy; two processes that make pages of one address space get in
// each other's way (docs/decisions/0136). A look at one page of a buffer is a system call, so there
// is one look for each `interval` bytes received, and what it finds holds until the next.
//
#include <cstddef>
#include <cstdint>

namespace tessera::ob1 {

class NewPages {
 public:
  explicit NewPages(std::uint64_t interval) noexcept : interval_(interval), since_look_(interval) {}

  // Of the buffer of the next message, of so many bytes.
  bool expected(const std::byte* buffer, std::uint64_t bytes) noexcept {
    since_look_ += bytes;
    if (since_look_ >= interval_) [[unlikely]]
      look(buffer, bytes);
    return expected_;
  }

 private:
  void look(const std::byte* buffer, std::uint64_t bytes) noexcept;

  std::uint64_t interval_;
  std::uint64_t since_look_;
  bool expected_ = false;
};

}  // namespace tessera::ob1
