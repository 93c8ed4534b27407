// SPDX-License-Identifier: BSD-3-Clause
// The first half of a broadcast by scatter and allgather: ScatteredRow.
#pragma once

#include "byte_row.h"

namespace tessera::coll::basic {

// The data of a broadcast in p pieces as equal as can be. Processes are counted from the root.
// scatter() moves the pieces along a binomial tree: ceil(log2 p) messages deep, n (p - 1) / p
// bytes.
class ScatteredRow {
 public:
  ScatteredRow(const Call& call, Schedule& schedule) noexcept;

  void scatter() noexcept;
  // Whether process `v` has these pieces after the scatter: its own and those of its subtree.
  bool has(int v, int piece, int number = 1) const noexcept;

  int me() const noexcept { return me_; }
  StepId scattered() const noexcept {
    return scattered_;
  }  // the step after which the pieces of this process are here
  void send(int v, int first, int number, StepId after) noexcept;
  StepId recv(int v, int first, int number, StepId after = kNoStep) noexcept;
  // All pieces have arrived.
  void finish() noexcept;

 private:
  int held(int v) const noexcept;
  int rank(int v) const noexcept;
  Buffer pieces(int first, int number) const noexcept;

  const Call& call_;
  Schedule& schedule_;
  ByteRow row_;
  int me_;
  OrderedChain sends_, recvs_;
  StepId scattered_ = kNoStep;
};

}  // namespace tessera::coll::basic
