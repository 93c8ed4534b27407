// SPDX-License-Identifier: BSD-3-Clause
// Which partitions of a send are marked, and which units that completes: ReadyMarks.
#pragma once
//
// Contract. Units are runs of consecutive partitions, a power of two each but the last. mark() may
// be called by any thread without a lock; of the calls that mark a unit's partitions exactly one
// returns the unit. All partitions are marked between two calls of start(), which nobody calls at
// the same time.
//
// A mark is a byte and no counter: an atomic subtraction for each would cost more than all the
// rest. Whoever marks looks at the neighbours, and most often finds one that is not marked. Two
// threads that mark the last two partitions of a unit must not both miss the other's mark: so each
// puts a fence between its mark and its look. The first thread to mark anything needs none as long
// as it is alone; one that joins it makes its barrier for it (membarrier(2)) before it marks.
//
#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tessera/peer.h"

namespace tessera {

class ReadyMarks {
 public:
  static constexpr int kNone = -1;
  static constexpr int kAgain = -2;

  ReadyMarks(int partitions, int unit_shift);  // std::bad_alloc
  int units() const noexcept { return ((count_ - 1) >> shift_) + 1; }
  int partitions_of(int unit) const noexcept;
  bool all_marked() const noexcept;  // while nobody marks

  // A new round, in which nothing is marked. `skipped`: the last one ended whatever was marked.
  void start(bool skipped) noexcept;

  // The unit that this completes, kNone, or kAgain if the partition was marked before. Two threads
  // that mark the same partition at the same moment are not found out.
  int mark(int partition) noexcept {
    const Step step = begin(partition);
    return step == Step::done ? kNone : end(step, partition);
  }

  // mark() in two halves, for a caller that wants the most frequent case, `done`, without a call.
  enum class Step : std::uint8_t { nothing, marked, done };
  Step begin(int partition) noexcept {
    const std::uint8_t round = round_;
    std::atomic<std::uint8_t>* const mark = marks_.get() + partition;
    if (mark->load(std::memory_order_relaxed) == round) [[unlikely]]
      return Step::nothing;
    if (first_thread_.load(std::memory_order_relaxed) != this_thread()) [[unlikely]]
      return Step::nothing;
    mark->store(round, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (company_.load(std::memory_order_relaxed) != kAlone) [[unlikely]]
      return Step::marked;
    if (((partition + 1) & mask_) == 0) [[unlikely]]
      return Step::marked;
    return mark[1].load(std::memory_order_relaxed) == round ? Step::marked : Step::done;
  }
  int end(Step step, int partition) noexcept {
    if (step == Step::nothing) {
      if (marked(partition)) return kAgain;
      if (company_.load(std::memory_order_acquire) != kShared) join(this_thread());
      marks_[static_cast<std::size_t>(partition)].store(round_, std::memory_order_release);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    if (shift_ == 0) return partition;  // there is no other mark to miss
    if (company_.load(std::memory_order_relaxed) != kAlone)
      std::atomic_thread_fence(std::memory_order_seq_cst);
    if (((partition + 1) & mask_) != 0 && !marked(partition + 1)) return kNone;
    return finish(partition >> shift_, partition);
  }

 private:
  // A number of its own for each thread that lives; one instruction.
  static std::uintptr_t this_thread() noexcept {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
#else
    return static_cast<std::uintptr_t>(pthread_self());
#endif
  }
  bool marked(int partition) const noexcept {
    return marks_[static_cast<std::size_t>(partition)].load(std::memory_order_acquire) == round_;
  }
  void join(std::uintptr_t thread) noexcept;
  int finish(int unit, int partition) noexcept;

  enum : std::uint8_t { kAlone, kJoining, kShared };

  int count_;
  int shift_;
  int mask_;
  // Every round marks all of them, so that two values serve and nothing has to be cleared.
  std::uint8_t round_ = 0;
  std::atomic<std::uint8_t> company_{kAlone};
  std::atomic<std::uintptr_t> first_thread_{0};
  std::unique_ptr<std::atomic<std::uint8_t>[]> marks_;  // and one more, which is always marked
  std::unique_ptr<std::atomic<std::uint8_t>[]> taken_;  // per unit: the round it was returned in
};

}  // namespace tessera
