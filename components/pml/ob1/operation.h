// SPDX-License-Identifier: BSD-3-Clause
// Operation: what send and receive requests have in common.
#pragma once
//
// Contract. An operation is pooled. It ends in conclude(), which runs the continuation and after
// which the object must not be touched: its holder may have freed it. Its handle may be given up
// before: it is then recycled by conclude(). A datatype is held from prepare() to put_away(). What
// an object keeps while it is in the pool is as prepare() needs it.
//
#include <cstdint>

#include "list.h"
#include "peer_state.h"
#include "tessera/comm.h"

namespace tessera::ob1 {

// What one call of Operation::advance achieved. With `over` the operation has left the queue's
// hands and may be gone.
enum class Step : std::uint8_t {
  over,
  moved,    // there is more to do
  blocked,  // a btl had no room
  held,     // flow control does not permit it
};

class Operation : public Request, public Hook<QueueTag>, public Hook<FlightTag> {
 public:
  // Does the next step. Called by the Outbox only, on an operation that is in none of its queues.
  virtual Step advance() noexcept = 0;
  // The peer is gone.
  virtual void fail(Status why) noexcept { conclude(why); }
  PeerState* peer_state() const noexcept { return peer_; }

 protected:
  // Comes from a pool, and goes back to it between its uses.
  Operation() noexcept { retire(); }
  void prepare(PeerState* peer, const Datatype& type, bool persistent) noexcept {
    renew(persistent);
    begin_life();
    peer_ = peer;
    type_ = &type;
    type.hold();
  }
  void put_away() noexcept {
    type_->drop();
    retire();
  }
  // The handle of an operation of class Self is given up.
  template <class Self>
  static void give_up(Self& self) noexcept {
    if (self.complete() && self.sole()) [[likely]]
      return self.recycle();
    self.release();
  }

  void conclude(Status error) noexcept {
    if (Hook<QueueTag>::linked()) Hook<QueueTag>::unlink();
    if (Hook<FlightTag>::linked()) Hook<FlightTag>::unlink();
    conclude_unlinked(error);
  }
  // The same, of an operation that is in no list.
  void conclude_unlinked(Status error) noexcept {
    status_.error = error;
    if (orphan_) [[unlikely]]
      return finish_orphan();
    finish();
  }
  void fly() noexcept { peer_->in_flight.push_back(*this); }
  virtual void recycle() noexcept = 0;

  PeerState* peer_ = nullptr;  // null: any source, not matched yet
  const Datatype* type_ = nullptr;

 private:
  // A request counts its lives in bits 8 to 12 of its kind: the handle of an earlier one is told
  // from this one's.
  void begin_life() noexcept {
    static constexpr std::uint32_t kLife = 0x100, kLives = 0x1f00;
    life_ = (life_ + kLife) & kLives;
    revive(static_cast<ObjectKind>(static_cast<std::uint32_t>(ObjectKind::request) | life_));
  }
  void dispose() const noexcept final {
    auto* self = const_cast<Operation*>(this);
    if (complete()) {
      self->recycle();
    } else {
      self->orphan_ = true;
    }
  }
  [[gnu::noinline]] void finish_orphan() noexcept {
    orphan_ = false;
    finish();
    recycle();
  }
  bool orphan_ = false;     // its handle was given up
  std::uint32_t life_ = 0;  // as it stands in the kind
};

}  // namespace tessera::ob1
