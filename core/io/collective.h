// SPDX-License-Identifier: BSD-3-Clause
// Whether processes should help each other with a collective access: what each says of its part,
// and what follows.
#pragma once
//
// Contract. decide() sees the same numbers at all processes and answers alike. The cost model
// compares, in nanoseconds,
//
//     each by itself, writing   sum of the pieces of all * kRequest      (writes to one file take
//                                                                         turns in the kernel)
//     each by itself, reading   the most of any process, its pieces * kRequest or its hull * kCopy
//                               (both, of pieces that its driver copies: kCopied each, at the same
//                               time)
//     together                  kMeeting * log2 n * rounds + bytes * 2 * kCopy / aggregators
//
// where the bytes themselves cost the same either way. Processes whose hulls do not meet have
// nothing to gain from each other; where the views of all are contiguous none do, and nothing is
// asked.
//
#include <span>

#include "core/io/hints.h"

namespace tessera::io {

struct Part {
  Offset first = 0;  // hull in the file
  Offset end = 0;
  Offset bytes = 0;
  Offset pieces = 0;
  bool copied = false;   // its driver transfers them without a request for each
  Offset file_size = 0;  // as rank 0 sees it; reading
  Errc error = Errc::ok;
  bool fit = true;  // its view lets others carry the access out
};

struct Cooperation {
  bool together = false;
  int aggregators = 1;
  Offset first = 0;  // hull of all parts
  Offset end = 0;
  const char* why = "";                      // for people
  bool copied = false;                       // so are all parts, where it was asked
  double cost_together = 0, cost_alone = 0;  // where they were compared; nanoseconds
};

struct Circumstances {
  bool writing;
  Choice choice;   // the hint's
  int processors;  // that the processes may use
  const SharedHints& hints;
};

Cooperation decide(std::span<const Part> parts, const Circumstances& circumstances) noexcept;

}  // namespace tessera::io
