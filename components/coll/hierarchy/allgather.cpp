// SPDX-License-Identifier: BSD-3-Clause
// Allgather and allgatherv: the leaders of the outermost groups collect what these have, exchange
// it, and broadcast the whole. Cost between systems: the blocks of each to each other one, all at
// once.
#include "rows.h"

namespace tessera::coll::hierarchy {

namespace {

bool varies(const Call& call) noexcept {
  return static_cast<bool>(call.receive.counts);
}
Count length(const Call& call, int rank) noexcept {
  return varies(call) ? call.receive.counts[rank] : call.receive.count;
}
Count place(const Call& call, int rank) noexcept {
  return varies(call) ? call.receive.displacements[rank] : rank * call.receive.count;
}
Buffer user_block(const Call& call, int rank) noexcept {
  const Buffer all{Space::receive, 0, 0, call.receive.type};
  return all.part(place(call, rank), length(call, rank));
}

// Whether the user's memory is a row: one block after the other.
bool is_row(const Call& call, const Tree& tree) noexcept {
  if (!tree.in_order()) return false;
  for (int rank = 1; rank < call.size; ++rank)
    if (place(call, rank) != place(call, rank - 1) + length(call, rank - 1)) return false;
  return true;
}

StepId exchange_directly(Composer& composer, const Team& team, const Row& row, StepId after) {
  Schedule& schedule = composer.schedule();
  const Buffer mine = row.of(team.parts[static_cast<std::size_t>(team.me)]);
  const StepId all = schedule.copy({}, {}, {after});
  for (int i = 0; i < team.size(); ++i) {
    if (i == team.me) continue;
    const int rank = team.ranks[static_cast<std::size_t>(i)];
    const Buffer theirs = row.of(team.parts[static_cast<std::size_t>(i)]);
    if (mine.bytes() > 0) schedule.order(schedule.send(rank, mine, {after}), all);
    if (theirs.bytes() > 0) schedule.order(schedule.recv(rank, theirs, {after}), all);
  }
  return all;
}

StepId exchange(Composer& composer, const Team& team, const Row& row, StepId after) {
  if (team.slow) return exchange_directly(composer, team, row, after);
  Call call = composer.inner(Operation::allgatherv, team);
  const Division division(team, row);
  division.describe(call.receive, row);
  call.in_place = true;
  return composer.emit(call, team, row.memory(), row.memory(), after);
}

StepId carry(Composer& composer, const Lead& lead, const Row& row, StepId after) {
  after = collect(composer, lead, row, 1, after);
  const int leads_from = composer.tree().leads_from(composer.position(), lead);
  if (leads_from <= 1) after = exchange(composer, composer.team(0, lead), row, after);
  for (int stage = std::max(1, leads_from - 1); stage < composer.tree().stages(); ++stage)
    after = composer.bcast(composer.team(stage, lead), row.memory(), after);
  return after;
}

}  // namespace

void allgather(Composer& composer, Count) {
  const Call& call = composer.call();
  const Tree& tree = composer.tree();
  Schedule& schedule = composer.schedule();
  const bool direct = is_row(call, tree);
  const Count unit = direct ? 1 : call.receive.type->size();
  const Blocks blocks(call.size,
                      [&](int position) { return unit * length(call, tree.rank_at(position)); });
  const Row row = direct ? Row(blocks, tree.everybody(), user_block(call, 0).part(0, blocks.all()))
                         : packed_row(composer, blocks, tree.everybody());
  const Buffer own = call.in_place ? user_block(call, call.rank) : data_of(Space::send, call.send);
  StepId after = kNoStep;
  if (!(direct && call.in_place)) after = schedule.copy(own, row.of(composer.position()));
  after = carry(composer, {}, row, after);
  if (direct) return;
  for (int i = 0; i < call.size; ++i)
    schedule.copy(row.of(i), user_block(call, tree.rank_at(i)), {after});
}

}  // namespace tessera::coll::hierarchy
