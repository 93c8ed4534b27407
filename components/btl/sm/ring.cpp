// SPDX-License-Identifier: BSD-3-Clause
// Longer payloads: how they are sent, and received while they are being sent.
#include "ring.h"

#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tessera/copy.h"

namespace tessera::btl::sm {
namespace {

// Of a process of another job, whose end nobody tells while this one waits here: the engine looks
// at it when it polls.
bool has_ended(std::int32_t pid) noexcept {
#ifdef SYS_pidfd_open
  if (pid <= 0) return false;
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) return errno == ESRCH;
  pollfd end{process, POLLIN, 0};
  const bool ended = ::poll(&end, 1, 0) == 1;
  close(process);
  return ended;
#else
  return static_cast<void>(pid), false;
#endif
}

}  // namespace

void Outbox::fill_longer(const Packet& packet, std::byte* data, std::uint32_t lines) noexcept {
  const bool counts = counted(packet.header_bytes, packet.payload_bytes);
  if (counts && !packet.crossing && !receiver_is_behind(lines)) return stream(packet, data);
  long_copy_.copy(payload_place(packet, data), packet.payload, packet.payload_bytes);
  if (counts)
    (*next_).written().store(static_cast<std::uint32_t>(packet.payload_bytes),
                             std::memory_order_relaxed);
  finish(packet, data);
}

void Outbox::stream(const Packet& packet, std::byte* data) noexcept {
  Slot& slot = *next_;
  copy_short(slot.bytes, packet.header, packet.header_bytes);
  slot.written().store(0, std::memory_order_relaxed);
  publish(packet);
  const auto* payload = static_cast<const std::byte*>(packet.payload);
  for (std::size_t done = 0; done < packet.payload_bytes;) {
    const std::size_t bytes = std::min(kChunk, packet.payload_bytes - done);
    copy_near(data + done, payload + done, bytes);
    done += bytes;
    slot.written().store(static_cast<std::uint32_t>(done), std::memory_order_release);
  }
}

// The sender is in the middle of a copy: it is a matter of nanoseconds, unless it has lost its
// processor, or died.
std::size_t Inbox::more_than(const Slot& slot, std::size_t known) noexcept {
  constexpr int kSpins = 1000;  // measured: docs/decisions/0065
  bool ended = false;
  for (int spins = 0;; ++spins) {
    const std::size_t written = slot.written().load(std::memory_order_acquire);
    if (written > known) return written;
    if (ended) return 0;  // and it has written nothing more
    if (spins < kSpins) continue;
    if (from_->peer().failed.load(std::memory_order_relaxed)) return 0;
    if (progress_ != nullptr)
      progress_->notice_failures();
    else if (spins % kSpins == 0)
      ended = has_ended(from_->peer().pid);
    sched_yield();
  }
}

void Inbox::take_long(const Slot& slot, std::size_t header, std::size_t payload,
                      Sink* sink) noexcept {
  const std::byte* data = claim(data_need(header, payload));
  const bool outside = header > kInline;
  reach_into_next();
  if (counted(header, payload)) {
    follow(slot, sink, {slot.bytes, header}, {data, payload});
  } else {
    deliver(sink, {outside ? data : slot.bytes, header},
            {outside ? data + kCacheLine : data, payload});
  }
  if (depth_ == 1 && owed_data_ >= geometry_->data_return) return_credit();
}

void Inbox::return_credit() noexcept {
  const std::uint32_t slots = expected_ - std::exchange(returned_to_, expected_);
  const std::uint32_t lines = std::exchange(owed_data_, 0) / static_cast<std::uint32_t>(kCacheLine);
  returned_ = Credit::pack(Credit::slots(returned_) + slots, Credit::lines(returned_) + lines);
  memory_.credit->returned.store(returned_, std::memory_order_release);
  if (Doorbell* bell = from_->peer().bell) bell->ring();  // the sender may wait for room
}

void Inbox::follow(const Slot& slot, Sink* sink, std::span<const std::byte> header,
                   std::span<const std::byte> payload) noexcept {
  if (sink == nullptr) return;
  std::byte* place = sink->landing(*from_, header, payload.size());
  const Caches caches = place != nullptr ? caches_for(place, payload.size()) : Caches::used;
  std::size_t there = 0;
  while (there < payload.size()) {
    const std::size_t written = more_than(slot, there);
    if (written == 0) return;
    if (place != nullptr)
      copy_memory(place + there, payload.data() + there, written - there, caches);
    there = written;
  }
  if (place == nullptr) return deliver(sink, header, payload);
  sink->landed(*from_, header, payload.size());
}

}  // namespace tessera::btl::sm
