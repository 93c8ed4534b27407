// SPDX-License-Identifier: BSD-3-Clause
// The parameters of this component, resolved, and what is derived from them.
#pragma once
#include <algorithm>
#include <cstdint>

#include "tessera/component.h"
#include "tessera/machine.h"
#include "tessera/peer.h"

namespace tessera::ob1 {

// Whether a large message is copied by both sides at once, the receiver reading the first half, the
// sender writing the second.
enum class Split : std::uint8_t { automatic, measured, never, always };

inline constexpr unsigned kUnexpected = 0;  // the event of the manifest

struct Settings {
  std::uint64_t eager_limit = 0;  // bytes; 0: what each btl declares
  Split split = Split::measured;
  std::uint64_t split_threshold = 32 << 10;  // bytes; smaller messages are not split at first
  std::uint32_t trial_interval = 64;  // messages of a size before the first trial of another way
  bool explain = false;  // whether rank 0 says at the end how large messages were copied
  std::uint64_t copy_piece =
      1 << 20;  // bytes copied by one get or put before others get their turn
  std::uint64_t unexpected_limit =
      64 << 20;  // bytes that unexpected messages of all peers together may take

  // Whether messages of the program tell their types, and receives compare them.
  bool check = false;

  Events* events = nullptr;  // null: nobody can listen

  static Settings from(const Params& params, const MachineFigures& figures) noexcept;

  // Bytes received from one look at the pages of a buffer to the next: while so many are copied a
  // thousand system calls could be made.
  std::uint64_t look_interval = 4'000'000;

  static std::uint64_t split_threshold_by(const MachineFigures& figures) noexcept;

  // Bytes of envelopes that one of `processes` senders may have under way to a receiver (README,
  // flow control).
  std::uint64_t window(std::uint32_t processes) const noexcept {
    return std::min<std::uint64_t>(unexpected_limit / (2 * std::max<std::uint64_t>(processes, 1)),
                                   kLargestWindow);
  }
  static constexpr std::uint64_t kLargestWindow = std::uint64_t{8} << 20;
};

}  // namespace tessera::ob1
