// SPDX-License-Identifier: BSD-3-Clause
// Prefix reductions on a binary tree whose processes lie between their subtrees, in segments. Sums
// of subtrees travel up; what lies before a subtree travels down. Keeps the order of ranks. Cost
// for n bytes in s segments: about (4 log2 p + 3 s) (latency + n / s / bandwidth), 3 reductions of
// n per process. Source: Sanders, Traeff, "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI
// 2006.
#include "algorithms.h"
#include "segments.h"
#include "tree_nodes.h"

namespace tessera::coll::basic {

namespace {

// A segment's sum up to and with the own contribution, `through`, begins as that of the left
// subtree and this process; later, what lies before the subtree is added. In scan it is the result.
// In exscan it has memory of its own, and the result grows beside it: the sum of the left subtree
// first.
class InOrderTree {
 public:
  InOrderTree(const Call& call, Count segment, Schedule& schedule)
      : call_(call),
        schedule_(schedule),
        node_(middle_node(call.rank, call.size / 2, call.size)),
        segments_(call.receive.count, result(call).bytes(), segment),
        scan_(call.operation == Operation::scan),
        up_(schedule),
        down_(schedule),
        from_left_(schedule),
        to_left_(schedule),
        from_right_(schedule),
        to_right_(schedule) {
    for (const TreeNode::Child& child : node_.children)
      (child.number < call.rank ? left_ : right_) = child;
    const int end = call.rank + 1 + right_.held;
    right_sum_ = right_.held > 0 && end < call.size;
    prefixed_ = call.rank > left_.held;
    sends_up_ = !node_.is_root() && (call.rank < node_.parent || end < call.size);
    makes_through_ = scan_ || right_.held > 0 || (sends_up_ && left_.held > 0);
    through_all_ = scan_ ? result(call) : (makes_through_ ? spare(call.receive.count) : Buffer{});
    for (Landings& each : landings_) {
      if (scan_ && left_.held > 0) each.left = spare(segments_.longest());
      if (right_sum_) each.right = spare(segments_.longest());
      if (prefixed_ && (scan_ || left_.held > 0)) each.before = spare(segments_.longest());
    }
  }

  void run() noexcept {
    for (int i = 0; i < segments_.number(); ++i) {
      Segment s = start(i);
      sum_left(s);
      if (sends_up_) send_up(s);
      if (prefixed_) take_prefix(s);
      if (right_.held > 0) to_right_(schedule_.send(right_.number, s.through, {s.summed}));
    }
  }

 private:
  // Memory for what arrives, used by every other segment, and the steps after which it is free.
  struct Landings {
    Buffer left, right, before;
    StepId left_read = kNoStep, right_read = kNoStep, before_read = kNoStep;
  };
  struct Segment {
    Buffer own, goal, through;
    Landings* landings;
    StepId summed = kNoStep;  // wrote `through`
    StepId own_read =
        kNoStep;  // may be written: the place of the own contribution, and that which was sent up
    StepId left = kNoStep;  // exscan: the sum of the left subtree is in the goal
  };

  Segment start(int i) noexcept {
    const Count begin = segments_.begin(i), count = segments_.end(i) - begin;
    Segment s{contribution(call_).part(begin, count), result(call_).part(begin, count),
              through_all_.part(begin, count), &landings_[i % 2]};
    if (makes_through_ && !(scan_ && call_.in_place))
      s.summed = s.own_read = schedule_.copy(s.own, s.through);
    return s;
  }

  void sum_left(Segment& s) noexcept {
    if (left_.held == 0) return;
    const Buffer place = scan_ ? s.landings->left.part(0, s.own.count) : s.goal;
    const StepId after = scan_ ? s.landings->left_read : s.own_read;
    s.left = from_left_(schedule_.recv(left_.number, place, {after}));
    if (makes_through_) s.summed = schedule_.reduce(place, s.through, {s.left, s.summed});
    s.landings->left_read = s.summed;
  }

  void send_up(Segment& s) noexcept {
    Buffer sum = makes_through_ ? s.through : s.own;
    StepId ready = s.summed;
    if (right_sum_) {
      sum = s.landings->right.part(0, s.own.count);
      const StepId got = from_right_(schedule_.recv(right_.number, sum, {s.landings->right_read}));
      ready = schedule_.reduce(s.through, sum, {got, s.summed});
    }
    s.landings->right_read = up_(schedule_.send(node_.parent, sum, {ready}));
    s.own_read = right_sum_ ? ready : s.landings->right_read;
  }

  void take_prefix(Segment& s) noexcept {
    const bool direct = !scan_ && left_.held == 0;
    const Buffer before = direct ? s.goal : s.landings->before.part(0, s.own.count);
    const StepId after = direct ? s.own_read : s.landings->before_read;
    const StepId got = down_(schedule_.recv(node_.parent, before, {after}));
    StepId passed = kNoStep, added = kNoStep;
    if (left_.held > 0) passed = to_left_(schedule_.send(left_.number, before, {got}));
    if (!scan_ && !direct) added = schedule_.reduce(before, s.goal, {got, s.left, s.summed});
    if (makes_through_) s.summed = schedule_.reduce(before, s.through, {got, s.summed, s.own_read});
    if (!direct) s.landings->before_read = join(schedule_, {passed, added, s.summed});
  }

  Buffer spare(Count count) noexcept { return schedule_.scratch(count, call_.receive.type); }

  const Call& call_;
  Schedule& schedule_;
  TreeNode node_;
  TreeNode::Child left_{-1, 0}, right_{-1, 0};
  Segments segments_;
  bool scan_;
  bool right_sum_;      // the sum of the right subtree comes here
  bool prefixed_;       // something lies before the subtree
  bool sends_up_;       // somebody wants the sum of the subtree
  bool makes_through_;  // `through` is needed
  Buffer through_all_;
  OrderedChain up_, down_, from_left_, to_left_, from_right_, to_right_;
  Landings landings_[2];
};

}  // namespace

static void scan_binary_tree(const Call& call, const Tuning& tuning, Schedule& schedule) {
  InOrderTree(call, tuning.segment, schedule).run();
}

const Algorithm registered_scan_binary_tree{
    Operation::scan, "binary_tree", scan_binary_tree, kAlways, {.segment = 16 * 1024}};
const Algorithm registered_exscan_binary_tree{
    Operation::exscan, "binary_tree", scan_binary_tree, kAlways, {.segment = 16 * 1024}};

}  // namespace tessera::coll::basic
