// SPDX-License-Identifier: BSD-3-Clause
// Copies of long payloads into a ring, by whichever of two ways trials show to be faster: LongCopy.
#pragma once
//
// Contract. Lines are copied in registers, or by the processor's string instruction (elsewhere by
// the C library). Neither is the better one everywhere: into lines that another core has read, an
// AMD EPYC (Zen 5) takes half the time by the string instruction, an Intel Xeon a quarter more
// (docs/decisions/0135). So a few payloads now and then are timed, by one way and the other in
// turn, until the last store has left the core; the other way replaces the one in use where it is
// faster by a tenth. What is copied does not depend on it.
//
#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::btl::sm {

class LongCopy {
 public:
  enum class Way : std::uint8_t { lines, string };
  // With shorter payloads the receiver loses more than the sender gains by a string instruction,
  // and only the sender is timed.
  static constexpr std::size_t kLeast = 2048;
  static constexpr std::uint32_t kTurns = 8;           // payloads of each way in a trial
  static constexpr std::uint64_t kFirst = 256 * 1024;  // bytes before the first: the ring is new
  static constexpr std::uint64_t kPause = 8 * 1024 * 1024;  // and between two

  // `to` is the start of a line.
  void copy(std::byte* to, const void* from, std::size_t bytes) noexcept {
    if (until_trial_ < bytes) [[unlikely]]
      return timed(to, from, bytes);
    until_trial_ -= bytes;
    copy_by(way_, to, from, bytes);
  }
  Way way() const noexcept { return way_; }

  // Of a trial: how the next payload is copied, and how long it took.
  Way next() const noexcept { return static_cast<Way>(turn_ % 2); }
  void took(std::size_t bytes, std::uint64_t ns) noexcept;

 private:
  // Without the slowest payload, during which something else may have happened.
  struct Sample {
    std::uint64_t ns = 0, bytes = 0, slowest_ns = 0, slowest_bytes = 1;
    void add(std::uint64_t bytes, std::uint64_t ns) noexcept;
  };
  static void copy_by(Way way, std::byte* to, const void* from, std::size_t bytes) noexcept;
  void timed(std::byte* to, const void* from, std::size_t bytes) noexcept;

  Way way_ = Way::lines;
  std::uint32_t turn_ = 0;
  std::uint64_t until_trial_ = kFirst;  // bytes; fewer than a payload has: now
  std::array<Sample, 2> samples_{};     // by Way
};

}  // namespace tessera::btl::sm
