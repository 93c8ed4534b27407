// SPDX-License-Identifier: BSD-3-Clause
// Cards of the own job and of others.
#include "core/dynamic/card_book.h"

#include "core/dynamic/packing.h"

namespace tessera {

using Bytes = std::span<const std::byte>;

Status CardBook::publish(std::string_view key, Bytes value) noexcept try {
  if (!closed_) {
    if (Status s = boot_.publish(key, value); !s) return s;
  }
  own_.insert_or_assign(std::string(key), std::vector<std::byte>(value.begin(), value.end()));
  return {};
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Result<Bytes> CardBook::lookup(const Peer& peer, std::string_view key) noexcept {
  if (peer.id < size_) return boot_.lookup(peer, key);
  const auto cards = others_.find(peer.id);
  if (cards == others_.end()) return Errc::not_found;
  const auto card = cards->second.find(key);
  if (card == cards->second.end()) return Errc::not_found;
  return Bytes(card->second);
}

std::vector<std::byte> CardBook::own() const {
  Packer packer;
  packer.number(own_.size());
  for (const auto& [key, value] : own_) {
    packer.text(key);
    packer.bytes(value);
  }
  return packer.take();
}

Status CardBook::put(const Peer& peer, Bytes cards) {
  Unpacker unpacker(cards);
  Cards read;
  const std::uint64_t count = unpacker.number();
  for (std::uint64_t i = 0; i < count && unpacker.good(); ++i) {
    std::string key(unpacker.text());
    const Bytes value = unpacker.bytes();
    read.emplace(std::move(key), std::vector<std::byte>(value.begin(), value.end()));
  }
  if (!unpacker.good())
    return Status::failure(Errc::argument, "the addresses of a process of another job are damaged");
  others_.insert_or_assign(peer.id, std::move(read));
  return {};
}

}  // namespace tessera
