// SPDX-License-Identifier: BSD-3-Clause
// One question to a rank: what it waits for (WaitQuestion).
#pragma once

#include <cstdint>

#include "core/job/segment.h"

namespace tessera::launcher {

// Several may ask at the same time, in this process and in others: an answer to a later question
// answers the earlier ones as well.
class Question {
 public:
  explicit Question(RankPage& page) noexcept
      : page_(&page), number_(page.question.asked.fetch_add(1, std::memory_order_seq_cst) + 1) {
    page_->bell.ring();
  }

  // The report (wait_report.h) is at least as new as the question, and none is being written.
  bool answered() const noexcept {
    const std::uint32_t last = page_->question.answered.load(std::memory_order_acquire);
    return static_cast<std::int32_t>(last - number_) >= 0 && !page_->question.pending();
  }
  // One that was about to sleep when the bell rang may have missed it.
  void repeat() const noexcept { page_->bell.ring(); }

 private:
  RankPage* page_;
  std::uint32_t number_;
};

}  // namespace tessera::launcher
