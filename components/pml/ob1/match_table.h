// SPDX-License-Identifier: BSD-3-Clause
// MPI matching: posted receives and unexpected messages, both found in constant time.
#pragma once
//
// Contract (MPI-5.0 §3.5, §3.8). A receive is posted under the pattern it asks for; an arrival is filed under what it is.
// Among several posted receives that fit a message the one posted first wins; among several arrivals that fit a receive
// the one that came first wins. Nodes are intrusive: the table owns nothing and allocates only when it doubles.
//
// Cost. A receive pattern is one of four shapes: source and tag known, or either or both wild. Patterns are hashed with
// their wild cards, so that a message finds its receive by at most four look-ups (one while no wild card is posted), and
// sequence numbers decide between the shapes. Arrivals are hashed by their exact key and additionally queued by context:
// a receive that knows source and tag takes one look-up, one with a wild card walks the arrivals of its context.
//
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "tessera/comm.h"

namespace tessera::ob1 {

struct MatchKey {
  ContextId context = 0;
  std::int32_t source = 0;  // a posted receive may have kAnySource
  std::int32_t tag = 0;     // or kAnyTag

  std::uint64_t source_and_tag() const noexcept {
    return (std::uint64_t{static_cast<std::uint32_t>(tag)} << 32) | static_cast<std::uint32_t>(source);
  }
  bool operator==(const MatchKey& other) const noexcept {
    return context == other.context && source_and_tag() == other.source_and_tag();
  }
  bool wild() const noexcept { return source == kAnySource || tag == kAnyTag; }
  // Whether a message with the exact key `message` fits this pattern.
  bool fits(const MatchKey& message) const noexcept {
    return context == message.context && (source == kAnySource || source == message.source) &&
           (tag == kAnyTag || tag == message.tag);
  }
};

// First-in first-out queues, one per key, in a hash table. The first node of each queue stands in its bucket.
class KeyedQueues {
 public:
  struct Node {
    MatchKey key;
    Node* next = nullptr;  // in the queue of this key

   private:
    friend class KeyedQueues;
    Node* link_ = nullptr;  // of the first: the next queue in the bucket; of others: the predecessor
    Node* tail_ = nullptr;  // of the first: the last of its queue; of others null
  };

  KeyedQueues() noexcept = default;
  KeyedQueues(const KeyedQueues&) = delete;
  KeyedQueues& operator=(const KeyedQueues&) = delete;

  std::size_t size() const noexcept { return size_; }
  Node* front(const MatchKey& key) const noexcept {
    Node* node = buckets_[bucket(key)];
    while (node != nullptr && !(node->key == key)) node = node->link_;
    return node;
  }
  std::size_t longest_chain() const noexcept;
  void append(Node& node) noexcept;
  void remove(Node& node) noexcept;
  // front() and remove() in one.
  Node* take_front(const MatchKey& key) noexcept {
    Node** at = &buckets_[bucket(key)];
    while (*at != nullptr && !((*at)->key == key)) at = &(*at)->link_;
    Node* node = *at;
    if (node != nullptr) {
      --size_;
      remove_first(at, *node);
    }
    return node;
  }

  // The visitor may destroy the node, but not append or remove.
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    for (std::size_t i = 0; i <= mask_; ++i) {
      for (Node* first = buckets_[i]; first != nullptr;) {
        Node* queue = std::exchange(first, first->link_);
        while (queue != nullptr) visit(*std::exchange(queue, queue->next));
      }
    }
  }

 private:
  static constexpr std::size_t kFirstBuckets = 64;

  std::size_t bucket(const MatchKey& key) const noexcept {
    const std::uint64_t mixed =
        (key.context * 0x9e3779b97f4a7c15u + key.source_and_tag()) * 0xd1342543de82ef95u;
    return ((mixed >> 32) ^ mixed >> 48) & mask_;
  }
  void grow() noexcept;
  // `at` points to the node, which is the first of its queue.
  void remove_first(Node** at, Node& node) noexcept {
    Node* second = node.next;
    if (second != nullptr) {
      second->tail_ = node.tail_;
      second->link_ = node.link_;
      *at = second;
    } else {
      *at = node.link_;
      --keys_;
    }
  }

  Node* inline_buckets_[kFirstBuckets] = {};
  std::unique_ptr<Node*[]> heap_buckets_;
  Node** buckets_ = inline_buckets_;
  std::size_t mask_ = kFirstBuckets - 1;
  std::size_t keys_ = 0;
  std::size_t size_ = 0;
};

// Base of a posted receive.
struct Posted : KeyedQueues::Node {
  std::uint64_t sequence = 0;  // the table's
};

// Bases of an unexpected message.
struct ByKey : KeyedQueues::Node {};
struct ByContext : KeyedQueues::Node {};
struct Unexpected : ByKey, ByContext {
  const MatchKey& envelope() const noexcept { return ByKey::key; }
};

class MatchTable {
 public:
  std::size_t posted() const noexcept { return posted_.size(); }
  std::size_t unexpected() const noexcept { return by_key_.size(); }
  // Keys in the fullest bucket of the posted receives: what the worst look-up walks.
  std::size_t longest_chain() const noexcept { return posted_.longest_chain(); }

  // The earliest posted receive that fits the message, taken out of the table, or null.
  Posted* take_posted(const MatchKey& message) noexcept {
    if (wild_ == 0) [[likely]]
      return static_cast<Posted*>(posted_.take_front(message));
    Posted* best = find_posted(message);
    if (best != nullptr) withdraw(*best);
    return best;
  }
  // The same without taking it.
  Posted* find_posted(const MatchKey& message) const noexcept {
    return earliest(static_cast<Posted*>(posted_.front(message)), message);
  }
  // Files the receive under its key.
  void post(Posted& receive) noexcept {
    receive.sequence = next_sequence_++;
    wild_ += receive.key.wild() ? 1 : 0;
    posted_.append(receive);
  }
  void withdraw(Posted& receive) noexcept {
    wild_ -= receive.key.wild() ? 1 : 0;
    posted_.remove(receive);
  }

  // The earliest unexpected message that fits the pattern, or null.
  Unexpected* find_unexpected(const MatchKey& pattern) const noexcept {
    if (by_key_.size() == 0) return nullptr;
    if (pattern.wild()) return scan(pattern);
    return static_cast<Unexpected*>(static_cast<ByKey*>(by_key_.front(pattern)));
  }
  void add(Unexpected& message, const MatchKey& key) noexcept;
  void remove(Unexpected& message) noexcept;
  // The next one with the same exact key, or null.
  static Unexpected* next(Unexpected& message) noexcept {
    return static_cast<Unexpected*>(static_cast<ByKey*>(static_cast<ByKey&>(message).next));
  }

  template <class Visit>
  void for_each_posted(Visit&& visit) const noexcept {
    posted_.for_each([&](KeyedQueues::Node& node) { visit(static_cast<Posted&>(node)); });
  }
  template <class Visit>
  void for_each_unexpected(Visit&& visit) const noexcept {
    by_key_.for_each(
        [&](KeyedQueues::Node& node) { visit(static_cast<Unexpected&>(static_cast<ByKey&>(node))); });
  }

 private:
  Posted* earliest(Posted* exact, const MatchKey& message) const noexcept;
  Unexpected* scan(const MatchKey& pattern) const noexcept;

  KeyedQueues posted_;
  KeyedQueues by_key_;
  KeyedQueues by_context_;
  std::uint64_t next_sequence_ = 0;
  std::size_t wild_ = 0;  // posted receives with a wild card
};

}  // namespace tessera::ob1
