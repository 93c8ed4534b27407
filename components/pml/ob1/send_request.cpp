// SPDX-License-Identifier: BSD-3-Clause
// SendRequest: life cycle, envelope (eager or rendezvous), cancellation. The data of a rendezvous:
// send_stream.cpp.
#include "send_request.h"

#include <utility>

#include "sender.h"
#include "tessera/clock.h"

namespace tessera::ob1 {

// What a transfer leaves behind.
void SendRequest::reset() noexcept {
  status_ = {};
  blocking_ = cancel_asked_ = settled_ = fin_awaited_ = staged_ = chosen_ = false;
  part_count_ = 0;
}

void SendRequest::recycle() noexcept {
  if (!std::exchange(direct_, false)) clear();
  phase_ = Phase::idle;
  put_away();
  sender_.recycle(*this);
}

void SendRequest::clear() noexcept {
  if (staging_ != nullptr) sender_.buffers.give(std::exchange(staging_, nullptr), peer_->fragment);
  cursor_.reset();
  reset();
}

void SendRequest::activate() noexcept {
  begin();
  phase_ = Phase::queued;
  ++sender_.peers.sends_in_flight;
}

Status SendRequest::start() noexcept {
  reset();
  activate();
  sender_.start(*this);
  return {};
}

// Every way to completion ends here.
void SendRequest::done(Status error) noexcept {
  --sender_.peers.sends_in_flight;
  if (phase_ != Phase::delivered) phase_ = Phase::idle;
  if (turn_.trial != 0) [[unlikely]]
    peer_->eager_choice->finished(std::exchange(turn_, {}), now_ns());
  conclude(error);
}

bool SendRequest::acknowledged() noexcept {
  if (phase_ != Phase::offered || settled_) return false;
  settle();
  return true;
}

// The message is the receiver's. While a cancellation is being answered the answer must find the
// request.
void SendRequest::settle() noexcept {
  if (cancel_asked_) {
    settled_ = true;
    return;
  }
  done({});
}

Step SendRequest::advance() noexcept {
  if (phase_ == Phase::queued) return launch();
  if (peer_->lost()) return Step::over;  // abandon() finds it in flight
  advancing_ = true;
  const Step step = parts_[0].put ? put_piece(parts_[0]) : stream(parts_[0]);
  advancing_ = false;
  if (step != Step::over) return step;
  parts_[0] = parts_[1];
  if (--part_count_ > 0) return Step::moved;
  if (!fin_awaited_) settle();
  return Step::over;
}

Step SendRequest::launch() noexcept {
  if (const Status connected = sender_.outbox.connect(*peer_); !connected.ok()) {
    done(connected);
    return Step::over;
  }
  const std::uint64_t size = bytes();
  if (goes_eagerly(size) && peer_->eager_fits(envelope_cost(size))) return launch_eager(size);
  return peer_->rts_fits() ? launch_rts(size) : hold();
}

// Chosen once, however often the envelope finds no room.
bool SendRequest::goes_eagerly(std::uint64_t size) noexcept {
  if (!peer_->either(size, *type_, key_)) return peer_->eager(size, *type_);
  if (!std::exchange(chosen_, true)) turn_ = sender_.choose(*peer_, size);
  return turn_.way == Way::eager;
}

// Of an even context are the messages of the program (comm.h).
std::uint16_t SendRequest::mark() const noexcept {
  if (!sender_.settings.check || key_.context % 2 != 0) return 0;
  return mark_ != 0 ? mark_ : pml::signature_mark(*type_, count_);
}

Envelope SendRequest::envelope(Kind kind, std::uint8_t flags) const noexcept {
  return {{kind, flags, mark(), peer_->credit()}, key_};
}

// Once send() has accepted a packet that will be answered, the answer may have come and the request
// be gone.
Step SendRequest::launch_eager(std::uint64_t size) noexcept {
  const void* data = buffer_;
  void* packed = nullptr;
  if (!type_->contiguous()) {
    packed = sender_.buffers.take(size);
    if (packed == nullptr) return refused(Errc::no_memory, 0);
    PackCursor(*type_, buffer_, count_).pack(packed, size);
    data = packed;
  }
  BufferPool& buffers = sender_.buffers;
  PeerState& peer = *peer_;
  const bool synchronous = mode_ == pml::Mode::synchronous;
  const std::uint64_t cost = envelope_cost(size);
  const std::uint64_t consumed = peer.consumed;
  if (synchronous) id_ = sender_.peers.new_id(number);
  const SyncEnvelope header{envelope(synchronous ? Kind::eager_sync : Kind::eager, 0), id_};
  const std::uint8_t header_bytes = synchronous ? sizeof(SyncEnvelope) : sizeof(Envelope);
  number_ = peer.charged += cost;
  phase_ = synchronous ? Phase::offered : Phase::sending;
  if (synchronous) fly();
  const Status sent = peer.endpoint->send(
      {btl::Channel::pml, header_bytes, &header, data, size, sender_.peers.expecting()});
  if (packed != nullptr) buffers.give(packed, size);
  if (!sent.ok()) return refused(sent, cost);
  peer.count_sent(size);
  peer.reported = consumed;
  if (!synchronous) {
    phase_ = Phase::delivered;
    settle();
  }
  return Step::over;
}

Step SendRequest::launch_rts(std::uint64_t size) noexcept {
  PeerState& peer = *peer_;
  if (peer.pulled > 0 && peer.outstanding() + kEnvelopeCost > 2 * peer.window) --peer.pulled;
  const std::uint64_t consumed = peer.consumed;
  const bool contiguous = type_->contiguous();
  id_ = sender_.peers.new_id(number);
  const auto flags = static_cast<std::uint8_t>((contiguous ? kDense : 0) |
                                               (blocking_ ? kWaits : 0) | peer.way_told(size));
  const Rts header{envelope(Kind::rts, flags), size, id_, contiguous ? as_wire(buffer_) : 0};
  number_ = peer.charged += kEnvelopeCost;
  phase_ = Phase::offered;
  fly();
  const Status sent = peer.endpoint->send({btl::Channel::pml, sizeof header, &header, nullptr, 0});
  if (!sent.ok()) return refused(sent, kEnvelopeCost);
  peer.count_sent(size);
  ++sender_.peers.rendezvous;
  peer.reported = consumed;
  return Step::over;
}

// The envelope did not go out: it stays the first in the queue, or has failed for good.
Step SendRequest::refused(Status sent, std::uint64_t cost) noexcept {
  peer_->charged -= cost;
  if (Hook<FlightTag>::linked()) Hook<FlightTag>::unlink();
  phase_ = Phase::queued;
  if (sent == Errc::again) return Step::blocked;
  done(sent);
  return Step::over;
}

// Flow control does not let the envelope go. The receiver is told once: it pulls when a receive
// waits for it.
Step SendRequest::hold() noexcept {
  if (!peer_->hold_said) {
    peer_->hold_said = true;
    sender_.outbox.control(*peer_, Common{Kind::hold});
  }
  return peer_->rts_fits() ? Step::moved : Step::held;
}

void SendRequest::cancel() noexcept {
  if (cancel_asked_ || peer_->lost()) return;
  if (phase_ == Phase::queued && Hook<QueueTag>::linked()) {
    Hook<QueueTag>::unlink();
    status_.cancelled = true;
    return done({});
  }
  if (phase_ == Phase::offered || (phase_ == Phase::delivered && active())) ask_back();
}

// Asks the receiver to take the message out of its unexpected queue. A message that was already
// handed over is complete here; while its holder has not been told so, the completion can be put
// off until the answer is known.
void SendRequest::ask_back() noexcept {
  direct_ = false;
  if (phase_ == Phase::delivered) {
    begin();
    ++sender_.peers.sends_in_flight;
    fly();
    id_ = sender_.peers.new_id(number);
    settled_ = true;
  }
  cancel_asked_ = true;
  sender_.outbox.control(*peer_, Cancel{envelope(Kind::cancel, 0), id_, number_});
}

bool SendRequest::cancel_answered(bool cancelled) noexcept {
  if (!cancel_asked_) return false;
  cancel_asked_ = false;
  status_.cancelled = cancelled;
  if (cancelled || settled_) done({});
  return true;
}

}  // namespace tessera::ob1
