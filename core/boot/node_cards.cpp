// SPDX-License-Identifier: BSD-3-Clause
// Putting and fetching the cards of whole nodes.
#include "core/boot/node_cards.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/boot/equal_params.h"

namespace tessera {
namespace {

// In front of the cards of a node, and in front of those of one rank.
struct NodeHead {
  std::uint64_t opinion;  // of the parameters that must be equal
  std::uint32_t ranks;
  std::uint32_t layout;
};
struct RankHead {
  std::uint32_t id;
  std::uint32_t bytes;
};
constexpr std::uint32_t kCardsLayout = 1;

void append(std::vector<std::byte>& to, const void* data, std::size_t bytes) {
  const auto* const from = static_cast<const std::byte*>(data);
  to.insert(to.end(), from, from + bytes);
}

template <class T>
bool take(std::span<const std::byte>& rest, T& value) noexcept {
  if (rest.size() < sizeof value) return false;
  std::memcpy(&value, rest.data(), sizeof value);
  rest = rest.subspan(sizeof value);
  return true;
}

Status damaged(std::uint32_t speaker) {
  return Status::failure(Errc::refused, "what rank " + std::to_string(speaker) +
                                            " told of its host is no card of this version; use one "
                                            "build of Tessera on all hosts");
}

}  // namespace

Status NodeCards::give() noexcept {
  std::vector<std::byte> bytes;
  const NodeHead head{opinion_of(segment_), segment_.ranks(), kCardsLayout};
  append(bytes, &head, sizeof head);
  for (std::uint32_t local = 0; local < segment_.ranks(); ++local) {
    const RankPage& page = segment_.page(local);
    const RankHead rank{segment_.id_of(local), page.card_used};
    append(bytes, &rank, sizeof rank);
    append(bytes, page.cards, page.card_used);
  }
  return session_.put(kKey, bytes);
}

std::vector<std::uint32_t> NodeCards::speakers() const {
  std::vector<std::uint32_t> list;
  for (std::uint32_t id = 0; id < nodes_.size(); ++id)
    if (nodes_[id] == list.size()) list.push_back(id);
  return list;
}

std::uint32_t NodeCards::speaker_of(std::uint32_t node) const noexcept {
  return static_cast<std::uint32_t>(std::find(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
}

Result<const NodeCards::Node*> NodeCards::fetch(std::uint32_t node) noexcept {
  if (const auto at = known_.find(node); at != known_.end()) return &at->second;
  const std::uint32_t speaker = speaker_of(node);
  auto value = session_.get(speaker, kKey);
  if (!value.ok()) return value.status();
  Node made{std::move(*value), {}};
  std::span<const std::byte> rest = made.bytes;
  NodeHead head{};
  if (!take(rest, head) || head.layout != kCardsLayout) return damaged(speaker);
  for (std::uint32_t i = 0; i < head.ranks; ++i) {
    RankHead rank{};
    if (!take(rest, rank) || rank.bytes > rest.size()) return damaged(speaker);
    made.cards[rank.id] = rest.first(rank.bytes);
    rest = rest.subspan(rank.bytes);
  }
  if (head.opinion != opinion_of(segment_)) {
    return Status::failure(Errc::argument,
                           "parameters that must be equal on all ranks differ between the hosts of "
                           "rank " +
                               std::to_string(speaker) + " and rank " +
                               std::to_string(segment_.id_of(0)) +
                               ": compare their parameter files and environments "
                               "(`ompi-info --diff`)");
  }
  return &known_.emplace(node, std::move(made)).first->second;
}

Result<std::span<const std::byte>> NodeCards::of(std::uint32_t id) noexcept {
  auto node = fetch(nodes_[id]);
  if (!node.ok()) return node.status();
  const auto at = (*node)->cards.find(id);
  if (at == (*node)->cards.end()) return damaged(speaker_of(nodes_[id]));
  return at->second;
}

Status NodeCards::fetch_all() noexcept {
  for (std::uint32_t node = 0; node < segment_.nodes(); ++node) {
    if (node == segment_.node()) continue;
    if (Status s = fetch(node).status(); !s) return s;
  }
  return {};
}

}  // namespace tessera
