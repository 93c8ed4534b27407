// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the module ask about peers.
#include "station.h"

#include "names.h"

namespace tessera::btl::tcp {

std::string Station::card_key() const {
  return link == 0 ? "btl.tcp" : "btl.tcp." + std::to_string(link);
}

std::optional<Card> Station::card_of(const Peer& peer) const {
  const auto bytes = host.bootstrap.lookup(peer, card_key());
  return bytes ? Card::decode(bytes.value()) : std::nullopt;
}

bool Station::all_here() const noexcept {
  for (std::uint32_t id = 0; id < host.job.size(); ++id) {
    if (host.job.peer(id).locality == Locality::remote) return false;
  }
  return true;
}

std::string Station::name_of(const Peer& peer) const {
  const auto other = card_of(peer);
  const bool far = other && !other->node.empty() && other->node != card.node;
  return far ? process(peer.id).append(" on ").append(other->node) : process(peer.id);
}

}  // namespace tessera::btl::tcp
