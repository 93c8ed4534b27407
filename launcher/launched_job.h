// SPDX-License-Identifier: BSD-3-Clause
// One job that this mpiexec runs: the one of its command line, or one that a process has ordered.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "core/job/segment.h"
#include "launcher/job_order.h"
#include "launcher/starter.h"

namespace tessera::launcher {

struct LaunchedJob {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  std::uint32_t number = 1;  // in order of their start; that of the command line is 1
  JobOrder* order = nullptr;
  std::unique_ptr<JobOrder> own_order;  // of one that was ordered
  std::shared_ptr<JobSegment> segment;
  std::unique_ptr<Starter> starter;
  std::uint64_t client = 0;  // whose order is not settled; 0: nobody's
  bool ending = false;       // its ranks are being ended
  bool survived = false;     // a rank has ended well
  int first_loss = 0;        // status of the first rank that died, if the others went on
  std::int64_t kill_at = kNever;
  std::int64_t blame_at = kNever;  // when the rank that has aborted is named, should no other die

  // Whether some rank is connected with another job; a dead one counts as it was.
  bool connected() const noexcept {
    for (std::uint32_t rank = 0; rank < segment->ranks(); ++rank) {
      if (segment->page(rank).connected.load(std::memory_order_acquire) != 0) return true;
    }
    return false;
  }
};

// Which process of which job.
struct JobMember {
  LaunchedJob* job;
  std::uint32_t rank;
  std::uint32_t id() const noexcept { return job->segment->id_of(rank); }
  RankPage& page() const noexcept { return job->segment->page(rank); }
  bool inside_mpi() const noexcept {
    const RankState state = page().state.load(std::memory_order_acquire);
    return state == RankState::initialised || state == RankState::finalizing;
  }
  std::uint64_t stream() const noexcept { return std::uint64_t{job->number} << 32 | rank; }
};

}  // namespace tessera::launcher
