// SPDX-License-Identifier: BSD-3-Clause
// Deaths of other processes, as this one learns of them: Failures.
#pragma once
//
// Contract. mpiexec --enable-recovery marks the page of a rank that has died, counts, and rings the
// bells of all. The Instance owns one Failures, which AdaptiveProgress asks whenever a wait pauses;
// that costs one load of a word that rarely changes. It tells news in this order: it marks the
// peers (Peer::failed), delivers what had arrived from them, then tells the sinks of the
// loss, so that a message sent before the death is received and a later one fails. Under the
// engine's lock.
//
#include <span>
#include <vector>

#include "core/job/segment.h"
#include "tessera/btl.h"
#include "tessera/comm.h"

namespace tessera {

class Failures {
 public:
  Failures(JobView view, const Job& job, Progress& progress, const btl::Sinks& sinks)
      : view_(std::move(view)), job_(job), progress_(progress), sinks_(sinks), known_(job.size()) {}

  bool news() const noexcept { return view_.segment().deaths() != seen_; }
  // Tells what is new; how many processes. Entered again from what it delivers, it has nothing to
  // tell.
  std::uint32_t learn() noexcept;

 private:
  JobView view_;
  const Job& job_;
  Progress& progress_;
  const btl::Sinks& sinks_;
  std::uint32_t seen_ = 0;
  std::vector<bool> known_;  // by id: told
};

// Waits until `request` is complete, and frees it. peer_failed when one of `needed` is dead before:
// the operation was cancelled then, as far as it had not begun to move data.
Status complete_or_give_up(Progress& progress, Request& request,
                           std::span<Peer* const> needed) noexcept;

// Whether one of them is dead.
inline bool any_failed(std::span<Peer* const> peers) noexcept {
  for (const Peer* peer : peers) {
    if (peer->failed.load(std::memory_order_relaxed)) return true;
  }
  return false;
}

// The failure of what needed this peer.
Status died(const Peer& peer) noexcept;

}  // namespace tessera
