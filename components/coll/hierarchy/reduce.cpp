// SPDX-License-Identifier: BSD-3-Clause
// Reduction, from the innermost level out; and allreduce, which goes back in again. Long data goes
// in segments. Cost between systems for n bytes: reduce one message of n from each to the root's
// system; allreduce one of n each way between any two, all at once. Operations that do not commute
// need groups that are ranges of ranks.
#include "pieces.h"

namespace tessera::coll::hierarchy {

namespace {

// One piece on its way through the stages: where it is, and when.
struct Running {
  Buffer value;
  StepId ready = kNoStep;
};

// To the leaders of stage `until`; what they have so far goes to `target`.
void rise(Composer& composer, Pipeline& pipeline, int until, Running& running,
          const Buffer& target) {
  for (int stage = pipeline.last(); stage >= until && stage >= pipeline.first(); --stage) {
    running.ready = pipeline.add(stage, running.ready, [&](const Team& team, StepId after) {
      return composer.reduce(team, running.value, target, after);
    });
    if (pipeline.team(stage).leads() && pipeline.team(stage).size() > 1) running.value = target;
  }
}

}  // namespace

void reduce(Composer& composer, Count segment) {
  const Call& call = composer.call();
  Pipeline pipeline(composer, {.root = composer.tree().position_of(call.root)});
  const Buffer value = contribution(call, call.receive.count);
  Buffer target = data_of(Space::receive, call.receive);
  if (call.rank != call.root)
    target = pipeline.first() == pipeline.last()
                 ? value
                 : composer.schedule().scratch(value.count, value.type);
  const Pieces pieces(value.count, value.type->size(), segment);
  for (int i = 0; i < pieces.number(); ++i) {
    Running running{pieces.of(value, i)};
    rise(composer, pipeline, 0, running, pieces.of(target, i));
  }
}

void allreduce(Composer& composer, Count segment) {
  const Call& call = composer.call();
  Pipeline pipeline(composer, {});
  const Buffer value = contribution(call, call.receive.count);
  const Buffer target = data_of(Space::receive, call.receive);
  const Pieces pieces(value.count, value.type->size(), segment);
  const auto up = [&](int i) {
    Running running{pieces.of(value, i)};
    rise(composer, pipeline, 1, running, pieces.of(target, i));
    if (pipeline.first() > 0) return running.ready;
    return pipeline.add(0, running.ready, [&](const Team& team, StepId after) {
      return composer.allreduce(team, running.value, pieces.of(target, i), after);
    });
  };
  const auto down = [&](int i, StepId here) {
    for (int stage = std::max(1, pipeline.first()); stage <= pipeline.last(); ++stage)
      here = pipeline.add(stage, here, [&](const Team& team, StepId after) {
        return composer.bcast(team, pieces.of(target, i), after);
      });
  };
  StepId before =
      kNoStep;  // of the piece whose way down is still to come, while the next one rises
  for (int i = 0; i < pieces.number(); ++i) {
    const StepId risen = up(i);
    if (i > 0) down(i - 1, before);
    before = risen;
  }
  down(pieces.number() - 1, before);
}

}  // namespace tessera::coll::hierarchy
