// SPDX-License-Identifier: BSD-3-Clause
// One ring between two processes: the sender's end (Outbox) and the receiver's end (Inbox).
#pragma once
//
// Each packet takes one slot, a cache line whose first word says all about it: a sequence number,
// sizes and channel. The receiver polls that word of the next slot; a packet of up to 56 bytes
// (header and payload) is in the same line, so that one line moves. The payload of a longer packet
// lies in one piece in the data part; where, both ends compute alike. Nothing is ever cleared: a
// slot holds nothing but slots, so a word with the expected sequence number is the next packet.
//
// Memory model. The sender writes header and payload, then stores the word with release; the
// receiver loads it with acquire and, if the sequence number matches, reads what it describes: the
// bytes happened before. The receiver is done with the bytes when deliver() returned, then stores
// the credit with release; the sender loads it with acquire before it writes there again. Each side
// writes only its own lines, no word has two writers, hence no fence, lock or read-modify-write is
// needed. The sequence number of a slot's previous use is smaller by `slots`, and of a fresh slot 0
// while counting starts with 1, so an old word is never taken for a new one; the counter may wrap.
//
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "copy.h"
#include "layout.h"
#include "long_copy.h"
#include "tessera/btl.h"

namespace tessera::btl::sm {

inline constexpr std::size_t kInline = kCacheLine - 8;  // bytes of a packet that travel in its slot
// The limits below were measured (docs/decisions/0065).
// Lines of a payload worth asking for before it is copied.
inline constexpr std::uint32_t kReachAhead = 8;

// A longer payload is announced first, and then written in pieces, if the receiver waits for it. It
// copies while the sender does, but both work on the same lines, and that slows both down: in a run
// of packets, where the receiver has others to copy meanwhile, two thirds of the bandwidth would be
// left. So would four fifths where packets cross (docs/decisions/0142).
inline constexpr std::size_t kStreamed = 8192;
inline constexpr std::size_t kChunk = 4096;

// In a run of packets both ends ask for slots before they need them, the sender to write, the
// receiver to read: lines then move while others are worked on, which raises the rate of small
// packets by two fifths. The receiver asks for what is written already, so that it does not take a
// line away from the sender.
inline constexpr std::ptrdiff_t kWriteAhead = 6;  // slots
inline constexpr std::ptrdiff_t kReadAhead = 4;

inline constexpr std::uint32_t kFirstSequence = 1;  // fresh memory is 0

struct alignas(kCacheLine) Slot {
  std::atomic<std::uint64_t> word;
  std::byte bytes[kInline];

  // Of a counted packet: the bytes of its payload that are there.
  static constexpr std::size_t kCountedHeader = kInline - 8;
  std::atomic_ref<std::uint32_t> written() const noexcept {
    auto* place = const_cast<std::byte*>(bytes) + kCountedHeader;
    return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(place));
  }
};
static_assert(sizeof(Slot) == kCacheLine);

// Whether the payload may still be under way when its packet is published, so that the slot counts
// it.
constexpr bool counted(std::size_t header, std::size_t payload) noexcept {
  return payload > kStreamed && header <= Slot::kCountedHeader;
}

// The first word of a slot: sequence 32 bits, payload size 22, header size 7, channel 3.
struct Word {
  static constexpr std::uint64_t kMaxPayload = (1u << 22) - 1;

  static std::uint64_t pack(std::uint32_t sequence, const Packet& packet) noexcept {
    return sequence | std::uint64_t{packet.payload_bytes} << 32 |
           std::uint64_t{packet.header_bytes} << 54 |
           static_cast<std::uint64_t>(packet.channel) << 61;
  }
  static std::uint32_t sequence(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word);
  }
  static std::size_t payload(std::uint64_t word) noexcept { return (word >> 32) & kMaxPayload; }
  static std::size_t header(std::uint64_t word) noexcept { return (word >> 54) & 127; }
  static_assert(kChannels <= 8 && kMaxHeader < 128);
  static std::size_t channel(std::uint64_t word) noexcept { return word >> 61; }
};

// What the receiver has given back since the ring was opened, both modulo 2^32: lines of payload
// and slots.
struct alignas(kCacheLine) Credit {
  std::atomic<std::uint64_t> returned;

  static std::uint64_t pack(std::uint32_t slots, std::uint32_t lines) noexcept {
    return std::uint64_t{lines} << 32 | slots;
  }
  static std::uint32_t slots(std::uint64_t returned) noexcept {
    return static_cast<std::uint32_t>(returned);
  }
  static std::uint32_t lines(std::uint64_t returned) noexcept {
    return static_cast<std::uint32_t>(returned >> 32);
  }
};

// Bytes of the data part that a packet needs. A header too long for the slot goes there as well, in
// a line of its own.
constexpr std::uint32_t data_need(std::size_t header, std::size_t payload) noexcept {
  return static_cast<std::uint32_t>(round_up(payload, kCacheLine) +
                                    (header > kInline ? kCacheLine : 0));
}

// A position in the data part, advanced alike by both ends: a reservation is in one piece, so the
// end of the ring is skipped when it is too short.
class DataCursor {
 public:
  struct Step {
    std::uint32_t offset;  // where the reservation starts
    std::uint32_t taken;   // bytes used up, the skipped ones included
  };
  Step peek(std::uint32_t need, std::uint32_t capacity) const noexcept {
    const std::uint32_t left = capacity - offset_;
    if (need <= left) [[likely]]
      return {offset_, need};
    return {0, left + need};
  }
  std::uint32_t offset() const noexcept { return offset_; }
  void advance(Step step, std::uint32_t need) noexcept { offset_ = step.offset + need; }

 private:
  std::uint32_t offset_ = 0;
};

// A place in the slots of a ring, advanced alike by both ends.
class SlotCursor {
 public:
  SlotCursor(Slot* slots, std::uint32_t count) noexcept
      : slot_(slots), end_(slots + count), count_(count) {}
  Slot& operator*() const noexcept { return *slot_; }
  // The next one, round the ring.
  void advance() noexcept { slot_ = slot_ + 1 == end_ ? slot_ + 1 - count_ : slot_ + 1; }
  // The one that is `distance` further; of a ring that is shorter any address, good to be asked for
  // only.
  const void* ahead(std::ptrdiff_t distance) const noexcept {
    const std::ptrdiff_t left = end_ - slot_;
    return slot_ + (distance < left ? distance : distance - count_);
  }

 private:
  Slot* slot_;
  Slot* end_;
  std::ptrdiff_t count_;
};

// The two ends of the memory of one ring.
struct RingMemory {
  RingMemory(std::byte* base, const Geometry& geometry) noexcept
      : credit(reinterpret_cast<Credit*>(base)),
        slots(reinterpret_cast<Slot*>(base + 2 * kCacheLine)),
        data(base + geometry.data_offset()) {}
  Credit* credit;
  Slot* slots;
  std::byte* data;
};

// The sending end. It starts without any room; admit_slots() and admit_data() open the two parts
// once they are committed.
class Outbox {
 public:
  Outbox(std::byte* base, const Geometry& geometry, std::uint32_t first = kFirstSequence) noexcept
      : memory_(base, geometry),
        geometry_(geometry),
        next_(memory_.slots, geometry.slots),
        sequence_(first) {}

  bool has_slot() const noexcept { return free_slots_ != 0; }
  std::uint64_t packets() const noexcept { return sequence_ - kFirstSequence; }
  void admit_slots() noexcept { free_slots_ = geometry_.slots; }
  void admit_data() noexcept {
    free_lines_ = geometry_.data / static_cast<std::uint32_t>(kCacheLine);
  }

  // Looks what the receiver has returned since.
  void collect_credit() noexcept {
    const std::uint64_t returned = memory_.credit->returned.load(std::memory_order_acquire);
    free_slots_ += Credit::slots(returned) - Credit::slots(seen_);
    free_lines_ += Credit::lines(returned) - Credit::lines(seen_);
    seen_ = returned;
  }

  // With has_slot() and header_bytes + payload_bytes <= kInline.
  void put_inline(const Packet& packet) noexcept {
    std::byte* bytes = (*next_).bytes;
    copy_short(bytes, packet.header, packet.header_bytes);
    copy_short(bytes + packet.header_bytes, packet.payload, packet.payload_bytes);
    publish(packet);
  }

  // With has_slot(). False, and no effect, when the data part has no room for it.
  bool put_long(const Packet& packet) noexcept {
    const std::uint32_t need = data_need(packet.header_bytes, packet.payload_bytes);
    const DataCursor::Step step = cursor_.peek(need, geometry_.data);
    const std::uint32_t lines = step.taken / static_cast<std::uint32_t>(kCacheLine);
    if (lines > free_lines_) [[unlikely]]
      return false;
    free_lines_ -= lines;
    cursor_.advance(step, need);
    std::byte* const data = memory_.data + step.offset;
    if (packet.payload_bytes >= LongCopy::kLeast) [[unlikely]]
      return fill_longer(packet, data, lines), true;
    copy_payload(payload_place(packet, data), packet.payload, packet.payload_bytes);
    finish(packet, data);
    return true;
  }

 private:
  // A receiver that has taken everything but the last `lines` owes less than `data_return`.
  bool receiver_is_behind(std::uint32_t lines) noexcept {
    collect_credit();
    return geometry_.data - (free_lines_ + lines) * kCacheLine >= geometry_.data_return;
  }

  static std::byte* payload_place(const Packet& packet, std::byte* data) noexcept {
    return packet.header_bytes > kInline ? data + kCacheLine : data;
  }
  // `data` has so many lines.
  void fill_longer(const Packet& packet, std::byte* data, std::uint32_t lines) noexcept;
  void stream(const Packet& packet, std::byte* data) noexcept;
  // The payload is there.
  void finish(const Packet& packet, std::byte* data) noexcept {
    copy_short(packet.header_bytes > kInline ? data : (*next_).bytes, packet.header,
               packet.header_bytes);
    publish(packet);
  }

  void publish(const Packet& packet) noexcept {
    (*next_).word.store(Word::pack(static_cast<std::uint32_t>(sequence_), packet),
                        std::memory_order_release);
    __builtin_prefetch(next_.ahead(kWriteAhead), 1);
    next_.advance();
    ++sequence_;
    --free_slots_;
  }

  RingMemory memory_;
  const Geometry& geometry_;
  SlotCursor next_;
  std::uint64_t sequence_;  // on the wire its lower half
  std::uint32_t free_slots_ = 0;
  std::uint32_t free_lines_ = 0;
  DataCursor cursor_;
  std::uint64_t seen_ = 0;
  LongCopy long_copy_;
};

// The receiving end.
class alignas(kCacheLine) Inbox {
 public:
  // `progress` tells whether the sender of a payload under way has died; without one, this looks at
  // its process.
  Inbox(std::byte* base, const Geometry& geometry, Endpoint& from,
        std::uint32_t first = kFirstSequence, Progress* progress = nullptr) noexcept
      : next_(RingMemory(base, geometry).slots, geometry.slots),
        from_(&from),
        expected_(first),
        returned_to_(first),
        geometry_(&geometry),
        memory_(base, geometry),
        progress_(progress) {}

  // Delivers what has arrived, at most `limit` packets; how many. A sink may enter this again, for
  // the packets that follow the one it was given; then no credit is returned before the outermost
  // call is back from its sink.
  int drain(const Sinks& sinks, int limit) noexcept {
    int packets = 0;
    ++depth_;
    for (; packets < limit; ++packets) {
      const Slot& slot = *next_;
      const std::uint64_t word = slot.word.load(std::memory_order_acquire);
      if (Word::sequence(word) != expected_) break;
      take(slot, word, sinks);
    }
    if (packets == 0) reach_ahead();
    if (--depth_ == 0 && expected_ - returned_to_ >= geometry_->slots_return) return_credit();
    return packets;
  }

 private:
  void take(const Slot& slot, std::uint64_t word, const Sinks& sinks) noexcept {
    const std::size_t header = Word::header(word);
    const std::size_t payload = Word::payload(word);
    ++expected_;
    __builtin_prefetch(next_.ahead(kReadAhead));
    next_.advance();
    Sink* sink = sinks[Word::channel(word)];
    if (header + payload > kInline) [[unlikely]]
      return take_long(slot, header, payload, sink);
    deliver(sink, {slot.bytes, header}, {slot.bytes + header, payload});
  }
  void take_long(const Slot& slot, std::size_t header, std::size_t payload, Sink* sink) noexcept;

  // The next payload, if there is one, will lie here: with its first lines on their way already,
  // header and payload travel side by side and not one after the other (64 bytes of payload arrive
  // a third earlier). Lines not written since the last lap are in this core's cache, so that asking
  // for them costs nothing; asking for lines of a long payload takes them away from a sender that
  // is still writing. Hence the last payload decides.
  void reach_ahead() const noexcept { reach(memory_.data + cursor_.offset(), ahead_); }

  // In a run of packets the next payload is there before this one is copied: its first lines travel
  // meanwhile, and the processor finds the others by itself. A counted one may still be in the
  // sender's hands.
  void reach_into_next() const noexcept {
    const std::uint64_t word = (*next_).word.load(std::memory_order_relaxed);
    const std::size_t header = Word::header(word);
    const std::size_t payload = Word::payload(word);
    if (Word::sequence(word) != expected_ || header + payload <= kInline ||
        counted(header, payload))
      return;
    const std::uint32_t need = data_need(header, payload);
    reach(memory_.data + cursor_.peek(need, geometry_->data).offset,
          need / static_cast<std::uint32_t>(kCacheLine));
  }

  static void reach(const std::byte* first, std::uint32_t lines) noexcept {
    for (std::uint32_t line = 0; line < std::min(lines, kReachAhead); ++line) {
      __builtin_prefetch(first + line * kCacheLine);
    }
  }

  const std::byte* claim(std::uint32_t need) noexcept {
    const DataCursor::Step step = cursor_.peek(need, geometry_->data);
    cursor_.advance(step, need);
    owed_data_ += step.taken;
    ahead_ = need <= kReachAhead * kCacheLine ? need / static_cast<std::uint32_t>(kCacheLine) : 1;
    return memory_.data + step.offset;
  }

  void deliver(Sink* sink, std::span<const std::byte> header,
               std::span<const std::byte> payload) noexcept {
    if (sink != nullptr) [[likely]]
      sink->deliver(*from_, header, payload);
  }

  // Waits until more than `known` bytes of a payload under way are there; how many, or 0 when its
  // sender has died.
  std::size_t more_than(const Slot& slot, std::size_t known) noexcept;
  // Takes a payload that the sender is still writing, out of the ring at once if the sink knows
  // where to. A payload whose sender dies meanwhile is not delivered.
  void follow(const Slot& slot, Sink* sink, std::span<const std::byte> header,
              std::span<const std::byte> payload) noexcept;
  void return_credit() noexcept;

  SlotCursor next_;  // of the packet that will come, which has the number `expected_`
  Endpoint* from_;
  std::uint32_t expected_;
  std::uint32_t returned_to_;  // slots before this packet are the sender's again
  const Geometry* geometry_;
  RingMemory memory_;
  DataCursor cursor_;
  std::uint32_t ahead_ = 1;
  std::uint32_t owed_data_ = 0;
  std::uint32_t depth_ = 0;  // calls of drain()
  std::uint64_t returned_ = 0;
  Progress* progress_;
};

}  // namespace tessera::btl::sm
