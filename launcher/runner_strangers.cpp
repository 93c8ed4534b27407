// SPDX-License-Identifier: BSD-3-Clause
// Ranks that use another MPI: each works alone, ends well, and would pass for a part of the job.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/mpi_library.h"
#include "launcher/runner.h"

namespace tessera::launcher {

bool Runner::joined(std::uint32_t rank) const noexcept {
  return jobs_.front()->segment->page(rank).pid.load(std::memory_order_acquire) != 0;
}

// A program that loads its MPI at run time shows it only while it runs. It is looked at when a rank
// writes: output follows MPI_Init more often than not.
void Runner::look_for_other_mpi() {
  constexpr int kMostLooks = 8;
  if (!other_mpi_.empty() || looks_ >= kMostLooks || order_->ranks() <= 1) return;
  for (const auto& [process, member] : rank_of_) {
    if (member.job->number != 1) continue;
    if (joined(member.rank) || ++looks_ > kMostLooks) return;
    other_mpi_ = other_mpi_in(process);
    if (!other_mpi_.empty()) return;
  }
}

void Runner::judge_strangers() {
  for (const auto& program : order_->programs)
    if (program && other_mpi_.empty()) other_mpi_ = program->other_mpi();
  if (other_mpi_.empty() || ending_ || status_ != 0 || order_->ranks() <= 1) return;
  for (std::uint32_t rank = 0; rank < order_->ranks(); ++rank)
    if (joined(rank)) return;
  status_ = 1;
  say(
      fmt::format("mpiexec: none of the {} processes joined this job: they use {}, so each ran "
                  "alone. Build the "
                  "program with mpicc of Tessera, or start it with the mpiexec of its own MPI.\n",
                  order_->ranks(), other_mpi_));
}

}  // namespace tessera::launcher
