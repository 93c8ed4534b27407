// SPDX-License-Identifier: BSD-3-Clause
// The way to one peer over one TCP connection.
#pragma once
//
// Life cycle: idle until the first packet or the peer's call; meeting until a connection is agreed,
// packets queue in the outbox; open; then `left` when the peer said bye (no failure, but nothing
// can be sent any more), or `lost`. Only the receiving side decides between the two: a failed send
// may have the peer's bye still before it.
//
#include <cstdint>
#include <string>

#include "inbox.h"
#include "meeting.h"
#include "outbox.h"
#include "reactor.h"
#include "station.h"
#include "tessera/btl.h"
#include "watch.h"

namespace tessera::btl::tcp {

class TcpEndpoint final : public Endpoint, public Watched, private MeetingHost {
 public:
  TcpEndpoint(Peer& peer, Station& station) noexcept;

  Status send(const Packet& packet) noexcept override;

  // One receive and the delivery of what it brought: the number of packets. Nothing from within its
  // own sinks.
  int receive() noexcept;
  int ready(std::uint32_t events) noexcept override;

  // The peer has called us.
  void called(std::unique_ptr<Arrival> arrival, const Hello& hello) noexcept;
  // Looks after deadlines; false when there is nothing more to look after.
  bool tick() noexcept;
  // Once a second while open: whether the peer's machine still answers.
  void watch(std::int64_t now_us) noexcept;
  // The failure that the sinks are to be told.
  Status why() const noexcept { return Status::failure(Errc::peer_failed, reason_); }

  // Whether a part of a packet has arrived, and its rest is due.
  bool mid_packet() const noexcept { return inbox_.mid_packet(); }

  bool flushed() const noexcept { return outbox_.empty(); }
  bool open() const noexcept { return state_ == State::open; }
  // Closing in steps, by the module: the last frame; then whether the peer's kernel has all, or the
  // link is down.
  void say_bye() noexcept;
  bool delivered() noexcept;
  void close() noexcept;

 private:
  enum class State : std::uint8_t { idle, meeting, open, left, lost };

  Status send_queued(const Packet& packet) noexcept;
  void start_meeting() noexcept;
  void join_meeting() noexcept;
  ssize_t send_small(const Packet& packet) noexcept;
  ssize_t send_parts(const Packet& packet) noexcept;
  ssize_t send_lent(const Packet& packet) noexcept;
  void keep_rest(const Packet& packet, std::size_t sent) noexcept;
  void send_failed(int error) noexcept;
  int flush() noexcept;
  void want_write(bool wanted) noexcept;
  void ended(ssize_t result, Inbox::Verdict verdict) noexcept;
  void count_retransmissions() noexcept;
  void leave(State state, std::string reason) noexcept;
  std::string silence() const;

  Peer& partner() const noexcept override { return peer(); }
  void agreed(Socket socket, std::uint64_t max_packet) noexcept override;
  void gave_up(const std::string& why) noexcept override;

  Station& station_;
  Socket socket_;
  State state_ = State::idle;
  bool receiving_ = false;
  bool listed_ = false;              // in Station::meeting
  bool writing_ = false;             // the socket was full: we wait for EPOLLOUT
  int send_error_ = 0;               // errno of the first failed send
  std::uint64_t retransmitted_ = 0;  // segments, when it was looked at last
  Outbox outbox_;
  Inbox inbox_;
  Meeting meeting_;
  Watch watch_;
  std::string reason_;
};

}  // namespace tessera::btl::tcp
