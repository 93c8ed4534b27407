// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter(_block): reduction to the leaders of the outermost groups, a reduce_scatter
// between them in which each gets what its group wants, and a scatter within the groups. Cost
// between systems for a vector of n bytes: from each to each other one the part of the vector that
// the latter wants.
#include "rows.h"

namespace tessera::coll::hierarchy {

namespace {

Count length(const Call& call, int rank) noexcept {
  return call.receive.counts ? call.receive.counts[rank] : call.receive.count;
}

// The whole vector, summed over the outermost group, at its leader.
StepId rise(Composer& composer, const Lead& lead, Buffer& value) {
  StepId after = kNoStep;
  const int leads_from = composer.tree().leads_from(composer.position(), lead);
  Buffer sum = value;
  if (leads_from < composer.tree().stages())
    sum = composer.schedule().scratch(value.count, value.type);
  for (int stage = composer.tree().stages() - 1; stage >= std::max(1, leads_from - 1); --stage) {
    const Team team = composer.team(stage, lead);
    after = composer.reduce(team, value, sum, after);
    if (team.leads() && team.size() > 1) value = sum;
  }
  return after;
}

// From the order of ranks into that of positions.
StepId arrange(Composer& composer, const Blocks& blocks, Buffer& value, StepId after) {
  const Tree& tree = composer.tree();
  if (tree.in_order()) return after;
  const Blocks by_rank(tree.size(), [&](int rank) { return length(composer.call(), rank); });
  const Row row = packed_row(composer, blocks, tree.everybody(), value.type);
  const StepId all = composer.schedule().copy({}, {}, {after});
  for (int i = 0; i < tree.size(); ++i) {
    const int rank = tree.rank_at(i);
    const Buffer from = value.part(by_rank.begin(rank), by_rank.of({rank, rank + 1}));
    composer.schedule().order(composer.schedule().copy(from, row.of(i), {after}), all);
  }
  value = row.memory();
  return all;
}

// To each other leader the part of the value that its group wants.
StepId divide_directly(Composer& composer, const Team& team, const Row& mine, const Buffer& value,
                       StepId after) {
  Schedule& schedule = composer.schedule();
  const auto part_of = [&](int i) {
    const Group& part = team.parts[static_cast<std::size_t>(i)];
    return value.part(mine.count({0, part.first}), mine.count(part));
  };
  const StepId sent = schedule.copy({}, {}, {after});
  for (int i = 0; i < team.size(); ++i) {
    const Buffer part = part_of(i);
    if (i != team.me && part.bytes() > 0)
      schedule.order(schedule.send(team.ranks[static_cast<std::size_t>(i)], part, {after}), sent);
  }
  const Buffer own = part_of(team.me);
  return own.bytes() > 0 ? composer.fold(team, own, mine.memory(), after, sent) : sent;
}

StepId divide(Composer& composer, const Team& team, const Row& mine, const Buffer& value,
              StepId after) {
  if (team.slow) return divide_directly(composer, team, mine, value, after);
  std::vector<Count> counts;
  for (const Group& part : team.parts) counts.push_back(mine.count(part));
  Call call = composer.inner(Operation::reduce_scatter, team);
  call.receive.counts = counts.data();
  call.receive.type = value.type;
  call.send.type = value.type;
  call.send.count = call.receive.count = mine.memory().count;
  return composer.emit(call, team, value, mine.memory(), after);
}

}  // namespace

void reduce_scatter(Composer& composer, Count) {
  const Call& call = composer.call();
  const Tree& tree = composer.tree();
  const Lead lead;
  const Blocks blocks(call.size,
                      [&](int position) { return length(call, tree.rank_at(position)); });
  const Group held = led_group(composer, lead, 1);
  Buffer value = contribution(call, blocks.all());
  StepId after = rise(composer, lead, value);
  const Buffer own = {Space::receive, 0, length(call, call.rank), call.receive.type};
  const Row row =
      held.size() == 1 ? Row(blocks, held, own) : packed_row(composer, blocks, held, own.type);
  if (tree.leads_from(composer.position(), lead) <= 1) {
    after = arrange(composer, blocks, value, after);
    after = divide(composer, composer.team(0, lead), row, value, after);
  }
  after = spread(composer, lead, row, 1, after);
  if (held.size() > 1) composer.schedule().copy(row.of(composer.position()), own, {after});
}

}  // namespace tessera::coll::hierarchy
