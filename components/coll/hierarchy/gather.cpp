// SPDX-License-Identifier: BSD-3-Clause
// Gather and scatter: leaders pack what their groups have, level by level; the root's own process leads its groups.
// Cost between systems: the blocks of each other system in one message to or from the root.
#include "rows.h"

namespace tessera::coll::hierarchy {

namespace {

// The block of the process at a position, in the root's memory of many blocks.
Buffer user_block(const Composer& composer, Space space, const Side& many, int position) {
  return data_of(space, many).part(many.count * composer.tree().rank_at(position), many.count);
}

// The root, and those that pass on what others have, work on packed rows, except where the user's memory is one.
Buffer memory_for(Composer& composer, const Group& held, Space space, const Side& many, const Buffer& own,
                  bool direct, Count bytes) {
  if (direct) return data_of(space, many).part(0, many.count * held.size());
  if (held.size() == 1) return own;
  return composer.schedule().scratch(bytes * held.size(), nullptr);
}

}  // namespace

void gather(Composer& composer, Count) {
  const Call& call = composer.call();
  const bool root = call.rank == call.root;
  const bool direct = root && composer.tree().in_order();
  const Lead lead{.root = composer.tree().position_of(call.root)};
  const Group held = led_group(composer, lead);
  const Buffer own = call.in_place && root
                         ? user_block(composer, Space::receive, call.receive, composer.position())
                         : data_of(Space::send, call.send);
  const Buffer memory = memory_for(composer, held, Space::receive, call.receive, own, direct, amount(call));
  const Blocks blocks(call.size, memory.type != nullptr ? memory.count / held.size() : amount(call));
  const Row row(blocks, held, memory);
  StepId after = kNoStep;
  if (held.size() > 1 && !(direct && call.in_place))
    after = composer.schedule().copy(own, row.of(composer.position()));
  after = collect(composer, lead, row, 0, after);
  if (!root || direct) return;
  for (int i = 0; i < call.size; ++i)
    composer.schedule().copy(row.of(i), user_block(composer, Space::receive, call.receive, i), {after});
}

void scatter(Composer& composer, Count) {
  const Call& call = composer.call();
  const bool root = call.rank == call.root;
  const bool direct = root && composer.tree().in_order();
  const Lead lead{.root = composer.tree().position_of(call.root)};
  const Group held = led_group(composer, lead);
  const Buffer own = data_of(Space::receive, call.receive);
  const Buffer memory = memory_for(composer, held, Space::send, call.send, own, direct, amount(call));
  const Blocks blocks(call.size, memory.type != nullptr ? memory.count / held.size() : amount(call));
  const Row row(blocks, held, memory);
  StepId after = kNoStep;
  if (root && !direct) {
    after = composer.schedule().copy({}, {});
    for (int i = 0; i < call.size; ++i)
      composer.schedule().order(
          composer.schedule().copy(user_block(composer, Space::send, call.send, i), row.of(i)), after);
  }
  const StepId here = spread(composer, lead, row, 0, after);
  const bool keeps = root && call.in_place;
  if (held.size() > 1 && !keeps)
    composer.schedule().copy(row.of(composer.position()), own, {root ? after : here});
}

}  // namespace tessera::coll::hierarchy
