// SPDX-License-Identifier: BSD-3-Clause
// Allreduce up and down a k-nomial tree, segment by segment: a segment of the result travels down
// while later ones are still on their way up. Keeps the order of ranks. `radix` is k; 2 is
// binomial. Cost for n bytes in s segments: about (2 ceil(log_k p) + s) rounds of k - 1 messages of
// n / s bytes; rank 0, which has (k - 1) log_k p children, is the bottleneck.
#include <vector>

#include "algorithms.h"
#include "segments.h"
#include "tree_nodes.h"

namespace tessera::coll::basic {

namespace {

// The contributions of children land in scratch memory, in turn in one of two places each, and are
// summed up in that of the last child, because a reduction writes its right operand.
class Tree {
 public:
  Tree(const Call& call, const Tuning& tuning, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        node_(knomial_node(call.rank, call.size, tuning.radix)),
        segments_(call.receive.count, result(call).bytes(), tuning.segment),
        from_parent_(schedule),
        to_parent_(schedule) {
    for (std::size_t i = 0; i < node_.children.size(); ++i) {
      from_children_.emplace_back(schedule);
      to_children_.emplace_back(schedule);
      for (auto& landing : landings_)
        landing.push_back(schedule.scratch(segments_.longest(), call.receive.type));
    }
  }

  // What a process receives from its parent it sends on at once, so the way down takes turns with
  // the way up.
  void run() {
    for (int i = 0; i < segments_.number(); ++i) {
      own_ = part(contribution(call_), i);
      goal_ = part(result(call_), i);
      const StepId summed = node_.children.empty() ? kNoStep : sum(i);
      node_.is_root() ? settle(i, summed) : forward(i, summed);
    }
  }

 private:
  // Children come with the highest number first: from the right to the left.
  StepId sum(int i) {
    const Buffer target = landing(i, 0);
    StepId ready = receive(i, 0);
    for (std::size_t k = 1; k < node_.children.size(); ++k)
      ready = schedule_.reduce(landing(i, k), target, {receive(i, k), ready});
    return own_read_ = free_[i % 2] = schedule_.reduce(own_, target, {ready});
  }

  void settle(int i, StepId summed) noexcept {
    const bool alone = node_.children.empty();
    StepId done = kNoStep;
    if (!alone || !call_.in_place)
      done = schedule_.copy(alone ? own_ : landing(i, 0), goal_, {summed});
    free_[i % 2] = done;
    pass_down(done);
  }

  void forward(int i, StepId summed) noexcept {
    const bool leaf = node_.children.empty();
    const StepId sent =
        to_parent_(schedule_.send(node_.parent, leaf ? own_ : landing(i, 0), {summed}));
    free_[i % 2] = sent;
    pass_down(from_parent_(schedule_.recv(node_.parent, goal_, {leaf ? sent : own_read_})));
  }

  void pass_down(StepId here) noexcept {
    for (std::size_t k = 0; k < node_.children.size(); ++k)
      to_children_[k](schedule_.send(node_.children[k].number, goal_, {here}));
  }

  StepId receive(int i, std::size_t k) noexcept {
    return from_children_[k](
        schedule_.recv(node_.children[k].number, landing(i, k), {free_[i % 2]}));
  }
  Buffer landing(int i, std::size_t k) const noexcept {
    return landings_[i % 2][k].part(0, own_.count);
  }
  Buffer part(const Buffer& data, int i) const noexcept {
    return data.part(segments_.begin(i), segments_.end(i) - segments_.begin(i));
  }

  const Call& call_;
  Schedule& schedule_;
  TreeNode node_;
  Segments segments_;
  OrderedChain from_parent_, to_parent_;
  std::vector<OrderedChain> from_children_, to_children_;
  std::vector<Buffer> landings_[2];
  StepId free_[2] = {kNoStep, kNoStep};  // the last step that uses the landings
  StepId own_read_ = kNoStep;
  Buffer own_, goal_;  // of the segment at work
};

}  // namespace

static void allreduce_tree(const Call& call, const Tuning& tuning, Schedule& schedule) {
  Tree(call, tuning, schedule).run();
}

const Algorithm registered_allreduce_tree{
    Operation::allreduce, "tree", allreduce_tree, kAlways, {.segment = 32 * 1024, .radix = 2}};

}  // namespace tessera::coll::basic
