// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking calls on the shared segment: barrier, bcast, gather, scatter, allgather, alltoall,
// reduce, allreduce.
//
// Cost per process: as the blocking call of one round, and a look at the chunks that are missing in
// each round of the engine's progress.
#include "nonblocking.h"

#include <algorithm>
#include <new>
#include <utility>

#include "block_chunks.h"
#include "division.h"
#include "reduction.h"

namespace tessera::coll::sm {

namespace {

// A reduction in place copies its operand before it writes the result.
constexpr std::size_t kMostReduced = kNeverDirect;

// Of a block, or of the vector.
std::size_t most_bytes(const SharedSegment& segment, Operation operation) noexcept {
  switch (operation) {
    case Operation::bcast:
    case Operation::gather:
      return chunk_bytes(segment);
    case Operation::scatter:
      return scatter_chunk(segment);
    case Operation::allgather:
      return segment.slot_bytes();
    case Operation::alltoall:
      return share(segment);
    case Operation::reduce:
    case Operation::allreduce:
      return std::min(kMostReduced, segment.slot_bytes());
    default:
      return 0;
  }
}

bool from_root(const Call& call) noexcept {
  return call.operation == Operation::bcast || call.operation == Operation::scatter;
}

bool to_root(const Call& call) noexcept {
  return call.operation == Operation::gather || call.operation == Operation::reduce;
}

bool is_root(const Call& call) noexcept {
  return call.rank == call.root;
}

// Whether this process has something for others, needs something, needs something of `rank`.
bool shows(const Call& call) noexcept {
  return from_root(call) ? is_root(call) : !to_root(call) || !is_root(call);
}

bool receives(const Call& call) noexcept {
  return from_root(call) ? !is_root(call) : !to_root(call) || is_root(call);
}

bool needs(const Call& call, int rank) noexcept {
  return rank != call.rank && receives(call) && (!from_root(call) || rank == call.root);
}

std::size_t data_bytes(const Call& call) noexcept {
  return static_cast<std::size_t>(amount(call));
}

// Of the chunk that this process shows, or another one.
std::size_t chunk_length(const SharedSegment& segment, const Call& call) noexcept {
  const bool for_each =
      call.operation == Operation::scatter || call.operation == Operation::alltoall;
  return for_each ? data_bytes(call) * others(segment) : data_bytes(call);
}

// A chunk that does not travel with its announcement is a miss more. A message between two
// processes with a processor each is none (docs/decisions/0152).
bool message_is_better(const SharedSegment& segment, const Call& call) noexcept {
  return segment.size() == 2 && !segment.oversubscribed() &&
         chunk_length(segment, call) > SharedSegment::kInline;
}

const Side& outgoing(const Call& call) noexcept {
  const bool in_receive =
      call.operation == Operation::bcast || (call.in_place && call.operation != Operation::scatter);
  return in_receive ? call.receive : call.send;
}

// Its own block, which the others' do not touch.
void copy_own(const Call& call) noexcept {
  if (call.in_place) return;
  switch (call.operation) {
    case Operation::gather:
      if (!is_root(call)) return;
      [[fallthrough]];
    case Operation::allgather:
      return block(call.receive, call.rank).copy(block(call.send, 0));
    case Operation::scatter:
      if (is_root(call)) block(call.receive, 0).copy(block(call.send, call.rank));
      return;
    case Operation::alltoall:
      return block(call.receive, call.rank).copy(block(call.send, call.rank));
    default:
      return;
  }
}

void write_chunk(SharedSegment& segment, Round round, const Call& call) noexcept {
  const std::size_t bytes = data_bytes(call);
  switch (call.operation) {
    case Operation::barrier:
      static_cast<void>(segment.slot(round, 0));
      return segment.publish(round);
    case Operation::scatter:
    case Operation::alltoall:
      return publish_blocks(segment, round, outgoing(call), 0, bytes);
    case Operation::allgather: {
      const int own = call.in_place ? call.rank : 0;
      block(outgoing(call), own).read(0, segment.slot(round, bytes), bytes);
      return segment.publish(round);
    }
    default:
      block(outgoing(call), 0).read(0, segment.slot(round, bytes), bytes);
      return segment.publish(round);
  }
}

Status reduce_chunks(SharedSegment& segment, Round round, const Call& call) noexcept {
  const std::size_t bytes = data_bytes(call);
  const void* const operand = operand_of(call);
  Reduction reduction(segment, call, operand);
  alignas(std::max_align_t) std::byte copy[kMostReduced];
  const auto* own = static_cast<const std::byte*>(operand);
  if (reduction.in_place) own = static_cast<std::byte*>(std::memcpy(copy, operand, bytes));
  reduction.combine(round, bytes, 0, call.receive.count, own, call.receive.buffer);
  return reduction.status;
}

Status read_chunks(SharedSegment& segment, Round round, const Call& call) noexcept {
  const std::size_t bytes = data_bytes(call);
  switch (call.operation) {
    case Operation::reduce:
    case Operation::allreduce:
      return reduce_chunks(segment, round, call);
    case Operation::bcast:
      block(call.receive, 0).write(0, segment.chunk(round, call.root, bytes), bytes);
      return {};
    case Operation::scatter:
      block(call.receive, 0).write(0, my_block(segment, round, call.root, bytes), bytes);
      return {};
    case Operation::alltoall:
      for_others(segment, [&](int rank) {
        block(call.receive, rank).write(0, my_block(segment, round, rank, bytes), bytes);
      });
      return {};
    case Operation::gather:
    case Operation::allgather:
      for_others(segment, [&](int rank) {
        block(call.receive, rank).write(0, segment.chunk(round, rank, bytes), bytes);
      });
      return {};
    default:  // a barrier: the chunks are compared
      for_others(segment, [&](int rank) { static_cast<void>(segment.chunk(round, rank, 0)); });
      return {};
  }
}

}  // namespace

bool fits_one_round(const SharedSegment& segment, const Call& call) noexcept {
  if (call.operation == Operation::barrier) return true;
  const std::size_t bytes = data_bytes(call);
  return bytes > 0 && bytes <= most_bytes(segment, call.operation) &&
         !message_is_better(segment, call);
}

bool takes_one_round(const SharedSegment& segment, const Plan& plan, const Call& call) noexcept {
  if (plan.protocol == Protocol::chunks) return true;
  const bool rooted = call.operation == Operation::reduce;
  return plan.protocol == Protocol::reduction &&
         combining(segment.size(), segment.oversubscribed(), rooted, data_bytes(call)) ==
             Combining::by_all;
}

NonblockingCalls::~NonblockingCalls() {
  if (first_ == nullptr) return;
  comm_.progress().remove(*this);
  if (expects_ring_) segment_.call_off_ring();
}

Status NonblockingCalls::start(const Call& call, Module::Done done, void* context) noexcept {
  std::unique_ptr<UnderWay> one = std::move(spare_);
  if (one == nullptr) one.reset(new (std::nothrow) UnderWay);
  const Round round = segment_.enter_nonblocking();
  if (one == nullptr) return no_memory();
  *one = {call, done, context, round, segment_.mark(), false, 0, {}, nullptr};
  copy_own(call);
  if (!unshown() && advance(*one)) {
    segment_.leave(round);
    const Status outcome = one->outcome;
    spare_ = std::move(one);
    done(context, outcome);
    return {};
  }
  segment_.hold(first_ != nullptr ? first_->round : round);
  if (first_ == nullptr) comm_.progress().add(*this);
  UnderWay* const added = one.get();
  (first_ != nullptr ? last_->behind : first_) = std::move(one);
  last_ = added;
  return {};
}

void NonblockingCalls::show_all() noexcept {
  if (unshown()) comm_.progress().wait_until([this] { return !unshown(); });
}

// Whether it is done.
bool NonblockingCalls::advance(UnderWay& one) noexcept {
  const SharedSegment::InCall in_call(segment_, one.mark);
  if (!segment_.broken() && (!show(one) || !arrived(one))) return false;
  one.shown = true;
  if (!segment_.broken() && receives(one.call))
    one.outcome = read_chunks(segment_, one.round, one.call);
  if (segment_.broken()) one.outcome = segment_.intact();
  return true;
}

bool NonblockingCalls::show(UnderWay& one) noexcept {
  if (one.shown || !shows(one.call)) return one.shown = true;
  if (!segment_.has_room(one.round, chunk_length(segment_, one.call))) return false;
  write_chunk(segment_, one.round, one.call);
  return one.shown = true;
}

bool NonblockingCalls::arrived(UnderWay& one) const noexcept {
  for (; one.next < segment_.size(); ++one.next) {
    if (needs(one.call, one.next) && !segment_.shown(one.round, one.next)) return false;
  }
  return true;
}

std::unique_ptr<NonblockingCalls::UnderWay>* NonblockingCalls::find_done() noexcept {
  for (std::unique_ptr<UnderWay>* at = &first_; *at != nullptr; at = &(*at)->behind) {
    if (advance(**at)) return at;
    if (!(*at)->shown) return nullptr;  // those behind it wait for its room
  }
  return nullptr;
}

// done() may begin other calls, poll, or release the communicator, and with it this object.
int NonblockingCalls::poll() noexcept {
  if (comm_.progress().deaths() != 0) segment_.give_up_if_dead();
  std::unique_ptr<UnderWay>* found = find_done();
  if (found == nullptr) return 0;
  Communicator& comm = comm_;
  comm.retain();
  int events = 0;
  for (; found != nullptr; found = find_done(), ++events) {
    take_out(*found);
    spare_->done(spare_->context, spare_->outcome);
  }
  comm.release();
  return events;
}

// To spare_.
void NonblockingCalls::take_out(std::unique_ptr<UnderWay>& place) noexcept {
  spare_ = std::move(place);
  place = std::move(spare_->behind);
  if (last_ == spare_.get()) {
    last_ = nullptr;
    for (UnderWay* one = first_.get(); one != nullptr; one = one->behind.get()) last_ = one;
  }
  segment_.leave_held(spare_->round, first_ != nullptr ? first_->round : 0);
  if (first_ != nullptr) return;
  comm_.progress().remove(*this);
  if (std::exchange(expects_ring_, false)) segment_.call_off_ring();
}

void NonblockingCalls::before_sleep() noexcept {
  if (!std::exchange(expects_ring_, true)) segment_.expect_ring();
}

}  // namespace tessera::coll::sm
