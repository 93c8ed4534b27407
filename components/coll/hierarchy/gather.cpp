// SPDX-License-Identifier: BSD-3-Clause
// Gather and scatter: leaders pack what their groups have, level by level; the root's own process
// leads its groups. Cost between systems: the blocks of each other system in one message to or from
// the root.
#include "rows.h"

namespace tessera::coll::hierarchy {

namespace {

// The block of the process at a position, in the root's memory of many blocks.
Buffer user_block(const Composer& composer, Space space, const Side& many, int position) {
  return data_of(space, many).part(many.count * composer.tree().rank_at(position), many.count);
}

// The blocks on their way between the root's memory `many` and those who have one each, as this
// process has them.
class Transit {
 public:
  Transit(Composer& composer, Space space, const Side& many, const Buffer& own)
      : root(composer.call().rank == composer.call().root),
        direct(root && composer.tree().in_order()),
        lead{.root = composer.tree().position_of(composer.call().root)},
        held_(led_group(composer, lead)),
        memory_(memory_for(composer, space, many, own)),
        blocks_(composer.call().size, memory_.count / held_.size()),
        row_(blocks_, held_, memory_) {}
  Transit(const Transit&) = delete;
  Transit& operator=(const Transit&) = delete;
  const Row& row() const noexcept { return row_; }
  // This process has more than its own block.
  bool packs() const noexcept { return held_.size() > 1; }

  bool root;
  bool direct;  // the root's memory is the row
  Lead lead;

 private:
  // The root, and those that pass on what others have, work on packed rows, except where the user's
  // memory is one.
  Buffer memory_for(Composer& composer, Space space, const Side& many, const Buffer& own) const {
    if (direct) return data_of(space, many).part(0, many.count * held_.size());
    if (!packs()) return own;
    return composer.schedule().scratch(amount(composer.call()) * held_.size(), nullptr);
  }

  Group held_;
  Buffer memory_;
  Blocks blocks_;
  Row row_;
};

}  // namespace

void gather(Composer& composer, Count) {
  const Call& call = composer.call();
  const Buffer own = call.in_place && call.rank == call.root
                         ? user_block(composer, Space::receive, call.receive, composer.position())
                         : data_of(Space::send, call.send);
  const Transit transit(composer, Space::receive, call.receive, own);
  StepId after = kNoStep;
  if (transit.packs() && !(transit.direct && call.in_place))
    after = composer.schedule().copy(own, transit.row().of(composer.position()));
  after = collect(composer, transit.lead, transit.row(), 0, after);
  if (!transit.root || transit.direct) return;
  for (int i = 0; i < call.size; ++i)
    composer.schedule().copy(transit.row().of(i),
                             user_block(composer, Space::receive, call.receive, i), {after});
}

void scatter(Composer& composer, Count) {
  const Call& call = composer.call();
  const Buffer own = data_of(Space::receive, call.receive);
  const Transit transit(composer, Space::send, call.send, own);
  StepId after = kNoStep;
  if (transit.root && !transit.direct) {
    after = composer.schedule().copy({}, {});
    for (int i = 0; i < call.size; ++i)
      composer.schedule().order(
          composer.schedule().copy(user_block(composer, Space::send, call.send, i),
                                   transit.row().of(i)),
          after);
  }
  const StepId here = spread(composer, transit.lead, transit.row(), 0, after);
  const bool keeps = transit.root && call.in_place;
  if (transit.packs() && !keeps)
    composer.schedule().copy(transit.row().of(composer.position()), own,
                             {transit.root ? after : here});
}

}  // namespace tessera::coll::hierarchy
