// SPDX-License-Identifier: BSD-3-Clause
// Runs the schedules of all processes of an operation in memory and verifies what a schedule
// promises.
#include "tools/schedules/checker.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "tools/schedules/rank_model.h"

namespace tessera::coll::schedules {

namespace {

struct Post {
  RankModel* model = nullptr;
  StepId step = kNoStep;
};

// Messages between two processes match in the order in which they are posted: at any time, what
// waits is sends or receives, linked by RankModel::behind.
struct Channel {
  Post first;
  StepId last = kNoStep;
  bool sends = false;
};

class World {
 public:
  World(std::vector<Process>& processes, int first_side) : first_side_(first_side) {
    for (Process& process : processes) {
      RankModel& model = ranks_.emplace_back();
      model.process = &process;
      model.number = static_cast<int>(ranks_.size()) - 1;
    }
  }

  void emit(const Emitter& emitter) {
    for (RankModel& model : ranks_) {
      if (const Status status = emitter(model.process->call, *model.schedule); !status)
        model.fail(status.text());
      model.scratch = Memory::of_bytes(model.schedule->scratch_bytes());
      check_order(model);
    }
  }

  void run(int absent = -1) {
    for (RankModel& model : ranks_) {
      if (model.number != absent) prepare(model);
    }
    while (step_all()) {
    }
  }

  bool finished(std::size_t number) const {
    return ranks_[number].done == ranks_[number].steps().size();
  }

  void check_end() const {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (!finished(i)) ranks_[i].fail("does not end: " + unfinished(ranks_[i]));
    }
  }

  void compare() const {
    for (const RankModel& model : ranks_) {
      const Process& process = *model.process;
      if (!process.receive_matters || process.receive.bytes == process.expected) continue;
      const auto at = std::mismatch(process.receive.bytes.begin(), process.receive.bytes.end(),
                                    process.expected.begin(), process.expected.end());
      model.fail("wrong byte at " + std::to_string(at.first - process.receive.bytes.begin()) +
                 " of " + std::to_string(process.receive.bytes.size()));
    }
  }

 private:
  static void prepare(RankModel& model) {
    const std::size_t steps = model.steps().size();
    model.ready.reserve(steps);
    model.waiting.reserve(steps);
    model.behind.assign(steps, kNoStep);
    for (StepId id = 0; id < steps; ++id) {
      model.waiting.push_back(model.steps()[id].predecessors);
      if (model.waiting.back() == 0) model.ready.push_back(id);
    }
  }

  // Which process the number `peer` in the schedule of `model` means.
  int process_of(const RankModel& model, int peer) const {
    const int remote = model.process->call.remote_size;
    const int limit = first_side_ == 0 ? remote : remote + model.process->call.size;
    if (peer < 0 || peer >= limit) model.fail("there is no process " + std::to_string(peer));
    if (first_side_ == 0) return peer;
    const bool on_first = model.number < first_side_;
    const bool wanted_first = (peer < remote) != on_first;
    return (wanted_first ? 0 : first_side_) + (peer < remote ? peer : peer - remote);
  }

  bool step_all() {
    bool moved = false;
    for (RankModel& model : ranks_) {
      for (; model.issued < model.ready.size(); moved = true)
        start(model, model.ready[model.issued++]);
    }
    return moved;
  }

  void start(RankModel& model, StepId id) {
    const Step& step = model.steps()[id];
    if (step.kind == StepKind::copy) {
      transfer(model.memory(step.from.space), step.from, model.memory(step.to.space), step.to);
    } else if (step.kind == StepKind::reduce) {
      reduce(model, step);
    }
    release(model, id, true);
    if (step.kind == StepKind::copy || step.kind == StepKind::reduce) {
      finish(model, id);
    } else {
      post({&model, id});
    }
  }

  static void reduce(RankModel& model, const Step& step) {
    Memory& from = model.memory(step.from.space);
    Memory& to = model.memory(step.to.space);
    if (step.from.count != step.to.count || step.from.type != step.to.type)
      model.fail("a reduction of unlike operands");
    check_inside(from, step.from);
    check_inside(to, step.to);
    const Status outcome = model.process->call.op->apply(
        from.bytes.data() + from.base + step.from.offset,
        to.bytes.data() + to.base + step.to.offset, step.to.count, *step.to.type);
    if (!outcome) model.fail("the op failed");
  }

  void post(Post post) {
    const Step& step = post.model->steps()[post.step];
    const auto other = static_cast<std::uint64_t>(process_of(*post.model, step.peer));
    const auto own = static_cast<std::uint64_t>(post.model->number);
    const bool sends = step.kind == StepKind::send;
    Channel& channel = channels_[sends ? own << 32 | other : other << 32 | own];
    if (channel.first.step == kNoStep || channel.sends == sends)
      return wait_in(channel, post, sends);
    const Post earlier = channel.first;
    channel.first.step = earlier.model->behind[earlier.step];
    sends ? deliver(post, earlier) : deliver(earlier, post);
  }

  static void wait_in(Channel& channel, Post post, bool sends) {
    if (channel.first.step == kNoStep) {
      channel.first = post;
      channel.sends = sends;
    } else {
      post.model->behind[channel.last] = post.step;
    }
    channel.last = post.step;
  }

  static void deliver(Post from, Post to) {
    const Buffer& source = from.model->steps()[from.step].from;
    const Buffer& target = to.model->steps()[to.step].to;
    if (source.bytes() != target.bytes()) {
      to.model->fail("a message of " + std::to_string(source.bytes()) + " bytes from process " +
                     std::to_string(from.model->number) + " meets a receive of " +
                     std::to_string(target.bytes()));
    }
    transfer(from.model->memory(source.space), source, to.model->memory(target.space), target);
    finish(*from.model, from.step);
    finish(*to.model, to.step);
  }

  static void finish(RankModel& model, StepId id) {
    ++model.done;
    release(model, id, false);
  }

  static void release(RankModel& model, StepId id, bool issued) {
    model.each_edge(id, [&](const Edge& edge) {
      if (edge.issue_only == issued && --model.waiting[edge.step] == 0)
        model.ready.push_back(edge.step);
    });
  }

  std::string unfinished(const RankModel& model) const {
    std::string list;
    for (const auto& [ends, channel] : channels_) {
      if (channel.first.step == kNoStep || channel.first.model != &model) continue;
      list += text(model.steps()[channel.first.step], channel.first.step) + " ";
    }
    return list.empty() ? "it waits for its own steps" : "it waits in " + list;
  }

  int first_side_;
  std::deque<RankModel> ranks_;
  std::unordered_map<std::uint64_t, Channel> channels_;  // key: sender, receiver
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

int finishers_without(std::vector<Process>& processes, const Emitter& emit, int absent,
                      int first_side, int first, int last) {
  World world(processes, first_side);
  world.emit(emit);
  world.run(absent);
  int finishers = 0;
  for (int i = first; i < std::min(last, static_cast<int>(processes.size())); ++i) {
    if (i != absent && world.finished(static_cast<std::size_t>(i))) ++finishers;
  }
  return finishers;
}

}  // namespace tessera::coll::schedules
