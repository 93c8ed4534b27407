// SPDX-License-Identifier: BSD-3-Clause
// Ob1Module: entry points and the dispatch of arriving packets.
#include "module.h"

#include <cstdio>
#include <utility>

#include "copy_report.h"

namespace tessera::ob1 {

Ob1Module::Ob1Module(const Settings& settings, Progress& progress, const Job& job) noexcept
    : settings_(settings),
      job_(job),
      progress_(progress),
      to_explain_(settings.explain && job.my_id() == 0),
      peers_(job, settings_, table_),
      outbox_(progress, peers_),
      sender_(settings_, progress, peers_, outbox_, buffers_),
      receiver_(settings_, job, progress, peers_, outbox_, table_, buffers_) {}

Status Ob1Module::recv(const pml::RecvArgs& args, MessageStatus& status) noexcept {
  return receiver_.recv(args, status);
}

Result<bool> Ob1Module::iprobe(const pml::ProbeArgs& args, MessageStatus& status) noexcept {
  return receiver_.iprobe(args, status);
}

Result<Request*> Ob1Module::imrecv(Message& message, void* buffer, Count count,
                                   const Datatype& type) noexcept {
  return receiver_.imrecv(static_cast<MatchedMessage&>(message), buffer, count, type);
}

// Also sends whose handles were given up must reach their receivers: they count as in flight until
// then.
void Ob1Module::drain() noexcept {
  progress_.wait_until([this] { return outbox_.idle() && peers_.sends_in_flight == 0; });
  if (std::exchange(to_explain_, false)) explain();
}

void Ob1Module::forget(Peer& peer) noexcept {
  auto* const state = static_cast<PeerState*>(peer.route);
  if (state == nullptr) return;
  outbox_.forget(*state);
  receiver_.forget(*state);
  peers_.remove(*state);
}

void Ob1Module::explain() noexcept {
  try {
    std::fputs(copy_report(peers_, settings_).c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("pml/ob1: no memory to say how large messages were copied\n", stderr);
  }
}

namespace {

Kind kind_of(std::span<const std::byte> header) noexcept {
  return header.empty() ? Kind{} : static_cast<Kind>(header[0]);
}

// Whether the header has the size that its kind has.
bool is_whole(std::span<const std::byte> header) noexcept {
  switch (kind_of(header)) {
    case Kind::eager:
      return header.size() == sizeof(Envelope);
    case Kind::eager_sync:
      return header.size() == sizeof(SyncEnvelope);
    case Kind::rts:
      return header.size() == sizeof(Rts);
    case Kind::ack:
    case Kind::fin:
    case Kind::cancel_reply:
      return header.size() == sizeof(Answer);
    case Kind::cts:
      return header.size() == sizeof(Cts);
    case Kind::data:
      return header.size() == sizeof(Data);
    case Kind::put_done:
      return header.size() == sizeof(PutDone);
    case Kind::credit:
    case Kind::hold:
    case Kind::pull:
      return header.size() == sizeof(Common);
    case Kind::cancel:
      return header.size() == sizeof(Cancel);
  }
  return false;
}

}  // namespace

PeerState& Ob1Module::heard(btl::Endpoint& endpoint, const Common& common) noexcept {
  PeerState& from = peers_.state(endpoint.peer());
  from.take_credit(common.credit);
  if (from.held) [[unlikely]]
    outbox_.resume(from);
  return from;
}

// An eager message of a peer that was heard before, and for which nothing is held back, needs no
// more than this.
void Ob1Module::deliver(btl::Endpoint& endpoint, std::span<const std::byte> header,
                        std::span<const std::byte> payload) noexcept {
  auto* from = static_cast<PeerState*>(endpoint.peer().route);
  if (header.size() != sizeof(Envelope) || from == nullptr || from->held) [[unlikely]]
    return arrived(endpoint, header, payload);
  const auto common = load<Common>(header);
  if (common.kind != Kind::eager) [[unlikely]]
    return arrived(endpoint, header, payload);
  from->take_credit(common.credit);
  receiver_.on_eager(*from, header, payload);
}

[[gnu::noinline]] void Ob1Module::arrived(btl::Endpoint& endpoint,
                                          std::span<const std::byte> header,
                                          std::span<const std::byte> payload) noexcept {
  if (!is_whole(header)) return malformed(peers_.state(endpoint.peer()), kind_of(header));
  const auto common = load<Common>(header);
  PeerState& from = heard(endpoint, common);
  if (common.kind == Kind::eager) return receiver_.on_eager(from, header, payload);
  if (!from.lost() && !dispatch(from, common.kind, header, payload)) malformed(from, common.kind);
}

// A packet must make sense, or none of those after it does.
void Ob1Module::malformed(PeerState& from, Kind kind) noexcept {
  if (from.lost()) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "process %u sent a packet (kind %u) that fits nothing that is under way with it; "
                "it is given up",
                from.peer->name.index, static_cast<unsigned>(kind));
  outbox_.lost(from, Status::failure(Errc::peer_failed, text));
}

bool Ob1Module::dispatch(PeerState& from, Kind kind, std::span<const std::byte> header,
                         std::span<const std::byte> payload) noexcept {
  switch (kind) {
    case Kind::eager_sync:
      return receiver_.on_eager_sync(from, load<SyncEnvelope>(header), payload), true;
    case Kind::rts:
      return receiver_.on_rts(from, load<Rts>(header)), true;
    case Kind::cts: {
      const auto cts = load<Cts>(header);
      SendRequest* request = sender_.find(cts.send_request, from);
      return request != nullptr && request->cleared(cts);
    }
    case Kind::data: {
      const auto data = load<Data>(header);
      RecvRequest* request = receiver_.find(data.recv_request, from);
      return request != nullptr && request->arrived(data.offset, payload);
    }
    case Kind::put_done: {
      const auto put = load<PutDone>(header);
      RecvRequest* request = receiver_.find(put.recv_request, from);
      return request != nullptr && request->arrived(put.bytes);
    }
    case Kind::hold:
      return receiver_.on_hold(from), true;
    case Kind::pull:
      return sender_.on_pull(from), true;
    case Kind::cancel:
      return receiver_.on_cancel(from, load<Cancel>(header)), true;
    case Kind::ack:
    case Kind::fin:
    case Kind::cancel_reply:
      return dispatch_answer(from, kind, load<Answer>(header));
    case Kind::eager:
    case Kind::credit:
      return true;
  }
  return false;
}

bool Ob1Module::dispatch_answer(PeerState& from, Kind kind, const Answer& answer) noexcept {
  SendRequest* request = sender_.find(answer.request, from);
  if (request == nullptr) return false;
  if (kind == Kind::ack) return request->acknowledged();
  if (kind == Kind::fin) return request->taken();
  return request->cancel_answered((answer.common.flags & kYes) != 0);
}

std::byte* Ob1Module::landing(btl::Endpoint& endpoint, std::span<const std::byte> header,
                              std::size_t payload_bytes) noexcept {
  if (!is_whole(header)) return nullptr;  // then it comes to deliver(), which says so
  const auto common = load<Common>(header);
  PeerState& from = heard(endpoint, common);
  if (from.lost()) return nullptr;
  if (common.kind == Kind::data) {
    const auto data = load<Data>(header);
    RecvRequest* request = receiver_.find(data.recv_request, from);
    return request != nullptr ? request->place(data.offset, payload_bytes) : nullptr;
  }
  if (common.kind != Kind::eager && common.kind != Kind::eager_sync) return nullptr;
  return receiver_.land_eager(from, load<Envelope>(header), payload_bytes);
}

void Ob1Module::landed(btl::Endpoint& endpoint, std::span<const std::byte> header,
                       std::size_t payload_bytes) noexcept {
  const auto common = load<Common>(header);
  PeerState& from = heard(endpoint, common);
  if (from.lost()) return;
  if (common.kind == Kind::data) {
    RecvRequest* request = receiver_.find(load<Data>(header).recv_request, from);
    if (request == nullptr || !request->arrived(payload_bytes)) malformed(from, common.kind);
    return;
  }
  const std::uint64_t request =
      common.kind == Kind::eager_sync ? load<SyncEnvelope>(header).request : 0;
  receiver_.landed_eager(from, request, payload_bytes);
}

void Ob1Module::lost(Peer& peer, Status why) noexcept {
  outbox_.lost(peers_.state(peer), why);
}

}  // namespace tessera::ob1
