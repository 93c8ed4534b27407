// SPDX-License-Identifier: BSD-3-Clause
// MatchKey: by what messages and receives are matched.
#pragma once
//
// A processor reads what it has just written without delay only if one write covers the whole of
// the read. Keys go from the arguments of a call to a packet or a queue within a few instructions,
// hence all the care about words here.
//
#include <cstdint>

#include "tessera/pml.h"

namespace tessera::ob1 {

// What a message is, or what a receive asks for: then source and tag may be wild cards. Source and
// tag are one word, which is written, compared and hashed at once.
struct MatchKey {
  MatchKey() noexcept = default;
  MatchKey(ContextId context_id, std::int32_t source, std::int32_t tag) noexcept
      : context(context_id),
        source_and_tag((std::uint64_t{static_cast<std::uint32_t>(tag)} << 32) |
                       static_cast<std::uint32_t>(source)) {}

  std::int32_t source() const noexcept { return static_cast<std::int32_t>(source_and_tag); }
  std::int32_t tag() const noexcept { return static_cast<std::int32_t>(source_and_tag >> 32); }

  bool operator==(const MatchKey& other) const noexcept {
    return context == other.context && source_and_tag == other.source_and_tag;
  }
  // Both wild cards are negative, ranks and tags are not.
  bool wild() const noexcept { return (source() | tag()) < 0; }
  // Whether a message with the exact key `message` fits this pattern.
  bool fits(const MatchKey& message) const noexcept {
    return context == message.context && (source() == kAnySource || source() == message.source()) &&
           (tag() == kAnyTag || tag() == message.tag());
  }
  // Of a collective operation: an odd context, and a rank as source. Other messages there,
  // such as partitioned ones, have other numbers.
  bool collective() const noexcept { return context % 2 != 0 && source() >= 0; }
  // Every bit of the key has a say in the upper bits.
  std::uint64_t hash() const noexcept {
    return (context * 0x9e3779b97f4a7c15u + source_and_tag) * 0xd1342543de82ef95u;
  }

  ContextId context = 0;
  std::uint64_t source_and_tag = 0;
};

// Read one by one, which `volatile` ensures, as the caller has written them.
template <class Args>
MatchKey key_of(const Args& args) noexcept {
  const volatile std::int32_t& tag = args.tag;
  return {args.context, args.source, tag};
}

}  // namespace tessera::ob1
