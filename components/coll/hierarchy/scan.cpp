// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan. Here the last process of a group leads it. On the way up, each stage gives its
// members what comes before them in their group, and the last one so learns the sum of the group;
// on the way down, what comes before the group is told to all in it. Cost between systems for n
// bytes: an exscan of n between the last processes. Needs groups that are ranges of ranks.
#include "operations.h"

namespace tessera::coll::hierarchy {

namespace {

class Scan {
 public:
  explicit Scan(Composer& composer)
      : composer_(composer),
        schedule_(composer.schedule()),
        leads_from_(composer.tree().leads_from(composer.position(), kLead)),
        sum_(contribution(composer.call(), composer.call().receive.count)) {}

  void run() {
    std::vector<Buffer> before;  // by stage, the innermost first: what the members before this one
                                 // have in the group
    for (int stage = last(); stage >= first(); --stage) before.push_back(climb(stage));
    prefix_ = {};
    for (int stage = first(); stage <= last(); ++stage) {
      descend(stage, before.back());
      before.pop_back();
    }
    finish();
  }

 private:
  static constexpr Lead kLead{.root = -1, .last = true};
  int last() const noexcept { return composer_.tree().stages() - 1; }
  int first() const noexcept { return std::max(0, leads_from_ - 1); }
  Buffer fresh() noexcept { return schedule_.scratch(sum_.count, sum_.type); }

  Buffer climb(int stage) {
    const Team team = composer_.team(stage, kLead);
    if (team.size() == 1) return {};
    const Buffer before = fresh();
    Call call = composer_.inner(Operation::exscan, team);
    call.receive.count = call.send.count = sum_.count;
    call.receive.type = call.send.type = sum_.type;
    after_ = composer_.emit(call, team, sum_, before, after_);
    if (team.leads() && stage > 0) {
      const Buffer whole = fresh();
      after_ = schedule_.reduce(before, whole, {schedule_.copy(sum_, whole, {after_})});
      sum_ = whole;
    }
    return team.me > 0 ? before : Buffer{};
  }

  // The leader knows what comes before the group by now, if anything does.
  void descend(int stage, const Buffer& before) {
    const Team team = composer_.team(stage, kLead);
    if (team.whole.first > 0) {
      if (!team.leads()) prefix_ = fresh();
      after_ = composer_.bcast(team, prefix_, after_);
    }
    if (before.type == nullptr) return;
    if (prefix_.type != nullptr) after_ = schedule_.reduce(prefix_, before, {after_});
    prefix_ = before;
  }

  void finish() {
    const Call& call = composer_.call();
    const Buffer result = data_of(Space::receive, call.receive);
    const Buffer own = contribution(call, result.count);
    const bool inclusive = call.operation == Operation::scan;
    if (prefix_.type == nullptr) {
      if (inclusive && !same(own, result)) schedule_.copy(own, result, {after_});
      return;
    }
    if (!inclusive) {
      schedule_.copy(prefix_, result, {after_});
      return;
    }
    if (!same(own, result)) after_ = schedule_.copy(own, result, {after_});
    schedule_.reduce(prefix_, result, {after_});
  }

  Composer& composer_;
  Schedule& schedule_;
  int leads_from_;
  Buffer sum_;     // of the group that this process leads
  Buffer prefix_;  // of what comes before that group; without type: nothing does
  StepId after_ = kNoStep;
};

}  // namespace

void scan(Composer& composer, Count) {
  Scan(composer).run();
}

}  // namespace tessera::coll::hierarchy
