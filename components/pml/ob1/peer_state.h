// SPDX-License-Identifier: BSD-3-Clause
// What the module knows about one peer: its routes, its flow control, and what is queued for it.
#pragma once
//
// Contract. Made when a peer is first named or heard of, owned by Peers, lives as long as the
// module, found through Peer::route. Routes are asked for when something is to be sent.
//
// Flow control. Each envelope has a cost: the memory it takes at the receiver if it is unexpected.
// `charged` counts the cost of all envelopes sent, `credited` what the receiver has said to have
// consumed; the difference is under way or waits there. Eager messages may go while the difference
// stays within `window`, bare RTS while it stays within twice that; beyond, envelopes are held
// until credits come or the receiver pulls. `arrived`, `consumed` and `reported` are the same
// account on the receiving side. `arrived` after an envelope equals `charged` after it at its
// sender, so that this number names the envelope without being sent.
//
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "copy_choice.h"
#include "list.h"
#include "tessera/kept_status.h"
#include "tessera/pml.h"
#include "wire.h"

namespace tessera::ob1 {

class Operation;
class RecvRequest;

struct QueueTag;   // an operation that waits for its turn to send or copy
struct FlightTag;  // an operation that depends on a packet of the peer
struct ControlTag;
struct BusyTag;

// Cost of an envelope without payload; at least what an unexpected message takes besides its
// payload.
inline constexpr std::uint64_t kEnvelopeCost = 128;
constexpr std::uint64_t envelope_cost(std::uint64_t payload_bytes) noexcept {
  return kEnvelopeCost + ((payload_bytes + 63) & ~std::uint64_t{63});
}

// A small packet that found no room.
struct QueuedControl : Hook<ControlTag> {
  std::array<std::byte, kLargestHeader> header;
  std::uint8_t bytes;
};

struct PeerState : Hook<BusyTag> {
  static constexpr std::size_t kMaxRoutes = 4;  // further routes are not used
  enum Gate : std::uint32_t { unconnected = 1, backlog = 2, failed = 4, marking = 8 };

  explicit PeerState(Peer& owner) noexcept : peer(&owner) {}

  // The members of the fast path come first, together.
  btl::Endpoint* endpoint = nullptr;  // the first route
  std::uint32_t gate = unconnected;   // 0: an envelope may go straight to the endpoint
  bool held = false;                  // the first of `sends` waits for credit or a pull
  bool hold_said = false;  // the peer knows that envelopes are held, and has not pulled since
  bool holding = false;   // the other way round: the peer holds envelopes, and was not pulled since
  bool draining = false;  // the outbox is at work on it
  bool abandoned = false;  // lost, and nothing depends on it any more
  std::uint64_t eager_limit = 0;
  std::uint64_t straight_below = 0;  // bytes: how a shorter message goes is clear at once
  // Bytes. From tried_from on a direct copy may take less time than an eager message, from
  // direct_from on it does.
  std::uint64_t tried_from = ~std::uint64_t{0};
  std::uint64_t direct_from = ~std::uint64_t{0};
  std::uint64_t window = 0;
  std::uint64_t charged = 0;
  std::uint64_t credited = 0;
  std::uint64_t arrived = 0;
  std::uint64_t consumed = 0;
  std::uint64_t reported = 0;
  std::uint64_t report_step = 1;
  // For tools: messages whose envelope has left, or has arrived, and their bytes.
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;

  Peer* peer;
  std::uint32_t route_count = 0;
  std::uint32_t pulled = 0;  // RTS permitted beyond the window
  std::array<pml::Route, kMaxRoutes> routes{};
  std::size_t fragment = 0;  // payload of a data packet that every route takes
  RecvRequest* landing =
      nullptr;  // matched to the eager payload that is just being read from a stream
  List<Operation, QueueTag> sends;      // envelopes in order, not sent yet
  List<Operation, QueueTag> transfers;  // bulk data to be moved, each in its turn
  List<QueuedControl, ControlTag> controls;
  List<Operation, FlightTag> in_flight;
  // Made when the first large message comes: of those that go one way alone, and of others.
  std::unique_ptr<CopyChoice> choice;
  std::unique_ptr<CopyChoice> busy_choice;
  // Likewise, of messages sent in collective operations: eagerly or for the receiver to read.
  std::unique_ptr<CopyChoice> eager_choice;
  std::optional<Turn> turn;     // of a message that is about to be queued
  std::uint32_t announced = 0;  // messages of such sizes, by RTS, that are to be answered in kind
  KeptStatus loss;              // why the peer was lost

  bool lost() const noexcept { return (gate & failed) != 0; }
  bool connected() const noexcept { return (gate & unconnected) == 0; }
  const btl::Attributes& attributes() const noexcept { return *routes[0].attributes; }

  // Whether a message of this size goes without a handshake. For what a program sends the size
  // decides alone: otherwise a program that needs its sends to be buffered would work for a while
  // and then hang.
  bool eager(std::uint64_t bytes, const Datatype& type) const noexcept {
    if (bytes > eager_limit) return false;
    return bytes < direct_from || !type.contiguous() || !endpoint->direct();
  }
  // Whether trials decide how this message goes: it belongs to a collective operation.
  bool either(std::uint64_t bytes, const Datatype& type, const MatchKey& key) const noexcept {
    return bytes >= tried_from && bytes < direct_from && bytes <= eager_limit && key.collective() &&
           type.contiguous() && endpoint->direct();
  }
  // Where two processes send such messages to each other, a trial by one of them alone gains
  // nothing. So the one with the larger name announces as many messages as the other has announced.
  void answer_in_kind(std::uint64_t bytes, const ProcessName& own) noexcept {
    constexpr std::uint32_t kMost = 4;
    const bool so_long = bytes >= tried_from && bytes < direct_from;
    if (so_long && peer->name < own && announced < kMost) ++announced;
  }
  // Flags of an RTS: which way this process has such messages of the peer copied, where both send.
  std::uint8_t way_told(std::uint64_t bytes) const noexcept {
    if (busy_choice == nullptr || busy_choice->sampler(bytes).trials() == 0) return 0;
    const Way way = busy_choice->sampler(bytes).incumbent();
    return way == Way::read ? kReads : way == Way::stream ? kStreams : 0;
  }
  std::uint64_t outstanding() const noexcept { return charged - credited; }
  bool eager_fits(std::uint64_t cost) const noexcept { return outstanding() + cost <= window; }
  bool rts_fits() const noexcept {
    return pulled > 0 || outstanding() + kEnvelopeCost <= 2 * window;
  }

  // Takes the credit of an arrived packet; those of slower routes may be older than what is known.
  void take_credit(std::uint32_t wire) noexcept {
    const auto news = static_cast<std::int32_t>(wire - static_cast<std::uint32_t>(credited));
    if (news > 0) credited += static_cast<std::uint32_t>(news);
  }
  void count_sent(std::uint64_t bytes) noexcept {
    ++messages_sent;
    bytes_sent += bytes;
  }
  void count_received(std::uint64_t bytes) noexcept {
    ++messages_received;
    bytes_received += bytes;
  }
  // Whether so much was consumed since the peer was told that it must hear of it.
  bool report_due() const noexcept { return consumed - reported >= report_step; }
  std::uint32_t credit() const noexcept { return static_cast<std::uint32_t>(consumed); }
};

}  // namespace tessera::ob1
