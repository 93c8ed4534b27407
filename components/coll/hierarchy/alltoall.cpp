// SPDX-License-Identifier: BSD-3-Clause
// Alltoall of short blocks, in two levels: within an outermost group directly; what goes to other
// groups is gathered by the leader, exchanged between leaders, and scattered. Cost between systems
// for blocks of n bytes: one message from each to each other one, of n for each pair of processes.
#include "rows.h"

namespace tessera::coll::hierarchy {

namespace {

// What is not in this process's outermost group is called abroad; processes there are numbered by
// position, with the home group left out.
class Exchange {
 public:
  explicit Exchange(Composer& composer)
      : composer_(composer),
        schedule_(composer.schedule()),
        tree_(composer.tree()),
        each_(amount(composer.call())),
        home_(tree_.group(1, composer.position())),
        abroad_(tree_.size() - home_.size()) {
    team_.whole = home_;
    for (int i = home_.first; i < home_.last; ++i) {
      if (i == composer.position()) team_.me = team_.size();
      team_.ranks.push_back(tree_.rank_at(i));
    }
  }

  void run() {
    const Call& call = composer_.call();
    const Buffer out = bytes(abroad_), in = bytes(abroad_);
    StepId after = pack(call.in_place ? Space::receive : Space::send, out);
    after = at_home(after);
    const bool leads = team_.leads();
    const Buffer all_out = leads ? bytes(home_.size() * abroad_) : Buffer{};
    const Buffer all_in = leads ? bytes(home_.size() * abroad_) : Buffer{};
    after = transfer(Operation::gather, out, all_out, after);
    if (leads) after = between_leaders(all_out, all_in, after);
    after = transfer(Operation::scatter, in, all_in, after);
    unpack(in, after);
  }

 private:
  Buffer bytes(int blocks) noexcept { return schedule_.scratch(blocks * each_, nullptr); }
  Buffer blocks(const Buffer& row, int first, int number) const noexcept {
    return row.part(first * each_, number * each_);
  }
  Buffer user_block(Space space, int position) const noexcept {
    const Call& call = composer_.call();
    const Side& side = space == Space::send ? call.send : call.receive;
    return data_of(space, side).part(side.count * tree_.rank_at(position), side.count);
  }
  // act(position, number abroad).
  template <class Act>
  void each_abroad(Act act) const {
    for (int position = 0, number = 0; position < tree_.size(); ++position)
      if (!home_.holds(position)) act(position, number++);
  }
  int number_of(const Group& foreign) const noexcept {
    return foreign.first < home_.first ? foreign.first : foreign.first - home_.size();
  }

  StepId pack(Space space, const Buffer& out) {
    const StepId all = schedule_.copy({}, {});
    each_abroad([&](int position, int number) {
      schedule_.order(schedule_.copy(user_block(space, position), blocks(out, number, 1)), all);
    });
    return all;
  }
  void unpack(const Buffer& in, StepId after) {
    each_abroad([&](int position, int number) {
      schedule_.copy(blocks(in, number, 1), user_block(Space::receive, position), {after});
    });
  }

  StepId at_home(StepId after) {
    if (team_.size() == 1) return to_itself(after);
    const Call& outer = composer_.call();
    const Home send(*this, outer.send.count), receive(*this, outer.receive.count);
    Call call = composer_.inner(Operation::alltoallv, team_);
    call.in_place = outer.in_place;
    if (!outer.in_place) call.send = send.side(outer.send.type);
    call.receive = receive.side(outer.receive.type);
    return composer_.emit(call, team_, {Space::send, 0, 0, nullptr},
                          {Space::receive, 0, 0, nullptr}, after);
  }
  StepId to_itself(StepId after) {
    const int me = composer_.position();
    if (composer_.call().in_place) return after;
    return schedule_.copy(user_block(Space::send, me), user_block(Space::receive, me), {after});
  }
  // The blocks of the home group in the user's memory.
  struct Home {
    Home(const Exchange& exchange, Count count) : counts(exchange.team_.ranks.size(), count) {
      for (const int rank : exchange.team_.ranks) displacements.push_back(rank * count);
    }
    Side side(const Datatype* type) const noexcept {
      Side side;
      side.type = type;
      side.counts = counts.data();
      side.displacements = displacements.data();
      return side;
    }
    std::vector<Count> counts, displacements;
  };

  // Between this process's row and that of all, at the leader.
  StepId transfer(Operation operation, const Buffer& mine, const Buffer& all, StepId after) {
    if (team_.size() == 1)
      return operation == Operation::gather ? schedule_.copy(mine, all, {after})
                                            : schedule_.copy(all, mine, {after});
    Call call = composer_.inner(operation, team_);
    call.send.type = call.receive.type = octets();
    call.send.count = call.receive.count = mine.count;
    const bool up = operation == Operation::gather;
    return composer_.emit(call, team_, up ? mine : all, up ? all : mine, after);
  }

  // Rows of all are by home process, then by number abroad. What goes to a foreign group is by home
  // process, then by foreign one; what comes from there the other way round.
  StepId between_leaders(const Buffer& all_out, const Buffer& all_in, StepId after) {
    const Team leaders = composer_.team(0, {});
    const Buffer out = bytes(home_.size() * abroad_), in = bytes(home_.size() * abroad_);
    StepId packed = schedule_.copy({}, {}, {after});
    for (const Group& foreign : leaders.parts) {
      if (foreign.first == home_.first) continue;
      for (int i = 0; i < home_.size(); ++i) {
        const Buffer to =
            blocks(out, number_of(foreign) * home_.size() + i * foreign.size(), foreign.size());
        const Buffer from = blocks(all_out, i * abroad_ + number_of(foreign), foreign.size());
        schedule_.order(schedule_.copy(from, to, {after}), packed);
      }
    }
    return sort(in, all_in, exchange(leaders, out, in, packed));
  }
  // What a foreign process sent lies together, by home process.
  StepId sort(const Buffer& in, const Buffer& all_in, StepId after) {
    const StepId all = schedule_.copy({}, {}, {after});
    for (int number = 0; number < abroad_; ++number) {
      for (int i = 0; i < home_.size(); ++i) {
        const Buffer from = blocks(in, number * home_.size() + i, 1);
        schedule_.order(schedule_.copy(from, blocks(all_in, i * abroad_ + number, 1), {after}),
                        all);
      }
    }
    return all;
  }
  StepId exchange_directly(const Team& leaders, const Buffer& out, const Buffer& in, StepId after) {
    const StepId all = schedule_.copy({}, {}, {after});
    for (int i = 0; i < leaders.size(); ++i) {
      if (i == leaders.me) continue;
      const Group& part = leaders.parts[static_cast<std::size_t>(i)];
      const int first = number_of(part) * home_.size(), number = part.size() * home_.size();
      const int peer = leaders.ranks[static_cast<std::size_t>(i)];
      schedule_.order(schedule_.send(peer, blocks(out, first, number), {after}), all);
      schedule_.order(schedule_.recv(peer, blocks(in, first, number), {after}), all);
    }
    return all;
  }
  StepId exchange(const Team& leaders, const Buffer& out, const Buffer& in, StepId after) {
    if (leaders.slow) return exchange_directly(leaders, out, in, after);
    std::vector<Count> counts, displacements;
    for (const Group& part : leaders.parts) {
      const bool home = part.first == home_.first;
      counts.push_back(home ? 0 : each_ * part.size() * home_.size());
      displacements.push_back(home ? 0 : each_ * number_of(part) * home_.size());
    }
    Call call = composer_.inner(Operation::alltoallv, leaders);
    call.send.type = octets();
    call.send.counts = counts.data();
    call.send.displacements = displacements.data();
    call.receive = call.send;
    return composer_.emit(call, leaders, out, in, after);
  }

  Composer& composer_;
  Schedule& schedule_;
  const Tree& tree_;
  Count each_;  // bytes of a block
  Group home_;
  int abroad_;
  Team team_;  // of the home group, its first process leading
};

}  // namespace

void alltoall(Composer& composer, Count) {
  Exchange(composer).run();
}

}  // namespace tessera::coll::hierarchy
