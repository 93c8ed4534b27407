// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of this host are, in sentences: Whereabouts.
#pragma once
//
// Contract. The constructor asks the ranks as for a verdict (wait_report.h): each rank that waits
// in MPI answers before it sleeps again, and goes on waiting; a rank that computes, is stopped, or
// waits in a loop of MPI_Test does not answer, and its own note of the call it is in stands for it.
// Nothing is changed in the job. Once answered() holds, text() tells; it waits for addr2line.
//
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job/segment.h"
#include "launcher/hang/question.h"
#include "launcher/hang/wait_graph.h"

namespace tessera::launcher {

class Whereabouts {
 public:
  using Millis = std::int64_t;  // CLOCK_MONOTONIC
  static constexpr Millis kLook = 20;

  Whereabouts(std::shared_ptr<JobSegment> segment, Millis now);

  // All that wait have answered, or patience is at its end. To be asked every kLook.
  bool answered(Millis now) const;
  // Some lines for each rank: where it is, for what it waits, and what is under way.
  std::string text() const;
  // Where it is and for what it waits alone; ranks in a row that say the same share a line.
  std::string brief() const;

 private:
  std::vector<RankWait> reports() const;

  std::shared_ptr<JobSegment> segment_;
  std::vector<std::optional<Question>> questions_;  // by local number; none: it does not wait
  Millis give_up_at_;
};

}  // namespace tessera::launcher
