// SPDX-License-Identifier: BSD-3-Clause
// Learning of deaths, and giving up what needed the dead.
#include "core/job/failures.h"

#include <sys/wait.h>

#include <cstdio>
#include <vector>

namespace tessera {
namespace {

// More than any transport holds for one process: a peer that never stops sending must not keep the
// news of another one's death.
constexpr int kMostRounds = 10'000;

Status reason(std::uint32_t rank, int wait_status) noexcept {
  char text[160];
  if (WIFSIGNALED(wait_status)) {
    std::snprintf(text, sizeof text, "rank %u of the job has died: it was killed by signal %d",
                  rank, WTERMSIG(wait_status));
  } else {
    std::snprintf(text, sizeof text,
                  "rank %u of the job has died: it ended with exit status %d, without MPI_Finalize",
                  rank, WEXITSTATUS(wait_status));
  }
  return Status::failure(Errc::peer_failed, text);
}

}  // namespace

std::uint32_t Failures::learn() noexcept {
  seen_ = view_.segment().deaths();
  std::vector<std::uint32_t> dead;
  for (std::uint32_t id = 0; id < job_.size(); ++id) {
    const bool died =
        view_.segment().page(id).state.load(std::memory_order_acquire) == RankState::failed;
    if (!died || known_[id]) continue;
    known_[id] = true;
    job_.peer(id).failed.store(true,
                               std::memory_order_relaxed);  // or a transport has seen it first
    dead.push_back(id);
  }
  for (int round = 0; round < kMostRounds && progress_.poll() > 0; ++round) {
  }
  for (const std::uint32_t id : dead) {
    const int end = view_.segment().page(id).wait_status.load(std::memory_order_relaxed);
    sinks_.lost(job_.peer(id), reason(id, end));
  }
  return static_cast<std::uint32_t>(dead.size());
}

Status complete_or_give_up(Progress& progress, Request& request,
                           std::span<Peer* const> needed) noexcept {
  Status waited =
      progress.wait_until([&] { return request.complete(); }, [&] { return any_failed(needed); });
  if (!waited.ok()) {
    request.cancel();
    progress.wait_until([&] { return request.complete(); });
    for (const Peer* peer : needed) {
      if (peer->failed.load(std::memory_order_relaxed)) waited = died(*peer);
    }
  }
  const Status outcome = request.error();
  request.free();
  return waited.ok() ? outcome : waited;
}

Status died(const Peer& peer) noexcept {
  char text[120];
  std::snprintf(text, sizeof text, "process %u of the job, which takes part, has died",
                peer.name.index);
  return Status::failure(Errc::peer_failed, text);
}

}  // namespace tessera
