// SPDX-License-Identifier: BSD-3-Clause
// Outbox: everything that waits to be sent, and the poller that sends it.
#pragma once
//
// Contract. Three queues per peer. `controls` are small packets, sent first: nothing may hold them
// up. `sends` are envelopes in MPI order: none overtakes another, and the first may be held by flow
// control. `transfers` are bulk copies, each advanced in turn. The poller is registered with
// Progress only while some peer has something that can be tried again.
//
// Re-entrance. A btl may deliver from within send(), and a continuation run by such a delivery may
// start operations: every call of an endpoint can come back here. Therefore an operation is in no
// queue while it is advanced, a peer that is being drained is not drained again, and a lost peer is
// abandoned only when nothing is under way.
//
#include "operation.h"
#include "peers.h"
#include "pool.h"
#include "tessera/peer.h"

namespace tessera::ob1 {

class Outbox final : public Poller {
 public:
  Outbox(Progress& progress, Peers& peers) noexcept : progress_(progress), peers_(peers) {}
  ~Outbox();

  // As Peers::connect; on failure the peer is lost.
  Status connect(PeerState& peer) noexcept;
  // Sends a small packet now or as soon as there is room. On a lost peer it is dropped.
  template <class Header>
  void control(PeerState& peer, Header header) noexcept {
    static_assert(sizeof(Header) <= kLargestHeader);
    send_control(peer, &header, sizeof header);
  }
  // Appends an envelope and sends what can be sent.
  void enqueue(PeerState& peer, Operation& operation) noexcept;
  // Advances a transfer once; what is left of it is done by the poller.
  void run(PeerState& peer, Operation& operation) noexcept;
  // Leaves all of it to the poller: whoever has asked for it has messages to send first.
  void defer(PeerState& peer, Operation& operation) noexcept;
  // Flow control has moved: a held envelope may go.
  void resume(PeerState& peer) noexcept;
  // A peer was lost: what depends on it is completed by the next poll.
  void lost(PeerState& peer, Status why) noexcept;

  // The peer is about to be forgotten: what is left for it is dropped.
  void forget(PeerState& peer) noexcept;

  int poll() noexcept override;
  bool idle() const noexcept {
    return busy_.empty();
  }  // nothing is queued that flow control does not hold
  bool entered() const noexcept {
    return depth_ > 0;
  }  // something is being sent or copied right now

 private:
  void send_control(PeerState& peer, void* header, std::size_t bytes) noexcept;
  Status transmit(PeerState& peer, void* header, std::size_t bytes) noexcept;
  void queue_control(PeerState& peer, const void* header, std::size_t bytes) noexcept;
  int drain(PeerState& peer) noexcept;
  int drain_controls(PeerState& peer) noexcept;
  int drain_transfers(PeerState& peer) noexcept;
  int drain_sends(PeerState& peer) noexcept;
  int give_up(PeerState& peer) noexcept;
  Step step(Operation& operation) noexcept;
  void activate(PeerState& peer) noexcept;
  static bool workable(PeerState& peer) noexcept;

  Progress& progress_;
  Peers& peers_;
  Pool<QueuedControl> pool_;
  List<PeerState, BusyTag> busy_;
  int depth_ = 0;
  bool registered_ = false;
};

}  // namespace tessera::ob1
