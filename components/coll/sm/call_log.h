// SPDX-License-Identifier: BSD-3-Clause
// The last calls of one process on a communicator that went as messages: CallLog.
#pragma once
//
// Contract. Its process alone writes the log. Another process reads it once a checksum has shown
// that calls do not match, to name the first that differs. Memory of zeros is an empty log. The
// format of an entry: call_mark.h.
//
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace tessera::coll::sm {

class CallLog {
 public:
  void add(std::uint64_t call) noexcept {
    const std::uint64_t number = count_.load(std::memory_order_relaxed);
    calls_[number % kKept].store(call, std::memory_order_relaxed);
    count_.store(number + 1, std::memory_order_release);
  }
  void copy(const CallLog& other) noexcept;

  struct Difference {
    std::uint64_t theirs, mine;
  };
  // The first call of which both logs know, and know differently. Their process may go on
  // meanwhile.
  std::optional<Difference> compare(const CallLog& theirs) const noexcept;

 private:
  static constexpr std::uint64_t kKept = 31;
  // The first that is whole whatever its process is writing now.
  std::uint64_t first() const noexcept {
    const std::uint64_t count = count_.load(std::memory_order_acquire);
    return count < kKept ? 0 : count - kKept + 1;
  }

  std::atomic<std::uint64_t> count_{0};
  std::array<std::atomic<std::uint64_t>, kKept> calls_{};
};

}  // namespace tessera::coll::sm
