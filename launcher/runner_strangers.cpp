// SPDX-License-Identifier: BSD-3-Clause
// Ranks that use another MPI: each works alone, ends well, and would pass for a part of the job.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "launcher/mpi_library.h"
#include "launcher/runner.h"

namespace tessera::launcher {
namespace {

constexpr std::int64_t kFirstPauseMs = 5;
constexpr std::int64_t kLongestPauseMs = 10'240;

}  // namespace

bool Runner::joined(std::uint32_t rank) const noexcept {
  return jobs_.front()->segment->page(rank).pid.load(std::memory_order_acquire) != 0;
}

bool Runner::none_joined() const noexcept {
  for (std::uint32_t rank = 0; rank < order_->ranks(); ++rank)
    if (joined(rank)) return false;
  return true;
}

// Where all files ask for an MPI, they have told.
void Runner::watch_for_other_mpi() {
  const auto tells = [](const auto& program) { return !program || program->asks_for_mpi(); };
  if (jobs_.empty() || order_->ranks() <= 1 || std::ranges::all_of(order_->programs, tells)) return;
  other_mpi_pause_ = kFirstPauseMs;
  other_mpi_at_ = now_ + other_mpi_pause_;
}

// False: no other rank need be looked at.
bool Runner::look_for_other_mpi(pid_t process, const JobMember& member) {
  if (member.job->number != 1) return true;
  if (joined(member.rank)) return false;
  if (other_mpi_.empty()) other_mpi_ = other_mpi_in(process);
  if (other_mpi_.empty() && behind_ranks_.empty()) behind_ranks_ = other_mpi_behind(process);
  return other_mpi_.empty();
}

// A program that loads its MPI at run time, or that a script starts, shows it only while it runs.
// It is looked at when a rank writes: output follows MPI_Init more often than not.
void Runner::look_for_other_mpi() {
  constexpr int kMostLooks = 8;
  if (!other_mpi_.empty() || order_->ranks() <= 1) return;
  for (const auto& [process, member] : rank_of_) {
    if (looks_ >= kMostLooks || !look_for_other_mpi(process, member)) return;
    ++looks_;
  }
}

// At one rank after the other, at times twice as far apart each time: a program that a script
// starts soon is seen if it runs for some milliseconds, a later one if it runs for as long as it
// came late.
void Runner::look_again_for_other_mpi() {
  if (now_ < other_mpi_at_ || rank_of_.empty()) return;
  const auto turn = static_cast<std::ptrdiff_t>(turns_++ % rank_of_.size());
  const auto& [process, member] = *std::next(rank_of_.begin(), turn);
  const bool again = look_for_other_mpi(process, member) && behind_ranks_.empty();
  other_mpi_pause_ *= 2;
  other_mpi_at_ = again && other_mpi_pause_ <= kLongestPauseMs ? now_ + other_mpi_pause_ : kNever;
}

// A script may start such a program for something else: that is told, and no failure.
void Runner::judge_strangers() {
  for (const auto& program : order_->programs)
    if (program && other_mpi_.empty()) other_mpi_ = program->other_mpi();
  const bool certain = !other_mpi_.empty();
  if (!certain && (behind_ranks_.empty() || order_->line.quiet)) return;
  if (ending_ || status_ != 0 || order_->ranks() <= 1 || !none_joined()) return;
  if (certain) status_ = 1;
  const std::string which = certain ? "they use " + other_mpi_ + ", so each ran alone"
                                    : "they started a program that uses " + behind_ranks_ +
                                          ", and each of its processes ran alone";
  say(
      fmt::format("mpiexec: none of the {} processes joined this job: {}. Build the program with "
                  "mpicc of Tessera, or start it with the mpiexec of its own MPI.\n",
                  order_->ranks(), which));
}

}  // namespace tessera::launcher
