// SPDX-License-Identifier: BSD-3-Clause
// An aggregator's window.
#include "core/io/window.h"

#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "core/datatype/kernels.h"

namespace tessera::io {
namespace {

// Copies `count` pieces of the same size, at constant distances on both sides.
void copy_pieces(std::byte* to, Offset to_step, const std::byte* from, Offset from_step,
                 Offset bytes, Count count) noexcept {
  const auto block = static_cast<std::size_t>(bytes);
  sweep_kernel(block)(to, from, {block, count, 1, to_step, from_step, 0, 0});
}

constexpr std::uint64_t ones(Offset n) noexcept {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

}  // namespace

bool Window::reserve(Offset bytes) noexcept {
  bytes_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (!bytes_) return false;
  covered_.resize(static_cast<std::size_t>(bytes + 63) / 64 + 1);
  return true;
}

void Window::set(Offset first, Offset end) noexcept {
  first_ = first;
  end_ = end;
  std::memset(covered_.data(), 0, static_cast<std::size_t>((end - first + 63) / 64) * 8);
}

void Window::cover(Offset offset, Offset bytes) noexcept {
  auto word = static_cast<std::size_t>(offset / 64);
  const Offset within = offset % 64;
  const Offset head = std::min<Offset>(bytes, 64 - within);
  covered_[word] |= ones(head) << within;
  for (bytes -= head; bytes > 0; bytes -= 64) covered_[++word] |= ones(bytes);
}

void Window::lay(std::span<const Strip> strips, const std::byte* data) noexcept {
  for (const Strip& strip : strips) {
    const Offset at = strip.offset - first_;
    copy_pieces(bytes_.get() + at, strip.stride, data, strip.bytes, strip.bytes, strip.count);
    for (Count i = 0; i < strip.count; ++i) cover(at + i * strip.stride, strip.bytes);
    data += strip.bytes * strip.count;
  }
}

void Window::take(std::span<const Strip> strips, std::byte* data) const noexcept {
  for (const Strip& strip : strips) {
    copy_pieces(data, strip.bytes, bytes_.get() + (strip.offset - first_), strip.stride,
                strip.bytes, strip.count);
    data += strip.bytes * strip.count;
  }
}

// The first byte from there on that was laid in, or was not; the window's end where there is none.
Offset Window::next_covered(Offset from, bool covered) const noexcept {
  const Offset length = end_ - first_;
  while (from < length) {
    const std::uint64_t bits = covered_[static_cast<std::size_t>(from / 64)];
    const std::uint64_t wanted = (covered ? bits : ~bits) >> (from % 64);
    if (wanted != 0) return std::min(length, from + std::countr_zero(wanted));
    from = (from / 64 + 1) * 64;
  }
  return length;
}

Status Window::write(Driver& driver) noexcept {
  std::array<Extent, 256> list;
  std::size_t used = 0;
  Offset listed = 0;
  const auto flush = [&]() -> Status {
    const Outcome done = driver.write({list.data(), std::exchange(used, 0)});
    const bool all = done.bytes == std::exchange(listed, 0);
    if (!done.failure.ok() || all) return done.failure;
    return Status::failure(kFileError, "the driver wrote less than it was given");
  };
  const Offset length = end_ - first_;
  for (Offset at = next_covered(0, true); at < length;) {
    const Offset run_end = next_covered(at, false);
    list[used++] = {first_ + at, bytes_.get() + at, static_cast<std::size_t>(run_end - at)};
    listed += run_end - at;
    if (used == list.size())
      if (Status s = flush(); !s) return s;
    at = next_covered(run_end, true);
  }
  return used > 0 ? flush() : Status();
}

Status Window::read(Driver& driver, Offset first, Offset end) noexcept {
  if (first >= end) return {};
  const Extent hull{first, bytes_.get() + (first - first_), static_cast<std::size_t>(end - first)};
  const Outcome done = driver.read({&hull, 1});
  if (!done.failure.ok() || done.bytes == end - first) return done.failure;
  std::memset(hull.memory + done.bytes, 0, hull.bytes - static_cast<std::size_t>(done.bytes));
  return Status::failure(kFileError, "the file became shorter while it was read");
}

}  // namespace tessera::io
