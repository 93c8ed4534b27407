// SPDX-License-Identifier: BSD-3-Clause
// What travels between two ob1 modules: the packet headers.
#pragma once
//
// Contract. Every packet opens with a Common. Numbers are in the byte order of the machine; both
// sides run the same version of this component. A `request` is the other side's id of one of its
// operations (pool.h), sent back to it unchanged; a packet whose id or numbers fit no operation
// under way with its sender is malformed, and its sender given up. Envelopes (eager, eager_sync,
// rts) travel on the first route to a peer, which keeps them in order; cts, data and the rest are
// independent of each other and of envelopes, except that `cancel` follows its envelope.
//
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "match_key.h"

namespace tessera::ob1 {

enum class Kind : std::uint8_t {
  eager = 1,     // Envelope + payload: a whole message
  eager_sync,    // SyncEnvelope + payload: the same, to be answered with `ack` when matched
  rts,           // Rts: a message whose payload stays with the sender until it is matched
  ack,           // Answer: the synchronous message was matched
  cts,           // Cts: send this range of the message
  data,          // Data + payload: a fragment
  put_done,      // PutDone: the sender has written this many bytes into the receiver's buffer
  fin,           // Answer: the receiver has taken its part of the message
  credit,        // Common: carries nothing but its `credit`
  hold,          // Common: envelopes are waiting at the sender for permission
  pull,          // Common: permission for some more envelopes
  cancel,        // Cancel: take this message back if it was not matched
  cancel_reply,  // Answer: flag kYes says that it was taken back
};

inline constexpr std::uint8_t kDense = 1;  // rts: `address` may be read directly
inline constexpr std::uint8_t kPut = 2;    // cts: `address` may be written directly
inline constexpr std::uint8_t kFinFollows =
    4;                                      // cts: the receiver copies the rest itself and says fin
inline constexpr std::uint8_t kYes = 8;     // cancel_reply
inline constexpr std::uint8_t kWaits = 16;  // rts: its process does nothing but wait for this send
inline constexpr std::uint8_t kLend =
    32;  // cts: the data may be lent; fin comes when all are there
// rts: trials have shown its process that it had better read, or be sent, the messages of this size
// that the receiver sends while messages go both ways.
inline constexpr std::uint8_t kReads = 64;
inline constexpr std::uint8_t kStreams = 128;

struct Common {
  Kind kind;
  std::uint8_t flags = 0;
  std::uint16_t mark = 0;  // of an envelope: its pml::signature_mark(), where the sender gives one
  std::uint32_t credit =
      0;  // cost of all envelopes of the other side consumed so far, modulo 2^32 (peer_state.h)
};

struct Envelope {
  Common common;
  MatchKey key;
};

// {kind, 0, 0, credit}, written as one word where that is easy: see match_key.h.
inline Common bare(Kind kind, std::uint32_t credit) noexcept {
  if constexpr (std::endian::native != std::endian::little) return {kind, 0, 0, credit};
  return std::bit_cast<Common>(std::uint64_t{credit} << 32 | static_cast<std::uint64_t>(kind));
}

struct SyncEnvelope {
  Envelope envelope;
  std::uint64_t request;  // sender's
};

struct Rts {
  Envelope envelope;
  std::uint64_t bytes;
  std::uint64_t request;  // sender's
  std::uint64_t address;  // of the data in the sender, with kDense
};

struct Answer {
  Common common;
  std::uint64_t request;  // of who receives this packet
};

struct Cts {
  Common common;
  std::uint64_t send_request;
  std::uint64_t recv_request;
  std::uint64_t begin;  // the bytes [begin, end) of the message are wanted
  std::uint64_t end;
  std::uint64_t address;  // of byte 0 of the message in the receiver, with kPut
};

struct Data {
  Common common;
  std::uint64_t recv_request;
  std::uint64_t offset;
};

struct PutDone {
  Common common;
  std::uint64_t recv_request;
  std::uint64_t bytes;
};

struct Cancel {
  Envelope envelope;
  std::uint64_t request;  // sender's
  std::uint64_t number;   // of the envelope (peer_state.h)
};

// An eager envelope, the btl's own word of 8 bytes and 32 bytes of payload fit one cache line.
static_assert(sizeof(Common) == 8);
static_assert(sizeof(Envelope) == 24);
static_assert(sizeof(SyncEnvelope) == 32);
static_assert(sizeof(Rts) == 48);
static_assert(sizeof(Answer) == 16);
static_assert(sizeof(Cts) == 48);
static_assert(sizeof(Data) == 24);
static_assert(sizeof(PutDone) == 24);
static_assert(sizeof(Cancel) == 40);

inline constexpr std::size_t kLargestHeader = 48;
inline constexpr std::size_t kLargestEnvelope = sizeof(SyncEnvelope);

// The header of an arrived packet, which need not be aligned. The kind says which T it is.
template <class T>
T load(std::span<const std::byte> header) noexcept {
  T value;
  std::memcpy(static_cast<void*>(&value), header.data(), sizeof(T));
  return value;
}

inline std::uint64_t as_wire(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace tessera::ob1
