// SPDX-License-Identifier: BSD-3-Clause
// Sending and receiving on one connection.
#include "endpoint.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "names.h"
#include "socket.h"
#include "wire.h"

namespace tessera::btl::tcp {
namespace {

// Up to here one contiguous copy costs less than a gathering system call (measured, as the next
// one: docs/decisions/0065).
constexpr std::size_t kSmallPacket = 2048;

// Larger payloads are refused rather than queued behind a full socket: the caller still holds them,
// so the copy that queueing would cost buys nothing.
constexpr std::size_t kQueuePayload = 4096;

Frame frame_of(const Packet& packet) noexcept {
  return {static_cast<std::uint32_t>(packet.payload_bytes), packet.header_bytes,
          static_cast<std::uint8_t>(packet.channel), FrameKind::packet};
}

// Frame and header of a packet.
class Front {
 public:
  explicit Front(const Packet& packet) noexcept
      : size_(std::size_t{Frame::kBytes} + packet.header_bytes) {
    frame_of(packet).write(bytes_.data());
    if (packet.header_bytes != 0)
      std::memcpy(bytes_.data() + Frame::kBytes, packet.header, packet.header_bytes);
  }
  std::byte* data() noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return size_; }

 private:
  std::array<std::byte, Frame::kBytes + kMaxHeader> bytes_;
  std::size_t size_;
};

}  // namespace

TcpEndpoint::TcpEndpoint(Peer& peer, Station& station) noexcept
    : Endpoint(peer),
      station_(station),
      outbox_(station.settings.queue_limit),
      inbox_(station.settings.attributes.eager_limit),
      meeting_(station, *this) {}

Status TcpEndpoint::send(const Packet& packet) noexcept {
  if (state_ != State::open || writing_ || send_error_ != 0) [[unlikely]]
    return send_queued(packet);
  station_.spoke = true;
  const std::size_t total = frame_of(packet).total();
  const ssize_t sent = total <= kSmallPacket ? send_small(packet)
                       : packet.lent         ? send_lent(packet)
                                             : send_parts(packet);
  if (sent > 0) [[likely]] {
    station_.counts.bytes_sent += static_cast<std::uint64_t>(sent);
    inbox_.sent(static_cast<std::size_t>(sent));
  }
  if (sent == static_cast<ssize_t>(total)) [[likely]]
    return {};
  if (sent < 0 && sent != -EAGAIN) {
    send_failed(static_cast<int>(-sent));
    return why();
  }
  keep_rest(packet, sent > 0 ? static_cast<std::size_t>(sent) : 0);
  return {};
}

ssize_t TcpEndpoint::send_small(const Packet& packet) noexcept {
  std::array<std::byte, kSmallPacket> bytes;
  const Frame frame = frame_of(packet);
  frame.write(bytes.data());
  if (packet.header_bytes != 0)
    std::memcpy(bytes.data() + Frame::kBytes, packet.header, packet.header_bytes);
  if (packet.payload_bytes != 0) {
    std::memcpy(bytes.data() + Frame::kBytes + packet.header_bytes, packet.payload,
                packet.payload_bytes);
  }
  return send_some(socket_.get(), bytes.data(), frame.total());
}

ssize_t TcpEndpoint::send_parts(const Packet& packet) noexcept {
  Front front(packet);
  std::array<iovec, 2> parts{
      {{front.data(), front.size()}, {const_cast<void*>(packet.payload), packet.payload_bytes}}};
  return tcp::send_parts(socket_.get(), parts);
}

ssize_t TcpEndpoint::send_lent(const Packet& packet) noexcept {
  const std::size_t least = station_.settings.zero_copy;
  if (least == 0 || packet.payload_bytes < least) return send_parts(packet);
  Front front(packet);
  const ssize_t sent = send_first(socket_.get(), front.data(), front.size());
  if (sent != static_cast<ssize_t>(front.size())) return sent;
  const auto* payload = static_cast<const std::byte*>(packet.payload);
  return sent +
         static_cast<ssize_t>(station_.lender.send(socket_.get(), {payload, packet.payload_bytes}));
}

// The kernel took the first `sent` bytes of the frame, header and payload; the others wait for
// room.
void TcpEndpoint::keep_rest(const Packet& packet, std::size_t sent) noexcept {
  Front front(packet);
  if (sent < front.size()) outbox_.append(front.data() + sent, front.size() - sent);
  const std::size_t skip = sent > front.size() ? sent - front.size() : 0;
  outbox_.append(static_cast<const std::byte*>(packet.payload) + skip, packet.payload_bytes - skip);
  want_write(true);
}

Status TcpEndpoint::send_queued(const Packet& packet) noexcept {
  if (state_ == State::left || state_ == State::lost || send_error_ != 0) return why();
  const std::size_t total = frame_of(packet).total();
  if (!outbox_.has_room(total)) return Errc::again;
  if (state_ == State::open && !outbox_.empty() && packet.payload_bytes > kQueuePayload)
    return Errc::again;
  outbox_.append_packet(packet);
  start_meeting();
  return state_ == State::lost ? why() : Status();
}

// May end at once, when there is nobody to call.
void TcpEndpoint::start_meeting() noexcept {
  if (state_ == State::open) return;
  join_meeting();
  meeting_.call();
}

void TcpEndpoint::join_meeting() noexcept {
  state_ = State::meeting;
  if (listed_) return;
  listed_ = true;
  station_.meeting.push_back(this);
  station_.reactor.tick(Reactor::kTickMs);
}

bool TcpEndpoint::tick() noexcept {
  if (state_ == State::meeting) meeting_.tick();
  listed_ = state_ == State::meeting && meeting_.busy();
  return listed_;
}

void TcpEndpoint::send_failed(int error) noexcept {
  send_error_ = error;
  reason_ = "connection to ";
  reason_.append(station_.name_of(peer())).append(" broke: ").append(system_text("send", error));
  // Nothing can leave any more; receive() finds out whether the peer said bye.
  outbox_.clear();
  want_write(false);
}

int TcpEndpoint::flush() noexcept {
  const std::size_t before = outbox_.size();
  if (const int error = outbox_.flush(socket_.get()); error != 0) send_failed(error);
  station_.counts.bytes_sent += before - std::min(before, outbox_.size());
  want_write(!outbox_.empty());
  return outbox_.size() != before ? 1 : 0;
}

void TcpEndpoint::want_write(bool wanted) noexcept {
  if (wanted == writing_) return;
  writing_ = wanted;
  wanted ? ++station_.writers : --station_.writers;
  if (socket_.valid())
    station_.reactor.change(socket_, wanted ? EPOLLIN | EPOLLOUT : EPOLLIN, *this);
}

int TcpEndpoint::ready(std::uint32_t events) noexcept {
  if (state_ != State::open) return 0;
  int count = 0;
  if ((events & EPOLLOUT) != 0 && writing_) count += flush();
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) count += receive();
  return count;
}

int TcpEndpoint::receive() noexcept {
  if (receiving_ || state_ != State::open) return 0;
  receiving_ = true;
  int packets = 0;
  const ssize_t result = inbox_.fill(socket_.get());
  if (result > 0) station_.counts.bytes_received += static_cast<std::uint64_t>(result);
  const auto verdict =
      result > 0 ? inbox_.deliver(*this, station_.sinks, packets) : Inbox::Verdict::more;
  receiving_ = false;
  if (packets > 0) station_.heard(*this);
  const bool goes_on = (result > 0 && verdict == Inbox::Verdict::more) || result == -EAGAIN;
  if (goes_on) [[likely]]
    return packets;
  ended(result, verdict);
  return packets + 1;
}

void TcpEndpoint::ended(ssize_t result, Inbox::Verdict verdict) noexcept {
  const std::string who = station_.name_of(peer());
  if (verdict == Inbox::Verdict::bye) return leave(State::left, who + " has left the job");
  std::string how = "it sent bytes that are no packet";
  if (result == 0)
    how = inbox_.mid_packet() ? "closed in the middle of a packet" : "closed by the other side";
  if (result == -ETIMEDOUT) return leave(State::lost, silence());
  if (result < 0) how = system_text("recv", static_cast<int>(-result));
  if (send_error_ != 0) how = system_text("send", send_error_);
  std::string text = "connection to ";
  leave(State::lost,
        text.append(who).append(" broke: ").append(how).append("; the process has probably died"));
}

void TcpEndpoint::leave(State state, std::string reason) noexcept {
  if (state_ == State::open) {
    count_retransmissions();
    --station_.counts.connections;
  }
  state_ = state;
  reason_ = std::move(reason);
  outbox_.clear();
  want_write(false);
  socket_.close();
  inbox_.release();
  if (station_.speaker == this) station_.forget_speaker();
  if (state == State::lost) station_.fallen.push_back(this);
}

void TcpEndpoint::count_retransmissions() noexcept {
  const std::uint64_t so_far = look_at(socket_).retransmitted;
  station_.counts.retransmissions += so_far - std::min(retransmitted_, so_far);
  retransmitted_ = std::max(retransmitted_, so_far);
}

void TcpEndpoint::watch(std::int64_t now_us) noexcept {
  count_retransmissions();
  const LinkVerdict verdict = watch_.look(socket_, station_.settings.silence_s, now_us);
  if (verdict == LinkVerdict::lost) return leave(State::lost, silence());
  if (verdict != LinkVerdict::doubtful) return;
  if (const auto card = station_.card_of(peer())) watch_.call(socket_, card->port, now_us);
}

std::string TcpEndpoint::silence() const {
  const std::string here = station_.card.node;
  const std::string there = station_.card_of(peer()).value_or(Card{}).node;
  std::string text = station_.name_of(peer());
  text.append(" (")
      .append(far_end(socket_))
      .append(") has not answered for ")
      .append(std::to_string(station_.settings.silence_s))
      .append(" s: ");
  if (there == here) return text.append("its network stack is gone");
  return text.append(there)
      .append(" is down, or the network between ")
      .append(here)
      .append(" and ")
      .append(there)
      .append(" is cut");
}

// A call that is not wanted any more ends here, perhaps within several rounds of the reactor, which
// may still have an event for it.
void TcpEndpoint::called(std::unique_ptr<Arrival> arrival, const Hello& hello) noexcept {
  if (state_ != State::idle && state_ != State::meeting) {
    arrival->close();
    return station_.reactor.bury(std::move(arrival));
  }
  join_meeting();
  meeting_.receive(std::move(arrival), hello);
}

void TcpEndpoint::agreed(Socket socket, std::uint64_t max_packet) noexcept {
  socket_ = std::move(socket);
  state_ = State::open;
  ++station_.counts.connections;
  inbox_.expect(max_packet);
  station_.reactor.change(socket_, EPOLLIN, *this);
  (void)flush();
}

void TcpEndpoint::gave_up(const std::string& why) noexcept {
  leave(State::lost, why);
}

void TcpEndpoint::say_bye() noexcept {
  if (state_ == State::meeting) meeting_.close(true);
  if (state_ != State::open) return;
  std::array<std::byte, Frame::kBytes> bytes;
  Frame{0, 0, 0, FrameKind::bye}.write(bytes.data());
  outbox_.append(bytes.data(), bytes.size());
}

// Keeps reading, and dropping, what still comes: unread bytes would make the kernel reset the
// connection on close, and a reset would destroy what the peer's kernel has not got yet.
bool TcpEndpoint::delivered() noexcept {
  if (state_ != State::open) return true;
  if (!outbox_.empty() && outbox_.flush(socket_.get()) != 0) return true;
  if (!outbox_.empty()) return !discard(socket_);
  shutdown(socket_.get(), SHUT_WR);
  return !discard(socket_) || unacknowledged(socket_) == 0;
}

void TcpEndpoint::close() noexcept {
  meeting_.close(false);
  if (state_ == State::open) leave(State::left, "this process has left the job");
}

}  // namespace tessera::btl::tcp
