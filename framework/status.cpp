// SPDX-License-Identifier: BSD-3-Clause
// Detail texts of failures: a small ring per thread.
#include "tessera/status.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace tessera {
namespace {

constexpr std::size_t kept = 32;
constexpr std::size_t longest = 1000;

struct Detail {
  std::uint32_t number = 0;
  char text[longest + 1] = {};
};

// Each thread counts from a start of its own, so that a Status looked up by another thread finds
// nothing there rather than a text that is not its own.
std::uint32_t first_number() noexcept {
  const auto self = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pthread_self()));
  return static_cast<std::uint32_t>((self >> 12) * 2654435769u);
}

struct Ring {
  std::array<Detail, kept> details;
  std::uint32_t next = first_number();

  std::uint32_t store(std::string_view text) noexcept {
    if (++next == 0) next = 1;  // 0 means no detail
    Detail& detail = details[next % kept];
    const std::size_t length = std::min(text.size(), longest);
    std::memcpy(detail.text, text.data(), length);
    detail.text[length] = '\0';
    detail.number = next;
    return next;
  }
};

// Allocated by the first failure only: most threads never have one.
std::unique_ptr<Ring>& this_threads_ring() noexcept {
  static thread_local std::unique_ptr<Ring> ring;
  return ring;
}

constexpr const char* general_phrase(Errc code) noexcept {
  switch (code) {
    case Errc::ok:
      return "success";
    case Errc::again:
      return "nothing done now, to be repeated";
    case Errc::unsupported:
      return "operation not supported";
    case Errc::argument:
      return "invalid argument";
    case Errc::not_found:
      return "not found";
    case Errc::no_memory:
      return "out of memory";
    case Errc::no_space:
      return "a bounded resource is exhausted";
    case Errc::truncated:
      return "message longer than its buffer";
    case Errc::type:
      return "datatype does not fit the operation";
    case Errc::operation:
      return "reduction does not fit the datatype";
    case Errc::peer_failed:
      return "the other process failed or cannot be reached";
    case Errc::system:
      return "a system call failed";
    case Errc::refused:
      return "refused";
    case Errc::cancelled:
      return "cancelled";
    case Errc::internal:
      return "internal error";
  }
  return "unknown error code";
}

}  // namespace

Status Status::failure(Errc code, std::string_view text) noexcept {
  auto& ring = this_threads_ring();
  if (!ring) ring.reset(new (std::nothrow) Ring);
  return ring ? Status(code, ring->store(text)) : Status(code);
}

const char* Status::text() const noexcept {
  const auto& ring = this_threads_ring();
  if (detail_ == 0 || !ring) return general_phrase(code_);
  const Detail& detail = ring->details[detail_ % kept];
  return detail.number == detail_ ? detail.text : general_phrase(code_);
}

}  // namespace tessera
