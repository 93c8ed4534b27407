// SPDX-License-Identifier: BSD-3-Clause
// The way to one peer with faults on it.
#pragma once
//
// A packet is cut into pieces, one where nothing is to be cut, and they wait in a bounded queue
// until they are due and the transport below takes them. The queue is first in, first out: what one
// peer gets is delayed but never overtaken by anything else for the same peer.
//
// A connection that breaks, by a drop or by damage, sends a last piece to the peer, takes nothing
// any more and drops what arrives. The sinks hear of it from Layer::poll(), once the last piece has
// left.
//
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "faults.h"
#include "tessera/btl.h"
#include "tessera/peer.h"
#include "wire.h"

namespace tessera::btl::chaos {

// How many packets had which fault, in the whole process.
struct Counters {
  std::uint64_t delayed = 0;
  std::uint64_t reordered = 0;
  std::uint64_t refused = 0;
  std::uint64_t split = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t dropped = 0;
};

// What the endpoints over one transport share.
struct Shared {
  Settings settings;
  ProcessName me;
  const char* transport;  // the name of the one below
  Counters& counters;
  std::uint64_t left = 0;     // packets that were handed to the transport, to all peers
  std::int64_t retry_us = 0;  // when somebody whose packet was refused should try again
};

class ChaosEndpoint final : public Endpoint {
 public:
  ChaosEndpoint(Endpoint& below, bool lands, Shared& shared) noexcept;

  // peer_failed: broken; again: refused by chance, or the queue is full.
  Status send(const Packet& packet) noexcept override;
  // A piece has arrived; `sink` gets the packet once it is whole, and may be null.
  void arrived(Sink* sink, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept;

  // Hands on what is due; how many pieces that were.
  int pump(std::int64_t now) noexcept;
  // When the next piece is due; Alarm::kNever: nothing waits.
  std::int64_t due(std::int64_t now) const noexcept;
  bool empty() const noexcept { return kept_.empty(); }
  // Says once that the sinks are to be told of why().
  bool fell() noexcept;
  Status why() const noexcept { return Status::failure(Errc::peer_failed, reason_); }

 private:
  struct Kept {
    std::vector<std::byte> bytes;
    Channel channel;
    std::int64_t due_us;       // not before this
    std::int64_t until_us;     // nor before others have left, but then at the latest
    std::uint64_t overtakers;  // how many packets to others have left by then
    bool last;                 // piece of its packet
  };

  bool refuses() noexcept;
  bool has_room(std::size_t bytes) const noexcept;
  void keep(const Packet& packet, std::uint64_t number);
  void keep_pieces(const Packet& packet, std::uint64_t number, std::size_t step, const Kept& plan);
  void corrupt(std::vector<std::byte>& bytes, std::uint64_t number) noexcept;
  Kept plan(Channel channel, std::uint64_t number) noexcept;
  bool is_due(const Kept& one, std::int64_t now) const noexcept;
  std::uint64_t others() const noexcept { return shared_.left - left_; }
  void hang_up(std::string reason);
  void fall(std::string reason) noexcept;
  void give_up(Status why) noexcept;
  bool genuine(const Piece& piece, std::span<const std::byte> payload);
  void take(const Piece& piece, Sink* sink, std::span<const std::byte> payload);
  void begin(const Piece& piece, Sink* sink, std::span<const std::byte>& payload);
  void finish(Sink* sink) noexcept;
  std::string text(const char* before, const char* after) const;

  Endpoint& below_;
  const bool lands_;  // may packets be put together where the sink wants them?
  Shared& shared_;
  Faults faults_;

  std::deque<Kept> kept_;
  std::size_t kept_bytes_ = 0;
  std::uint64_t sent_ = 0;  // packets accepted
  std::uint64_t left_ = 0;  // packets handed on
  std::uint64_t refusals_ = 0;
  bool blocked_ = false;  // the transport had no room
  bool pumping_ = false;

  std::uint64_t received_ = 0;  // whole packets
  std::vector<std::byte> header_;
  std::vector<std::byte> gathered_;
  std::byte* target_ = nullptr;  // where the packet under way goes
  std::size_t got_ = 0;
  std::size_t wanted_ = 0;
  bool landing_ = false;

  bool broken_ = false;
  bool told_ = true;
  std::string reason_;
};

}  // namespace tessera::btl::chaos
