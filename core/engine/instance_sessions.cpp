// SPDX-License-Identifier: BSD-3-Clause
// The engine where processes start and end their use of it without each other: the Sessions Model.
#include "core/coll/guards.h"
#include "core/engine/instance.h"
#include "core/progress/store_watch.h"
#include "core/request/buffered_sends.h"
#include "core/rma/one_sided.h"

namespace tessera {
void Instance::expect_all() {
  if (std::exchange(complete_, true)) return;
  await_addresses();
  explain_start();
}

void Instance::expect(const Group& group) {
  acquainted_.resize(job().size());
  for (int rank = 0; rank < group.size(); ++rank) {
    const Peer& peer = group.member(rank);
    acquainted_[peer.id] = true;
    await_address(peer);
  }
}

void Instance::rest() {
  if (one_sided_) one_sided_->stop_agent();
  buffered_->detach();
  if (guards_) guards_->flush();
  pml().drain();
  progress_->wait_until([this] { return router_->flushed(); });
  boot_->set_state(RankState::finalized);
  boot_->ring_all();  // for part()
}

void Instance::resume() {
  boot_->set_state(RankState::initialised);
}

// Seen in the pages, not agreed by messages: the others need not end at the same time, and some may
// come to rest and resume several times meanwhile.
void Instance::part() {
  if (!finished_) explain_end();
  progress_->expect_ring();
  for (std::uint32_t id = 0; id < acquainted_.size(); ++id) {
    if (!acquainted_[id]) continue;
    wait_for_store(*progress_, [this, id] { return boot_->at_rest(id); });
  }
  (void)boot_->leave(false);
}

}  // namespace tessera
