// SPDX-License-Identifier: BSD-3-Clause
// What the module tells tools.
#include <algorithm>

#include "module.h"

namespace tessera::ob1 {

// What was counted for one peer, or for all.
struct Counts {
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;

  void add(const PeerState& peer) noexcept {
    messages_sent += peer.messages_sent;
    bytes_sent += peer.bytes_sent;
    messages_received += peer.messages_received;
    bytes_received += peer.bytes_received;
  }
};

void Ob1Module::measure(Measures& measures) noexcept {
  const std::uint64_t in_use = buffers_.in_use();
  const std::uint64_t limit = std::max<std::uint64_t>(settings_.unexpected_limit, 1);
  measures.value("buffered") = in_use;
  measures.value("buffered_highest") = buffers_.take_recent_peak();
  measures.value("buffered_share") = in_use * 1'000'000 / limit;
  measures.value("unexpected") = receiver_.unexpected();
  measures.value("unexpected_messages") = receiver_.stored();
  measures.value("rendezvous") = peers_.rendezvous;
  measure_peers(measures);
}

// A message that has arrived and was not stored has taken a posted receive.
void Ob1Module::measure_peers(Measures& measures) noexcept {
  const std::uint32_t ids = job_.end_id();
  const auto messages_sent = measures.per_peer("peer_messages_sent", ids);
  const auto bytes_sent = measures.per_peer("peer_bytes_sent", ids);
  const auto messages_received = measures.per_peer("peer_messages_received", ids);
  const auto bytes_received = measures.per_peer("peer_bytes_received", ids);
  Counts all;
  peers_.for_each([&](const PeerState& peer) {
    all.add(peer);
    const std::uint32_t id = peer.peer->id;
    if (id >= ids) return;
    messages_sent[id] = peer.messages_sent;
    bytes_sent[id] = peer.bytes_sent;
    messages_received[id] = peer.messages_received;
    bytes_received[id] = peer.bytes_received;
  });
  measures.value("messages_sent") = all.messages_sent;
  measures.value("bytes_sent") = all.bytes_sent;
  measures.value("messages_received") = all.messages_received;
  measures.value("bytes_received") = all.bytes_received;
  const std::uint64_t taken = all.messages_received - receiver_.stored();
  measures.value("posted") = table_.ever_posted() - std::min(taken, table_.ever_posted());
}

}  // namespace tessera::ob1
