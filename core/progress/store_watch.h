// SPDX-License-Identifier: BSD-3-Clause
// Waiting for a word that another process stores and then rings for: wait_for_store.
#pragma once
//
// A wait that sleeps announces it, looks at all pollers once more, and sleeps; whoever stores later
// rings. A condition that no poller looks at would be missed when it comes true between the last
// look at it and the announcement. So it is made a poller for the time of the wait.
//
#include <utility>

#include "tessera/peer.h"

namespace tessera {

template <class Holds>
class StoreWatch final : public Poller {
 public:
  StoreWatch(Progress& progress, const Holds& holds) noexcept : progress_(progress), holds_(holds) {
    progress_.add(*this);
  }
  ~StoreWatch() { progress_.remove(*this); }
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;
  // An event only once, or another thread that waits would take it for progress for ever.
  int poll() noexcept override { return holds_() && !std::exchange(reported_, true) ? 1 : 0; }

 private:
  Progress& progress_;
  const Holds& holds_;
  bool reported_ = false;
};

// Waits until holds().
template <class Holds>
void wait_for_store(Progress& progress, const Holds& holds) noexcept {
  const StoreWatch<Holds> watch(progress, holds);
  progress.wait_until(holds);
}

// The same for what `peer` stores: peer_failed when it died before.
template <class Holds>
Status wait_for_store(Progress& progress, const Peer& peer, const Holds& holds) noexcept {
  const StoreWatch<Holds> watch(progress, holds);
  return progress.wait_for(peer, holds);
}

}  // namespace tessera
