// SPDX-License-Identifier: BSD-3-Clause
// Receiver: the receiving half of the module; matching, unexpected messages, probes.
#pragma once
#include "arrival.h"
#include "match_table.h"
#include "outbox.h"
#include "peers.h"
#include "pool.h"
#include "recv_request.h"
#include "settings.h"

namespace tessera::ob1 {

class Receiver {
 public:
  Receiver(const Settings& settings_in, const Job& job, Progress& progress, Peers& peers, Outbox& outbox_in,
           MatchTable& table, BufferPool& buffers) noexcept;
  ~Receiver();

  Status recv(const pml::RecvArgs& args, MessageStatus& status) noexcept;
  Result<Request*> irecv(const pml::RecvArgs& args) noexcept;
  Result<Request*> recv_init(const pml::RecvArgs& args) noexcept;
  Result<bool> iprobe(const pml::ProbeArgs& args, MessageStatus& status) noexcept;
  Result<Message*> improbe(const pml::ProbeArgs& args) noexcept;
  Result<Request*> imrecv(MatchedMessage& message, void* buffer, Count count, const Datatype& type) noexcept;

  void start(RecvRequest& request) noexcept;  // an active one
  void withdraw(RecvRequest& request) noexcept { table_.withdraw(request); }
  void discard(Arrival& arrival) noexcept;  // a message that nobody will receive
  void recycle(RecvRequest& request) noexcept { pool_.give(request); }
  void recycle(MatchedMessage& message) noexcept { messages_.recycle(message); }

  // Packets. `request` is the sender's, to be acknowledged, or 0.
  void on_eager(PeerState& from, const Envelope& envelope, std::uint64_t request,
                std::span<const std::byte> payload) noexcept;
  void on_rts(PeerState& from, const Rts& rts) noexcept;
  void on_hold(PeerState& from) noexcept;
  void on_cancel(PeerState& from, const Cancel& cancel) noexcept;
  std::byte* land_eager(PeerState& from, const Envelope& envelope, std::size_t bytes) noexcept;
  void landed_eager(PeerState& from, std::uint64_t request, std::size_t bytes) noexcept;

  bool may_split(const Peer& peer) const noexcept;

  const Settings& settings;
  Outbox& outbox;

 private:
  RecvRequest* make(const pml::RecvArgs& args, bool persistent) noexcept;  // null: out of memory
  PeerState* named_peer(Peer* peer, int source) noexcept;
  Arrival* find(const MatchKey& pattern) const noexcept {
    return static_cast<Arrival*>(table_.find_unexpected(pattern));
  }
  Arrival* probe(const pml::ProbeArgs& args) noexcept;
  void consume(Arrival& arrival, RecvRequest& request) noexcept;
  void store(PeerState& from, const Envelope& envelope, Kind kind, std::uint64_t bytes, std::uint64_t request,
             std::uint64_t address, std::span<const std::byte> payload) noexcept;
  void release(Arrival& arrival) noexcept;
  void consumed(PeerState& from, std::uint64_t cost) noexcept;
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
  std::uint32_t holding_ = 0;  // peers that hold envelopes back and were not pulled since
};

}  // namespace tessera::ob1
