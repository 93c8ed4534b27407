// SPDX-License-Identifier: BSD-3-Clause
// Exchanges among several processes at a time, for any number of processes: Groups and their
// Rounds.
#pragma once

#include <algorithm>
#include <vector>

#include "blocks.h"

namespace tessera::coll::basic {

// One round of an exchange: numbers that are equal but for one digit talk to one another.
struct Round {
  int distance;  // what a step of the digit is worth
  int radix;     // values of the digit

  int digit(int number) const noexcept { return number / distance % radix; }
  int peer(int number, int digit_of_peer) const noexcept {
    return number + (digit_of_peer - digit(number)) * distance;
  }
};

// p processes as j * radix^m groups, where radix^m <= p is the largest such power and j * radix^m
// <= p the largest such multiple. A group is one process or two of consecutive ranks; the first is
// its leader, who works for both. The groups are numbered in the order of ranks, so that neighbours
// in number stand for neighbouring ranks.
class Groups {
 public:
  // A radix below 2 counts as 2, one above p as p. May throw std::bad_alloc.
  Groups(int rank, int processes, int radix) : rank_(rank), processes_(processes) {
    const int most = std::max(2, std::min(radix, processes));
    while (size_ < processes && processes / size_ > 1) {
      rounds_.push_back({size_, std::min(most, processes / size_)});
      size_ *= rounds_.back().radix;
    }
    const Count each = processes / size_;
    const Count more = processes % size_;
    number_ = static_cast<int>(rank < more * (each + 1) ? rank / (each + 1) : (rank - more) / each);
  }

  int size() const noexcept { return size_; }  // of groups
  int number() const noexcept { return number_; }
  // The first rank of a group, its leader; size() gives the end of all.
  int first(int number) const noexcept { return static_cast<int>(cut(processes_, size_, number)); }
  int leader() const noexcept { return first(number_); }
  bool leads() const noexcept { return rank_ == leader(); }
  // The rank after the last of the own group.
  int end() const noexcept { return first(number_ + 1); }

  // The nearest numbers first.
  const std::vector<Round>& rounds() const noexcept { return rounds_; }

 private:
  int rank_;
  int processes_;
  int size_ = 1;
  int number_ = 0;
  std::vector<Round> rounds_;
};

}  // namespace tessera::coll::basic
