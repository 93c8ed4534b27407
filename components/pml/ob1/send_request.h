// SPDX-License-Identifier: BSD-3-Clause
// SendRequest: one send operation, from its envelope to its last byte.
#pragma once
//
// Life of a send: queued -> sending -> delivered (eager: complete once the btl has taken it), or
// queued -> sending -> offered (RTS, or a synchronous message: the receiver must answer) -> matched
// -> complete.
//
#include <optional>

#include "operation.h"
#include "pool.h"
#include "tessera/pml.h"

namespace tessera::ob1 {

class Sender;

class SendRequest final : public Operation {
 public:
  explicit SendRequest(Sender& sender) noexcept : sender_(sender) {}
  void prepare(PeerState& peer, const pml::SendArgs& args, bool persistent) noexcept {
    Operation::prepare(&peer, *args.type, persistent);
    buffer_ = args.buffer;
    count_ = args.count;
    key_ = key_of(args);
    mode_ = args.mode;
    mark_ = args.mark;
  }

  std::uint64_t bytes() const noexcept {
    return static_cast<std::uint64_t>(count_ * type_->size());
  }

  void activate() noexcept;  // the operation begins
  // The caller waits for this one operation.
  void activate_blocking() noexcept {
    blocking_ = true;
    activate();
  }
  // Its message has gone out directly, as envelope `number`, without activate().
  void finish_delivered(std::uint64_t envelope_number) noexcept {
    direct_ = true;
    begin();
    number_ = envelope_number;
    phase_ = Phase::delivered;
    finish();
  }

  pml::Pending describe() const noexcept;

  Status start() noexcept override;
  void cancel() noexcept override;
  void free() noexcept override { give_up(*this); }
  Step advance() noexcept override;
  void fail(Status why) noexcept override { done(why); }

  // Whether a packet of `from` with this id can be an answer to this request.
  bool is(std::uint64_t id, const PeerState& from) const noexcept {
    return id == id_ && &from == peer_ && Hook<FlightTag>::linked();
  }
  // Answers that have come; false: this one does not fit.
  bool acknowledged() noexcept;
  bool taken() noexcept;
  bool cleared(const Cts& cts) noexcept;
  bool cancel_answered(bool cancelled) noexcept;

  SendRequest* next_ready = nullptr;  // the pool's
  std::uint32_t number = 0;           // the pool's

 private:
  friend Operation;
  enum class Phase : std::uint8_t { idle, queued, sending, offered, matched, delivered };
  // A range of the message that the receiver has asked for.
  struct Part {
    std::uint64_t at;
    std::uint64_t end;
    std::uint64_t address;  // of byte 0 in the receiver
    bool put;
    bool lent;
  };
  static constexpr int kMaxParts = 2;

  Step launch() noexcept;
  bool goes_eagerly(std::uint64_t size) noexcept;
  Step launch_eager(std::uint64_t size) noexcept;
  Step launch_rts(std::uint64_t size) noexcept;
  Step refused(Status sent, std::uint64_t cost) noexcept;
  Step hold() noexcept;
  std::uint16_t mark() const noexcept;
  Envelope envelope(Kind kind, std::uint8_t flags) const noexcept;

  Step put_piece(Part& part) noexcept;
  Step stream(Part& part) noexcept;
  Status send_fragment(const Part& part, const void* data, std::size_t size) noexcept;
  std::uint32_t next_route(std::uint32_t tried) const noexcept;
  const void* gather(std::uint64_t at, std::size_t size) noexcept;
  void gathered(std::uint64_t end) noexcept;

  void settle() noexcept;
  void done(Status error) noexcept;
  void ask_back() noexcept;
  void reset() noexcept;
  void clear() noexcept;
  void recycle() noexcept override;

  Sender& sender_;
  const void* buffer_ = nullptr;
  Count count_ = 0;
  MatchKey key_;          // of its envelope
  std::uint64_t id_ = 0;  // for the packets that will be answered
  pml::Mode mode_ = pml::Mode::standard;
  std::uint16_t mark_ = 0;    // where the caller gives one
  std::uint64_t number_ = 0;  // of the envelope: PeerState::charged after it
  Phase phase_ = Phase::idle;
  bool direct_ = false;  // has gone out directly, and was not asked back: there is nothing to reset
  bool blocking_ = false;
  bool cancel_asked_ = false;
  bool settled_ = false;  // complete but for the answer to `cancel`
  bool fin_awaited_ = false;
  bool advancing_ = false;
  bool chosen_ = false;  // `turn_` holds for this transfer
  Turn turn_;            // of a message for which trials decide
  std::uint8_t part_count_ = 0;
  Part parts_[kMaxParts];
  std::uint64_t recv_request_ = 0;
  std::uint64_t route_bytes_[PeerState::kMaxRoutes];  // sent over each route in this transfer
  std::optional<PackCursor> cursor_;                  // for data that is not contiguous
  void* staging_ = nullptr;                           // one packed fragment
  bool staged_ = false;
};

}  // namespace tessera::ob1
