// SPDX-License-Identifier: BSD-3-Clause
// The engine where processes start and end their use of it without each other: the Sessions Model.
#include "core/buffered_sends.h"
#include "core/coll/check.h"
#include "core/instance.h"

namespace tessera {
namespace {

bool at_rest(const RankPage& page) noexcept {
  const RankState state = page.state.load(std::memory_order_acquire);
  return state == RankState::finalized || state == RankState::ended;
}

}  // namespace

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
  buffered_->detach();
  if (checks_) checks_->flush();
  pml().drain();
  progress_->wait_until([this] { return router_->flushed(); });
  if (!view_) return;
  view_->set_state(RankState::finalized);
  for (std::uint32_t id = 0; id < job().size(); ++id)
    view_->segment().page(id).bell.ring();  // for part()
}

void Instance::resume() {
  if (view_) view_->set_state(RankState::initialised);
}

// Seen in the pages, not agreed by messages: the others need not end at the same time, and some may
// come to rest and resume several times meanwhile.
void Instance::part() {
  if (!finished_) explain_end();
  if (!view_) return;
  progress_->expect_ring();
  for (std::uint32_t id = 0; id < acquainted_.size(); ++id) {
    if (!acquainted_[id]) continue;
    const RankPage& page = view_->segment().page(id);
    progress_->wait_until([&page] { return at_rest(page); });
  }
}

}  // namespace tessera
