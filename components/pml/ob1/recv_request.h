// SPDX-License-Identifier: BSD-3-Clause
// RecvRequest: one receive operation, from matching to its last byte.
#pragma once
//
// Life of a receive: posted -> (matched) -> complete, or posted -> moving -> complete when the
// payload comes by rendezvous, or posted -> landing -> complete when a stream btl reads an eager
// payload straight into the buffer.
//
#include <cstring>
#include <optional>
#include <span>

#include "copy_choice.h"
#include "match_table.h"
#include "operation.h"
#include "tessera/pml.h"

namespace tessera::ob1 {

class Receiver;

// A message whose payload is still with its sender.
struct Offer {
  std::int32_t source;
  std::int32_t tag;
  std::uint64_t bytes;
  std::uint64_t request;
  std::uint64_t address;
  bool contiguous;
  std::uint8_t flags;  // of the envelope
  std::uint16_t mark;

  bool sender_waits() const noexcept { return (flags & kWaits) != 0; }
};

class RecvRequest final : public Operation, public Posted {
 public:
  explicit RecvRequest(Receiver& receiver) noexcept : receiver_(receiver) {}
  void prepare(PeerState* peer, const MatchKey& pattern, void* buffer, Count count,
               const Datatype& type, bool persistent) noexcept {
    Operation::prepare(peer, type, persistent);
    buffer_ = static_cast<std::byte*>(buffer);
    count_ = count;
    capacity_ = static_cast<std::uint64_t>(count * type.size());
    room_ = type.contiguous() ? capacity_ : 0;
    key = pattern;
  }

  pml::Pending describe() const noexcept;

  void activate() noexcept { begin(); }
  void set_posted() noexcept { phase_ = Phase::posted; }
  void set_matched() noexcept { phase_ = Phase::idle; }  // it cannot be cancelled any more

  // The message is here, and the receive in no list: it is copied, and the receive complete.
  void fill(std::int32_t from_source, std::int32_t from_tag,
            std::span<const std::byte> payload) noexcept {
    if (payload.size() > room_ || !is_short(payload.size())) [[unlikely]]
      return fill_by_copy(from_source, from_tag, payload);
    status_.source = from_source;
    status_.tag = from_tag;
    status_.bytes = payload.size();
    copy_short(buffer_, payload.data(), payload.size());
    filled({});
  }
  [[gnu::noinline]] void fill_by_copy(std::int32_t from_source, std::int32_t from_tag,
                                      std::span<const std::byte> payload) noexcept {
    filled(copy(from_source, from_tag, payload));
  }
  // The same in two steps.
  Status copy(std::int32_t from_source, std::int32_t from_tag,
              std::span<const std::byte> payload) noexcept;
  void filled(Status outcome) noexcept { conclude_unlinked(outcome); }
  // As copy(), of a message that may have a mark.
  Status copy_marked(std::uint16_t mark, std::int32_t from_source, std::int32_t from_tag,
                     std::span<const std::byte> payload) noexcept {
    const Status outcome = copy(from_source, from_tag, payload);
    return mark == 0 || !outcome.ok() ? outcome : compare(mark, payload.size());
  }
  void complete_with(Status error) noexcept {
    phase_ = Phase::idle;
    conclude(error);
  }
  // The message can be had: arranges its transfer. Without `at_once` nothing is copied here.
  void accept(PeerState& from, const Offer& offer, bool at_once) noexcept;
  // Whether a packet of `from` with this id can belong to this transfer.
  bool is(std::uint64_t id, const PeerState& from) const noexcept {
    return phase_ == Phase::moving && id == id_ && &from == from_;
  }
  // Bytes of a transfer have come, as data or by the hand of the sender; false: they do not fit.
  bool arrived(std::uint64_t offset, std::span<const std::byte> payload) noexcept;
  bool arrived(std::uint64_t bytes) noexcept;
  // Where the fragment may be written, or null.
  std::byte* place(std::uint64_t offset, std::size_t bytes) noexcept;

  // An eager payload of a stream btl. land() says where it shall go, or null if it must be copied.
  std::byte* land(PeerState& from, const Envelope& envelope, std::size_t bytes) noexcept;
  bool can_land(std::size_t bytes) const noexcept {
    return type_->contiguous() && bytes <= capacity_;
  }

  Status start() noexcept override;
  void cancel() noexcept override;
  void free() noexcept override { give_up(*this); }
  Step advance() noexcept override;
  void fail(Status why) noexcept override;

  RecvRequest* next_ready = nullptr;  // the pool's
  std::uint32_t number = 0;           // the pool's

 private:
  friend Operation;
  enum class Phase : std::uint8_t { idle, posted, moving, landing };

  // A few bytes are copied without a call; what is copied twice lies in both halves.
  static bool is_short(std::size_t bytes) noexcept {
    return bytes - 8 <= 8;
  }  // fewer than 8 wrap around
  static void copy_short(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    std::uint64_t head, tail;
    std::memcpy(&head, from, 8);
    std::memcpy(&tail, from + bytes - 8, 8);
    std::memcpy(to, &head, 8);
    std::memcpy(to + bytes - 8, &tail, 8);
  }
  Status describe(std::int32_t from_source, std::int32_t from_tag, std::uint64_t bytes) noexcept;
  Status compare(std::uint16_t mark, std::uint64_t bytes) const noexcept;
  Status outcome() noexcept;
  bool reads_directly(const Offer& offer) const noexcept;
  bool can_borrow(const Offer& offer) const noexcept;
  Turn choose(const Offer& offer) noexcept;
  // Null: nothing is measured.
  CopyChoice* choice_for(bool busy) const noexcept;
  std::optional<Way> way_in_kind(const Offer& offer) const noexcept;
  void copy_begins() noexcept;
  void copy_ends() noexcept;
  void finish_turn() noexcept;
  Way usual_way(bool can_split) const noexcept;
  std::uint64_t split_point() const noexcept;
  void moved() noexcept;
  void ask(std::uint64_t begin, std::uint64_t end, std::uint8_t flags) noexcept;
  void recycle() noexcept override;

  Receiver& receiver_;
  std::byte* buffer_ = nullptr;
  Count count_ = 0;
  std::uint64_t capacity_ = 0;  // bytes
  std::uint64_t room_ = 0;      // the same if the buffer is contiguous, else 0
  Phase phase_ = Phase::idle;

  // Set by accept(), meaningful while moving.
  PeerState* from_;
  std::uint64_t offered_;  // bytes of the message
  std::uint64_t wanted_;   // of these, to be moved
  std::uint64_t arrived_;  // of these, there
  std::uint64_t read_at_;  // the bytes [read_at_, read_end_) remain to be read by this side
  std::uint64_t read_end_;
  std::uint64_t address_;  // of byte 0 in the sender
  std::uint64_t id_;       // for the packets of this transfer
  std::uint64_t send_request_;
  std::uint16_t mark_;
  bool owes_fin_;  // when all bytes are there
  Turn turn_;
  CopyChoice* choice_ = nullptr;  // turn_ is its
  std::uint64_t accepted_ns_;
  std::uint64_t copy_began_ns_;  // 0: no copy is timed
  std::uint64_t copied_ns_;      // of this message, on this side
  std::optional<PackCursor> cursor_;
};

}  // namespace tessera::ob1
