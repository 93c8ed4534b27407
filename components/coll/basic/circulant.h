// SPDX-License-Identifier: BSD-3-Clause
// Reducing and collecting a vector in blocks, one per process, for any number of processes without
// folding: Circulant.
#pragma once
//
// Contract. Seen from a process, block i is that of rank + i. Distances p = d0 > d1 > ... > 1, each
// half the one before, rounded up, are the same on all processes. To reduce, a process that is
// responsible for the blocks below d0 gives those from d1 on to rank + d1, where they have the
// numbers from 0 on, and adds those that come from rank - d1 to its first ones; then it is
// responsible for the blocks below d1, and so on. To collect, everything runs backwards. Every
// process sends p - 1 blocks each time, in ceil(log2 p) rounds; a row of blocks that goes over the
// end is sent in two messages. Source: Traeff, "Optimal, non-pipelined reduce-scatter and allreduce
// algorithms", arXiv:2410.14234, 2024.
//
#include <vector>

#include "blocks.h"

namespace tessera::coll::basic {

// Functions may throw std::bad_alloc.
class Circulant {
 public:
  // In `blocks`, the block of rank i begins at element begins[i]; the last number is the end.
  Circulant(Schedule& schedule, int rank, std::vector<Count> begins, const Buffer& blocks);

  // The sum of everybody's `input`, a vector like `blocks` or the same one. The step after which
  // the own block is finished; the others hold partial results. For operations that commute.
  StepId reduce(const Buffer& input);
  // A step after which `input` may be overwritten, if it is not `blocks`.
  StepId input_read() const noexcept { return first_sent_; }

  // Everybody has all blocks, given that each has its own one after step `ready`. The step after
  // which they are here.
  StepId collect(StepId ready);

 private:
  struct Round {
    int whole;     // blocks before it, of a reduction
    int distance;  // blocks after it
    StepId sent = kNoStep;
  };
  template <class Act>
  void each_range(int first, int end, Act act) const;
  int size() const noexcept { return static_cast<int>(begins_.size()) - 1; }
  int rank(int distance) const noexcept { return modulo(rank_ + distance, size()); }
  static Buffer part(const Buffer& data, Count begin, Count end) noexcept {
    return data.part(begin, end - begin);
  }
  StepId give(const Buffer& data, int to, int first, int end);
  void start(const Buffer& input, const Round& round);
  void add(const Round& round);

  Schedule& schedule_;
  int rank_;
  std::vector<Count> begins_;
  Buffer blocks_;
  Buffer landing_;
  OrderedChain sends_, recvs_;
  std::vector<Round> rounds_;
  StepId ready_ = kNoStep;
  StepId first_sent_ = kNoStep;
};

}  // namespace tessera::coll::basic
