// SPDX-License-Identifier: BSD-3-Clause
// Threads that mark together, and the search for a mark that is missing.
#include "core/request/ready_marks.h"

#include <algorithm>

#include "core/progress/doorbell.h"

namespace tessera {

ReadyMarks::ReadyMarks(int partitions, int unit_shift)
    : count_(partitions),
      shift_(unit_shift),
      mask_(static_cast<int>((std::int64_t{1} << unit_shift) - 1)),
      company_(register_for_barriers() ? kAlone : kShared),
      marks_(
          std::make_unique<std::atomic<std::uint8_t>[]>(static_cast<std::size_t>(partitions) + 1)),
      taken_(std::make_unique<std::atomic<std::uint8_t>[]>(static_cast<std::size_t>(units()))) {}

int ReadyMarks::partitions_of(int unit) const noexcept {
  return static_cast<int>(
      std::min(std::int64_t{1} << shift_, std::int64_t{count_} - (unit << shift_)));
}

bool ReadyMarks::all_marked() const noexcept {
  for (int i = 0; i < count_; ++i)
    if (!marked(i)) return false;
  return true;
}

void ReadyMarks::start(bool skipped) noexcept {
  round_ ^= 1;
  marks_[static_cast<std::size_t>(count_)].store(round_, std::memory_order_relaxed);
  if (!skipped) return;
  const auto before = static_cast<std::uint8_t>(round_ ^ 1);
  for (int i = 0; i < count_; ++i)
    marks_[static_cast<std::size_t>(i)].store(before, std::memory_order_relaxed);
  for (int i = 0; i < units(); ++i)
    taken_[static_cast<std::size_t>(i)].store(before, std::memory_order_relaxed);
}

// From its return on, the first thread uses fences; or this one is the first.
void ReadyMarks::join(std::uintptr_t thread) noexcept {
  std::uintptr_t nobody = 0;
  if (first_thread_.compare_exchange_strong(nobody, thread, std::memory_order_relaxed) ||
      nobody == thread) {
    return;
  }
  if (company_.load(std::memory_order_acquire) == kShared) return;
  std::uint8_t alone = kAlone;
  company_.compare_exchange_strong(alone, kJoining, std::memory_order_seq_cst);
  barrier_of_own_threads();
  company_.store(kShared, std::memory_order_release);
}

// Looks in both directions at once, so that the shorter run of marks decides: all looks of a round
// together are few, whatever the order of the marks.
int ReadyMarks::finish(int unit, int partition) noexcept {
  const int first = unit << shift_, last = first + partitions_of(unit) - 1;
  int up = partition, down = partition;
  for (int left = last - first; left > 0;) {
    up = up == last ? first : up + 1;
    if (!marked(up)) return kNone;
    if (--left == 0) break;
    down = down == first ? last : down - 1;
    if (!marked(down)) return kNone;
    --left;
  }
  auto& taken = taken_[static_cast<std::size_t>(unit)];
  return taken.exchange(round_, std::memory_order_acq_rel) == round_ ? kNone : unit;
}

}  // namespace tessera
