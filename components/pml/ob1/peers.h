// SPDX-License-Identifier: BSD-3-Clause
// Peers: finds, connects and gives up the per-peer states.
#pragma once
#include <utility>

#include "match_table.h"
#include "peer_state.h"
#include "settings.h"

namespace tessera::ob1 {

class Peers {
 public:
  Peers(const Job& job, const Settings& settings, MatchTable& table) noexcept
      : job_(job), settings_(settings), table_(table) {}
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  ~Peers();

  void attach(pml::Router& router) noexcept { router_ = &router; }

  PeerState& state(Peer& peer) noexcept {
    auto* known = static_cast<PeerState*>(peer.route);
    return known != nullptr ? *known : add(peer);
  }
  // Asks the router for ways to the peer, once. Failure: the peer is lost.
  Status connect(PeerState& peer) noexcept;
  // Notes that a peer is gone: sends to it fail from now on. abandon() does the rest, when nothing
  // is under way.
  void lose(PeerState& peer, Status why) noexcept;
  // Completes everything that depends on a lost peer: sends to it, receives from it, receives from
  // any source. When none of the latter is posted, the next one that would wait hears of the loss.
  void abandon(PeerState& peer) noexcept;
  // The engine forgets the peer, which has nothing under way.
  void remove(PeerState& peer) noexcept;
  // A lost peer of which no receive from any source has heard, or null; once.
  const PeerState* take_unheard() noexcept { return std::exchange(unheard_, nullptr); }
  // Why the peer was lost, with its text.
  static Status reason(const PeerState& peer) noexcept;

  // Whether this process waits for a message while it sends one: then so does the other, probably.
  bool expecting() const noexcept { return table_.any_posted(); }

  std::uint64_t sends_in_flight = 0;  // send requests that are not complete

  std::uint64_t rendezvous = 0;  // messages sent with that protocol

  // The id of an operation for a packet that will be answered: its number in its pool, and a part
  // that no other id had for a long time.
  std::uint64_t new_id(std::uint32_t number) noexcept {
    if (++ids_ == 0) ids_ = 1;
    return std::uint64_t{ids_} << 32 | number;
  }

  template <class Visit>
  void for_each(Visit&& visit) noexcept {
    for (Entry* entry = first_; entry != nullptr; entry = entry->next) visit(entry->state);
  }

 private:
  struct Entry {
    PeerState state;
    Entry* next;
  };
  PeerState& add(Peer& peer) noexcept;
  void use(PeerState& peer, std::span<const pml::Route> routes) noexcept;
  void abandon_sends(PeerState& peer) noexcept;
  // Receives from it, and with `from_any` those from any source.
  void fail_receives(PeerState& peer, bool from_any) noexcept;

  const Job& job_;
  const Settings& settings_;
  MatchTable& table_;
  pml::Router* router_ = nullptr;
  Entry* first_ = nullptr;
  std::uint32_t ids_ = 0;
  const PeerState* unheard_ = nullptr;
};

}  // namespace tessera::ob1
