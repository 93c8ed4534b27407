// SPDX-License-Identifier: BSD-3-Clause
// What may follow what, and the texts for what may not.
#include "core/rma/epochs.h"

#include <fmt/format.h>

namespace tessera {

Status Epochs::refuse(const std::string& what) const {
  return Status::failure(Errc::refused, fmt::format("{}; {}", what, open_epochs()));
}

std::string Epochs::open_epochs() const {
  std::string open;
  const auto add = [&open](const std::string& epoch) {
    open += (open.empty() ? "" : " and ") + epoch;
  };
  if (fence_ == Fence::used) add("one begun by MPI_Win_fence");
  if (started_)
    add(fmt::format("one begun by MPI_Win_start for {} processes", started_ranks_.size()));
  if (lock_all_) add("one begun by MPI_Win_lock_all");
  for (std::size_t rank = 0; locks_ > 0 && rank < targets_.size(); ++rank) {
    if (!is_lock(targets_[rank])) continue;
    add(locks_ == 1
            ? fmt::format("one begun by MPI_Win_lock of rank {}", rank)
            : fmt::format("those begun by MPI_Win_lock of {} ranks, {} the first", locks_, rank));
    break;
  }
  if (posted_)
    add(fmt::format("an exposure epoch begun by MPI_Win_post for {} processes", origins_.size()));
  if (open.empty()) return "no epoch is open at this process";
  return "open at this process: " + open;
}

Status Epochs::no_access(int rank) const {
  return refuse(fmt::format(
      "rank {} may not be accessed now: an operation must lie in an epoch for its target, begun by "
      "MPI_Win_fence (without MPI_MODE_NOSUCCEED), MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all",
      rank));
}

Status Epochs::no_request(int rank) const {
  return refuse(
      fmt::format("operations with a request need a lock of their target, rank {}, by "
                  "MPI_Win_lock or MPI_Win_lock_all",
                  rank));
}

Status Epochs::may_fence() const {
  if (!started_ && !posted_ && !lock_all_ && locks_ == 0) return {};
  return refuse("MPI_Win_fence may not be called in another epoch: complete, wait or unlock first");
}

Status Epochs::may_post() const {
  if (posted_)
    return refuse(
        "MPI_Win_post was called already: MPI_Win_wait or MPI_Win_test ends "
        "the exposure epoch before the next one");
  if (lock_all_ || locks_ > 0) return refuse("a window may not be posted while it is locked");
  if (fence_ == Fence::used)
    return refuse(
        "MPI_Win_post may not be called in an epoch of fences: "
        "end it by MPI_Win_fence with MPI_MODE_NOSUCCEED");
  return {};
}

Status Epochs::may_start() const {
  if (started_)
    return refuse(
        "MPI_Win_start was called already: MPI_Win_complete ends the access "
        "epoch before the next one");
  if (lock_all_ || locks_ > 0)
    return refuse("MPI_Win_start may not be called while locks are held");
  if (fence_ == Fence::used)
    return refuse(
        "MPI_Win_start may not be called in an epoch of fences: "
        "end it by MPI_Win_fence with MPI_MODE_NOSUCCEED");
  return {};
}

Status Epochs::may_complete() const {
  return started_ ? Status()
                  : refuse("MPI_Win_complete ends what MPI_Win_start began, and nothing was begun");
}

Status Epochs::may_wait() const {
  return posted_ ? Status()
                 : refuse(
                       "MPI_Win_wait and MPI_Win_test end what MPI_Win_post began, "
                       "and nothing was posted");
}

Status Epochs::may_lock(int rank) const {
  if (lock_all_)
    return refuse(
        fmt::format("rank {} may not be locked under MPI_Win_lock_all, which has locked it", rank));
  if (!targets_.empty() && is_lock(targets_[static_cast<std::size_t>(rank)]))
    return refuse(fmt::format("rank {} is locked already by this process", rank));
  if (started_ || posted_) return refuse("locks may not be mixed with MPI_Win_start and _post");
  if (fence_ == Fence::used)
    return refuse(
        "a lock may not be taken in an epoch of fences: end it "
        "by MPI_Win_fence with MPI_MODE_NOSUCCEED");
  return {};
}

Status Epochs::may_unlock(int rank) const {
  if (!targets_.empty() && is_lock(targets_[static_cast<std::size_t>(rank)])) return {};
  return refuse(fmt::format("rank {} was not locked by MPI_Win_lock", rank));
}

Status Epochs::may_lock_all() const {
  if (lock_all_)
    return refuse(
        "MPI_Win_lock_all was called already: MPI_Win_unlock_all comes "
        "before the next one");
  if (locks_ > 0) return refuse("MPI_Win_lock_all may not be called while a rank is locked");
  if (started_ || posted_) return refuse("locks may not be mixed with MPI_Win_start and _post");
  if (fence_ == Fence::used)
    return refuse(
        "a lock may not be taken in an epoch of fences: end it "
        "by MPI_Win_fence with MPI_MODE_NOSUCCEED");
  return {};
}

Status Epochs::may_unlock_all() const {
  return lock_all_ ? Status()
                   : refuse(
                         "MPI_Win_unlock_all ends what MPI_Win_lock_all began, which "
                         "was not called");
}

Status Epochs::may_flush(int rank) const {
  if (lock_all_ || (rank == osc::kAll && locks_ > 0)) return {};
  if (rank == osc::kAll) return refuse("a flush needs a lock by MPI_Win_lock or MPI_Win_lock_all");
  if (!targets_.empty() && is_lock(targets_[static_cast<std::size_t>(rank)])) return {};
  return refuse(
      fmt::format("a flush of rank {} needs a lock of it by MPI_Win_lock or "
                  "MPI_Win_lock_all",
                  rank));
}

Status Epochs::may_free() const {
  if (!started_ && !posted_ && !lock_all_ && locks_ == 0) return {};
  return refuse("a window may not be freed while an epoch is open");
}

Epochs::Target& Epochs::target(int rank) {
  if (targets_.empty()) targets_.resize(static_cast<std::size_t>(processes_), Target::none);
  return targets_[static_cast<std::size_t>(rank)];
}

void Epochs::started(std::vector<int> ranks) {
  for (const int rank : ranks) target(rank) = Target::started;
  started_ranks_ = std::move(ranks);
  started_ = true;
  fence_ = Fence::none;
}

void Epochs::completed() {
  for (const int rank : started_ranks_) target(rank) = Target::none;
  started_ranks_.clear();
  started_ = false;
}

void Epochs::locked(int rank, osc::Lock kind, bool taken) {
  target(rank) = kind == osc::Lock::shared ? Target::shared
                 : taken                   ? Target::exclusive
                                           : Target::unchecked;
  ++locks_;
  fence_ = Fence::none;
}

void Epochs::unlocked(int rank) noexcept {
  targets_[static_cast<std::size_t>(rank)] = Target::none;
  --locks_;
}

}  // namespace tessera
