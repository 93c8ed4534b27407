// SPDX-License-Identifier: BSD-3-Clause
// The messages of osc/am: one header, and what its fields mean in each.
#pragma once

#include <cstdint>

#include "tessera/osc.h"
#include "tessera/pml.h"

namespace tessera::osc::am {

enum class Kind : std::uint8_t {
  batch,       // payload: small puts and accumulates (batch.h); what its flags ask for, follows
  put,         // payload: data from `position` on of `total` bytes
  get,         // wants all `total` bytes as `result`s
  accumulate,  // payload: elements from `position` on
  fetch,       // the same; wants the old elements as a `result`
  swap,        // payload: new value, value to compare with; wants the old one
  result,      // payload: data from `position` on, for the operation `id`
  flushed,     // what the batch `id` ended with is done
  granted,     // the lock that a batch asked for
  denied,      // the same; `id`: 1 + the rank of the dead process that holds it, or 0
  post,        // the origin of the message exposes its memory to the receiver
  failed,      // an operation failed at the target; `id`: the one that waits for results, or 0
  type,        // payload: blocks of the type `type`, from block `position` on of `total`
  forget_types,
};

// Whether the payload is combined with what is in the window.
inline bool has_operands(Kind kind) noexcept {
  return kind == Kind::accumulate || kind == Kind::fetch;
}

// A batch may ask for the lock, exclusive or shared, and say whether it may wait for it: nothing of
// it is done before that. After its operations, and all messages before it, a batch may end the
// origin's access epoch, want `flushed` with its `id` (which tells of the lock, too), give up the
// lock. A get and its results say whether the data land where they belong: the origin's buffer is
// contiguous.
enum Flag : std::uint8_t {
  exclusive = 1,
  may_wait = 2,
  completes = 4,
  answer = 8,
  unlocks = 16,
  lands = 32,
  locks = 64,
};

struct Header {
  Kind kind;
  std::uint8_t flags;
  std::uint16_t op;
  std::uint16_t element;
  std::uint16_t units;   // fetch without operands: bytes of the piece, by kUnit
  std::uint32_t sender;  // its rank in the window
  std::uint32_t type;    // of the target's data; 0: bytes that follow each other
  std::uint64_t window;
  std::int64_t displacement;
  std::uint64_t position;
  std::uint64_t total;  // bytes of data in the whole operation
  std::uint64_t id;     // of what the origin waits for: results, or `flushed`
};
// Pieces of data are multiples of this, and so of the size of every element, unless they land.
inline constexpr std::size_t kUnit = 480;
static_assert(sizeof(Header) <= btl::kMaxHeader);

}  // namespace tessera::osc::am
