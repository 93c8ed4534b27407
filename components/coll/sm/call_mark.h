// SPDX-License-Identifier: BSD-3-Clause
// Which collective call a chunk belongs to: CallMark.
#pragma once
//
// Contract. A chunk is announced by one word, the number of its round plus the mark of the call in
// the bits from kShift up. Processes whose calls match have equal marks, whatever the number of the
// round runs over into; so a reader that waits for the word it expects has compared the calls.
//
//   bits 36-40  operation
//   bits 41-47  root, modulo 128
//   bits 48-63  checksum of all calls so far: their operations, roots and amounts of data
//
// The checksum tells, at the next chunk that is read, of calls in which nobody read anything, as
// when two processes both broadcast.
//
#include <cstddef>

#include "cpu_peers.h"
#include "tessera/coll.h"

namespace tessera::coll::sm {

class CallMark {
 public:
  static constexpr int kShift = 36;

  // What a call contributes apart from its root.
  static constexpr std::uint64_t kind(Operation operation, Count amount) noexcept {
    const auto number = static_cast<std::uint64_t>(operation);
    const std::uint64_t mixed = (static_cast<std::uint64_t>(amount) * 32 + number + 1) * kMixer;
    return (mixed & kChecksum) | number << kShift;
  }
  // The next call; its operation and amount are in `kind`.
  void next(std::uint64_t kind, int root) noexcept {
    const auto place = static_cast<std::uint64_t>(root);
    history_ = history_ * 5 + kind + place * kMixer;
    word_ = (history_ & kChecksum) | (kind & kOperation) | (place & 127) << kRootShift;
  }
  std::uint64_t word() const noexcept { return word_; }
  // Whether `announced` belongs to this round, of whichever call.
  static constexpr bool is_of(std::uint64_t announced, Round round) noexcept {
    return (announced - round) << (64 - kShift) == 0;
  }
  // In words, how the call of `rank`, which has announced this in the round, differs.
  void explain(std::uint64_t announced, Round round, int rank, char* text,
               std::size_t bytes) const noexcept;

 private:
  static constexpr std::uint64_t kMixer = 0x9e37'79b9'7f4a'7c15;
  static constexpr std::uint64_t kChecksum = std::uint64_t{0xffff} << 48;
  static constexpr std::uint64_t kOperation = std::uint64_t{31} << kShift;
  static constexpr int kRootShift = kShift + 5;
  std::uint64_t history_ = 0;
  std::uint64_t word_ = 0;
};
static_assert(kOperations <= 32);

}  // namespace tessera::coll::sm
