// SPDX-License-Identifier: BSD-3-Clause
// Arrival: a message that has come before its receive; MatchedMessage: one that a matched probe has
// taken.
#pragma once
#include "match_table.h"
#include "peer_state.h"
#include "tessera/comm.h"

namespace tessera::ob1 {

// Lies in a block of the BufferPool of its cost, followed by the payload of an eager message.
struct Arrival : Unexpected {
  PeerState* from;
  std::uint64_t number;   // PeerState::arrived after it
  std::uint64_t bytes;    // of the message
  std::uint64_t request;  // sender's; rts and eager_sync
  std::uint64_t address;  // in the sender; rts of contiguous data
  Kind kind;
  bool contiguous;     // rts: the address may be read
  std::uint8_t flags;  // of its envelope
  std::uint16_t mark;  // to compare; 0: nothing

  std::byte* payload() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  std::uint64_t cost() const noexcept { return envelope_cost(kind == Kind::rts ? 0 : bytes); }
};
static_assert(sizeof(Arrival) <= kEnvelopeCost);

class Receiver;

class MatchedMessage final : public Message {
 public:
  MatchedMessage(Receiver& receiver, Arrival& arrival) noexcept
      : receiver_(receiver), arrival_(&arrival) {
    status_.source = arrival.envelope().source();
    status_.tag = arrival.envelope().tag();
    status_.bytes = arrival.bytes;
  }
  // The message itself; the caller takes it over.
  Arrival& take() noexcept {
    Arrival& taken = *arrival_;
    arrival_ = nullptr;
    return taken;
  }

 private:
  void dispose() const noexcept override;
  Receiver& receiver_;
  Arrival* arrival_;
};

}  // namespace tessera::ob1
