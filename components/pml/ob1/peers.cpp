// SPDX-License-Identifier: BSD-3-Clause
// Peers: making, connecting and losing a peer.
#include "peers.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "operation.h"
#include "recv_request.h"

namespace tessera::ob1 {

// Bytes; the copy of such a message takes longer than to look whether messages cross.
static constexpr std::uint64_t kLonger = 8 << 10;

Peers::~Peers() {
  while (first_ != nullptr) {
    Entry* entry = std::exchange(first_, first_->next);
    entry->state.peer->route = nullptr;
    delete entry;
  }
}

// Without memory for the state of a peer nothing can be promised any more: the process ends in
// `new`.
PeerState& Peers::add(Peer& peer) noexcept {
  first_ = new Entry{PeerState(peer), first_};
  peer.route = &first_->state;
  if (settings_.check) first_->state.gate |= PeerState::marking;
  first_->state.window = settings_.window(job_.size());
  first_->state.report_step = std::max<std::uint64_t>(first_->state.window / 2, 1);
  return first_->state;
}

Status Peers::connect(PeerState& peer) noexcept {
  if (peer.lost()) return reason(peer);
  if (peer.connected()) return {};
  const Result<std::span<const pml::Route>> routes = router_->routes(*peer.peer);
  if (!routes.ok() || routes.value().empty()) {
    lose(peer, routes.ok() ? Status(Errc::peer_failed) : routes.status());
    return reason(peer);
  }
  use(peer, routes.value());
  return {};
}

void Peers::use(PeerState& peer, std::span<const pml::Route> routes) noexcept {
  peer.route_count = static_cast<std::uint32_t>(std::min(routes.size(), PeerState::kMaxRoutes));
  std::copy_n(routes.begin(), peer.route_count, peer.routes.begin());
  peer.endpoint = peer.routes[0].endpoint;
  std::size_t packet = std::numeric_limits<std::size_t>::max();
  for (std::uint32_t i = 0; i < peer.route_count; ++i)
    packet = std::min(packet, peer.routes[i].attributes->max_packet);
  peer.fragment = packet - sizeof(Data);
  const btl::Attributes& first = peer.attributes();
  const std::uint64_t wished =
      settings_.eager_limit != 0 ? settings_.eager_limit : first.eager_limit;
  peer.eager_limit = std::min<std::uint64_t>(wished, first.max_packet - kLargestEnvelope);
  // A handshake costs more than a copy where it takes the other process's turn on a shared
  // processor.
  const bool direct =
      (first.capabilities & btl::can_get) != 0 && job_.local_size() <= job_.usable_cpus();
  if (direct && settings_.eager_limit == 0) {
    const bool tried = settings_.split == Split::measured && first.get_tried != 0;
    peer.direct_from = first.get_threshold;
    peer.tried_from = tried ? std::min(first.get_tried, first.get_threshold) : first.get_threshold;
  }
  peer.straight_below = std::min({peer.eager_limit + 1, peer.tried_from, kLonger});
  peer.gate &= ~PeerState::unconnected;
}

void Peers::lose(PeerState& peer, Status why) noexcept {
  if (peer.lost()) return;
  peer.gate |= PeerState::failed;
  char text[600];
  std::snprintf(text, sizeof text, "process %u cannot be reached any more: %.500s", peer.peer->id,
                why.text());
  peer.loss = Status::failure(Errc::peer_failed, text);
}

Status Peers::reason(const PeerState& peer) noexcept {
  return peer.loss.get();
}

void Peers::remove(PeerState& peer) noexcept {
  abandon_sends(peer);
  fail_receives(peer, false);
  Entry** at = &first_;
  while (&(*at)->state != &peer) at = &(*at)->next;
  Entry* const entry = std::exchange(*at, (*at)->next);
  if (unheard_ == &peer) unheard_ = nullptr;
  peer.peer->route = nullptr;
  delete entry;
}

void Peers::abandon(PeerState& peer) noexcept {
  abandon_sends(peer);
  unheard_ = &peer;
  fail_receives(peer, true);
}

void Peers::abandon_sends(PeerState& peer) noexcept {
  const Status why = reason(peer);
  peer.landing = nullptr;
  while (!peer.sends.empty()) peer.sends.pop_front().fail(why);
  while (!peer.in_flight.empty()) peer.in_flight.pop_front().fail(why);
}

// First gathers, then fails: a continuation may post and withdraw receives meanwhile.
void Peers::fail_receives(PeerState& peer, bool from_any) noexcept {
  List<Operation, QueueTag> doomed;
  table_.for_each_posted([&](Posted& posted) {
    auto& receive = static_cast<RecvRequest&>(posted);
    const bool any = receive.peer_state() == nullptr && from_any;
    if (any) unheard_ = nullptr;
    if (any || receive.peer_state() == &peer) doomed.push_back(receive);
  });
  while (!doomed.empty()) {
    Operation& receive = doomed.pop_front();
    receive.fail(reason(peer));
  }
}

}  // namespace tessera::ob1
