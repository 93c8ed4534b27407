// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose MPI process has died behind a script that goes on.
#include <fmt/format.h>

#include "launcher/behind.h"
#include "launcher/runner.h"

namespace tessera::launcher {
namespace {

constexpr std::int64_t kLookMs = 1'000;
// As a rule the script ends too, and its exit status tells more.
constexpr std::int64_t kScriptGraceMs = 3'000;

}  // namespace

void Runner::look_behind_wrappers() {
  if (now_ < wrappers_at_ || ending_ || rank_of_.empty()) return;
  wrappers_at_ = now_ + kLookMs;
  std::unordered_map<pid_t, Millis> gone;
  std::vector<pid_t> dead;
  for (const auto& [process, member] : rank_of_) {
    const pid_t inner = member.page().pid.load(std::memory_order_acquire);
    if (inner == 0 || inner == process || !member.inside_mpi() || is_running(inner)) continue;
    const auto since = gone_since_.find(process);
    gone.emplace(process, since == gone_since_.end() ? now_ : since->second);
    if (now_ - gone.at(process) >= kScriptGraceMs) dead.push_back(process);
  }
  gone_since_ = std::move(gone);
  for (const pid_t process : dead) judge_wrapper(process);
}

void Runner::judge_wrapper(pid_t process) {
  const auto found = rank_of_.find(process);
  if (found == rank_of_.end() || ending_) return;
  const JobMember member = found->second;
  if (member.job->ending || unmet(*member.job)) return;
  gone_since_.erase(process);  // /proc is read again after the same time, not with each look
  if (has_segment_behind(process, member.job->segment->descriptor(),
                         [this](pid_t child) { return rank_of_.contains(child); }))
    return;
  const std::string what = fmt::format(
      "has lost its MPI process {}, which ended without MPI_Finalize, while the script "
      "that started it goes on",
      member.page().pid.load(std::memory_order_relaxed));
  drain(member);
  constexpr int kStatus = 1;  // what the process ended with, only the script knows
  rank_of_.erase(found);
  member.page().state.store(RankState::failed, std::memory_order_release);
  if (go_on_without(member, process, kStatus << 8, what)) return;
  rank_of_.emplace(process, member);
  fail(member, process, kStatus, what);
}

}  // namespace tessera::launcher
