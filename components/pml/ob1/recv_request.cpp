// SPDX-License-Identifier: BSD-3-Clause
// RecvRequest: copying, truncation, and the receiving side of a rendezvous.
#include "recv_request.h"

#include <algorithm>
#include <cstdio>

#include "receiver.h"
#include "tessera/clock.h"
#include "tessera/copy.h"
#include "tessera/cpu.h"

namespace tessera::ob1 {

static Status truncated(int source, int tag, std::uint64_t sent, std::uint64_t room) noexcept {
  char text[200];
  std::snprintf(text, sizeof text,
                "the message from source %d with tag %d has %llu bytes, but the receive buffer has "
                "room for %llu bytes",
                source, tag, static_cast<unsigned long long>(sent),
                static_cast<unsigned long long>(room));
  return Status::failure(Errc::truncated, text);
}

static Status of_other_type(const MessageStatus& message, const char* sent,
                            const char* wanted) noexcept {
  char text[240];
  std::snprintf(
      text, sizeof text,
      "the message from source %d with tag %d has %llu bytes of %s, but the receive takes "
      "%s; what is received must have the types that were sent",
      message.source, message.tag, static_cast<unsigned long long>(message.bytes), sent,
      std::strcmp(sent, wanted) != 0 ? wanted : "another sequence of types");
  return Status::failure(Errc::type, text);
}

void RecvRequest::recycle() noexcept {
  put_away();
  status_.cancelled = false;
  receiver_.recycle(*this);
}

Status RecvRequest::start() noexcept {
  status_.cancelled = false;
  receiver_.start(*this);
  return {};
}

void RecvRequest::cancel() noexcept {
  if (phase_ != Phase::posted) return;
  receiver_.withdraw(*this);
  status_ = {};
  status_.cancelled = true;
  complete_with({});
}

void RecvRequest::fail(Status why) noexcept {
  if (phase_ == Phase::posted) receiver_.withdraw(*this);
  status_ = {};
  complete_with(why);
}

Status RecvRequest::describe(std::int32_t from_source, std::int32_t from_tag,
                             std::uint64_t bytes) noexcept {
  status_.source = from_source;
  status_.tag = from_tag;
  status_.bytes = std::min(bytes, capacity_);
  if (bytes <= capacity_) [[likely]]
    return {};
  return truncated(from_source, from_tag, bytes, capacity_);
}

// Of a message that is too long, what there is room for.
Status RecvRequest::copy(std::int32_t from_source, std::int32_t from_tag,
                         std::span<const std::byte> payload) noexcept {
  const Status outcome = describe(from_source, from_tag, payload.size());
  if (!type_->contiguous()) {
    PackCursor(*type_, buffer_, count_).unpack(payload.data(), status_.bytes);
  } else if (status_.bytes > 0) {
    copy_near(buffer_, payload.data(), status_.bytes);
  }
  return outcome;
}

// What describe() has taken down, against the type of this receive.
Status RecvRequest::compare(std::uint16_t mark, std::uint64_t bytes) const noexcept {
  if (pml::signature_fits(mark, bytes, *type_)) return {};
  return of_other_type(status_, pml::signature_name(mark),
                       pml::signature_name(pml::signature_mark(*type_, 1)));
}

// Asked by the thread that completes the transfer, which need not be the one that accepted it: a
// text of another thread would be lost.
Status RecvRequest::outcome() noexcept {
  const Status fits = describe(status_.source, status_.tag, offered_);
  return mark_ == 0 || !fits.ok() ? fits : compare(mark_, offered_);
}

std::byte* RecvRequest::land(PeerState& from, const Envelope& envelope,
                             std::size_t bytes) noexcept {
  phase_ = Phase::landing;
  from.in_flight.push_back(*this);
  (void)describe(envelope.key.source(), envelope.key.tag(), bytes);
  return buffer_;
}

void RecvRequest::accept(PeerState& from, const Offer& offer, bool at_once) noexcept {
  phase_ = Phase::moving;
  (void)describe(offer.source, offer.tag, offer.bytes);
  offered_ = offer.bytes;
  mark_ = offer.mark;
  wanted_ = status_.bytes;
  from_ = &from;
  send_request_ = offer.request;
  if (const Status connected = receiver_.outbox.connect(from); !connected.ok())
    return complete_with(connected);
  if (wanted_ == 0) {
    receiver_.outbox.control(from, Answer{{Kind::fin}, send_request_});
    return complete_with(outcome());
  }
  arrived_ = read_at_ = read_end_ = 0;
  cursor_.reset();
  id_ = receiver_.new_id(*this);
  from.in_flight.push_back(*this);
  turn_ = choose(offer);
  if (turn_.trial != 0) accepted_ns_ = now_ns(), copied_ns_ = copy_began_ns_ = 0;
  owes_fin_ = turn_.way == Way::stream && can_borrow(offer);
  if (turn_.way == Way::stream) return ask(0, wanted_, owes_fin_ ? kLend : 0);
  address_ = offer.address;
  read_end_ = turn_.way == Way::split ? split_point() : wanted_;
  if (read_end_ < wanted_) ask(read_end_, wanted_, kPut | kFinFollows);
  at_once ? receiver_.outbox.run(from, *this) : receiver_.outbox.defer(from, *this);
}

// A sender that lends its data waits for one message more: not one that does nothing else.
bool RecvRequest::can_borrow(const Offer& offer) const noexcept {
  const std::size_t threshold = from_->attributes().lend_threshold;
  return threshold != 0 && wanted_ >= threshold && offer.contiguous && !offer.sender_waits();
}

bool RecvRequest::reads_directly(const Offer& offer) const noexcept {
  if (!offer.contiguous || !type_->contiguous()) return false;
  const btl::Attributes& btl = from_->attributes();
  return (btl.capabilities & btl::can_get) != 0 &&
         wanted_ >= std::min<std::uint64_t>(btl.get_threshold, from_->tried_from) &&
         from_->endpoint->direct();
}

// Inside a collective operation the sender has something to copy itself, and half of the lines
// written would be in its cache when this side needs them: only long messages are split there
// (docs/decisions/0065). Where messages go both ways, both processes have enough to copy as it is.
Way RecvRequest::usual_way(bool can_split) const noexcept {
  constexpr std::uint64_t kCollectiveFactor = 16;
  const Settings& settings = receiver_.settings;
  if (!can_split || settings.split == Split::never) return Way::read;
  if (settings.split == Split::always) return Way::split;
  const std::uint64_t threshold =
      settings.split_threshold * (key.collective() ? kCollectiveFactor : 1);
  return wanted_ < threshold || receiver_.sending() || !receiver_.apart(*from_->peer) ? Way::read
                                                                                      : Way::split;
}

// A sender that has something else to do makes no pages of a new buffer.
Turn RecvRequest::choose(const Offer& offer) noexcept {
  choice_ = nullptr;  // that of an earlier message may be gone with its peer
  if (!reads_directly(offer)) return {Way::stream};
  const bool can_split = (from_->attributes().capabilities & btl::can_put) != 0;
  if (can_split && !offer.sender_waits() && receiver_.settings.split != Split::always &&
      receiver_.new_pages.expected(buffer_, wanted_))
    return {Way::read};
  const bool busy = key.collective() || receiver_.sending();
  const Way usual = usual_way(can_split);
  choice_ = choice_for(busy);
  if (choice_ == nullptr) return {usual};
  if (busy) {
    if (const std::optional<Way> way = way_in_kind(offer)) return {*way};
  }
  WaySet permitted;
  permitted.add(Way::read).add(Way::stream);
  if (can_split && (!busy || usual == Way::split)) permitted.add(Way::split);
  return choice_->next(wanted_, usual, permitted);
}

CopyChoice* RecvRequest::choice_for(bool busy) const noexcept {
  const Settings& settings = receiver_.settings;
  if (settings.split != Split::measured || !receiver_.apart(*from_->peer)) return nullptr;
  auto& choice = busy ? from_->busy_choice : from_->choice;
  return made(choice, settings.trial_interval);
}

// Where one process reads and the other streams, first the one copies and then the other: the one
// with the larger name does as the other.
std::optional<Way> RecvRequest::way_in_kind(const Offer& offer) const noexcept {
  if (!(from_->peer->name < receiver_.own_name())) return {};
  if ((offer.flags & kReads) != 0) return Way::read;
  if ((offer.flags & kStreams) != 0) return Way::stream;
  return {};
}

// This side reads the bytes before the point, the sender writes those behind it. It lies on a page
// of the buffer, so that the two copies do not meet in one.
std::uint64_t RecvRequest::split_point() const noexcept {
  const std::uint64_t offset = as_wire(buffer_) % kPage;
  const std::uint64_t half = wanted_ / 2;
  return half <= kPage ? half : (half + offset) / kPage * kPage - offset;
}

void RecvRequest::ask(std::uint64_t begin, std::uint64_t end, std::uint8_t flags) noexcept {
  const std::uint64_t address = (flags & kPut) != 0 ? as_wire(buffer_) : 0;
  receiver_.outbox.control(*from_,
                           Cts{{Kind::cts, flags}, send_request_, id_, begin, end, address});
}

// Reads one piece. If the btl cannot, the sender is asked to send what this side should have read.
Step RecvRequest::advance() noexcept {
  if (from_->lost()) return Step::over;  // abandon() finds it in flight
  const std::uint64_t piece = std::min(read_end_ - read_at_, receiver_.settings.copy_piece);
  const Status read = from_->endpoint->get(buffer_ + read_at_, address_ + read_at_, piece);
  if (read == Errc::again) return Step::blocked;
  if (!read.ok()) {
    ask(read_at_, read_end_, 0);
    return Step::over;
  }
  read_at_ += piece;
  arrived_ += piece;
  if (read_at_ < read_end_) return Step::moved;
  const bool whole = arrived_ == wanted_;
  receiver_.outbox.control(*from_, Answer{{Kind::fin}, send_request_});
  if (whole) moved();
  return Step::over;
}

void RecvRequest::copy_begins() noexcept {
  if (turn_.trial != 0) copy_began_ns_ = now_ns();
}

void RecvRequest::copy_ends() noexcept {
  if (turn_.trial != 0 && copy_began_ns_ != 0)
    copied_ns_ += now_ns() - std::exchange(copy_began_ns_, 0);
}

// What is put there is there when arrived() is called.
std::byte* RecvRequest::place(std::uint64_t offset, std::size_t bytes) noexcept {
  copy_begins();
  return type_->contiguous() && offset <= wanted_ && bytes <= wanted_ - offset ? buffer_ + offset
                                                                               : nullptr;
}

bool RecvRequest::arrived(std::uint64_t offset, std::span<const std::byte> payload) noexcept {
  if (offset > wanted_ || payload.size() > wanted_ - offset) return false;
  if (std::byte* place_in_buffer = place(offset, payload.size()); place_in_buffer != nullptr) {
    copy_memory(place_in_buffer, payload.data(), payload.size());
  } else {
    if (!cursor_) cursor_.emplace(*type_, buffer_, count_);
    if (cursor_->position() != offset) cursor_->seek(offset);
    cursor_->unpack(payload.data(), payload.size());
  }
  return arrived(payload.size());
}

bool RecvRequest::arrived(std::uint64_t bytes) noexcept {
  copy_ends();
  if (bytes > wanted_ - arrived_) return false;
  arrived_ += bytes;
  if (arrived_ == wanted_) moved();
  return true;
}

// A streamed message takes time of both processes, which is gone where they have other messages to
// copy. The sender's copy takes longer than this side's: it writes lines that this side has read.
void RecvRequest::finish_turn() noexcept {
  const bool busy = choice_ == from_->busy_choice.get();
  if (turn_.trial != 0)
    choice_->took(turn_, accepted_ns_, now_ns(), busy ? copied_ns_ * 5 / 2 : 0);
  else if (choice_->trying())
    choice_->passed(now_ns());
}

// All bytes are there.
void RecvRequest::moved() noexcept {
  if (choice_ != nullptr) finish_turn();
  if (owes_fin_) receiver_.outbox.control(*from_, Answer{{Kind::fin}, send_request_});
  complete_with(outcome());
}

}  // namespace tessera::ob1
