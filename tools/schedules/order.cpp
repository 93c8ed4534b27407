// SPDX-License-Identifier: BSD-3-Clause
// What must hold between the steps of one schedule.
#include <algorithm>

#include "tools/schedules/rank_model.h"

namespace tessera::coll::schedules {

namespace {

// Which steps come after which.
class Reach {
 public:
  explicit Reach(std::size_t steps) : words_((steps + 63) / 64), bits_(steps * words_) {}
  bool operator()(StepId a, StepId b) const {
    return (bits_[a * words_ + b / 64] >> (b % 64) & 1) != 0;
  }
  // b comes after a, and so does all that comes after b.
  void follow(StepId a, StepId b) {
    bits_[a * words_ + b / 64] |= std::uint64_t{1} << (b % 64);
    for (std::size_t i = 0; i < words_; ++i) bits_[a * words_ + i] |= bits_[b * words_ + i];
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

void sort_steps(RankModel& model) {
  std::vector<std::uint32_t> waiting;
  waiting.reserve(model.steps().size());
  for (const Step& step : model.steps()) waiting.push_back(step.predecessors);
  model.order.reserve(waiting.size());
  for (StepId id = 0; id < waiting.size(); ++id) {
    if (waiting[id] == 0) model.order.push_back(id);
  }
  for (std::size_t i = 0; i < model.order.size(); ++i) {
    model.each_edge(model.order[i], [&](const Edge& edge) {
      if (--waiting[edge.step] == 0) model.order.push_back(edge.step);
    });
  }
  if (model.order.size() != model.steps().size()) model.fail("the order of steps has a cycle");
}

// Through completion only, or also through the order of starting.
Reach reachable(const RankModel& model, bool with_issue) {
  Reach reach(model.steps().size());
  for (auto id = model.order.rbegin(); id != model.order.rend(); ++id) {
    model.each_edge(*id, [&](const Edge& edge) {
      if (with_issue || !edge.issue_only) reach.follow(*id, edge.step);
    });
  }
  return reach;
}

struct Access {
  StepId step;
  bool write;
  Space space;
  Aint begin, end;
};

std::vector<Access> accesses(const RankModel& model) {
  std::vector<Access> all;
  all.reserve(2 * model.steps().size());
  for (StepId id = 0; id < model.steps().size(); ++id) {
    const Step& step = model.steps()[id];
    const auto add = [&](const Buffer& buffer, bool write) {
      each_interval(buffer, [&](Aint at, Count bytes) {
        if (bytes > 0) all.push_back({id, write, buffer.space, at, at + bytes});
      });
    };
    if (step.kind != StepKind::recv) add(step.from, false);
    if (step.kind != StepKind::send) add(step.to, true);
  }
  std::sort(all.begin(), all.end(), [](const Access& a, const Access& b) {
    return a.space != b.space ? a.space < b.space : a.begin < b.begin;
  });
  return all;
}

[[noreturn]] void report_overlap(const RankModel& model, StepId a, StepId b) {
  if (a == b) model.fail(text(model.steps()[a], a) + " overlaps itself");
  model.fail(text(model.steps()[a], a) + " and " + text(model.steps()[b], b) +
             " touch the same bytes without order");
}

void check_overlaps(const RankModel& model, const Reach& after) {
  const std::vector<Access> all = accesses(model);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Access& a = all[i];
    if (a.write && a.space == Space::send)
      model.fail(text(model.steps()[a.step], a.step) + " writes to the send buffer");
    for (std::size_t k = i + 1; k < all.size() && all[k].space == a.space && all[k].begin < a.end;
         ++k) {
      const Access& b = all[k];
      if ((a.write || b.write) && !after(a.step, b.step) && !after(b.step, a.step))
        report_overlap(model, a.step, b.step);
    }
  }
}

// Pairs of messages that go to, or come from, one process and follow one another in `order`.
std::vector<std::pair<StepId, StepId>> neighbours_in_lanes(const RankModel& model) {
  std::vector<std::pair<std::uint64_t, StepId>> messages;
  for (const StepId id : model.order) {
    const Step& step = model.steps()[id];
    if (step.kind != StepKind::send && step.kind != StepKind::recv) continue;
    const auto pair = static_cast<std::uint64_t>(static_cast<std::uint32_t>(step.peer)) * 2;
    messages.emplace_back(pair + (step.kind == StepKind::send ? 1 : 0), id);
  }
  std::stable_sort(messages.begin(), messages.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<StepId, StepId>> pairs;
  for (std::size_t i = 1; i < messages.size(); ++i) {
    if (messages[i - 1].first == messages[i].first)
      pairs.emplace_back(messages[i - 1].second, messages[i].second);
  }
  return pairs;
}

void check_lanes(const RankModel& model, const Reach& done_after) {
  std::vector<std::pair<StepId, StepId>> open = neighbours_in_lanes(model);
  open.erase(std::remove_if(open.begin(), open.end(),
                            [&](const auto& pair) { return done_after(pair.first, pair.second); }),
             open.end());
  if (open.empty()) return;
  const Reach after = reachable(model, true);
  for (const auto& [first, second] : open) {
    if (!after(first, second)) {
      model.fail(text(model.steps()[first], first) + " and " + text(model.steps()[second], second) +
                 " may start in any order");
    }
  }
}

}  // namespace

void check_order(RankModel& model) {
  sort_steps(model);
  const Reach after = reachable(model, false);
  check_overlaps(model, after);
  check_lanes(model, after);
}

}  // namespace tessera::coll::schedules
