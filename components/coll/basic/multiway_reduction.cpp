// SPDX-License-Identifier: BSD-3-Clause
// A partial result of a reduction that meets those of several processes at a time.
#include "multiway_reduction.h"

namespace tessera::coll::basic {

namespace {

constexpr std::size_t kNoSlot = ~std::size_t{0};

bool overlap(const Share& a, const Share& b) noexcept {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

}  // namespace

MultiwayReduction::MultiwayReduction(Schedule& schedule, const Buffer& input,
                                     bool any_order) noexcept
    : schedule_(schedule),
      value_(input),
      any_order_(any_order),
      has_target_(false),
      at_target_(false),
      own_(false) {}

MultiwayReduction::MultiwayReduction(Schedule& schedule, const Buffer& input, const Buffer& target,
                                     bool any_order) noexcept
    : schedule_(schedule),
      target_(target),
      value_(input),
      any_order_(any_order),
      has_target_(true),
      at_target_(input.space == target.space && input.offset == target.offset),
      own_(at_target_) {}

void MultiwayReduction::exchange(std::span<const Share> shares, int position) {
  std::vector<StepId> sent(shares.size(), kNoStep);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (static_cast<int>(i) == position) continue;
    sent[i] =
        schedule_.send(shares[i].rank, value_.part(shares[i].first, shares[i].count), {ready_});
  }
  combine(shares, position, sent);
}

void MultiwayReduction::exchange_whole(std::span<const int> ranks, int position) {
  std::vector<Share> shares;
  for (const int rank : ranks) shares.push_back({rank, 0, value_.count});
  exchange(shares, position);
}

void MultiwayReduction::absorb(int rank) {
  const Share shares[] = {{kProcNull, 0, value_.count}, {rank, 0, value_.count}};
  const StepId sent[] = {kNoStep, kNoStep};
  combine(shares, 0, sent);
}

// The operand whose place takes the result: the last one, because a reduction writes its right
// operand.
int MultiwayReduction::choose(int position, int last) const noexcept {
  if (!any_order_) return last;
  if (at_target_ || (own_ && !has_target_)) return position;
  return position == last ? last - 1 : last;
}

void MultiwayReduction::combine(std::span<const Share> shares, int position,
                                std::span<const StepId> sent) {
  const int last = static_cast<int>(shares.size()) - 1;
  const int into = choose(position, last);
  const Share& own = shares[static_cast<std::size_t>(position)];
  value_ = value_.part(own.first, own.count);
  begin_ += own.first;
  if (into == position && !own_) make_own();
  const std::vector<Operand> operands = receive(shares, position, into);
  const Operand& result = operands[static_cast<std::size_t>(into)];
  const StepId writable = join(schedule_, {result.ready});
  for (std::size_t i = 0; into == position && i < sent.size(); ++i) {
    if (overlap(shares[i], own)) schedule_.order(sent[i], writable);
  }
  ready_ = writable;
  for (int i = last; i >= 0; --i) {
    const Operand& operand = operands[static_cast<std::size_t>(i)];
    if (i != into) ready_ = schedule_.reduce(operand.place, result.place, {operand.ready, ready_});
  }
  value_ = result.place;
  own_ = true;
  settled_ = join(schedule_, {ready_});
  for (const StepId step : sent) schedule_.order(step, settled_);
}

// Only the first value is not.
void MultiwayReduction::make_own() {
  const Buffer place = has_target_ ? target_.part(begin_, value_.count) : slot(value_.count);
  if (!has_target_) busy_ = 0;
  ready_ = schedule_.copy(value_, place, {ready_});
  value_ = place;
  at_target_ = has_target_;
  own_ = true;
}

std::vector<MultiwayReduction::Operand> MultiwayReduction::receive(std::span<const Share> shares,
                                                                   int position, int into) {
  const Count count = value_.count;
  std::vector<Operand> operands;
  std::size_t result_slot = into == position ? busy_ : kNoSlot;
  const bool to_target = has_target_ && into != position && !at_target_;
  next_slot_ = 0;
  for (int i = 0; i < static_cast<int>(shares.size()); ++i) {
    if (i == position) {
      operands.push_back({value_, ready_});
      continue;
    }
    const Buffer place = i == into && to_target ? target_.part(begin_, count) : slot(count);
    if (i == into && !to_target) result_slot = next_slot_ - 1;
    operands.push_back(
        {place, schedule_.recv(shares[static_cast<std::size_t>(i)].rank, place, {settled_})});
  }
  busy_ = result_slot;
  if (into != position) at_target_ = to_target;
  return operands;
}

Buffer MultiwayReduction::slot(Count count) {
  if (next_slot_ == busy_) ++next_slot_;
  if (next_slot_ == slots_.size()) slots_.push_back(schedule_.scratch(count, value_.type));
  return slots_[next_slot_++].part(0, count);
}

StepId MultiwayReduction::finish() noexcept {
  if (at_target_ || !has_target_) return settled_;
  return settled_ = schedule_.copy(value_, target_.part(begin_, value_.count), {ready_, settled_});
}

}  // namespace tessera::coll::basic
