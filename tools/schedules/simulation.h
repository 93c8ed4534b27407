// SPDX-License-Identifier: BSD-3-Clause
// How long the schedules of a plan take on a machine: simulate().
#pragma once
//
// Contract. Each rank has one processor and two ports, one for what leaves and one for what arrives
// (LogGP has one for both; networks of today do both at once). A processor does one thing at a
// time, to its end:
//   send           o of the level; then the message waits for the port, leaves it within (k - 1) G
//                  for k bytes, and its last byte arrives L later. The step is done when the last
//                  byte has left. The port is free g after that.
//   recv           starting it costs nothing. Once it was started and the last byte is there, it
//                  takes o. At the port, bytes come in within (k - 1) G and g lies between
//                  messages; what finds it busy waits.
//   copy, reduce   a fixed cost and a cost per byte; nothing if there are no bytes.
// As in the engine, ready steps are started first come first served, at first in the order of
// emission with copies of more than 4,096 bytes last; messages that arrived are looked at when
// nothing is ready. All ranks begin at 0. Not in the model: that a long send waits for its
// receiver, that ranks share a network port, and jitter.
//
#include "tools/schedules/plan.h"

namespace tessera::coll::schedules {

// Of one step, in nanoseconds. Of a receive: `begin` is when the processor takes the message.
struct Moment {
  double begin = 0;    // the processor starts on it
  double until = 0;    // the processor is through with it
  double leaves = 0;   // send: the first byte is at the port
  double arrives = 0;  // send: the last byte is at the receiver
};

struct Outcome {
  double end = 0;               // the last step of the last rank
  std::vector<Moment> moments;  // per step of the plan, if asked for
};

// Throws BadInput if the schedules wait for one another for ever.
Outcome simulate(const Plan& plan, const Machine& machine, bool with_moments = false);

}  // namespace tessera::coll::schedules
