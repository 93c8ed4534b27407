// SPDX-License-Identifier: BSD-3-Clause
// MPI matching: posted receives and unexpected messages, both found in constant time.
#pragma once
//
// Contract (MPI-5.0 §3.5, §3.8). A receive is posted under the pattern it asks for; an arrival is
// filed under what it is. Among several posted receives that fit a message the one posted first
// wins; among several arrivals that fit a receive the one that came first wins. Nodes are
// intrusive: the table owns nothing and allocates only when it doubles.
//
// Cost. A receive pattern is one of four shapes: source and tag known, or either or both wild.
// Patterns are hashed with their wild cards, so that a message finds its receive by at most four
// look-ups (one while no wild card is posted), and sequence numbers decide between the shapes.
// Arrivals are hashed by their exact key and additionally queued by context: a receive that knows
// source and tag takes one look-up, one with a wild card walks the arrivals of its context.
//
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "match_key.h"

namespace tessera::ob1 {

// First-in first-out queues, one per key, in a hash table. The first node of each queue stands in
// its bucket.
class KeyedQueues {
 public:
  struct Node {
    MatchKey key;
    Node* next = nullptr;  // in the queue of this key

   private:
    friend class KeyedQueues;
    Node* link_ =
        nullptr;  // of the first: the next queue in the bucket; of others: the predecessor
    Node* tail_ = nullptr;  // of the first: the last of its queue; of others null
  };

  KeyedQueues() noexcept = default;
  KeyedQueues(const KeyedQueues&) = delete;
  KeyedQueues& operator=(const KeyedQueues&) = delete;

  bool empty() const noexcept { return keys_ == 0; }
  std::size_t size() const noexcept;  // counts: for tests
  std::size_t longest_chain() const noexcept;
  Node* front(const MatchKey& key) const noexcept { return *place_of(key); }
  void append(Node& node) noexcept { append(node, node.key); }
  // The same, where the key is at hand.
  void append(Node& node, const MatchKey& key) noexcept {
    node.next = nullptr;
    Node** at = place_of(key);
    Node* first = *at;
    if (first == nullptr) return open(at, node);
    node.link_ = first->tail_;
    node.tail_ = nullptr;
    first->tail_->next = &node;
    first->tail_ = &node;
  }
  void remove(Node& node) noexcept;
  // front() and remove() in one.
  Node* take_front(const MatchKey& key) noexcept {
    Node** at = place_of(key);
    Node* node = *at;
    if (node != nullptr) [[likely]]
      remove_first(at, *node);
    return node;
  }

  // The visitor may destroy the node, but not append or remove.
  template <class Visit>
  void for_each(Visit&& visit) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      for (Node* first = buckets_[i]; first != nullptr;) {
        Node* queue = std::exchange(first, first->link_);
        while (queue != nullptr) visit(*std::exchange(queue, queue->next));
      }
    }
  }

 private:
  static constexpr unsigned kFirstBits = 6;

  std::size_t bucket(const MatchKey& key) const noexcept { return key.hash() >> shift_; }
  // Where the pointer to the first node of this key is: in a bucket or in another first node. If
  // there is none, null is there.
  Node** place_of(const MatchKey& key) const noexcept {
    Node** at = &buckets_[bucket(key)];
    while (*at != nullptr && !((*at)->key == key)) at = &(*at)->link_;
    return at;
  }
  // Puts the only node of a new queue at the end of a chain.
  void open(Node** at, Node& node) noexcept {
    node.link_ = nullptr;
    node.tail_ = &node;
    *at = &node;
    if (++keys_ > count_) [[unlikely]]
      grow();
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

  Node** buckets_ = inline_buckets_;
  unsigned shift_ = 64 - kFirstBits;  // what is left of 64 bits is the number of a bucket
  std::size_t count_ = std::size_t{1} << kFirstBits;
  std::size_t keys_ = 0;
  std::unique_ptr<Node*[]> heap_buckets_;
  Node* inline_buckets_[std::size_t{1} << kFirstBits] = {};
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
  // Both count: for tests.
  std::size_t posted() const noexcept { return posted_.size(); }
  std::size_t unexpected() const noexcept { return by_key_.size(); }
  // Keys in the fullest bucket of the posted receives: what the worst look-up walks.
  std::size_t longest_chain() const noexcept { return posted_.longest_chain(); }

  // The earliest posted receive that fits the message, taken out of the table, or null.
  Posted* take_posted(const MatchKey& message) noexcept {
    return all_exact() ? take_exact(message) : take_earliest(message);
  }
  // all_exact() is false from now on.
  void expect_wild() noexcept { ++wild_; }
  // The same while no receive with a wild card is posted.
  bool all_exact() const noexcept { return wild_ == 0; }
  Posted* take_exact(const MatchKey& message) noexcept {
    return static_cast<Posted*>(posted_.take_front(message));
  }
  // The same without taking it.
  Posted* find_posted(const MatchKey& message) const noexcept {
    return earliest(static_cast<Posted*>(posted_.front(message)), message);
  }
  // Files the receive under its key.
  void post(Posted& receive) noexcept {
    const MatchKey key = receive.key;
    receive.sequence = next_sequence_++;
    if (key.wild()) [[unlikely]]
      ++wild_;
    posted_.append(receive, key);
  }
  void withdraw(Posted& receive) noexcept {
    wild_ -= receive.key.wild() ? 1 : 0;
    posted_.remove(receive);
  }

  // The same for a receive that ends without a message.
  void give_up(Posted& receive) noexcept {
    ++given_up_;
    withdraw(receive);
  }
  // For tools: receives ever posted, less those given up.
  std::uint64_t ever_posted() const noexcept { return next_sequence_ - given_up_; }

  bool any_posted() const noexcept { return !posted_.empty(); }
  bool any_unexpected() const noexcept { return !by_key_.empty(); }
  // The earliest unexpected message that fits the pattern, or null.
  Unexpected* find_unexpected(const MatchKey& pattern) const noexcept {
    if (by_key_.empty()) [[likely]]
      return nullptr;
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
    by_key_.for_each([&](KeyedQueues::Node& node) {
      visit(static_cast<Unexpected&>(static_cast<ByKey&>(node)));
    });
  }

 private:
  Posted* take_earliest(const MatchKey& message) noexcept;
  Posted* earliest(Posted* exact, const MatchKey& message) const noexcept;
  Unexpected* scan(const MatchKey& pattern) const noexcept;

  std::uint64_t next_sequence_ = 0;
  std::uint64_t given_up_ = 0;
  std::size_t wild_ = 0;  // posted receives with a wild card
  KeyedQueues posted_;
  KeyedQueues by_key_;
  KeyedQueues by_context_;
};

}  // namespace tessera::ob1
