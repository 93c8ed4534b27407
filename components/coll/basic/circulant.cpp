// SPDX-License-Identifier: BSD-3-Clause
// Reducing and collecting a vector in blocks, one per process, for any number of processes without
// folding.
#include "circulant.h"

#include <utility>

namespace tessera::coll::basic {

Circulant::Circulant(Schedule& schedule, int rank, std::vector<Count> begins, const Buffer& blocks)
    : schedule_(schedule),
      rank_(rank),
      begins_(std::move(begins)),
      blocks_(blocks),
      sends_(schedule),
      recvs_(schedule) {
  for (int whole = size(); whole > 1; whole = rounds_.back().distance)
    rounds_.push_back({whole, (whole + 1) / 2});
}

// act(begin, end) for the elements of blocks [first, end), which may go over the end of the vector.
template <class Act>
void Circulant::each_range(int first, int end, Act act) const {
  const auto elements = [&](int from, int to) {
    const Count begin = begins_[static_cast<std::size_t>(from)];
    const Count after = begins_[static_cast<std::size_t>(to)];
    if (begin < after) act(begin, after);
  };
  const int from = rank_ + first;
  const int to = rank_ + end;
  if (from < size()) elements(from, to < size() ? to : size());
  if (to > size()) elements(from < size() ? 0 : from - size(), to - size());
}

// A step after which they have left.
StepId Circulant::give(const Buffer& data, int to, int first, int end) {
  const StepId left = join(schedule_);
  each_range(first, end, [&](Count begin, Count after) {
    schedule_.order(sends_(schedule_.send(to, part(data, begin, after), {ready_})), left);
  });
  return left;
}

StepId Circulant::reduce(const Buffer& input) {
  const bool separate = input.space != blocks_.space || input.offset != blocks_.offset;
  if (size() == 1) return separate ? schedule_.copy(input, blocks_) : kNoStep;
  for (Round& round : rounds_) {
    const bool from_input = separate && &round == &rounds_.front();
    round.sent =
        give(from_input ? input : blocks_, rank(round.distance), round.distance, round.whole);
    from_input ? start(input, round) : add(round);
  }
  first_sent_ = join(schedule_, {rounds_.front().sent, ready_});
  return ready_;
}

// The first round brings partial results to where the sum grows. Of an odd number of blocks, nobody
// adds to the middle one.
void Circulant::start(const Buffer& input, const Round& round) {
  ready_ = join(schedule_);
  const int given = round.whole - round.distance;
  each_range(0, given, [&](Count begin, Count end) {
    const StepId got = recvs_(schedule_.recv(rank(-round.distance), part(blocks_, begin, end)));
    schedule_.order(schedule_.reduce(part(input, begin, end), part(blocks_, begin, end), {got}),
                    ready_);
  });
  each_range(given, round.distance, [&](Count begin, Count end) {
    schedule_.order(schedule_.copy(part(input, begin, end), part(blocks_, begin, end)), ready_);
  });
}

void Circulant::add(const Round& round) {
  const int given = round.whole - round.distance;
  Count elements = 0;
  each_range(0, given, [&](Count begin, Count end) { elements += end - begin; });
  if (landing_.count < elements) landing_ = schedule_.scratch(elements, blocks_.type);
  const StepId added = join(schedule_, {ready_});
  Count at = 0;
  each_range(0, given, [&](Count begin, Count end) {
    const Buffer theirs = landing_.part(at, end - begin);
    at += end - begin;
    const StepId got = recvs_(schedule_.recv(rank(-round.distance), theirs, {ready_}));
    schedule_.order(schedule_.reduce(theirs, part(blocks_, begin, end), {got, ready_}), added);
  });
  ready_ = added;
}

StepId Circulant::collect(StepId ready) {
  ready_ = ready;
  for (auto round = rounds_.rbegin(); round != rounds_.rend(); ++round) {
    give(blocks_, rank(-round->distance), 0, round->whole - round->distance);
    const StepId collected = join(schedule_, {ready_});
    each_range(round->distance, round->whole, [&](Count begin, Count end) {
      const StepId got =
          recvs_(schedule_.recv(rank(round->distance), part(blocks_, begin, end), {round->sent}));
      schedule_.order(got, collected);
    });
    ready_ = collected;
  }
  return ready_;
}

}  // namespace tessera::coll::basic
