// SPDX-License-Identifier: BSD-3-Clause
// What must hold between the steps of one schedule.
#include <algorithm>

#include "tools/schedules/party.h"

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

void sort_steps(Party& party) {
  std::vector<std::uint32_t> waiting;
  waiting.reserve(party.steps().size());
  for (const Step& step : party.steps()) waiting.push_back(step.predecessors);
  party.order.reserve(waiting.size());
  for (StepId id = 0; id < waiting.size(); ++id) {
    if (waiting[id] == 0) party.order.push_back(id);
  }
  for (std::size_t i = 0; i < party.order.size(); ++i) {
    party.each_edge(party.order[i], [&](const Edge& edge) {
      if (--waiting[edge.step] == 0) party.order.push_back(edge.step);
    });
  }
  if (party.order.size() != party.steps().size()) party.fail("the order of steps has a cycle");
}

// Through completion only, or also through the order of starting.
Reach reachable(const Party& party, bool with_issue) {
  Reach reach(party.steps().size());
  for (auto id = party.order.rbegin(); id != party.order.rend(); ++id) {
    party.each_edge(*id, [&](const Edge& edge) {
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

std::vector<Access> accesses(const Party& party) {
  std::vector<Access> all;
  all.reserve(2 * party.steps().size());
  for (StepId id = 0; id < party.steps().size(); ++id) {
    const Step& step = party.steps()[id];
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

[[noreturn]] void report_overlap(const Party& party, StepId a, StepId b) {
  if (a == b) party.fail(text(party.steps()[a], a) + " overlaps itself");
  party.fail(text(party.steps()[a], a) + " and " + text(party.steps()[b], b) +
             " touch the same bytes without order");
}

void check_overlaps(const Party& party, const Reach& after) {
  const std::vector<Access> all = accesses(party);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Access& a = all[i];
    if (a.write && a.space == Space::send)
      party.fail(text(party.steps()[a.step], a.step) + " writes to the send buffer");
    for (std::size_t k = i + 1; k < all.size() && all[k].space == a.space && all[k].begin < a.end;
         ++k) {
      const Access& b = all[k];
      if ((a.write || b.write) && !after(a.step, b.step) && !after(b.step, a.step))
        report_overlap(party, a.step, b.step);
    }
  }
}

// Pairs of messages that go to, or come from, one process and follow one another in `order`.
std::vector<std::pair<StepId, StepId>> neighbours_in_lanes(const Party& party) {
  std::vector<std::pair<std::uint64_t, StepId>> messages;
  for (const StepId id : party.order) {
    const Step& step = party.steps()[id];
    if (step.kind != StepKind::send && step.kind != StepKind::recv) continue;
    const auto lane = static_cast<std::uint64_t>(static_cast<std::uint32_t>(step.peer)) * 2;
    messages.emplace_back(lane + (step.kind == StepKind::send ? 1 : 0), id);
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

void check_lanes(const Party& party, const Reach& done_after) {
  std::vector<std::pair<StepId, StepId>> open = neighbours_in_lanes(party);
  open.erase(std::remove_if(open.begin(), open.end(),
                            [&](const auto& pair) { return done_after(pair.first, pair.second); }),
             open.end());
  if (open.empty()) return;
  const Reach after = reachable(party, true);
  for (const auto& [first, second] : open) {
    if (!after(first, second)) {
      party.fail(text(party.steps()[first], first) + " and " + text(party.steps()[second], second) +
                 " may start in any order");
    }
  }
}

}  // namespace

void check_order(Party& party) {
  sort_steps(party);
  const Reach after = reachable(party, false);
  check_overlaps(party, after);
  check_lanes(party, after);
}

}  // namespace tessera::coll::schedules
