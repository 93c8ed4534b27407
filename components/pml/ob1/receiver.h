// SPDX-License-Identifier: BSD-3-Clause
// Receiver: the receiving half of the module; matching, unexpected messages, probes.
#pragma once
#include "arrival.h"
#include "match_table.h"
#include "new_pages.h"
#include "outbox.h"
#include "peers.h"
#include "pool.h"
#include "recv_request.h"
#include "settings.h"

namespace tessera::ob1 {

// That of the envelope that is the header of a packet, without a copy of the whole.
inline MatchKey key_in(std::span<const std::byte> header) noexcept {
  return load<MatchKey>(header.subspan(offsetof(Envelope, key)));
}

class Receiver {
 public:
  Receiver(const Settings& settings_in, const Job& job, Progress& progress, Peers& peers,
           Outbox& outbox_in, MatchTable& table, BufferPool& buffers) noexcept;
  ~Receiver();

  Status recv(const pml::RecvArgs& args, MessageStatus& status) noexcept;
  Result<Request*> irecv(const pml::RecvArgs& args) noexcept {
    PeerState* peer = only_to_wait_for(args.peer);
    if (peer == nullptr || !pool_.has_ready()) [[unlikely]]
      return irecv_carefully(args);
    RecvRequest& request = pool_.take_ready();
    request.prepare(peer, key_of(args), args.buffer, args.count, *args.type, false);
    post(request);
    return &request;
  }
  Result<Request*> recv_init(const pml::RecvArgs& args) noexcept;
  Result<bool> iprobe(const pml::ProbeArgs& args, MessageStatus& status) noexcept;
  Result<Message*> improbe(const pml::ProbeArgs& args) noexcept;
  Result<Request*> imrecv(MatchedMessage& message, void* buffer, Count count,
                          const Datatype& type) noexcept;

  // An inactive one; `at_once`: as in RecvRequest::accept().
  void start(RecvRequest& request, bool at_once = true) noexcept;
  void withdraw(RecvRequest& request) noexcept { table_.give_up(request); }
  void discard(Arrival& arrival) noexcept;  // a message that nobody will receive
  void forget(PeerState& peer) noexcept;    // drops its messages
  void recycle(RecvRequest& request) noexcept { pool_.give(request); }
  void recycle(MatchedMessage& message) noexcept { messages_.recycle(message); }

  std::uint64_t new_id(const RecvRequest& request) noexcept {
    return peers_.new_id(request.number);
  }
  // The transfer that a packet of `from` belongs to, or null.
  RecvRequest* find(std::uint64_t id, const PeerState& from) noexcept {
    RecvRequest* request = pool_.at(static_cast<std::uint32_t>(id));
    return request != nullptr && request->is(id, from) ? request : nullptr;
  }

  // Packets. `header` is that of an eager message.
  void on_eager(PeerState& from, std::span<const std::byte> header,
                std::span<const std::byte> payload) noexcept {
    if (!table_.all_exact()) [[unlikely]]
      return on_eager_among_wild(from, header, payload);
    hand_over(from, header, payload, table_.take_exact(key_in(header)));
  }
  void on_eager_sync(PeerState& from, const SyncEnvelope& sync,
                     std::span<const std::byte> payload) noexcept;
  void on_rts(PeerState& from, const Rts& rts) noexcept;
  void on_hold(PeerState& from) noexcept;
  void on_cancel(PeerState& from, const Cancel& cancel) noexcept;
  std::byte* land_eager(PeerState& from, const Envelope& envelope, std::size_t bytes) noexcept;
  void landed_eager(PeerState& from, std::uint64_t request, std::size_t bytes) noexcept;

  // For the choice of a way to copy: each process has a processor of its own; this one is sending
  // as well.
  bool apart(const Peer& peer) const noexcept;
  bool sending() const noexcept;
  const ProcessName& own_name() const noexcept { return job_.peer(job_.my_id()).name; }

  // For tools: unexpected messages now, and ever.
  std::uint64_t unexpected() const noexcept { return stored_ - released_; }
  std::uint64_t stored() const noexcept { return stored_; }

  const Settings& settings;
  Outbox& outbox;
  NewPages new_pages;

 private:
  RecvRequest* make(const pml::RecvArgs& args, bool persistent) noexcept;  // null: out of memory
  Result<Request*> irecv_carefully(
      const pml::RecvArgs& args) noexcept;  // whatever the circumstances
  // The state of the source, where a receive has nothing to do but to wait for a message that comes
  // by itself; or null.
  PeerState* only_to_wait_for(const Peer* source) const noexcept {
    if (source == nullptr || table_.any_unexpected() || holding_ > 0) return nullptr;
    auto* peer = static_cast<PeerState*>(source->route);
    return peer != nullptr && !peer->lost() ? peer : nullptr;
  }
  void post(RecvRequest& request) noexcept {
    request.activate();
    request.set_posted();
    table_.post(request);
  }
  PeerState* named_peer(Peer* peer) noexcept {
    return peer == nullptr ? nullptr : &peers_.state(*peer);
  }
  Arrival* find(const MatchKey& pattern) const noexcept {
    return static_cast<Arrival*>(table_.find_unexpected(pattern));
  }
  Arrival* probe(const pml::ProbeArgs& args) noexcept;
  void consume(Arrival& arrival, RecvRequest& request, bool at_once = true) noexcept;
  void take(PeerState& from, const Envelope& envelope, std::uint64_t request,
            std::span<const std::byte> payload) noexcept;
  void on_eager_among_wild(PeerState& from, std::span<const std::byte> header,
                           std::span<const std::byte> payload) noexcept;
  // To the receive that matches, or null. The rare cases are tail calls: nothing has to be kept for
  // later.
  void hand_over(PeerState& from, std::span<const std::byte> header,
                 std::span<const std::byte> payload, Posted* matching) noexcept {
    const std::uint64_t cost = envelope_cost(payload.size());
    from.arrived += cost;
    from.count_received(payload.size());
    if (matching == nullptr) [[unlikely]]
      return store_eager(from, header, payload);
    auto& receive = static_cast<RecvRequest&>(*matching);
    receive.set_matched();
    from.consumed += cost;
    if (from.report_due()) [[unlikely]]
      return report_and_fill(from, receive, header, payload);
    const MatchKey key = key_in(header);
    receive.fill(key.source(), key.tag(), payload);
  }
  void report_and_fill(PeerState& from, RecvRequest& receive, std::span<const std::byte> header,
                       std::span<const std::byte> payload) noexcept;
  void store_eager(PeerState& from, std::span<const std::byte> header,
                   std::span<const std::byte> payload) noexcept;
  void store(PeerState& from, const Envelope& envelope, Kind kind, std::uint64_t bytes,
             std::uint64_t request, std::uint64_t address,
             std::span<const std::byte> payload) noexcept;
  // 0: there is nothing to compare.
  std::uint16_t mark_of(const Envelope& envelope) const noexcept {
    return settings.check ? envelope.common.mark : std::uint16_t{0};
  }
  void release(Arrival& arrival) noexcept;
  void consumed(PeerState& from, std::uint64_t cost) noexcept;
  void report(PeerState& from) noexcept;
  void answer(PeerState& to, Kind kind, std::uint64_t request, std::uint8_t flags = 0) noexcept;
  void pull(PeerState* from) noexcept;
  void pull_one(PeerState& from) noexcept;

  const Job& job_;
  Progress& progress_;
  Peers& peers_;
  MatchTable& table_;
  BufferPool& buffers_;
  ReadyPool<RecvRequest> pool_;
  Pool<MatchedMessage> messages_;
  std::uint64_t stored_ = 0;
  std::uint64_t released_ = 0;
  std::uint32_t holding_ = 0;  // peers that hold envelopes back and were not pulled since
};

}  // namespace tessera::ob1
