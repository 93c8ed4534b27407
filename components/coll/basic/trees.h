// SPDX-License-Identifier: BSD-3-Clause
// Tree-shaped parts that several algorithms are made of: broadcast, reduction and assembly of
// signals within a team.
#pragma once

#include "blocks.h"

namespace tessera::coll::basic {

// Broadcast of `data` from team number `root`, which has it after step `after`; elsewhere the
// buffer may be written after `after`. Binomial tree: ceil(log2 p) rounds of the whole data.
void bcast_on(Schedule& schedule, const Team& team, int root, const Buffer& data,
              StepId after) noexcept;

// Reduction of everybody's `input` to team number `root`; ranks are taken in order when the
// operation does not commute, for which `root` must be 0. At the root the result is in `target`,
// which may be the same place as `input`. The step that ends it: at the root the result is there,
// elsewhere the input may be overwritten. Binomial tree: ceil(log2 p) rounds of the whole data.
StepId reduce_on(Schedule& schedule, const Team& team, int root, bool commutative,
                 const Buffer& input, const Buffer& target) noexcept;

// Signals from all to team number 0; the step after which all have arrived there.
StepId assemble_on(Schedule& schedule, const Team& team) noexcept;

}  // namespace tessera::coll::basic
