// SPDX-License-Identifier: BSD-3-Clause
#include "core/comm/group_tags.h"

#include <limits>

namespace tessera {
namespace {

// FNV-1a, 64 bits.
class Hash {
 public:
  void add(std::string_view text) noexcept {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  void add(std::uint32_t number) noexcept {
    for (int shift = 0; shift < 32; shift += 8) add_byte((number >> shift) & 0xff);
  }
  void add(const Group& group) noexcept {
    for (int rank = 0; rank < group.size(); ++rank) add(group.member(rank).name.index);
  }
  std::uint64_t value() const noexcept { return value_; }
  int tag() const noexcept { return static_cast<int>(value_ % std::numeric_limits<int>::max()); }

 private:
  void add_byte(std::uint64_t byte) noexcept { value_ = (value_ ^ byte) * 0x100'0000'01b3; }
  std::uint64_t value_ = 0xcbf2'9ce4'8422'2325;
};

}  // namespace

int tag_of(const Group& group, int tag) noexcept {
  Hash hash;
  hash.add(group);
  const std::uint64_t sum = hash.value() + static_cast<std::uint32_t>(tag);
  return static_cast<int>(sum & std::numeric_limits<int>::max());
}

int tag_of(const Group& group, std::string_view string_tag) noexcept {
  Hash hash;
  hash.add(group);
  hash.add(string_tag);
  return hash.tag();
}

int tag_of(std::span<Peer* const> both, std::string_view string_tag) noexcept {
  std::uint32_t members = 0;
  for (const Peer* peer : both) {
    Hash hash;
    hash.add(peer->name.index);
    members += static_cast<std::uint32_t>(hash.value());
  }
  Hash hash;
  hash.add(members);
  hash.add(string_tag);
  return hash.tag();
}

}  // namespace tessera
