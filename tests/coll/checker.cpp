// SPDX-License-Identifier: BSD-3-Clause
// Runs the schedules of all processes of an operation in memory and verifies what a schedule promises.
#include "tests/coll/checker.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>

namespace tessera::coll::test {

namespace {

// Which steps come after which.
class Reach {
 public:
  explicit Reach(std::size_t steps) : words_((steps + 63) / 64), bits_(steps * words_) {}
  bool operator()(StepId a, StepId b) const { return (bits_[a * words_ + b / 64] >> (b % 64) & 1) != 0; }
  // b comes after a, and so does all that comes after b.
  void follow(StepId a, StepId b) {
    bits_[a * words_ + b / 64] |= std::uint64_t{1} << (b % 64);
    for (std::size_t i = 0; i < words_; ++i) bits_[a * words_ + i] |= bits_[b * words_ + i];
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool writes(const Step& step) {
  return step.kind != StepKind::send;
}

std::string text(const Step& step, StepId id) {
  static const char* const kNames[] = {"send", "recv", "reduce", "copy"};
  return "step " + std::to_string(id) + " (" + kNames[static_cast<int>(step.kind)] + ", peer " +
         std::to_string(step.peer) + ")";
}

// One process with its schedule and the state of its run.
struct Runner {
  Process* process = nullptr;
  int number = 0;
  std::unique_ptr<Schedule> schedule = std::make_unique<Schedule>();
  Memory scratch;
  std::vector<std::uint32_t> waiting;
  std::vector<StepId> order;  // some order of the steps that respects all edges
  std::deque<StepId> ready;
  std::size_t done = 0;

  std::span<const Step> steps() const { return schedule->steps(); }
  template <class Act>
  void each_edge(StepId id, Act act) const {
    for (std::uint32_t i = steps()[id].first_edge; i != kNoEdge; i = schedule->edge(i).next)
      act(schedule->edge(i));
  }
  Memory& memory(Space space) {
    return space == Space::send ? process->send : space == Space::receive ? process->receive : scratch;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Failure("process " + std::to_string(number) + ": " + what);
  }
};

void sort_steps(Runner& runner) {
  std::vector<std::uint32_t> waiting;
  for (const Step& step : runner.steps()) waiting.push_back(step.predecessors);
  for (StepId id = 0; id < waiting.size(); ++id) {
    if (waiting[id] == 0) runner.order.push_back(id);
  }
  for (std::size_t i = 0; i < runner.order.size(); ++i) {
    runner.each_edge(runner.order[i], [&](const Edge& edge) {
      if (--waiting[edge.step] == 0) runner.order.push_back(edge.step);
    });
  }
  if (runner.order.size() != runner.steps().size()) runner.fail("the order of steps has a cycle");
}

// Through completion only, or also through the order of starting.
Reach reachable(const Runner& runner, bool with_issue) {
  Reach reach(runner.steps().size());
  for (auto id = runner.order.rbegin(); id != runner.order.rend(); ++id) {
    runner.each_edge(*id, [&](const Edge& edge) {
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

std::vector<Access> accesses(const Runner& runner) {
  std::vector<Access> all;
  for (StepId id = 0; id < runner.steps().size(); ++id) {
    const Step& step = runner.steps()[id];
    const auto add = [&](const Buffer& buffer, bool write) {
      for (const auto& [at, bytes] : intervals(buffer)) {
        if (bytes > 0) all.push_back({id, write, buffer.space, at, at + bytes});
      }
    };
    if (step.kind != StepKind::recv) add(step.from, false);
    if (writes(step)) add(step.to, true);
  }
  return all;
}

void check_hazards(const Runner& runner) {
  const Reach after = reachable(runner, false);
  std::vector<Access> all = accesses(runner);
  std::sort(all.begin(), all.end(), [](const Access& a, const Access& b) {
    return a.space != b.space ? a.space < b.space : a.begin < b.begin;
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Access& a = all[i];
    if (a.write && a.space == Space::send)
      runner.fail(text(runner.steps()[a.step], a.step) + " writes to the send buffer");
    for (std::size_t k = i + 1; k < all.size() && all[k].space == a.space && all[k].begin < a.end; ++k) {
      const Access& b = all[k];
      if ((!a.write && !b.write) || after(a.step, b.step) || after(b.step, a.step)) continue;
      if (a.step == b.step) {
        runner.fail(text(runner.steps()[a.step], a.step) + " overlaps itself");
      } else {
        runner.fail(text(runner.steps()[a.step], a.step) + " and " + text(runner.steps()[b.step], b.step) +
                    " touch the same bytes without order");
      }
    }
  }
}

void check_lanes(const Runner& runner) {
  const Reach after = reachable(runner, true);
  std::map<std::pair<StepKind, int>, StepId> latest;
  for (const StepId id : runner.order) {
    const Step& step = runner.steps()[id];
    if (step.kind != StepKind::send && step.kind != StepKind::recv) continue;
    const auto [previous, first] = latest.insert({{step.kind, step.peer}, id});
    if (!first && !after(previous->second, id)) {
      runner.fail(text(runner.steps()[previous->second], previous->second) + " and " + text(step, id) +
                  " may start in any order");
    }
    previous->second = id;
  }
}

struct Post {
  Runner* runner;
  StepId step;
};

class World {
 public:
  World(std::vector<Process>& processes, int first_side) : first_side_(first_side) {
    for (Process& process : processes) {
      Runner& runner = runners_.emplace_back();
      runner.process = &process;
      runner.number = static_cast<int>(runners_.size()) - 1;
    }
  }

  void emit(const Emitter& emitter) {
    for (Runner& runner : runners_) {
      if (const Status status = emitter(runner.process->call, *runner.schedule); !status)
        runner.fail(status.text());
      runner.scratch = Memory::of_bytes(runner.schedule->scratch_bytes());
      sort_steps(runner);
      check_hazards(runner);
      check_lanes(runner);
    }
  }

  void run(int absent = -1) {
    for (Runner& runner : runners_) {
      if (runner.number == absent) continue;
      for (StepId id = 0; id < runner.steps().size(); ++id) {
        runner.waiting.push_back(runner.steps()[id].predecessors);
        if (runner.waiting.back() == 0) runner.ready.push_back(id);
      }
    }
    while (step_all()) {
    }
  }

  bool finished(std::size_t number) const { return runners_[number].done == runners_[number].steps().size(); }

  void check_end() const {
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (!finished(i)) runners_[i].fail("does not end: " + unfinished(runners_[i]));
    }
  }

  void compare() const {
    for (const Runner& runner : runners_) {
      const Process& process = *runner.process;
      if (!process.receive_matters || process.receive.bytes == process.expected) continue;
      const auto at = std::mismatch(process.receive.bytes.begin(), process.receive.bytes.end(),
                                    process.expected.begin(), process.expected.end());
      runner.fail("wrong byte at " + std::to_string(at.first - process.receive.bytes.begin()) + " of " +
                  std::to_string(process.receive.bytes.size()));
    }
  }

 private:
  // Which process the number `peer` in the schedule of `runner` means.
  int process_of(const Runner& runner, int peer) const {
    if (first_side_ == 0) return peer;
    const bool on_first = runner.number < first_side_;
    const int remote = runner.process->call.remote_size;
    const bool wanted_first = (peer < remote) != on_first;
    return (wanted_first ? 0 : first_side_) + (peer < remote ? peer : peer - remote);
  }

  bool step_all() {
    bool moved = false;
    for (Runner& runner : runners_) {
      while (!runner.ready.empty()) {
        const StepId id = runner.ready.front();
        runner.ready.pop_front();
        start(runner, id);
        moved = true;
      }
    }
    return moved;
  }

  void start(Runner& runner, StepId id) {
    const Step& step = runner.steps()[id];
    if (step.kind == StepKind::copy) {
      unpack(pack(runner.memory(step.from.space), step.from), runner.memory(step.to.space), step.to);
    } else if (step.kind == StepKind::reduce) {
      reduce(runner, step);
    }
    release(runner, id, true);
    if (step.kind == StepKind::copy || step.kind == StepKind::reduce) {
      finish(runner, id);
    } else {
      post(runner, id);
    }
  }

  static void reduce(Runner& runner, const Step& step) {
    const Memory& from = runner.memory(step.from.space);
    Memory& to = runner.memory(step.to.space);
    if (step.from.count != step.to.count || step.from.type != step.to.type)
      runner.fail("a reduction of unlike operands");
    static_cast<void>(pack(from, step.from));  // checks the range
    static_cast<void>(pack(to, step.to));
    const Status outcome = runner.process->call.op->apply(from.bytes.data() + from.base + step.from.offset,
                                                          to.bytes.data() + to.base + step.to.offset,
                                                          step.to.count, *step.to.type);
    if (!outcome) runner.fail("the op failed");
  }

  // Messages between two processes match in the order in which they are posted.
  void post(Runner& runner, StepId id) {
    const Step& step = runner.steps()[id];
    const int other = process_of(runner, step.peer);
    const bool sends = step.kind == StepKind::send;
    auto& [sent, posted] = sends ? channels_[{runner.number, other}] : channels_[{other, runner.number}];
    (sends ? sent : posted).push_back({&runner, id});
    if (sent.empty() || posted.empty()) return;
    const Post from = sent.front(), to = posted.front();
    sent.pop_front();
    posted.pop_front();
    const Buffer& source = from.runner->steps()[from.step].from;
    const Buffer& target = to.runner->steps()[to.step].to;
    if (source.bytes() != target.bytes()) {
      runner.fail("a message of " + std::to_string(source.bytes()) + " bytes meets a receive of " +
                  std::to_string(target.bytes()));
    }
    unpack(pack(from.runner->memory(source.space), source), to.runner->memory(target.space), target);
    finish(*from.runner, from.step);
    finish(*to.runner, to.step);
  }

  static void finish(Runner& runner, StepId id) {
    ++runner.done;
    release(runner, id, false);
  }

  static void release(Runner& runner, StepId id, bool issued) {
    runner.each_edge(id, [&](const Edge& edge) {
      if (edge.issue_only == issued && --runner.waiting[edge.step] == 0) runner.ready.push_back(edge.step);
    });
  }

  std::string unfinished(const Runner& runner) const {
    std::string list;
    for (const auto& [ends, posts] : channels_) {
      for (const auto* queue : {&posts.first, &posts.second}) {
        for (const Post& post : *queue) {
          if (post.runner == &runner) list += text(runner.steps()[post.step], post.step) + " ";
        }
      }
    }
    return list;
  }

  int first_side_;
  std::deque<Runner> runners_;
  std::map<std::pair<int, int>, std::pair<std::deque<Post>, std::deque<Post>>>
      channels_;  // (sends, receives)
};

}  // namespace

std::string check(std::vector<Process>& processes, const Emitter& emit, int first_side) {
  try {
    World world(processes, first_side);
    world.emit(emit);
    world.run();
    world.check_end();
    world.compare();
    return {};
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

int finishers_without(std::vector<Process>& processes, const Emitter& emit, int absent, int first_side,
                      int first, int last) {
  World world(processes, first_side);
  world.emit(emit);
  world.run(absent);
  int finishers = 0;
  for (int i = first; i < std::min(last, static_cast<int>(processes.size())); ++i) {
    if (i != absent && world.finished(static_cast<std::size_t>(i))) ++finishers;
  }
  return finishers;
}

}  // namespace tessera::coll::test
