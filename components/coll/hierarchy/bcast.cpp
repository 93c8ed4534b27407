// SPDX-License-Identifier: BSD-3-Clause
// Broadcast, from the outermost level in. In each group the root, or else the first process, speaks
// for it; so the data enters each group once. Long data goes in segments, with the levels working
// at the same time. Cost between systems for n bytes: one message of n to each, all from the root's
// system.
#include "pieces.h"

namespace tessera::coll::hierarchy {

namespace {

// Only the amount of data is equal everywhere: segments are counted in bytes.
Buffer bytes_of(Composer& composer, const Buffer& data, bool root, StepId& filled) {
  if (data.type->contiguous()) return {data.space, data.offset, data.bytes(), nullptr};
  const Buffer packed = composer.schedule().scratch(data.bytes(), nullptr);
  if (root) filled = composer.schedule().copy(data, packed);
  return packed;
}

}  // namespace

void bcast(Composer& composer, Count segment) {
  const Call& call = composer.call();
  const Buffer data = data_of(Space::receive, call.receive);
  Pipeline pipeline(composer, {.root = composer.tree().position_of(call.root)});
  const Pieces pieces(data.bytes(), 1, segment);
  StepId filled = kNoStep;
  const bool whole = pieces.number() == 1;
  const Buffer row = whole ? data : bytes_of(composer, data, call.rank == call.root, filled);
  for (int i = 0; i < pieces.number(); ++i) {
    const Buffer piece = whole ? data : pieces.of(row, i);
    StepId here = filled;
    for (int stage = pipeline.first(); stage <= pipeline.last(); ++stage)
      here = pipeline.add(stage, here, [&](const Team& team, StepId after) {
        return composer.bcast(team, piece, after);
      });
  }
  if (row.space == Space::scratch && call.rank != call.root)
    composer.schedule().copy(row, data, {pipeline.done(pipeline.first())});
}

}  // namespace tessera::coll::hierarchy
