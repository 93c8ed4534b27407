// SPDX-License-Identifier: BSD-3-Clause
// Runs the schedules of all processes of an operation in memory and verifies what a schedule
// promises.
#include "tools/schedules/checker.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "tools/schedules/party.h"

namespace tessera::coll::schedules {

namespace {

struct Post {
  Party* party = nullptr;
  StepId step = kNoStep;
};

// Messages between two processes match in the order in which they are posted: at any time, what
// waits is sends or receives, linked by Party::behind.
struct Channel {
  Post first;
  StepId last = kNoStep;
  bool sends = false;
};

class World {
 public:
  World(std::vector<Process>& processes, int first_side) : first_side_(first_side) {
    for (Process& process : processes) {
      Party& party = parties_.emplace_back();
      party.process = &process;
      party.number = static_cast<int>(parties_.size()) - 1;
    }
  }

  void emit(const Emitter& emitter) {
    for (Party& party : parties_) {
      if (const Status status = emitter(party.process->call, *party.schedule); !status)
        party.fail(status.text());
      party.scratch = Memory::of_bytes(party.schedule->scratch_bytes());
      check_order(party);
    }
  }

  void run(int absent = -1) {
    for (Party& party : parties_) {
      if (party.number != absent) prepare(party);
    }
    while (step_all()) {
    }
  }

  bool finished(std::size_t number) const {
    return parties_[number].done == parties_[number].steps().size();
  }

  void check_end() const {
    for (std::size_t i = 0; i < parties_.size(); ++i) {
      if (!finished(i)) parties_[i].fail("does not end: " + unfinished(parties_[i]));
    }
  }

  void compare() const {
    for (const Party& party : parties_) {
      const Process& process = *party.process;
      if (!process.receive_matters || process.receive.bytes == process.expected) continue;
      const auto at = std::mismatch(process.receive.bytes.begin(), process.receive.bytes.end(),
                                    process.expected.begin(), process.expected.end());
      party.fail("wrong byte at " + std::to_string(at.first - process.receive.bytes.begin()) +
                 " of " + std::to_string(process.receive.bytes.size()));
    }
  }

 private:
  static void prepare(Party& party) {
    const std::size_t steps = party.steps().size();
    party.ready.reserve(steps);
    party.waiting.reserve(steps);
    party.behind.assign(steps, kNoStep);
    for (StepId id = 0; id < steps; ++id) {
      party.waiting.push_back(party.steps()[id].predecessors);
      if (party.waiting.back() == 0) party.ready.push_back(id);
    }
  }

  // Which process the number `peer` in the schedule of `party` means.
  int process_of(const Party& party, int peer) const {
    const int remote = party.process->call.remote_size;
    const int limit = first_side_ == 0 ? remote : remote + party.process->call.size;
    if (peer < 0 || peer >= limit) party.fail("there is no process " + std::to_string(peer));
    if (first_side_ == 0) return peer;
    const bool on_first = party.number < first_side_;
    const bool wanted_first = (peer < remote) != on_first;
    return (wanted_first ? 0 : first_side_) + (peer < remote ? peer : peer - remote);
  }

  bool step_all() {
    bool moved = false;
    for (Party& party : parties_) {
      for (; party.issued < party.ready.size(); moved = true)
        start(party, party.ready[party.issued++]);
    }
    return moved;
  }

  void start(Party& party, StepId id) {
    const Step& step = party.steps()[id];
    if (step.kind == StepKind::copy) {
      transfer(party.memory(step.from.space), step.from, party.memory(step.to.space), step.to);
    } else if (step.kind == StepKind::reduce) {
      reduce(party, step);
    }
    release(party, id, true);
    if (step.kind == StepKind::copy || step.kind == StepKind::reduce) {
      finish(party, id);
    } else {
      post({&party, id});
    }
  }

  static void reduce(Party& party, const Step& step) {
    Memory& from = party.memory(step.from.space);
    Memory& to = party.memory(step.to.space);
    if (step.from.count != step.to.count || step.from.type != step.to.type)
      party.fail("a reduction of unlike operands");
    check_inside(from, step.from);
    check_inside(to, step.to);
    const Status outcome = party.process->call.op->apply(
        from.bytes.data() + from.base + step.from.offset,
        to.bytes.data() + to.base + step.to.offset, step.to.count, *step.to.type);
    if (!outcome) party.fail("the op failed");
  }

  void post(Post post) {
    const Step& step = post.party->steps()[post.step];
    const auto other = static_cast<std::uint64_t>(process_of(*post.party, step.peer));
    const auto own = static_cast<std::uint64_t>(post.party->number);
    const bool sends = step.kind == StepKind::send;
    Channel& channel = channels_[sends ? own << 32 | other : other << 32 | own];
    if (channel.first.step == kNoStep || channel.sends == sends)
      return wait_in(channel, post, sends);
    const Post earlier = channel.first;
    channel.first.step = earlier.party->behind[earlier.step];
    sends ? deliver(post, earlier) : deliver(earlier, post);
  }

  static void wait_in(Channel& channel, Post post, bool sends) {
    if (channel.first.step == kNoStep) {
      channel.first = post;
      channel.sends = sends;
    } else {
      post.party->behind[channel.last] = post.step;
    }
    channel.last = post.step;
  }

  static void deliver(Post from, Post to) {
    const Buffer& source = from.party->steps()[from.step].from;
    const Buffer& target = to.party->steps()[to.step].to;
    if (source.bytes() != target.bytes()) {
      to.party->fail("a message of " + std::to_string(source.bytes()) + " bytes from process " +
                     std::to_string(from.party->number) + " meets a receive of " +
                     std::to_string(target.bytes()));
    }
    transfer(from.party->memory(source.space), source, to.party->memory(target.space), target);
    finish(*from.party, from.step);
    finish(*to.party, to.step);
  }

  static void finish(Party& party, StepId id) {
    ++party.done;
    release(party, id, false);
  }

  static void release(Party& party, StepId id, bool issued) {
    party.each_edge(id, [&](const Edge& edge) {
      if (edge.issue_only == issued && --party.waiting[edge.step] == 0)
        party.ready.push_back(edge.step);
    });
  }

  std::string unfinished(const Party& party) const {
    std::string list;
    for (const auto& [ends, channel] : channels_) {
      if (channel.first.step == kNoStep || channel.first.party != &party) continue;
      list += text(party.steps()[channel.first.step], channel.first.step) + " ";
    }
    return list.empty() ? "it waits for its own steps" : "it waits in " + list;
  }

  int first_side_;
  std::deque<Party> parties_;
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
