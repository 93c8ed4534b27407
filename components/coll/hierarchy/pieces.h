// SPDX-License-Identifier: BSD-3-Clause
// Data that goes from level to level in pieces, so that the levels work at the same time: Pieces,
// Pipeline.
#pragma once

#include <algorithm>

#include "operations.h"

namespace tessera::coll::hierarchy {

// `count` elements of `size` bytes in as many pieces as there are segments, but not too many.
class Pieces {
 public:
  Pieces(Count count, Count size, Count segment) noexcept : count_(count) {
    constexpr Count kMost = 64;  // bounds the schedule
    if (segment > 0)
      number_ =
          std::clamp<Count>(count * size / segment, 1, std::min(kMost, std::max<Count>(count, 1)));
  }
  int number() const noexcept { return static_cast<int>(number_); }
  Buffer of(const Buffer& data, int i) const noexcept {
    return data.part(begin(i), begin(i + 1) - begin(i));
  }

 private:
  Count begin(Count i) const noexcept {
    return i * (count_ / number_) + std::min(i, count_ % number_);
  }
  Count count_;
  Count number_ = 1;
};

// The teams of this process, and per team the step after which all that was emitted for it is done:
// what a team does with one piece comes after what it does with those before.
class Pipeline {
 public:
  Pipeline(Composer& composer, const Lead& lead)
      : composer_(composer),
        first_(std::max(0, composer.tree().leads_from(composer.position(), lead) - 1)) {
    for (int stage = first_; stage <= last(); ++stage) teams_.push_back(composer.team(stage, lead));
    done_.assign(teams_.size(), kNoStep);
  }
  int first() const noexcept { return first_; }
  int last() const noexcept { return composer_.tree().stages() - 1; }
  const Team& team(int stage) const noexcept { return teams_[index(stage)]; }
  // act(team, after) for this stage, after `after`; returns the step after it.
  template <class Act>
  StepId add(int stage, StepId after, Act act) {
    StepId& done = done_[index(stage)];
    return done = act(team(stage), composer_.both(done, after));
  }
  StepId done(int stage) const noexcept { return done_[index(stage)]; }

 private:
  std::size_t index(int stage) const noexcept { return static_cast<std::size_t>(stage - first_); }

  Composer& composer_;
  int first_;
  std::vector<Team> teams_;
  std::vector<StepId> done_;
};

}  // namespace tessera::coll::hierarchy
