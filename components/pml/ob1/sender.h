// SPDX-License-Identifier: BSD-3-Clause
// Sender: the sending half of the module; the eager fast path, and the packets that answer sends.
#pragma once
#include "outbox.h"
#include "peers.h"
#include "pool.h"
#include "send_request.h"
#include "settings.h"

namespace tessera::ob1 {

class Sender {
 public:
  Sender(const Settings& settings_in, Progress& progress_in, Peers& peers_in, Outbox& outbox_in,
         BufferPool& buffers_in) noexcept
      : settings(settings_in),
        peers(peers_in),
        outbox(outbox_in),
        buffers(buffers_in),
        progress_(progress_in) {}

  Status send(const pml::SendArgs& args) noexcept;
  Status inject(const pml::SendArgs& args) noexcept;
  Result<Request*> isend(const pml::SendArgs& args) noexcept;
  Result<Request*> send_init(const pml::SendArgs& args) noexcept;
  void start(SendRequest& request) noexcept;  // an active one
  void recycle(SendRequest& request) noexcept { pool_.give(request); }

  // The way of a message for which trials decide.
  Turn choose(PeerState& peer, std::uint64_t bytes) noexcept;
  void on_pull(PeerState& peer) noexcept;
  // The request that a packet of `from` answers, or null.
  SendRequest* find(std::uint64_t id, const PeerState& from) noexcept {
    SendRequest* request = pool_.at(static_cast<std::uint32_t>(id));
    return request != nullptr && request->is(id, from) ? request : nullptr;
  }

  // What requests need of the module.
  const Settings& settings;
  Peers& peers;
  Outbox& outbox;
  BufferPool& buffers;

 private:
  static bool open(const PeerState& peer, const pml::SendArgs& args, std::uint64_t bytes) noexcept;
  static bool push(PeerState& peer, const pml::SendArgs& args, std::uint64_t bytes,
                   bool crossing) noexcept;
  bool pushed(PeerState& peer, const pml::SendArgs& args, std::uint64_t bytes) noexcept;
  bool pushed_longer(PeerState& peer, const pml::SendArgs& args, std::uint64_t bytes) noexcept;
  bool settled(PeerState& peer, const pml::SendArgs& args, std::uint64_t bytes) noexcept;
  Status send_with_request(PeerState& peer, const pml::SendArgs& args) noexcept;
  void make_room() noexcept;

  Progress& progress_;
  ReadyPool<SendRequest> pool_;
  bool polling_ = false;
};

}  // namespace tessera::ob1
