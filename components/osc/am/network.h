// SPDX-License-Identifier: BSD-3-Clause
// What all windows of osc/am share: ways to peers, types, and which window a packet is for.
#pragma once
//
// Packets to a peer leave in order. A caller of MPI that wants to send waits for room; a handler
// never waits: what it answers is queued (Outbox), and leaves when there is room.
//
#include <map>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "landings.h"
#include "outbox.h"
#include "type_cache.h"

namespace tessera::osc::am {

class AmModule;

class Network final : public btl::Sink, public Poller {
 public:
  Network(const Host& host, pml::Router& router) noexcept : host_(host), router_(router) {}
  ~Network();

  void add(std::uint64_t window, AmModule& module) { windows_[window] = &module; }
  void remove(std::uint64_t window) noexcept { windows_.erase(window); }
  Progress& progress() const noexcept { return host_.progress; }

  // The way to a peer; null: there is none any more.
  Outbox* outbox(Peer& peer);
  // For callers: waits for room.
  Status send(Peer& peer, const Header& header, std::span<const std::byte> payload, bool lent);
  // For handlers.
  void post(Peer& peer, const Header& header, std::span<const std::byte> payload);
  void post(Peer& peer, const ResultStream& stream);
  // The number under which the peer knows a type; sends it first if it does not. 0: contiguous.
  Result<std::uint32_t> number_at(Peer& peer, const Datatype& type, std::uint64_t window);
  KnownType type_of(const Peer& peer, std::uint32_t number) const noexcept {
    return number == 0 ? nullptr : known_.find(peer.id, number);
  }
  // A lock that is asked for with the first operation of its epoch. What a thread locks next comes
  // after it, so that orders that cannot deadlock stay such.
  void put_off(AmModule& window, int rank);
  void take_lock_put_off();
  void forget_lock(const AmModule& window, int rank) noexcept;
  void forget_locks(const AmModule& window) noexcept;
  // Where a packet of operands from the peer arrives; the memory is its until it has been landed.
  std::byte* landing_of(const Peer& peer, std::size_t bytes) noexcept {
    return landings_.take(peer.id, bytes);
  }
  bool drained() const noexcept;
  // Messages of all windows, types included.
  std::uint64_t sent() const noexcept { return sent_messages_; }
  std::uint64_t received() const noexcept { return received_messages_; }

  void deliver(btl::Endpoint& endpoint, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept override;
  std::byte* landing(btl::Endpoint& endpoint, std::span<const std::byte> header,
                     std::size_t bytes) noexcept override;
  void landed(btl::Endpoint& endpoint, std::span<const std::byte> header,
              std::size_t bytes) noexcept override;
  void lost(Peer& peer, Status why) noexcept override;
  int poll() noexcept override;

 private:
  void receive_type(const Peer& peer, const Header& header, std::span<const std::byte> payload);
  void send_type(Peer& peer, const SentTypes::Entry& entry, std::uint64_t window);
  void watch();
  AmModule* window_of(const Header& header) const noexcept;

  struct LockPutOff {
    std::thread::id thread;
    AmModule* window;
    int rank;
  };
  Host host_;
  pml::Router& router_;
  // By peer id. Handlers may add to it while it is walked.
  std::map<std::uint32_t, std::unique_ptr<Outbox>> outboxes_;
  std::unordered_map<std::uint64_t, AmModule*> windows_;
  Landings landings_;
  SentTypes sent_;
  KnownTypes known_;
  std::vector<LockPutOff> locks_put_off_;  // one of each thread at most
  bool polled_ = false;
  std::uint64_t sent_messages_ = 0;
  std::uint64_t received_messages_ = 0;
};

}  // namespace tessera::osc::am
