// SPDX-License-Identifier: BSD-3-Clause
// Outbox: sends what waits, in order, as far as the btls take it.
#include "outbox.h"

#include <cstring>

namespace tessera::ob1 {

Outbox::~Outbox() {
  if (registered_) progress_.remove(*this);
}

Status Outbox::connect(PeerState& peer) noexcept {
  const Status connected = peers_.connect(peer);
  if (!connected.ok()) activate(peer);
  return connected;
}

void Outbox::enqueue(PeerState& peer, Operation& operation) noexcept {
  peer.sends.push_back(operation);
  peer.gate |= PeerState::backlog;
  drain(peer);
  if (workable(peer)) activate(peer);
}

void Outbox::run(PeerState& peer, Operation& operation) noexcept {
  if (step(operation) != Step::over) defer(peer, operation);
}

void Outbox::defer(PeerState& peer, Operation& operation) noexcept {
  peer.transfers.push_back(operation);
  activate(peer);
}

void Outbox::resume(PeerState& peer) noexcept {
  peer.held = false;
  activate(peer);
}

void Outbox::lost(PeerState& peer, Status why) noexcept {
  peers_.lose(peer, why);
  activate(peer);
}

void Outbox::forget(PeerState& peer) noexcept {
  peers_.lose(peer, Errc::peer_failed);
  while (!peer.controls.empty()) pool_.recycle(peer.controls.pop_front());
  if (peer.Hook<BusyTag>::linked()) peer.Hook<BusyTag>::unlink();
}

int Outbox::poll() noexcept {
  List<PeerState, BusyTag> round;
  round.take(busy_);
  int events = 0;
  while (!round.empty()) {
    PeerState& peer = round.pop_front();
    events += peer.lost() ? give_up(peer) : drain(peer);
    if (workable(peer)) activate(peer);
  }
  if (busy_.empty() && registered_) {
    registered_ = false;
    progress_.remove(*this);
  }
  return events;
}

int Outbox::drain(PeerState& peer) noexcept {
  if (peer.draining || peer.lost()) return 0;
  peer.draining = true;
  int events = drain_controls(peer);
  if (peer.controls.empty()) events += drain_sends(peer) + drain_transfers(peer);
  peer.draining = false;
  if (peer.sends.empty()) peer.gate &= ~PeerState::backlog;
  return events;
}

int Outbox::drain_controls(PeerState& peer) noexcept {
  int events = 0;
  for (; !peer.controls.empty() && !peer.lost(); ++events) {
    QueuedControl& packet = peer.controls.pop_front();
    const Status sent = transmit(peer, packet.header.data(), packet.bytes);
    if (sent == Errc::again) {
      peer.controls.push_front(packet);
      break;
    }
    pool_.recycle(packet);
  }
  return events;
}

int Outbox::drain_sends(PeerState& peer) noexcept {
  int events = 0;
  peer.held = false;
  while (!peer.sends.empty() && !peer.lost()) {
    Operation& first = peer.sends.pop_front();
    const Step done = step(first);
    if (done != Step::over) {
      peer.sends.push_front(first);
      peer.held = done == Step::held;
      break;
    }
    ++events;
  }
  return events;
}

int Outbox::drain_transfers(PeerState& peer) noexcept {
  List<Operation, QueueTag> round;
  round.take(peer.transfers);
  int events = 0;
  while (!round.empty()) {
    Operation& transfer = round.pop_front();
    const Step done = step(transfer);
    if (done != Step::over) peer.transfers.push_back(transfer);
    if (done != Step::blocked) ++events;
  }
  return events;
}

// A lost peer is abandoned from the bottom of the stack only: an operation that is being advanced
// must not vanish.
int Outbox::give_up(PeerState& peer) noexcept {
  if (peer.abandoned || peer.draining || depth_ > 0) return 0;
  peer.abandoned = true;
  while (!peer.controls.empty()) pool_.recycle(peer.controls.pop_front());
  peers_.abandon(peer);
  return 1;
}

Step Outbox::step(Operation& operation) noexcept {
  ++depth_;
  const Step done = operation.advance();
  --depth_;
  return done;
}

void Outbox::send_control(PeerState& peer, void* header, std::size_t bytes) noexcept {
  if (peer.lost() || !connect(peer).ok()) return;
  if (!peer.controls.empty() || transmit(peer, header, bytes) == Errc::again)
    queue_control(peer, header, bytes);
}

// Sends a header with the newest credit in it. A failure other than `again` loses the peer.
Status Outbox::transmit(PeerState& peer, void* header, std::size_t bytes) noexcept {
  const std::uint64_t consumed = peer.consumed;
  const std::uint32_t credit = peer.credit();
  std::memcpy(static_cast<std::byte*>(header) + offsetof(Common, credit), &credit, sizeof credit);
  ++depth_;
  const Status sent = peer.endpoint->send(
      {btl::Channel::pml, static_cast<std::uint8_t>(bytes), header, nullptr, 0});
  --depth_;
  if (sent.ok()) {
    peer.reported = consumed;
  } else if (!(sent == Errc::again)) {
    lost(peer, sent);
  }
  return sent;
}

void Outbox::queue_control(PeerState& peer, const void* header, std::size_t bytes) noexcept {
  QueuedControl* packet = pool_.make();
  if (packet == nullptr) return lost(peer, Errc::no_memory);
  std::memcpy(packet->header.data(), header, bytes);
  packet->bytes = static_cast<std::uint8_t>(bytes);
  peer.reported = peer.consumed;  // it will be said when this packet goes
  peer.controls.push_back(*packet);
  activate(peer);
}

void Outbox::activate(PeerState& peer) noexcept {
  if (peer.Hook<BusyTag>::linked()) return;
  busy_.push_back(peer);
  if (registered_) return;
  registered_ = true;
  progress_.add(*this);
}

bool Outbox::workable(PeerState& peer) noexcept {
  if (peer.lost()) return !peer.abandoned;
  return !peer.controls.empty() || !peer.transfers.empty() || (!peer.sends.empty() && !peer.held);
}

}  // namespace tessera::ob1
