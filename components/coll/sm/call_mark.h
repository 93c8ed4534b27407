// SPDX-License-Identifier: BSD-3-Clause
// Which collective call a chunk belongs to: CallMark.
#pragma once
//
// Contract. A chunk is announced by one word, the number of its round plus the mark of the call in
// the bits from kShift up. Processes whose calls match have equal marks, whatever the number of the
// round runs over into; so a reader that waits for the word it expects has compared the calls.
//
//   bits 36-40  operation
//   bits 41-47  root, modulo kRoots
//   bits 48-51  what a reduction combines with (coll::reduction_number())
//   bits 52-63  checksum of all calls so far: these, and their amounts of data
//
// The checksum tells, at the next chunk that is read, of calls in which nobody read anything, as
// when two processes both broadcast. What comes after the last chunk is compared at the end of the
// communicator.
//
// Calls that go as messages (nonblocking and persistent ones, and blocking ones that other
// components carry out) announce no chunk. They count in the checksum, and are logged
// (call_log.h) as
//
//   bits  0-31  root
//   bits 36-40, 48-63  as above
//
#include <span>
#include <utility>

#include "call_log.h"
#include "cpu_peers.h"
#include "tessera/coll.h"

namespace tessera::coll::sm {

class CallMark {
 public:
  static constexpr int kShift = 36;
  static constexpr int kRootShift = kShift + 5;
  static constexpr int kReductionShift = kRootShift + 7;
  static constexpr unsigned kRoots = 1u << (kReductionShift - kRootShift);

  // What a call contributes apart from its root.
  struct Kind {
    std::uint64_t what;  // operation and reduction, where they stand in the mark
    std::uint64_t mixed;
  };
  // The bits of Kind::what.
  static constexpr std::uint64_t kWhat = std::uint64_t{0x1f} << kShift | std::uint64_t{0xf}
                                                                             << kReductionShift;
  // `reduction`: its number, below 16.
  static constexpr std::uint64_t what(Operation operation, std::uint8_t reduction) noexcept {
    return static_cast<std::uint64_t>(operation) << kShift | std::uint64_t{reduction}
                                                                 << kReductionShift;
  }
  static constexpr Kind kind(std::uint64_t what, Count amount) noexcept {
    const std::uint64_t all = static_cast<std::uint64_t>(amount) << kWhatBits | what >> kShift;
    return {what, (all + 1) * kMixer};
  }
  void next(const Kind& kind, int root) noexcept {
    const auto place = static_cast<std::uint64_t>(root);
    mix(kind, place);
    word_ = (history_ & kChecksum) | kind.what | place % kRoots << kRootShift;
  }
  // A call that goes as messages: what is logged of it.
  std::uint64_t pass(const Kind& kind, int root) noexcept {
    mix(kind, static_cast<std::uint64_t>(root));
    return (history_ & kChecksum) | kind.what | static_cast<std::uint32_t>(root);
  }
  std::uint64_t word() const noexcept { return word_; }
  // Goes back to an earlier call, of which this was the word; returns the word of the present one.
  std::uint64_t resume(std::uint64_t word) noexcept { return std::exchange(word_, word); }
  // The checksum in full.
  std::uint64_t history() const noexcept { return history_; }
  // Whether `announced` belongs to this round, of whichever call.
  static constexpr bool is_of(std::uint64_t announced, Round round) noexcept {
    return (announced - round) << (64 - kShift) == 0;
  }
  // Whether this call and the one announced differ in nothing that a mark names.
  bool names_same(std::uint64_t announced, Round round) const noexcept {
    return (((announced - round) ^ word_) & kNamed) == 0;
  }
  // In words, how the call of `rank`, one of so many processes, which has announced this in the
  // round, differs.
  void explain(std::uint64_t announced, Round round, int rank, int processes,
               std::span<char> text) const noexcept;
  // The same of an earlier call, from the logs of both.
  static void explain(const CallLog::Difference& earlier, int rank, std::span<char> text) noexcept;

 private:
  void mix(const Kind& kind, std::uint64_t root) noexcept {
    history_ = history_ * 5 + kind.mixed + root * kRootMixer;
  }
  static constexpr int kWhatBits = kReductionShift + 4 - kShift;
  // Two, so that a root does not make up for a reduction.
  static constexpr std::uint64_t kMixer = 0x9e37'79b9'7f4a'7c15;
  static constexpr std::uint64_t kRootMixer = 0xd134'2543'de82'ef95;
  static constexpr std::uint64_t kChecksum = std::uint64_t{0xfff} << 52;
  static constexpr std::uint64_t kNamed = std::uint64_t{0xffff} << kShift;
  std::uint64_t history_ = 0;
  std::uint64_t word_ = 0;
};
static_assert(kOperations <= 32 && kOwnReduction < 16);

}  // namespace tessera::coll::sm
