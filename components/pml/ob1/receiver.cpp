// SPDX-License-Identifier: BSD-3-Clause
// Receiver: receives, and the envelopes that match them. Probes and flow control: probe.cpp.
#include "receiver.h"

#include <new>
#include <utility>

#include "tessera/copy.h"

namespace tessera::ob1 {

Receiver::Receiver(const Settings& settings_in, const Job& job, Progress& progress, Peers& peers,
                   Outbox& outbox_in, MatchTable& table, BufferPool& buffers) noexcept
    : settings(settings_in),
      outbox(outbox_in),
      new_pages(settings_in.look_interval),
      job_(job),
      progress_(progress),
      peers_(peers),
      table_(table),
      buffers_(buffers) {
  if (settings.check) table_.expect_wild();  // so that no message takes the shortest way
}

// Messages that were never received.
Receiver::~Receiver() {
  table_.for_each_unexpected([&](Unexpected& message) {
    auto& arrival = static_cast<Arrival&>(message);
    buffers_.give(&arrival, arrival.cost());
  });
}

// None can be received any more: no communicator lists their sender.
void Receiver::forget(PeerState& peer) noexcept {
  for (bool again = true; std::exchange(again, false);) {
    Arrival* left = nullptr;
    table_.for_each_unexpected([&](Unexpected& message) {
      auto& arrival = static_cast<Arrival&>(message);
      if (arrival.from == &peer) left = &arrival;
    });
    if (left == nullptr) break;
    table_.remove(*left);
    buffers_.give(left, left->cost());
    again = true;
  }
  if (std::exchange(peer.holding, false)) --holding_;
}

inline RecvRequest* Receiver::make(const pml::RecvArgs& args, bool persistent) noexcept {
  PeerState* peer = named_peer(args.peer);
  RecvRequest* request = pool_.take(*this);
  if (request != nullptr) [[likely]]
    request->prepare(peer, key_of(args), args.buffer, args.count, *args.type, persistent);
  return request;
}

Status Receiver::recv(const pml::RecvArgs& args, MessageStatus& status) noexcept {
  RecvRequest* request = make(args, false);
  if (request == nullptr) return Errc::no_memory;
  start(*request);
  progress_.wait_until([&] { return request->complete(); });
  status = request->status();
  status.error = request->error();
  request->free();
  return status.error;
}

Result<Request*> Receiver::irecv_carefully(const pml::RecvArgs& args) noexcept {
  RecvRequest* request = make(args, false);
  if (request == nullptr) return Errc::no_memory;
  start(*request, !args.sends_follow);
  return request;
}

Result<Request*> Receiver::recv_init(const pml::RecvArgs& args) noexcept {
  RecvRequest* request = make(args, true);
  if (request == nullptr) return Errc::no_memory;
  return request;
}

// A message that is here already, or else the queue of the receives.
void Receiver::start(RecvRequest& request, bool at_once) noexcept {
  if (Arrival* arrival = find(request.key); arrival != nullptr) {
    request.activate();
    table_.remove(*arrival);
    return consume(*arrival, request, at_once);
  }
  PeerState* peer = request.peer_state();
  const PeerState* const lost = peer == nullptr ? peers_.take_unheard()
                                : peer->lost()  ? peer
                                                : nullptr;
  if (lost != nullptr) [[unlikely]] {
    request.activate();
    return request.fail(Peers::reason(*lost));
  }
  post(request);
  if (holding_ > 0) [[unlikely]]
    pull(peer);
}

// Gives the receive a message that has left the queues.
void Receiver::consume(Arrival& arrival, RecvRequest& request, bool at_once) noexcept {
  PeerState& from = *arrival.from;
  const MatchKey& envelope = arrival.envelope();
  if (arrival.kind == Kind::rts) {
    const Offer offer{envelope.source(), envelope.tag(),     arrival.bytes, arrival.request,
                      arrival.address,   arrival.contiguous, arrival.flags, arrival.mark};
    release(arrival);
    return request.accept(from, offer, at_once);
  }
  const Status outcome = request.copy_marked(arrival.mark, envelope.source(), envelope.tag(),
                                             {arrival.payload(), arrival.bytes});
  const std::uint64_t to_acknowledge = arrival.request;
  release(arrival);
  if (to_acknowledge != 0) answer(from, Kind::ack, to_acknowledge);
  request.filled(outcome);
}

// The long way: of a synchronous message, to whose sender `request` belongs, and of those with
// types to compare.
void Receiver::take(PeerState& from, const Envelope& envelope, std::uint64_t request,
                    std::span<const std::byte> payload) noexcept {
  const MatchKey& key = envelope.key;
  const std::uint64_t cost = envelope_cost(payload.size());
  from.arrived += cost;
  from.count_received(payload.size());
  auto* receive = static_cast<RecvRequest*>(table_.take_posted(key));
  if (receive == nullptr)
    return store(from, envelope, Kind::eager, payload.size(), request, 0, payload);
  receive->set_matched();
  consumed(from, cost);
  if (request != 0) answer(from, Kind::ack, request);
  const std::uint16_t mark = mark_of(envelope);
  if (mark == 0) [[likely]]
    return receive->fill(key.source(), key.tag(), payload);
  receive->filled(receive->copy_marked(mark, key.source(), key.tag(), payload));
}

void Receiver::on_eager_sync(PeerState& from, const SyncEnvelope& sync,
                             std::span<const std::byte> payload) noexcept {
  take(from, sync.envelope, sync.request, payload);
}

void Receiver::on_eager_among_wild(PeerState& from, std::span<const std::byte> header,
                                   std::span<const std::byte> payload) noexcept {
  if (settings.check) return take(from, load<Envelope>(header), 0, payload);
  hand_over(from, header, payload, table_.take_posted(key_in(header)));
}

void Receiver::report_and_fill(PeerState& from, RecvRequest& receive,
                               std::span<const std::byte> header,
                               std::span<const std::byte> payload) noexcept {
  const MatchKey key = key_in(header);
  report(from);
  receive.fill(key.source(), key.tag(), payload);
}

void Receiver::store_eager(PeerState& from, std::span<const std::byte> header,
                           std::span<const std::byte> payload) noexcept {
  store(from, load<Envelope>(header), Kind::eager, payload.size(), 0, 0, payload);
}

void Receiver::on_rts(PeerState& from, const Rts& rts) noexcept {
  const Envelope& envelope = rts.envelope;
  from.arrived += kEnvelopeCost;
  from.count_received(rts.bytes);
  if (envelope.key.collective()) from.answer_in_kind(rts.bytes, job_.peer(job_.my_id()).name);
  auto* receive = static_cast<RecvRequest*>(table_.take_posted(envelope.key));
  const std::uint64_t address = (envelope.common.flags & kDense) != 0 ? rts.address : 0;
  if (receive == nullptr)
    return store(from, envelope, Kind::rts, rts.bytes, rts.request, address, {});
  consumed(from, kEnvelopeCost);
  receive->accept(from,
                  {envelope.key.source(), envelope.key.tag(), rts.bytes, rts.request, address,
                   address != 0, envelope.common.flags, mark_of(envelope)},
                  true);
}

// The flow control window bounds what is stored here; if memory ends before, the sender is given
// up, not the message dropped in silence.
void Receiver::store(PeerState& from, const Envelope& envelope, Kind kind, std::uint64_t bytes,
                     std::uint64_t request, std::uint64_t address,
                     std::span<const std::byte> payload) noexcept {
  void* block = buffers_.take(envelope_cost(payload.size()));
  if (block == nullptr) {
    return outbox.lost(from, Status::failure(Errc::no_memory,
                                             "no memory for a message that nobody has asked for"));
  }
  auto* arrival = ::new (block) Arrival;
  arrival->from = &from;
  arrival->number = from.arrived;
  arrival->bytes = bytes;
  arrival->request = request;
  arrival->address = address;
  arrival->kind = kind;
  arrival->contiguous = address != 0;
  arrival->flags = envelope.common.flags;
  arrival->mark = mark_of(envelope);
  if (!payload.empty()) copy_near(arrival->payload(), payload.data(), payload.size());
  table_.add(*arrival, envelope.key);
  ++stored_;
  if (settings.events != nullptr && settings.events->wanted(kUnexpected)) [[unlikely]]
    settings.events->raise(
        kUnexpected, {envelope.key.source(), envelope.key.tag(), static_cast<std::int64_t>(bytes)});
}

// The message is out of the queues and its payload copied: its memory and its credit return.
void Receiver::release(Arrival& arrival) noexcept {
  PeerState& from = *arrival.from;
  const std::uint64_t cost = arrival.cost();
  ++released_;
  buffers_.give(&arrival, cost);
  consumed(from, cost);
}

void Receiver::consumed(PeerState& from, std::uint64_t cost) noexcept {
  from.consumed += cost;
  if (from.report_due()) [[unlikely]]
    report(from);
}

void Receiver::report(PeerState& from) noexcept {
  from.reported = from.consumed;
  outbox.control(from, Common{Kind::credit});
}

void Receiver::answer(PeerState& to, Kind kind, std::uint64_t request,
                      std::uint8_t flags) noexcept {
  outbox.control(to, Answer{{kind, flags}, request});
}

void Receiver::discard(Arrival& arrival) noexcept {
  PeerState& from = *arrival.from;
  const Kind kind = arrival.kind == Kind::rts ? Kind::fin : Kind::ack;
  const std::uint64_t request = arrival.request;
  release(arrival);
  if (request != 0) answer(from, kind, request);
}

std::byte* Receiver::land_eager(PeerState& from, const Envelope& envelope,
                                std::size_t bytes) noexcept {
  if (settings.check) return nullptr;
  const MatchKey& key = envelope.key;
  auto* receive = static_cast<RecvRequest*>(table_.find_posted(key));
  if (receive == nullptr || bytes == 0 || !receive->can_land(bytes)) return nullptr;
  table_.withdraw(*receive);
  from.landing = receive;
  return receive->land(from, envelope, bytes);
}

void Receiver::landed_eager(PeerState& from, std::uint64_t request, std::size_t bytes) noexcept {
  const std::uint64_t cost = envelope_cost(bytes);
  RecvRequest* receive = std::exchange(from.landing, nullptr);
  from.arrived += cost;
  from.count_received(bytes);
  consumed(from, cost);
  if (request != 0) answer(from, Kind::ack, request);
  if (receive != nullptr) receive->complete_with({});
}

}  // namespace tessera::ob1
