// SPDX-License-Identifier: BSD-3-Clause
// Ob1Module: entry points and the dispatch of arriving packets.
#include "module.h"

#include <cstdio>
#include <utility>

#include "copy_report.h"

namespace tessera::ob1 {

Ob1Module::Ob1Module(const Settings& settings, Progress& progress, const Job& job) noexcept
    : settings_(settings),
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

void Ob1Module::explain() noexcept {
  try {
    std::fputs(copy_report(peers_, settings_).c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("pml/ob1: no memory to say how large messages were copied\n", stderr);
  }
}

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
  const auto common = load<Common>(header);
  auto* from = static_cast<PeerState*>(endpoint.peer().route);
  if (common.kind != Kind::eager || from == nullptr || from->held) [[unlikely]]
    return arrived(endpoint, header, payload);
  from->take_credit(common.credit);
  receiver_.on_eager(*from, header, payload);
}

[[gnu::noinline]] void Ob1Module::arrived(btl::Endpoint& endpoint,
                                          std::span<const std::byte> header,
                                          std::span<const std::byte> payload) noexcept {
  const auto common = load<Common>(header);
  PeerState& from = heard(endpoint, common);
  if (common.kind == Kind::eager) return receiver_.on_eager(from, header, payload);
  if (!from.lost()) dispatch(from, common.kind, header, payload);
}

void Ob1Module::dispatch(PeerState& from, Kind kind, std::span<const std::byte> header,
                         std::span<const std::byte> payload) noexcept {
  switch (kind) {
    case Kind::eager_sync:
      return receiver_.on_eager_sync(from, load<SyncEnvelope>(header), payload);
    case Kind::rts:
      return receiver_.on_rts(from, load<Rts>(header));
    case Kind::cts: {
      const auto cts = load<Cts>(header);
      return from_wire<SendRequest>(cts.send_request).cleared(cts);
    }
    case Kind::data: {
      const auto data = load<Data>(header);
      return from_wire<RecvRequest>(data.recv_request).arrived(data.offset, payload);
    }
    case Kind::put_done: {
      const auto put = load<PutDone>(header);
      return from_wire<RecvRequest>(put.recv_request).arrived(put.bytes);
    }
    case Kind::hold:
      return receiver_.on_hold(from);
    case Kind::pull:
      return sender_.on_pull(from);
    case Kind::cancel:
      return receiver_.on_cancel(from, load<Cancel>(header));
    case Kind::ack:
    case Kind::fin:
    case Kind::cancel_reply:
      return dispatch_answer(kind, load<Answer>(header));
    case Kind::eager:
    case Kind::credit:
      return;
  }
}

void Ob1Module::dispatch_answer(Kind kind, const Answer& answer) noexcept {
  auto& request = from_wire<SendRequest>(answer.request);
  if (kind == Kind::ack) return request.acknowledged();
  if (kind == Kind::fin) return request.taken();
  request.cancel_answered((answer.common.flags & kYes) != 0);
}

std::byte* Ob1Module::landing(btl::Endpoint& endpoint, std::span<const std::byte> header,
                              std::size_t payload_bytes) noexcept {
  const auto common = load<Common>(header);
  PeerState& from = heard(endpoint, common);
  if (from.lost()) return nullptr;
  if (common.kind == Kind::data) {
    const auto data = load<Data>(header);
    return from_wire<RecvRequest>(data.recv_request).place(data.offset, payload_bytes);
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
    return from_wire<RecvRequest>(load<Data>(header).recv_request).arrived(payload_bytes);
  }
  const std::uint64_t request =
      common.kind == Kind::eager_sync ? load<SyncEnvelope>(header).request : 0;
  receiver_.landed_eager(from, request, payload_bytes);
}

void Ob1Module::lost(Peer& peer, Status why) noexcept {
  outbox_.lost(peers_.state(peer), why);
}

}  // namespace tessera::ob1
