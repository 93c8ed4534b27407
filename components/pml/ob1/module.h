// SPDX-License-Identifier: BSD-3-Clause
// Ob1Module: the pml of this process. Hands calls to Sender and Receiver, and arriving packets to
// whom they concern.
#pragma once
#include "match_table.h"
#include "outbox.h"
#include "peers.h"
#include "pool.h"
#include "receiver.h"
#include "sender.h"
#include "settings.h"
#include "tessera/pml.h"

namespace tessera::ob1 {

class Ob1Module final : public pml::Module, private btl::Sink {
 public:
  Ob1Module(const Settings& settings, Progress& progress, const Job& job) noexcept;

  btl::Sink& sink() noexcept override { return *this; }
  void attach(pml::Router& router) noexcept override { peers_.attach(router); }

  Status send(const pml::SendArgs& args) noexcept override { return sender_.send(args); }
  Status inject(const pml::SendArgs& args) noexcept override { return sender_.inject(args); }
  Status recv(const pml::RecvArgs& args, MessageStatus& status) noexcept override;
  Result<Request*> isend(const pml::SendArgs& args) noexcept override {
    return sender_.isend(args);
  }
  Result<Request*> irecv(const pml::RecvArgs& args) noexcept override {
    return receiver_.irecv(args);
  }
  Result<Request*> send_init(const pml::SendArgs& args) noexcept override {
    return sender_.send_init(args);
  }
  Result<Request*> recv_init(const pml::RecvArgs& args) noexcept override {
    return receiver_.recv_init(args);
  }
  Result<bool> iprobe(const pml::ProbeArgs& args, MessageStatus& status) noexcept override;
  Result<Message*> improbe(const pml::ProbeArgs& args) noexcept override {
    return receiver_.improbe(args);
  }
  Result<Request*> imrecv(Message& message, void* buffer, Count count,
                          const Datatype& type) noexcept override;
  void drain() noexcept override;
  bool survey(pml::Surveyor& surveyor) noexcept override;
  bool compares_types() const noexcept override { return settings_.check; }
  void forget(Peer& peer) noexcept override;

  void measure(Measures& measures) noexcept;
  // For tests: bytes that unexpected messages and staging take now, and
  // took at most.
  const BufferPool& buffers() const noexcept { return buffers_; }

 private:
  void deliver(btl::Endpoint& endpoint, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept override;
  std::byte* landing(btl::Endpoint& endpoint, std::span<const std::byte> header,
                     std::size_t payload_bytes) noexcept override;
  void landed(btl::Endpoint& endpoint, std::span<const std::byte> header,
              std::size_t payload_bytes) noexcept override;
  void lost(Peer& peer, Status why) noexcept override;

  void explain() noexcept;
  void measure_peers(Measures& measures) noexcept;
  PeerState& heard(btl::Endpoint& endpoint, const Common& common) noexcept;
  void arrived(btl::Endpoint& endpoint, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept;
  // These answer whether the packet fits what is under way.
  bool dispatch(PeerState& from, Kind kind, std::span<const std::byte> header,
                std::span<const std::byte> payload) noexcept;
  bool dispatch_answer(PeerState& from, Kind kind, const Answer& answer) noexcept;
  void malformed(PeerState& from, Kind kind) noexcept;

  Settings settings_;
  const Job& job_;
  Progress& progress_;
  bool to_explain_;  // at the first drain()
  BufferPool buffers_;
  MatchTable table_;
  Peers peers_;
  Outbox outbox_;
  Sender sender_;
  Receiver receiver_;
};

}  // namespace tessera::ob1
