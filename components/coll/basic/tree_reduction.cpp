// SPDX-License-Identifier: BSD-3-Clause
// Reductions along a tree, segment by segment.
#include "tree_reduction.h"

#include <vector>

namespace tessera::coll::basic {

namespace {

// Scratch memory for a few segments, used in turn.
class Slots {
 public:
  struct Slot {
    Buffer buffer;
    StepId user = kNoStep;  // the last step that uses it
  };
  Slots(Schedule& schedule, std::size_t most, Count count, const Datatype* type)
      : schedule_(schedule), most_(most), count_(count), type_(type) {
    slots_.reserve(most);
  }
  Slot& next() noexcept {
    if (slots_.size() < most_) return slots_.emplace_back(Slot{schedule_.scratch(count_, type_)});
    turn_ = turn_ + 1 < most_ ? turn_ + 1 : 0;
    return slots_[turn_];
  }

 private:
  Schedule& schedule_;
  std::size_t most_;
  std::size_t turn_ = most_ - 1;
  Count count_;
  const Datatype* type_;
  std::vector<Slot> slots_;
};

// A sum grows in one place: what is reduced next becomes its left operand. So the order of ranks is
// kept by beginning with the highest one.
class TreeReduction {
 public:
  TreeReduction(const Call& call, Schedule& schedule, const TreeNode& node, int first,
                const Segments& segments)
      : call_(call),
        schedule_(schedule),
        first_(first),
        top_(node.is_root()),
        parent_(top_ ? call.root : rank(node.parent)),
        segments_(segments),
        terms_(terms(node)),
        sums_(schedule, 3, segments.longest(), call.receive.type),
        arrivals_(schedule, 4, segments.longest(), call.receive.type),
        saved_(schedule, 2, segments.longest(), call.receive.type),
        recvs_(schedule),
        results_(schedule),
        sends_(schedule) {}

  void run() noexcept {
    for (int i = 0; i < segments_.number(); ++i) {
      begin(i);
      first_term();
      for (std::size_t k = 1; k < terms_.size(); ++k) add(terms_[k]);
      end();
    }
  }

 private:
  int rank(int number) const noexcept { return modulo(number + first_, call_.size); }
  bool ends_here() const noexcept { return top_ && call_.rank == call_.root; }

  // Whose contributions are summed up, this process among them. Where order does not matter, that
  // which is there comes first if it need not be copied, and children with small subtrees before
  // others.
  std::vector<int> terms(const TreeNode& node) const {
    std::vector<int> ranks;
    for (const TreeNode::Child& child : node.children) ranks.push_back(rank(child.number));
    const bool commutes = call_.op->commutative();
    std::size_t own = 0;
    if (commutes) {
      ranks = {ranks.rbegin(), ranks.rend()};
      own = ranks.empty() || (ends_here() && call_.in_place) ? 0 : 1;
    } else {
      while (own < ranks.size() && node.children[own].number > node.number) ++own;
    }
    ranks.insert(ranks.begin() + static_cast<std::ptrdiff_t>(own), call_.rank);
    return ranks;
  }

  void begin(int i) noexcept {
    const Count count = segments_.end(i) - segments_.begin(i);
    own_ = contribution(call_).part(segments_.begin(i), count);
    goal_ = result(call_).part(segments_.begin(i), count);
    own_used_ = ready_ = kNoStep;
    slot_ = saved_now_ = nullptr;
  }

  // Where the sum grows.
  void first_term() noexcept {
    const int source = terms_.front();
    if (source == call_.rank && (terms_.size() == 1 || (ends_here() && call_.in_place))) {
      sum_ = own_;
      if (terms_.size() == 1 && ends_here() && !call_.in_place) schedule_.copy(own_, sum_ = goal_);
      return;
    }
    StepId free = kNoStep;
    if (ends_here()) {
      if (call_.in_place) free = save_own();
      sum_ = goal_;
    } else {
      slot_ = &sums_.next();
      sum_ = sized(slot_->buffer);
      free = slot_->user;
    }
    if (source == call_.rank) {
      ready_ = own_used_ = schedule_.copy(own_, sum_, {free});
    } else {
      ready_ = recvs_(schedule_.recv(source, sum_, {free}));
    }
  }

  // The sum is to grow where the own contribution lies, which is not the first term.
  StepId save_own() noexcept {
    saved_now_ = &saved_.next();
    const Buffer place = sized(saved_now_->buffer);
    const StepId saved = schedule_.copy(own_, place, {saved_now_->user});
    own_ = place;
    return saved;
  }

  void add(int source) noexcept {
    if (source == call_.rank) {
      ready_ = own_used_ = schedule_.reduce(own_, sum_, {ready_});
      if (saved_now_ != nullptr) saved_now_->user = ready_;
      return;
    }
    Slots::Slot& arrival = arrivals_.next();
    const Buffer theirs = sized(arrival.buffer);
    const StepId got = recvs_(schedule_.recv(source, theirs, {arrival.user}));
    ready_ = arrival.user = schedule_.reduce(theirs, sum_, {got, ready_});
  }

  void end() noexcept {
    if (ends_here()) return;
    const StepId sent = sends_(schedule_.send(parent_, sum_, {ready_}));
    if (slot_ != nullptr) slot_->user = sent;
    if (call_.rank != call_.root) return;
    const StepId own_read = terms_.size() == 1 ? sent : own_used_;
    results_(schedule_.recv(rank(0), goal_, {call_.in_place ? own_read : kNoStep}));
  }

  Buffer sized(Buffer place) const noexcept {
    place.count = own_.count;
    return place;
  }

  const Call& call_;
  Schedule& schedule_;
  int first_;
  bool top_;    // root of the tree
  int parent_;  // who gets the sum, unless it stays
  Segments segments_;
  std::vector<int> terms_;  // ranks
  Slots sums_, arrivals_, saved_;
  OrderedChain recvs_, results_, sends_;

  // Of the segment at work.
  Buffer own_, goal_, sum_;
  StepId ready_ = kNoStep;     // wrote the sum
  StepId own_used_ = kNoStep;  // read the own contribution, unless that is sent as it is
  Slots::Slot* slot_ = nullptr;
  Slots::Slot* saved_now_ = nullptr;
};

}  // namespace

void reduce_along(const Call& call, Schedule& schedule, const TreeNode& node, int first,
                  Count segment) {
  const Buffer data = contribution(call);
  TreeReduction(call, schedule, node, first, Segments(data.count, data.bytes(), segment)).run();
}

}  // namespace tessera::coll::basic
