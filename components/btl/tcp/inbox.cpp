// SPDX-License-Identifier: BSD-3-Clause
// Taking a byte stream apart into packets.
#include "inbox.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "socket.h"
#include "tessera/copy.h"

namespace tessera::btl::tcp {
namespace {

std::span<const std::byte> view(const std::byte* at, std::size_t bytes) noexcept {
  return {at, bytes};
}

}  // namespace

ssize_t Inbox::fill(int socket) {
  if (!buffer_) buffer_.reset(new std::byte[capacity_]);
  const ssize_t got = missing_ > 0 ? fill_payload(socket) : fill_buffer(socket);
  if (got > 0) sent_ahead_ -= std::min(sent_ahead_, static_cast<std::size_t>(got));
  return got;
}

ssize_t Inbox::fill_payload(int socket) noexcept {
  std::array<iovec, 2> parts{{{target_, missing_}, {buffer_.get(), kPeek}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ssize_t got = 0;
  do {
    got = recvmsg(socket, &message, MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return -errno;
  const std::size_t landed = std::min(static_cast<std::size_t>(got), missing_);
  target_ += landed;
  missing_ -= landed;
  end_ = static_cast<std::size_t>(got) - landed;
  return got;
}

ssize_t Inbox::fill_buffer(int socket) noexcept {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, available());
    end_ -= begin_;
    begin_ = 0;
  }
  const ssize_t got =
      receive_some(socket, buffer_.get() + end_, std::min(capacity_ - end_, reach_));
  if (got > 0) end_ += static_cast<std::size_t>(got);
  return got;
}

bool Inbox::plausible(const Frame& frame) const noexcept {
  if (frame.kind != FrameKind::packet)
    return frame.kind == FrameKind::bye && frame.total() == Frame::kBytes;
  const std::uint64_t bytes = std::uint64_t{frame.header_bytes} + frame.payload_bytes;
  return frame.channel < kChannels && frame.header_bytes <= kMaxHeader && bytes <= max_packet_;
}

Inbox::Verdict Inbox::deliver(Endpoint& from, const Sinks& sinks, int& packets) {
  if (open_ && missing_ == 0) {
    close_payload(from, sinks[frame_.channel]);
    ++packets;
  }
  while (!open_ && available() >= Frame::kBytes) {
    const Frame frame = Frame::read(&buffer_[begin_]);
    if (!plausible(frame)) return Verdict::garbage;
    if (frame.kind == FrameKind::bye) return Verdict::bye;
    if (available() >= frame.total()) {
      deliver_whole(frame, from, sinks[frame.channel]);
      ++packets;
    } else if (!open_payload(frame, from, sinks[frame.channel])) {
      break;
    }
  }
  return Verdict::more;
}

void Inbox::look_far() noexcept {
  reach_ = SIZE_MAX;
  narrow_ = 0;
}

void Inbox::deliver_whole(const Frame& frame, Endpoint& from, Sink* sink) {
  const std::byte* at = &buffer_[begin_] + Frame::kBytes;
  begin_ += frame.total();
  asked_ = false;
  if (narrow_ == 0 || --narrow_ == 0) reach_ = SIZE_MAX;
  if (sink == nullptr) return;
  sink->deliver(from, view(at, frame.header_bytes),
                view(at + frame.header_bytes, frame.payload_bytes));
}

// The frame at begin_ is incomplete. True if its payload now goes elsewhere; false if the buffer
// waits for the rest.
bool Inbox::open_payload(const Frame& frame, Endpoint& from, Sink* sink) {
  const std::size_t front = Frame::kBytes + frame.header_bytes;
  if (available() < front) return false;
  const std::byte* header = &buffer_[begin_] + Frame::kBytes;
  std::byte* target = nullptr;
  if (!asked_ && sink != nullptr && may_land(frame)) {
    target = sink->landing(from, view(header, frame.header_bytes), frame.payload_bytes);
    asked_ = true;
  }
  landing_ = target != nullptr;
  if (!landing_) {
    look_far();
    if (frame.total() <= capacity_) return false;
    gathered_.resize(frame.payload_bytes);
    target = gathered_.data();
  }
  std::memcpy(header_.data(), header, frame.header_bytes);
  const std::size_t here = available() - front;
  copy_near(target, header + frame.header_bytes, here);
  frame_ = frame;
  target_ = target + here;
  missing_ = frame.payload_bytes - here;
  begin_ = end_ = 0;
  open_ = true;
  return true;
}

void Inbox::close_payload(Endpoint& from, Sink* sink) {
  open_ = false;
  asked_ = false;
  if (landing_) {
    // More of the kind is likely: leave it in the kernel until its landing is known.
    reach_ = kPeek;
    narrow_ = frame_.payload_bytes >= kLong ? 1 + kSmallBetween : 1;
  }
  if (sink == nullptr) return;
  const auto header = view(header_.data(), frame_.header_bytes);
  if (landing_) {
    sink->landed(from, header, frame_.payload_bytes);
  } else {
    sink->deliver(from, header, gathered_);
    gathered_ = {};
  }
}

void Inbox::release() noexcept {
  buffer_.reset();
  gathered_ = {};
  begin_ = end_ = 0;
  missing_ = 0;
  open_ = false;
}

}  // namespace tessera::btl::tcp
