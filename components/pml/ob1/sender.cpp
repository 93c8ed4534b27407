// SPDX-License-Identifier: BSD-3-Clause
// Sender: blocking and nonblocking sends. A small contiguous message goes straight to the btl.
#include "sender.h"

namespace tessera::ob1 {

// Envelopes that one pull lets through.
static constexpr std::uint32_t kPullBatch = 1024;

// Whether the message may go at once: connected, nothing queued before it, small, contiguous,
// within the window.
inline bool Sender::straight(const PeerState& peer, const pml::SendArgs& args,
                             std::uint64_t bytes) noexcept {
  return peer.gate == 0 && peer.eager(bytes, *args.type) && args.type->contiguous() &&
         args.mode != pml::Mode::synchronous && peer.eager_fits(envelope_cost(bytes));
}

inline Status Sender::push(PeerState& peer, const pml::SendArgs& args,
                           std::uint64_t bytes) noexcept {
  const std::uint64_t consumed = peer.consumed;
  const std::uint64_t cost = envelope_cost(bytes);
  const Envelope header{bare(Kind::eager, peer.credit()), key_of(args)};
  peer.charged += cost;
  const Status sent =
      peer.endpoint->send({btl::Channel::pml, sizeof header, &header, args.buffer, bytes});
  if (sent.ok()) [[likely]] {
    peer.reported = consumed;
    peer.count_sent(bytes);
  } else {
    peer.charged -= cost;
  }
  return sent;
}

Status Sender::send(const pml::SendArgs& args) noexcept {
  PeerState& peer = peers.state(*args.peer);
  const auto bytes = static_cast<std::uint64_t>(args.count * args.type->size());
  if (straight(peer, args, bytes)) [[likely]] {
    const Status sent = push(peer, args, bytes);
    if (sent.ok()) [[likely]]
      return sent;
  }
  return send_with_request(peer, args);
}

Status Sender::send_with_request(PeerState& peer, const pml::SendArgs& args) noexcept {
  SendRequest* request = pool_.take(*this);
  if (request == nullptr) return Errc::no_memory;
  request->prepare(peer, args, false);
  request->activate_blocking();
  start(*request);
  progress_.wait_until([&] { return request->complete(); });
  const Status outcome = request->error();
  request->free();
  return outcome;
}

Result<Request*> Sender::isend(const pml::SendArgs& args) noexcept {
  PeerState& peer = peers.state(*args.peer);
  SendRequest* request = pool_.take(*this);
  if (request == nullptr) return Errc::no_memory;
  request->prepare(peer, args, false);
  const std::uint64_t bytes = request->bytes();
  if (straight(peer, args, bytes)) [[likely]] {
    const std::uint64_t number = peer.charged + envelope_cost(bytes);
    if (push(peer, args, bytes).ok()) [[likely]] {
      request->finish_delivered(number);
      return request;
    }
  }
  request->activate();
  start(*request);
  return request;
}

Result<Request*> Sender::send_init(const pml::SendArgs& args) noexcept {
  SendRequest* request = pool_.take(*this);
  if (request == nullptr) return Errc::no_memory;
  request->prepare(peers.state(*args.peer), args, true);
  return request;
}

void Sender::start(SendRequest& request) noexcept {
  PeerState& peer = *request.peer_state();
  const std::uint64_t bytes = request.bytes();
  if (!peer.eager_fits(envelope_cost(bytes <= peer.eager_limit ? bytes : 0))) make_room();
  if (peer.lost()) return request.fail(Peers::reason(peer));
  outbox.enqueue(peer, request);
}

// The window is used up: perhaps credits have arrived. Not from inside an operation, and not
// recursively.
void Sender::make_room() noexcept {
  if (polling_ || outbox.entered()) return;
  polling_ = true;
  progress_.poll();
  polling_ = false;
}

void Sender::on_pull(PeerState& peer) noexcept {
  peer.hold_said = false;
  peer.pulled = kPullBatch;
  if (!peer.sends.empty()) outbox.resume(peer);
}

}  // namespace tessera::ob1
