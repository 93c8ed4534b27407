// SPDX-License-Identifier: BSD-3-Clause
// KeyedQueues and the slower branches of MatchTable.
#include "match_table.h"

#include <algorithm>
#include <new>

namespace tessera::ob1 {

void KeyedQueues::remove(Node& node) noexcept {
  if (node.tail_ != nullptr) return remove_first(place_of(node.key), node);
  node.link_->next = node.next;
  if (node.next != nullptr) {
    node.next->link_ = node.link_;
  } else {
    front(node.key)->tail_ = node.link_;
  }
}

std::size_t KeyedQueues::size() const noexcept {
  std::size_t nodes = 0;
  for_each([&](Node&) { ++nodes; });
  return nodes;
}

std::size_t KeyedQueues::longest_chain() const noexcept {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    std::size_t keys = 0;
    for (Node* first = buckets_[i]; first != nullptr; first = first->link_) ++keys;
    longest = std::max(longest, keys);
  }
  return longest;
}

// Doubles the buckets. Without memory the table stays as it is: slower, but right.
void KeyedQueues::grow() noexcept {
  const std::size_t old_count = count_;
  std::unique_ptr<Node*[]> wider(new (std::nothrow) Node* [old_count * 2] {});
  if (wider == nullptr) return;
  Node** old = buckets_;
  buckets_ = wider.get();
  count_ = old_count * 2;
  --shift_;
  for (std::size_t i = 0; i < old_count; ++i) {
    for (Node* node = old[i]; node != nullptr;) {
      Node* following = node->link_;
      Node*& head = buckets_[bucket(node->key)];
      node->link_ = head;
      head = node;
      node = following;
    }
  }
  heap_buckets_ = std::move(wider);
}

Posted* MatchTable::take_earliest(const MatchKey& message) noexcept {
  Posted* best = find_posted(message);
  if (best != nullptr) withdraw(*best);
  return best;
}

Posted* MatchTable::earliest(Posted* exact, const MatchKey& message) const noexcept {
  Posted* best = exact;
  if (wild_ == 0) return best;
  const MatchKey shapes[] = {{message.context, kAnySource, message.tag()},
                             {message.context, message.source(), kAnyTag},
                             {message.context, kAnySource, kAnyTag}};
  for (const MatchKey& shape : shapes) {
    auto* candidate = static_cast<Posted*>(posted_.front(shape));
    if (candidate != nullptr && (best == nullptr || candidate->sequence < best->sequence))
      best = candidate;
  }
  return best;
}

Unexpected* MatchTable::scan(const MatchKey& pattern) const noexcept {
  KeyedQueues::Node* node = by_context_.front({pattern.context, kAnySource, kAnyTag});
  for (; node != nullptr; node = node->next) {
    auto* message = static_cast<Unexpected*>(static_cast<ByContext*>(node));
    if (pattern.fits(message->envelope())) return message;
  }
  return nullptr;
}

void MatchTable::add(Unexpected& message, const MatchKey& key) noexcept {
  message.ByKey::key = key;
  message.ByContext::key = {key.context, kAnySource, kAnyTag};
  by_key_.append(static_cast<ByKey&>(message));
  by_context_.append(static_cast<ByContext&>(message));
}

void MatchTable::remove(Unexpected& message) noexcept {
  by_key_.remove(static_cast<ByKey&>(message));
  by_context_.remove(static_cast<ByContext&>(message));
}

}  // namespace tessera::ob1
