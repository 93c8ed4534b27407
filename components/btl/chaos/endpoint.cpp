// SPDX-License-Identifier: BSD-3-Clause
// Holding packets back, cutting them, and checking what arrives.
#include "endpoint.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "alarm.h"

namespace tessera::btl::chaos {
namespace {

constexpr std::size_t kMaxKept = 256;
constexpr std::size_t kMaxKeptBytes = 4 << 20;
constexpr std::uint64_t kMaxRefusals = 3;    // in a row, of one packet
constexpr std::uint64_t kMaxPieces = 4;      // of one packet
constexpr std::uint64_t kMaxOvertakers = 4;  // of one packet
constexpr std::int64_t kRetryUs = 100;       // after a refusal
constexpr std::int64_t kBlockedUs = 1000;    // while the transport has no room

}  // namespace

ChaosEndpoint::ChaosEndpoint(Endpoint& below, bool lands, Shared& shared) noexcept
    : Endpoint(below.peer()),
      below_(below),
      lands_(lands),
      shared_(shared),
      faults_(shared.settings, shared.me, below.peer().name) {}

std::string ChaosEndpoint::text(const char* before, const char* after) const {
  std::string made = before;
  made.append("process ").append(std::to_string(peer().name.index)).append(" over ");
  return made.append(shared_.transport).append(after);
}

Status ChaosEndpoint::send(const Packet& packet) noexcept try {
  if (broken_) return why();
  if (refuses() || !has_room(packet.payload_bytes)) return Errc::again;
  const std::uint64_t number = sent_++;
  refusals_ = 0;
  if (faults_.happens(Fault::drop, number)) {
    ++shared_.counters.dropped;
    hang_up(text("the connection to ", " was dropped on purpose (btl_chaos_drop) at packet ") +
            std::to_string(number));
  } else {
    keep(packet, number);
  }
  pump(now_us());
  return broken_ && told_ ? why() : Status();
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

bool ChaosEndpoint::refuses() noexcept {
  if (!faults_.happens(Fault::refuse, sent_)) return false;
  if (refusals_ > faults_.below(kMaxRefusals, Fault::refuse, sent_)) return false;
  if (refusals_++ == 0) ++shared_.counters.refused;
  shared_.retry_us = now_us() + kRetryUs;
  return true;
}

// An empty queue takes any packet.
bool ChaosEndpoint::has_room(std::size_t bytes) const noexcept {
  return kept_.empty() || (kept_.size() < kMaxKept && kept_bytes_ + bytes <= kMaxKeptBytes);
}

ChaosEndpoint::Kept ChaosEndpoint::plan(Channel channel, std::uint64_t number) noexcept {
  const std::int64_t now = now_us();
  const auto longest = static_cast<std::uint64_t>(shared_.settings.delay_us);
  Kept plan{{}, channel, now, now, others(), false};
  if (faults_.happens(Fault::delay, number)) {
    ++shared_.counters.delayed;
    plan.due_us += 1 + static_cast<std::int64_t>(faults_.below(longest, Fault::delay, number));
  }
  if (faults_.happens(Fault::reorder, number)) {
    ++shared_.counters.reordered;
    plan.overtakers += 1 + faults_.below(kMaxOvertakers, Fault::reorder, number);
    plan.until_us += shared_.settings.delay_us;
  }
  return plan;
}

void ChaosEndpoint::keep(const Packet& packet, std::uint64_t number) {
  std::size_t step = packet.payload_bytes;
  if (packet.payload_bytes > 1 && faults_.happens(Fault::partial, number)) {
    ++shared_.counters.split;
    const std::uint64_t pieces = 2 + faults_.below(kMaxPieces - 1, Fault::partial, number);
    step = std::max<std::size_t>(1, packet.payload_bytes / pieces);
  }
  keep_pieces(packet, number, step, plan(packet.channel, number));
}

void ChaosEndpoint::keep_pieces(const Packet& packet, std::uint64_t number, std::size_t step,
                                const Kept& plan) {
  bool damaged = !faults_.happens(Fault::corrupt, number);
  std::size_t offset = 0;
  do {
    const std::size_t bytes = std::min(step, packet.payload_bytes - offset);
    Kept piece = plan;
    piece.bytes = cut(packet, number, offset, bytes);
    if (!damaged) corrupt(piece.bytes, number);
    damaged = true;
    offset += bytes;
    piece.last = offset == packet.payload_bytes;
    kept_bytes_ += piece.bytes.size();
    kept_.push_back(std::move(piece));
  } while (offset < packet.payload_bytes);
}

// Turns one bit, anywhere behind the word by which a piece is known.
void ChaosEndpoint::corrupt(std::vector<std::byte>& bytes, std::uint64_t number) noexcept {
  ++shared_.counters.corrupted;
  constexpr std::size_t kFirst = sizeof(Piece::magic);
  const std::uint64_t bit = faults_.below(8 * (bytes.size() - kFirst), Fault::corrupt, number);
  bytes[kFirst + bit / 8] ^= std::byte{1} << (bit % 8);
}

bool ChaosEndpoint::is_due(const Kept& one, std::int64_t now) const noexcept {
  return now >= one.due_us && (others() >= one.overtakers || now >= one.until_us);
}

std::int64_t ChaosEndpoint::due(std::int64_t now) const noexcept {
  if (kept_.empty()) return Alarm::kNever;
  if (blocked_) return now + kBlockedUs;
  const Kept& first = kept_.front();
  return others() >= first.overtakers ? first.due_us : std::max(first.due_us, first.until_us);
}

int ChaosEndpoint::pump(std::int64_t now) noexcept {
  if (pumping_) return 0;
  pumping_ = true;
  int pieces = 0;
  blocked_ = false;
  while (!kept_.empty() && is_due(kept_.front(), now)) {
    const Kept& first = kept_.front();
    const Status status = below_.send(as_packet(first.channel, first.bytes));
    blocked_ = status == Errc::again && !peer().failed.load(std::memory_order_relaxed);
    if (blocked_) break;
    if (!status) {
      give_up(status);
      break;
    }
    if (first.last) ++left_, ++shared_.left;
    kept_bytes_ -= first.bytes.size();
    kept_.pop_front();
    ++pieces;
  }
  pumping_ = false;
  return pieces;
}

// The transport has lost the peer, and tells the sinks itself.
void ChaosEndpoint::give_up(Status why) noexcept {
  kept_.clear();
  kept_bytes_ = 0;
  if (broken_) return;
  broken_ = true;
  reason_ = why.text();
}

void ChaosEndpoint::hang_up(std::string reason) {
  if (broken_) return;
  Kept last = {hangup(sent_), Channel::pml, 0, 0, 0, true};
  kept_bytes_ += last.bytes.size();
  kept_.push_back(std::move(last));
  fall(std::move(reason));
}

void ChaosEndpoint::fall(std::string reason) noexcept {
  if (broken_) return;
  broken_ = true;
  told_ = false;
  reason_ = std::move(reason);
}

bool ChaosEndpoint::fell() noexcept {
  if (told_ || !kept_.empty()) return false;
  told_ = true;
  return true;
}

void ChaosEndpoint::arrived(Sink* sink, std::span<const std::byte> header,
                            std::span<const std::byte> payload) noexcept {
  if (broken_) return;
  Piece piece;
  if (header.size() == sizeof piece) std::memcpy(&piece, header.data(), sizeof piece);
  if (header.size() != sizeof piece || piece.magic != Piece::kMagic) {
    return fall(text("",
                     " sent a packet that btl/chaos has not made: select btl/chaos in all "
                     "processes of the job or in none"));
  }
  if (!genuine(piece, payload)) return;
  if (piece.kind == PieceKind::hangup) {
    kept_.clear();
    kept_bytes_ = 0;
    return fall(text("", " dropped the connection (btl/chaos)"));
  }
  take(piece, sink, payload);
}

// What is damaged, or is not what comes next, ends the connection.
bool ChaosEndpoint::genuine(const Piece& piece, std::span<const std::byte> payload) {
  if (const std::uint64_t sum = checksum(piece, payload); sum != piece.checksum) {
    hang_up(text("", " sent a packet that arrived damaged: number ") + std::to_string(received_) +
            ", by its checksum; nothing of it was delivered");
    return false;
  }
  if (piece.kind == PieceKind::hangup) return true;
  const bool first = piece.offset == 0 && wanted_ == 0;
  const bool next = wanted_ != 0 && piece.offset == got_ && piece.payload_bytes == wanted_;
  if (piece.number == received_ && (first || next)) return true;
  hang_up(text("", " sent packets that arrived in another order, or not at all: number ") +
          std::to_string(piece.number) + " came where " + std::to_string(received_) + " was due");
  return false;
}

void ChaosEndpoint::take(const Piece& piece, Sink* sink, std::span<const std::byte> payload) {
  const auto header = payload.first(piece.header_bytes);
  if (piece.offset == 0 && payload.size() == piece.header_bytes + piece.payload_bytes) {
    ++received_;
    if (sink != nullptr) sink->deliver(*this, header, payload.subspan(header.size()));
    return;
  }
  if (piece.offset == 0) begin(piece, sink, payload);
  const std::size_t bytes = std::min(payload.size(), wanted_ - got_);
  std::memcpy(target_ + got_, payload.data(), bytes);
  got_ += bytes;
  if (got_ == wanted_) finish(sink);
}

void ChaosEndpoint::begin(const Piece& piece, Sink* sink, std::span<const std::byte>& payload) {
  header_.assign(payload.begin(), payload.begin() + piece.header_bytes);
  payload = payload.subspan(header_.size());
  wanted_ = piece.payload_bytes;
  got_ = 0;
  target_ = lands_ && sink != nullptr ? sink->landing(*this, header_, wanted_) : nullptr;
  landing_ = target_ != nullptr;
  if (landing_) return;
  gathered_.resize(wanted_);
  target_ = gathered_.data();
}

// The sink may send to this peer, and poll.
void ChaosEndpoint::finish(Sink* sink) noexcept {
  const std::vector<std::byte> header = std::move(header_), payload = std::move(gathered_);
  const std::size_t bytes = wanted_;
  header_.clear();
  gathered_.clear();
  wanted_ = got_ = 0;
  ++received_;
  if (sink == nullptr) return;
  landing_ ? sink->landed(*this, header, bytes) : sink->deliver(*this, header, payload);
}

}  // namespace tessera::btl::chaos
