// SPDX-License-Identifier: BSD-3-Clause
// Writing down a schedule: steps, edges, scratch memory.
#include <algorithm>
#include <cstring>
#include <limits>

#include "tessera/coll.h"

namespace tessera::coll {

namespace {

constexpr std::size_t kScratchAlignment = 16;

// The bytes that `count` elements of `type` cover, and how far the first of them lies before the
// address of element 0.
struct Footprint {
  std::size_t bytes;
  Aint before;
};

Footprint footprint(Count count, const Datatype* type) noexcept {
  if (count == 0) return {0, 0};
  if (type == nullptr) return {static_cast<std::size_t>(count), 0};
  const Aint reach = (count - 1) * type->extent();
  const Aint low = type->true_lb() + std::min<Aint>(0, reach);
  const Aint high = type->true_lb() + type->true_extent() + std::max<Aint>(0, reach);
  return {static_cast<std::size_t>(high - low), -low};
}

// Twice the room, contents kept, in heap memory; the old memory is freed unless it was the inline
// one.
template <class T>
bool double_room(T*& items, std::uint32_t& capacity, const std::byte* inline_items) noexcept {
  if (capacity > std::numeric_limits<std::uint32_t>::max() / 4) return false;
  auto* larger =
      static_cast<T*>(::operator new (2 * std::size_t{capacity} * sizeof(T), std::nothrow));
  if (larger == nullptr) return false;
  std::memcpy(static_cast<void*>(larger), items, capacity * sizeof(T));
  if (reinterpret_cast<const std::byte*>(items) != inline_items) ::operator delete(items);
  items = larger;
  capacity *= 2;
  return true;
}

}  // namespace

Schedule::~Schedule() {
  if (reinterpret_cast<std::byte*>(steps_) != inline_steps_) ::operator delete(steps_);
  if (reinterpret_cast<std::byte*>(edges_) != inline_edges_) ::operator delete(edges_);
}

void Schedule::clear() noexcept {
  step_count_ = edge_count_ = 0;
  scratch_bytes_ = 0;
  complaint_ = nullptr;
  algorithm_ = rule_ = "";
  status_ = {};
}

bool Schedule::assign(const Schedule& other) noexcept {
  if (other.step_count_ > kInline || other.edge_count_ > 2 * kInline) return false;
  std::memcpy(static_cast<void*>(steps_), other.steps_, other.step_count_ * sizeof(Step));
  std::memcpy(static_cast<void*>(edges_), other.edges_, other.edge_count_ * sizeof(Edge));
  step_count_ = other.step_count_;
  edge_count_ = other.edge_count_;
  scratch_bytes_ = other.scratch_bytes_;
  algorithm_ = other.algorithm_;
  rule_ = other.rule_;
  return true;
}

bool Schedule::grow_steps() noexcept {
  if (double_room(steps_, step_capacity_, inline_steps_)) return true;
  status_ =
      Status::failure(Errc::no_memory, "no memory for the schedule of a collective operation");
  return false;
}

bool Schedule::grow_edges() noexcept {
  if (double_room(edges_, edge_capacity_, inline_edges_)) return true;
  status_ =
      Status::failure(Errc::no_memory, "no memory for the schedule of a collective operation");
  return false;
}

StepId Schedule::add(StepKind kind, int rank, const Buffer& from, const Buffer& to,
                     std::initializer_list<StepId> after) noexcept {
  if (step_count_ == step_capacity_ && !grow_steps()) return step_count_ - 1;  // status() tells
  const StepId id = step_count_++;
  ::new (&steps_[id]) Step{from, to, rank, kind, 0, kNoEdge, kNoEdge};
  for (const StepId earlier : after) link(earlier, id, false);
  if (part_ != nullptr) [[unlikely]]
    part_->embed(id);
  return id;
}

void Schedule::link(StepId earlier, StepId later, bool issue_only) noexcept {
  if (earlier == kNoStep || later == kNoStep) return;
  if (edge_count_ == edge_capacity_ && !grow_edges()) return;
  const std::uint32_t edge = edge_count_++;
  ::new (&edges_[edge]) Edge{later, kNoEdge, issue_only};
  Step& from = steps_[earlier];
  (from.first_edge == kNoEdge ? from.first_edge : edges_[from.last_edge].next) = edge;
  from.last_edge = edge;
  ++steps_[later].predecessors;
}

StepId Schedule::send(int rank, const Buffer& what, std::initializer_list<StepId> after) noexcept {
  return add(StepKind::send, rank, what, {}, after);
}

StepId Schedule::recv(int rank, const Buffer& where, std::initializer_list<StepId> after) noexcept {
  return add(StepKind::recv, rank, {}, where, after);
}

StepId Schedule::reduce(const Buffer& from, const Buffer& to,
                        std::initializer_list<StepId> after) noexcept {
  return add(StepKind::reduce, kProcNull, from, to, after);
}

StepId Schedule::copy(const Buffer& from, const Buffer& to,
                      std::initializer_list<StepId> after) noexcept {
  return add(StepKind::copy, kProcNull, from, to, after);
}

Buffer Schedule::scratch(Count count, const Datatype* type) noexcept {
  const Footprint room = footprint(count, type);
  const std::size_t start = scratch_bytes_;
  scratch_bytes_ += (room.bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  return {Space::scratch, static_cast<Aint>(start) + room.before, count, type};
}

Part::Part(Schedule& schedule, std::span<const int> ranks, const Buffer& send,
           const Buffer& receive, StepId after) noexcept
    : schedule_(schedule),
      outer_(schedule.part_),
      ranks_(ranks),
      send_(send),
      receive_(receive),
      after_(after),
      first_(schedule.step_count_) {
  if (after_ == kNoStep && outer_ != nullptr) after_ = outer_->after_;
  schedule.part_ = this;
}

Part::~Part() {
  schedule_.part_ = outer_;
}

int Part::rank(int number) const noexcept {
  if (number < 0) return number;
  const int rank = ranks_[static_cast<std::size_t>(number)];
  return outer_ != nullptr ? outer_->rank(rank) : rank;
}

// Steps that wait for others of the part wait for `after_` already.
void Part::embed(StepId id) const noexcept {
  Step& step = schedule_.steps_[id];
  step.from = place(step.from);
  step.to = place(step.to);
  step.peer = rank(step.peer);
  if (step.predecessors == 0) schedule_.link(after_, id, false);
}

Buffer Part::place(Buffer inner) const noexcept {
  if (inner.space == Space::scratch) return inner;
  const Buffer& memory = inner.space == Space::send ? send_ : receive_;
  inner.space = memory.space;
  inner.offset += memory.offset;
  return outer_ != nullptr ? outer_->place(inner) : inner;
}

StepId Part::end() noexcept {
  const StepId last = schedule_.step_count_;
  if (last == first_) return after_;
  const StepId join = schedule_.copy({}, {});
  for (StepId id = first_; id < last; ++id) {
    bool awaited = false;
    for (std::uint32_t i = schedule_.steps_[id].first_edge; i != kNoEdge;
         i = schedule_.edges_[i].next)
      awaited = awaited || !schedule_.edges_[i].issue_only;
    if (!awaited) schedule_.link(id, join, false);
  }
  return join;
}

}  // namespace tessera::coll
