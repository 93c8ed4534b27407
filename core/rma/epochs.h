// SPDX-License-Identifier: BSD-3-Clause
// Which epochs of a window this process has open. Source: MPI-5.0 §12.5.
#pragma once
//
// Contract. Every synchronisation call asks may_...() first, which answers with a failure that says
// what is open and what would be right, carries itself out, and then notes what is open now. An
// operation asks may_access(). There is one such state per process and window, whatever the number
// of its threads; it is under the engine's lock.
//
#include <span>
#include <string>
#include <vector>

#include "tessera/osc.h"

namespace tessera {

class Epochs {
 public:
  explicit Epochs(int processes) : processes_(processes) {}

  // Whether an operation on `rank` may be issued now.
  bool admits(int rank) const noexcept {
    const auto target = static_cast<std::size_t>(rank);
    if (lock_all_) return true;
    if (!targets_.empty() && targets_[target] != Target::none) return true;
    return fence_ == Fence::open || fence_ == Fence::used;
  }
  void accessed() noexcept {
    if (fence_ == Fence::open) fence_ = Fence::used;
  }
  bool passive(int rank) const noexcept {
    return lock_all_ || (!targets_.empty() && is_lock(targets_[static_cast<std::size_t>(rank)]));
  }
  // A lock that was really taken, and excludes all others.
  bool exclusive(int rank) const noexcept {
    return !targets_.empty() && targets_[static_cast<std::size_t>(rank)] == Target::exclusive;
  }

  // Which epoch admits it: that of the fence.
  bool by_fence(int rank) const noexcept {
    if (lock_all_) return false;
    return targets_.empty() || targets_[static_cast<std::size_t>(rank)] == Target::none;
  }

  std::string open_epochs() const;    // "open at this process: one begun by MPI_Win_fence"
  Status no_access(int rank) const;   // why admits() said no
  Status no_request(int rank) const;  // why passive() said no

  Status may_fence() const;
  Status may_post() const;
  Status may_start() const;
  Status may_complete() const;
  Status may_wait() const;
  Status may_lock(int rank) const;
  Status may_unlock(int rank) const;
  Status may_lock_all() const;
  Status may_unlock_all() const;
  Status may_flush(int rank) const;  // osc::kAll: of all
  Status may_free() const;

  void fenced(bool more) noexcept { fence_ = more ? Fence::open : Fence::none; }
  void posted(std::vector<int> origins) {
    posted_ = true;
    origins_ = std::move(origins);
  }
  void started(std::vector<int> ranks);
  void completed();
  void waited() noexcept { posted_ = false; }
  void locked(int rank, osc::Lock kind, bool taken);
  void unlocked(int rank) noexcept;
  void locked_all() noexcept { lock_all_ = true, fence_ = Fence::none; }
  void unlocked_all() noexcept { lock_all_ = false; }

  std::span<const int> origins() const noexcept { return origins_; }
  std::span<const int> started_targets() const noexcept { return started_ranks_; }

 private:
  enum class Fence : std::uint8_t { none, open, used };
  enum class Target : std::uint8_t { none, started, shared, exclusive, unchecked };
  static bool is_lock(Target target) noexcept { return target >= Target::shared; }
  Status refuse(const std::string& what) const;
  Target& target(int rank);

  int processes_;
  int locks_ = 0;
  Fence fence_ = Fence::none;
  bool started_ = false;
  bool posted_ = false;
  bool lock_all_ = false;
  std::vector<Target> targets_;  // empty until the first lock or start
  std::vector<int> started_ranks_;
  std::vector<int> origins_;
};

}  // namespace tessera
