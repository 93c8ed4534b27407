// SPDX-License-Identifier: BSD-3-Clause
// Sender: blocking and nonblocking sends. A small contiguous message goes straight to the btl.
#include "sender.h"

#include <utility>

namespace tessera::ob1 {

// Envelopes that one pull lets through.
static constexpr std::uint32_t kPullBatch = 1024;

// Whether a message may go at once where its size permits it: connected, nothing queued before it,
// contiguous, within the window.
inline bool Sender::open(const PeerState& peer, const pml::SendArgs& args,
                         std::uint64_t bytes) noexcept {
  return peer.gate == 0 && args.type->contiguous() && args.mode != pml::Mode::synchronous &&
         peer.eager_fits(envelope_cost(bytes));
}

// In two places: GCC would call it from both.
[[gnu::always_inline]] inline bool Sender::push(PeerState& peer, const pml::SendArgs& args,
                                                std::uint64_t bytes, bool crossing) noexcept {
  const std::uint64_t consumed = peer.consumed;
  const std::uint64_t cost = envelope_cost(bytes);
  const Envelope header{bare(Kind::eager, peer.credit()), key_of(args)};
  peer.charged += cost;
  const Status sent = peer.endpoint->send(
      {btl::Channel::pml, sizeof header, &header, args.buffer, bytes, crossing});
  if (sent.ok()) [[likely]] {
    peer.reported = consumed;
    peer.count_sent(bytes);
  } else {
    peer.charged -= cost;
  }
  return sent.ok();
}

// Sends the message if it may go at once and the btl has room for it.
inline bool Sender::pushed(PeerState& peer, const pml::SendArgs& args,
                           std::uint64_t bytes) noexcept {
  if (bytes >= peer.straight_below) [[unlikely]]
    return pushed_longer(peer, args, bytes);
  return open(peer, args, bytes) && push(peer, args, bytes, false);
}

[[gnu::noinline]] bool Sender::pushed_longer(PeerState& peer, const pml::SendArgs& args,
                                             std::uint64_t bytes) noexcept {
  return open(peer, args, bytes) && settled(peer, args, bytes) &&
         push(peer, args, bytes, peers.expecting());
}

// Whether the message goes eagerly. A turn that needs a request is kept for it.
bool Sender::settled(PeerState& peer, const pml::SendArgs& args, std::uint64_t bytes) noexcept {
  if (!peer.either(bytes, *args.type, key_of(args))) return peer.eager(bytes, *args.type);
  const Turn turn = choose(peer, bytes);
  if (turn.way == Way::eager && turn.trial == 0) return true;
  peer.turn = turn;
  return false;
}

Turn Sender::choose(PeerState& peer, std::uint64_t bytes) noexcept {
  if (peer.turn) return *std::exchange(peer.turn, {});
  if (peer.announced > 0) {
    --peer.announced;
    return {Way::read};
  }
  CopyChoice* const choice = made(peer.eager_choice, settings.trial_interval);
  if (choice == nullptr) return {Way::eager};
  return choice->next(bytes, Way::eager, WaySet().add(Way::eager).add(Way::read));
}

Status Sender::send(const pml::SendArgs& args) noexcept {
  PeerState& peer = peers.state(*args.peer);
  const auto bytes = static_cast<std::uint64_t>(args.count * args.type->size());
  if (pushed(peer, args, bytes)) [[likely]]
    return {};
  return send_with_request(peer, args);
}

Status Sender::inject(const pml::SendArgs& args) noexcept {
  PeerState& peer = peers.state(*args.peer);
  const auto bytes = static_cast<std::uint64_t>(args.count * args.type->size());
  const bool sent =
      bytes < peer.straight_below && open(peer, args, bytes) && push(peer, args, bytes, false);
  return sent ? Status() : Errc::again;
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
  const std::uint64_t number = peer.charged + envelope_cost(bytes);
  if (pushed(peer, args, bytes)) [[likely]] {
    request->finish_delivered(number);
    return request;
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
