// SPDX-License-Identifier: BSD-3-Clause
// Counts lost processes and raises the event.
#include "core/tools/loss_watch.h"

#include "core/engine/tables.h"

namespace tessera {

void LossWatch::lost(Peer& peer, Status) noexcept {
  if (known_.size() <= peer.id) known_.resize(job_.end_id());
  if (known_.size() <= peer.id || known_[peer.id]) return;
  known_[peer.id] = true;
  ++count_;
  if (events_.wanted(kPeerLost)) events_.raise(kPeerLost, {peer.id});
}

}  // namespace tessera
