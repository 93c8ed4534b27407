// SPDX-License-Identifier: BSD-3-Clause
// The receiving half of a connection: bytes in, packets out.
#pragma once
//
// One receive brings as many frames as fit into the buffer; whole packets are delivered from where
// they lie. A large payload that is still on its way is read straight to where its sink wants it
// (Sink::landing), the frame behind it in the same call. Without a landing it is gathered, in the
// buffer if it fits, else beside it.
//
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tessera/btl.h"
#include "wire.h"

namespace tessera::btl::tcp {

class Inbox {
 public:
  // Room for `eager` bytes of payload in the buffer, so that eager packets need no second place.
  explicit Inbox(std::size_t eager) noexcept : capacity_(eager + kSlack) {}

  // No frame may be larger than what the peer announced.
  void expect(std::uint64_t max_packet) noexcept { max_packet_ = max_packet; }

  // This process has sent `bytes` on the same connection.
  void sent(std::size_t bytes) noexcept {
    sent_ahead_ = std::min(sent_ahead_ + bytes, kMostSentAhead);
  }

  // One receive: bytes read, 0 at the end of the stream, -errno (also -EAGAIN).
  ssize_t fill(int socket);

  // What deliver() came to, beside the packets.
  enum class Verdict : std::uint8_t { more, bye, garbage };
  // Hands all complete packets to their sinks and counts them into `packets`. Not to be entered
  // again from a sink.
  Verdict deliver(Endpoint& from, const Sinks& sinks, int& packets);

  // Whether a part of a packet has arrived.
  bool mid_packet() const noexcept { return open_ || begin_ != end_; }
  void release() noexcept;

 private:
  static constexpr std::size_t kSlack = 4096;
  static constexpr std::size_t kPeek =
      512;  // read behind a large payload: the next frame and header
  // After a payload as long as this, the next one is expected to be long although as many small
  // packets come between: a put and its flush, a message and its announcement.
  static constexpr std::size_t kLong = std::size_t{16} << 10;
  static constexpr int kSmallBetween = 2;
  // Smaller payloads are not worth a second receive (measured: docs/decisions/0065); where this
  // process sends as much as it receives, neither are those below kLong (docs/decisions/0147).
  static constexpr std::size_t kLandMin = 1024;
  static constexpr std::size_t kMostSentAhead = std::size_t{1} << 20;

  std::size_t available() const noexcept { return end_ - begin_; }
  ssize_t fill_payload(int socket) noexcept;
  ssize_t fill_buffer(int socket) noexcept;
  bool plausible(const Frame& frame) const noexcept;
  bool may_land(const Frame& frame) const noexcept {
    return frame.payload_bytes >= (sent_ahead_ > 0 ? kLong : kLandMin);
  }
  void look_far() noexcept;
  void deliver_whole(const Frame& frame, Endpoint& from, Sink* sink);
  bool open_payload(const Frame& frame, Endpoint& from, Sink* sink);
  void close_payload(Endpoint& from, Sink* sink);

  std::size_t capacity_;
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t reach_ = SIZE_MAX;  // the most that one receive into the buffer takes
  int narrow_ = 0;                // packets that come whole before it reaches farther again
  std::uint64_t max_packet_ = 0;
  std::size_t sent_ahead_ = 0;  // bytes sent for which as many have not arrived yet

  // The payload under way. While one is open, the buffer is empty.
  Frame frame_;
  std::array<std::byte, kMaxHeader> header_{};
  std::byte* target_ = nullptr;  // next byte of it goes here
  std::size_t missing_ = 0;      // bytes still to come
  bool open_ = false;
  bool landing_ = false;  // in the sink's memory, else gathered
  bool asked_ = false;    // the sink of the frame at begin_ had no landing
  std::vector<std::byte> gathered_;
};

}  // namespace tessera::btl::tcp
