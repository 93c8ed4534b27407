// SPDX-License-Identifier: BSD-3-Clause
// Receiver: probes, matched messages, cancelled messages, and pulling envelopes that senders hold
// back.
#include <cassert>

#include "receiver.h"

namespace tessera::ob1 {

Arrival* Receiver::probe(const pml::ProbeArgs& args) noexcept {
  const MatchKey pattern{args.context, args.source, args.tag};
  if (Arrival* arrival = find(pattern); arrival != nullptr) return arrival;
  if (holding_ > 0) pull(named_peer(args.peer));
  progress_.notice_failures();  // a program that polls never waits
  progress_.poll();
  return find(pattern);
}

Result<bool> Receiver::iprobe(const pml::ProbeArgs& args, MessageStatus& status) noexcept {
  Arrival* arrival = probe(args);
  if (arrival == nullptr) {
    const PeerState* peer = named_peer(args.peer);
    if (peer != nullptr && peer->lost()) return Peers::reason(*peer);
    return false;
  }
  status = {};
  status.source = arrival->envelope().source();
  status.tag = arrival->envelope().tag();
  status.bytes = arrival->bytes;
  return true;
}

Result<Message*> Receiver::improbe(const pml::ProbeArgs& args) noexcept {
  Arrival* arrival = probe(args);
  if (arrival == nullptr) {
    const PeerState* peer = named_peer(args.peer);
    if (peer != nullptr && peer->lost()) return Peers::reason(*peer);
    return static_cast<Message*>(nullptr);
  }
  MatchedMessage* message = messages_.make(*this, *arrival);
  if (message == nullptr) return Errc::no_memory;
  table_.remove(*arrival);
  return message;
}

Result<Request*> Receiver::imrecv(MatchedMessage& message, void* buffer, Count count,
                                  const Datatype& type) noexcept {
  RecvRequest* request = pool_.take(*this);
  if (request == nullptr) return Errc::no_memory;
  request->prepare(nullptr, MatchKey{}, buffer, count, type, false);
  request->activate();
  Arrival& arrival = message.take();
  message.release();
  consume(arrival, *request);
  return request;
}

void MatchedMessage::dispose() const noexcept {
  if (arrival_ != nullptr) receiver_.discard(*arrival_);
  receiver_.recycle(const_cast<MatchedMessage&>(*this));
}

void Receiver::on_cancel(PeerState& from, const Cancel& cancel) noexcept {
  Unexpected* message = table_.find_unexpected(cancel.envelope.key);
  while (message != nullptr && (static_cast<Arrival*>(message)->number != cancel.number ||
                                static_cast<Arrival*>(message)->from != &from)) {
    message = MatchTable::next(*message);
  }
  if (message != nullptr) {
    table_.remove(*message);
    release(static_cast<Arrival&>(*message));
  }
  answer(from, Kind::cancel_reply, cancel.request, message != nullptr ? kYes : std::uint8_t{0});
}

// The peer holds envelopes back. If a receive is waiting that one of them may match, they are asked
// for at once, otherwise when such a receive or probe comes.
void Receiver::on_hold(PeerState& from) noexcept {
  if (!from.holding) {
    from.holding = true;
    ++holding_;
  }
  bool wanted = false;
  table_.for_each_posted([&](Posted& posted) {
    const PeerState* source = static_cast<RecvRequest&>(posted).peer_state();
    wanted = wanted || source == nullptr || source == &from;
  });
  if (wanted) pull_one(from);
}

void Receiver::pull(PeerState* from) noexcept {
  if (from != nullptr) return pull_one(*from);
  peers_.for_each([&](PeerState& peer) { pull_one(peer); });
}

void Receiver::pull_one(PeerState& from) noexcept {
  if (!from.holding) return;
  from.holding = false;
  --holding_;
  outbox.control(from, Common{Kind::pull});
}

// It pays to copy on both sides, and to measure, where each process has a processor of its own.
bool Receiver::apart(const Peer& peer) const noexcept {
  return peer.locality != Locality::self && job_.local_size() <= job_.usable_cpus();
}

bool Receiver::sending() const noexcept {
  return peers_.sends_in_flight > 0;
}

}  // namespace tessera::ob1
