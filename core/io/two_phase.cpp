// SPDX-License-Identifier: BSD-3-Clause
// Two-phase access: the rounds.
#include "core/io/two_phase.h"

#include <algorithm>

#include "core/io/strips.h"
#include "core/io/together.h"
#include "tessera/data.h"

namespace tessera::io {
namespace {

enum Tag : int { kWishTag, kStripsTag, kDataTag };

constexpr Offset kAlignment = 4096;  // of domains: two aggregators share no page

Offset up(Offset value) noexcept {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

TwoPhase::TwoPhase(Comm& comm, std::span<const Part> parts, const Cooperation& plan,
                   const Transfer* mine, Offset bytes, bool writing, Driver& driver,
                   Offset buffer) noexcept
    : comm_(comm),
      parts_(parts),
      plan_(plan),
      mine_(mine),
      bytes_(mine != nullptr ? bytes : 0),
      writing_(writing),
      driver_(driver),
      buffer_(up(buffer)) {
  base_ = plan.first / kAlignment * kAlignment;
  domain_ = up((plan.end - base_ + plan.aggregators - 1) / plan.aggregators);
  shares_.resize(static_cast<std::size_t>(plan.aggregators));
  for (int i = 0; i < plan.aggregators; ++i)
    if (rank_of(i) == comm.rank()) aggregator_ = i;
}

int TwoPhase::rank_of(int aggregator) const noexcept {
  return static_cast<int>(std::int64_t{aggregator} * comm_.size() / plan_.aggregators);
}

TwoPhase::Bounds TwoPhase::window_of(int aggregator, Offset round) const noexcept {
  const Offset domain_end = std::min(plan_.end, base_ + (aggregator + 1) * domain_);
  const Offset first = base_ + aggregator * domain_ + round * buffer_;
  return {first, std::min(first + buffer_, domain_end)};
}

Status TwoPhase::run() noexcept {
  if (aggregator_ >= 0 && !window_.reserve(std::min(buffer_, domain_)))
    note(Status::failure(Errc::no_memory, "there is no memory for a collective buffer"));
  // Nobody begins to send to an aggregator that cannot serve.
  if (Status ready = worst_of(comm_, failure_); !ready) return ready;
  const Offset rounds = (std::min(domain_, plan_.end - base_) + buffer_ - 1) / buffer_;
  for (Offset number = 0; number < rounds; ++number) round(number);
  return worst_of(comm_, failure_);
}

void TwoPhase::round(Offset number) noexcept {
  Bounds mine{0, 0};
  if (aggregator_ >= 0) mine = window_of(aggregator_, number);
  if (mine.first < mine.end) window_.set(mine.first, mine.end);
  hear(mine);
  for (int i = 0; i < plan_.aggregators; ++i) {
    const Bounds bounds = window_of(i, number);
    make_share(i, bounds);
    ask(i, bounds);
  }
  wait();
  hear_rest();
  wait();
  if (!writing_) serve_reads();
  exchange_data();
  wait();
  if (writing_) serve_writes();
  unpack_shares();
}

// What this process wants of a window: a piece of its stream.
void TwoPhase::make_share(int aggregator, const Bounds& bounds) noexcept {
  Share& share = shares_[static_cast<std::size_t>(aggregator)];
  share.wish = {};
  share.strips.clear();
  if (bytes_ == 0 || bounds.first >= bounds.end) return;
  const Offset begin = mine_->position, end = mine_->position + bytes_;
  const Offset from = std::clamp(mine_->view->position_at(bounds.first), begin, end);
  const Offset to = std::clamp(mine_->view->position_at(bounds.end), begin, end);
  share.from = from;
  share.wish.bytes = to - from;
  each_strip(*mine_->view, from, to - from, [&](const Strip& strip) {
    share.strips.push_back(strip);
    return true;
  });
  share.wish.strips = static_cast<Offset>(share.strips.size());
  std::copy_n(share.strips.begin(), std::min(share.strips.size(), kInline),
              share.wish.first.begin());
}

void TwoPhase::ask(int aggregator, const Bounds& bounds) noexcept {
  const int rank = rank_of(aggregator);
  if (rank == comm_.rank() || bounds.first >= bounds.end) return;
  if (!concerns(parts_[static_cast<std::size_t>(comm_.rank())], bounds)) return;
  const Share& share = shares_[static_cast<std::size_t>(aggregator)];
  send(rank, kWishTag, &share.wish, sizeof share.wish);
  if (share.strips.size() > kInline)
    send(rank, kStripsTag, share.strips.data(), share.strips.size() * sizeof(Strip));
}

void TwoPhase::hear(const Bounds& bounds) noexcept {
  claims_.clear();
  if (bounds.first >= bounds.end) return;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank == comm_.rank() || !concerns(parts_[static_cast<std::size_t>(rank)], bounds)) continue;
    claims_.emplace_back().rank = rank;
  }
  for (Claim& claim : claims_) receive(claim.rank, kWishTag, &claim.wish, sizeof claim.wish);
}

void TwoPhase::hear_rest() noexcept {
  for (Claim& claim : claims_) {
    claim.strips.resize(static_cast<std::size_t>(claim.wish.strips));
    claim.data.resize(static_cast<std::size_t>(claim.wish.bytes));
    if (claim.strips.size() > kInline) {
      receive(claim.rank, kStripsTag, claim.strips.data(), claim.strips.size() * sizeof(Strip));
    } else {
      std::copy_n(claim.wish.first.begin(), claim.strips.size(), claim.strips.begin());
    }
  }
}

// Where the data of a share lie in a row: in the program's memory, or in a buffer.
std::byte* TwoPhase::stream_of(Share& share) noexcept {
  const Memory& memory = mine_->memory;
  const Offset within = share.from - mine_->position;
  if (memory.type->contiguous()) return memory.buffer + within;
  share.packed.resize(static_cast<std::size_t>(share.wish.bytes));
  if (writing_) {
    PackCursor cursor(*memory.type, memory.buffer, memory.count);
    cursor.seek(static_cast<std::size_t>(within));
    cursor.pack(share.packed.data(), share.packed.size());
  }
  return share.packed.data();
}

void TwoPhase::exchange_data() noexcept {
  for (Claim& claim : claims_) {
    if (claim.data.empty()) continue;
    if (writing_) {
      receive(claim.rank, kDataTag, claim.data.data(), claim.data.size());
    } else {
      send(claim.rank, kDataTag, claim.data.data(), claim.data.size());
    }
  }
  for (int i = 0; i < plan_.aggregators; ++i) {
    Share& share = shares_[static_cast<std::size_t>(i)];
    if (share.wish.bytes == 0) continue;
    std::byte* const data = stream_of(share);
    const auto bytes = static_cast<std::size_t>(share.wish.bytes);
    if (i == aggregator_) {
      if (writing_) window_.lay(share.strips, data);
      if (!writing_) window_.take(share.strips, data);
    } else if (writing_) {
      send(rank_of(i), kDataTag, data, bytes);
    } else {
      receive(rank_of(i), kDataTag, data, bytes);
    }
  }
}

void TwoPhase::serve_writes() noexcept {
  if (aggregator_ < 0 || !failure_.ok()) return;  // data of a process that died may be missing
  for (const Claim& claim : claims_) window_.lay(claim.strips, claim.data.data());
  note(window_.write(driver_));
}

void TwoPhase::serve_reads() noexcept {
  if (aggregator_ < 0) return;
  Offset first = window_.end(), end = window_.first();
  const auto widen = [&](const std::vector<Strip>& strips) {
    if (strips.empty()) return;
    const Strip& last = strips.back();
    first = std::min(first, strips.front().offset);
    end = std::max(end, last.offset + (last.count - 1) * last.stride + last.bytes);
  };
  for (const Claim& claim : claims_) widen(claim.strips);
  widen(shares_[static_cast<std::size_t>(aggregator_)].strips);
  if (failure_.ok()) note(window_.read(driver_, first, end));
  for (Claim& claim : claims_) window_.take(claim.strips, claim.data.data());
}

void TwoPhase::unpack_shares() noexcept {
  if (writing_ || bytes_ == 0 || mine_->memory.type->contiguous()) return;
  for (Share& share : shares_) {
    if (share.wish.bytes == 0) continue;
    PackCursor cursor(*mine_->memory.type, mine_->memory.buffer, mine_->memory.count);
    cursor.seek(static_cast<std::size_t>(share.from - mine_->position));
    cursor.unpack(share.packed.data(), share.packed.size());
  }
}

}  // namespace tessera::io
