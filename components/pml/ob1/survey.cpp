// SPDX-License-Identifier: BSD-3-Clause
// What is pending, for whoever explains a hang.
#include "module.h"

namespace tessera::ob1 {

pml::Pending SendRequest::describe() const noexcept {
  const bool matched = phase_ != Phase::queued && phase_ != Phase::offered;
  return {pml::Pending::Kind::send,
          matched,
          key_.source(),
          key_.tag(),
          key_.context,
          bytes(),
          peer_->peer,
          this};
}

pml::Pending RecvRequest::describe() const noexcept {
  const bool matched = phase_ != Phase::posted;
  const Peer* const peer = peer_ != nullptr ? peer_->peer : nullptr;
  return {pml::Pending::Kind::receive,
          matched,
          key.source(),
          key.tag(),
          key.context,
          capacity_,
          peer,
          this};
}

namespace {

// Those in flight are sends or receives that have been matched.
void describe(Operation& operation, pml::Surveyor& surveyor) noexcept {
  if (const auto* send = dynamic_cast<const SendRequest*>(&operation))
    return surveyor.see(send->describe());
  if (const auto* receive = dynamic_cast<const RecvRequest*>(&operation))
    surveyor.see(receive->describe());
}

pml::Pending describe(const Arrival& arrival) noexcept {
  const MatchKey& key = arrival.envelope();
  return {pml::Pending::Kind::unexpected,
          false,
          key.source(),
          key.tag(),
          key.context,
          arrival.bytes,
          arrival.from->peer,
          nullptr};
}

}  // namespace

bool Ob1Module::survey(pml::Surveyor& surveyor) noexcept {
  table_.for_each_posted(
      [&](Posted& posted) { surveyor.see(static_cast<RecvRequest&>(posted).describe()); });
  peers_.for_each([&](PeerState& peer) {
    const auto show = [&](Operation& operation) { describe(operation, surveyor); };
    peer.in_flight.for_each(show);
    peer.sends.for_each(show);
  });
  table_.for_each_unexpected(
      [&](Unexpected& message) { surveyor.see(describe(static_cast<Arrival&>(message))); });
  return true;
}

}  // namespace tessera::ob1
