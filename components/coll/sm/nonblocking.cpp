// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking calls on the shared segment: barrier, bcast, gather, scatter, allgather, alltoall,
// reduce, allreduce.
//
// Cost per process: as the blocking call, and a look at the chunks that are missing in each round
// of the engine's progress.
#include "nonblocking.h"

#include <algorithm>
#include <new>
#include <utility>

#include "block_chunks.h"
#include "division.h"
#include "reduction.h"

namespace tessera::coll::sm {

using Part = NonblockingCalls::Part;

namespace {

// A reduction in place copies its operand before it writes the result.
constexpr std::size_t kMostReduced = kNeverDirect;

// Of a block, or of the vector, in a round.
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

// Of a chunk with so many bytes of a block that this process shows, or another one.
std::size_t chunk_length(const SharedSegment& segment, const Call& call,
                         std::size_t bytes) noexcept {
  const bool for_each =
      call.operation == Operation::scatter || call.operation == Operation::alltoall;
  return for_each ? bytes * others(segment) : bytes;
}

// Where processes take turns, a turn is worth as many rounds as there is room for. Not of an
// alltoall, which gains nothing, nor of a reduction, in which all would combine all vectors
// (docs/decisions/0155).
bool may_take_several(const SharedSegment& segment, Operation operation) noexcept {
  return segment.oversubscribed() &&
         (operation == Operation::bcast || operation == Operation::gather ||
          operation == Operation::scatter || operation == Operation::allgather);
}

// A chunk that does not travel with its announcement is a miss more. A message between two
// processes with a processor each is none (docs/decisions/0152).
bool message_is_better(const SharedSegment& segment, const Call& call) noexcept {
  return segment.size() == 2 && !segment.oversubscribed() &&
         chunk_length(segment, call, data_bytes(call)) > SharedSegment::kInline;
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

void write_chunk(SharedSegment& segment, Round round, const Call& call, const Part& part) noexcept {
  const auto [position, bytes] = part;
  switch (call.operation) {
    case Operation::barrier:
      static_cast<void>(segment.slot(round, 0));
      return segment.publish(round);
    case Operation::scatter:
    case Operation::alltoall:
      return publish_blocks(segment, round, outgoing(call), position, bytes);
    case Operation::allgather: {
      const int own = call.in_place ? call.rank : 0;
      block(outgoing(call), own).read(position, segment.slot(round, bytes), bytes);
      return segment.publish(round);
    }
    default:
      block(outgoing(call), 0).read(position, segment.slot(round, bytes), bytes);
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
  reduction.combine(round, bytes, {0, bytes, call.receive.count}, own, call.receive.buffer);
  return reduction.status;
}

Status read_chunks(SharedSegment& segment, Round round, const Call& call,
                   const Part& part) noexcept {
  const auto [position, bytes] = part;
  switch (call.operation) {
    case Operation::reduce:
    case Operation::allreduce:
      return reduce_chunks(segment, round, call);
    case Operation::bcast:
      block(call.receive, 0).write(position, segment.chunk(round, call.root, bytes), bytes);
      return {};
    case Operation::scatter:
      block(call.receive, 0).write(position, my_block(segment, round, call.root, bytes), bytes);
      return {};
    case Operation::alltoall:
      for_others(segment, [&](int rank) {
        block(call.receive, rank)
            .write(part.position, my_block(segment, round, rank, part.bytes), part.bytes);
      });
      return {};
    case Operation::gather:
    case Operation::allgather:
      for_others(segment, [&](int rank) {
        block(call.receive, rank)
            .write(part.position, segment.chunk(round, rank, part.bytes), part.bytes);
      });
      return {};
    default:  // a barrier: the chunks are compared
      for_others(segment, [&](int rank) { static_cast<void>(segment.chunk(round, rank, 0)); });
      return {};
  }
}

}  // namespace

bool fits_rounds(const SharedSegment& segment, const Call& call) noexcept {
  if (call.operation == Operation::barrier) return true;
  const std::size_t bytes = data_bytes(call);
  const std::size_t most = most_bytes(segment, call.operation);
  if (bytes == 0 || most == 0 || message_is_better(segment, call)) return false;
  return bytes <= most || may_take_several(segment, call.operation);
}

bool takes_rounds(const SharedSegment& segment, const Plan& plan, const Call& call) noexcept {
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
  const std::size_t bytes = data_bytes(call);
  const std::size_t most = most_bytes(segment_, call.operation);
  const Round rounds = bytes <= most ? 1 : (bytes + most - 1) / most;
  const Round first = segment_.enter_nonblocking(rounds);
  if (one == nullptr) return no_memory();
  one->call = call;
  one->done = done;
  one->context = context;
  one->mark = segment_.mark();
  one->bytes = bytes;
  one->most = most;
  one->first = first;
  one->last = first + rounds - 1;
  one->to_show = first;
  one->to_read = receives(call) ? first : one->last + 1;
  one->next = 0;
  one->waited = false;
  one->outcome = {};
  copy_own(call);
  if (!unshown() && advance(*one)) {
    segment_.leave(one->last);
    moved_ = false;
    const Status outcome = one->outcome;
    spare_ = std::move(one);
    done(context, outcome);
    return {};
  }
  if (first_ == nullptr) comm_.progress().add(*this);
  UnderWay* const added = one.get();
  (first_ != nullptr ? last_->behind : first_) = std::move(one);
  last_ = added;
  segment_.hold(first_->to_read);
  leave_what_is_read();
  return {};
}

void NonblockingCalls::show_all() noexcept {
  if (unshown()) comm_.progress().wait_until([this] { return !unshown(); });
}

// Whether it is done.
bool NonblockingCalls::advance(UnderWay& one) noexcept {
  const SharedSegment::InCall in_call(segment_, one.mark);
  while (!segment_.broken() && (show_next(one) || read_next(one))) {
    if (one.of_many_rounds()) moved_ = true;
  }
  if (segment_.broken()) one.outcome = segment_.intact();
  return segment_.broken() || one.done_with_all();
}

bool NonblockingCalls::show_next(UnderWay& one) noexcept {
  if (one.shown()) return false;
  if (!shows(one.call)) {
    one.to_show = one.last + 1;
    return true;
  }
  const Part part = one.part(one.to_show);
  if (!segment_.has_room(one.to_show, chunk_length(segment_, one.call, part.bytes))) return false;
  write_chunk(segment_, one.to_show, one.call, part);
  ++one.to_show;
  return true;
}

// In position, what is written here has been shown before.
bool NonblockingCalls::read_next(UnderWay& one) noexcept {
  if (one.to_read > one.last || one.to_read >= one.to_show || !arrived(one)) return false;
  const Status read = read_chunks(segment_, one.to_read, one.call, one.part(one.to_read));
  if (one.outcome.ok()) one.outcome = read;
  one.next = 0;
  ++one.to_read;
  return true;
}

bool NonblockingCalls::arrived(UnderWay& one) const noexcept {
  for (; one.next < segment_.size(); ++one.next) {
    if (needs(one.call, one.next) && !segment_.shown(one.to_read, one.next)) return false;
  }
  return true;
}

std::unique_ptr<NonblockingCalls::UnderWay>* NonblockingCalls::find_done() noexcept {
  for (std::unique_ptr<UnderWay>* at = &first_; *at != nullptr; at = &(*at)->behind) {
    if (advance(**at)) return at;
    if (!(*at)->shown()) return nullptr;  // those behind it wait for its room
  }
  return nullptr;
}

// As a blocking call does, but only once: the program may poll and have other work to do.
bool NonblockingCalls::keep_turn(UnderWay& one) noexcept {
  CpuPeers* const peers = segment_.cpu_peers();
  if (peers == nullptr || one.to_read >= one.to_show || std::exchange(one.waited, true) ||
      comm_.progress().several_threads())
    return false;
  peers->wait_in(one.to_read);
  return peers->keep_turn(one.to_read, [&] { return arrived(one); });
}

// done() may begin other calls, poll, or release the communicator, and with it this object.
int NonblockingCalls::poll() noexcept {
  if (comm_.progress().deaths() != 0) segment_.give_up_if_dead();
  std::unique_ptr<UnderWay>* found = find_done();
  if (found == nullptr && keep_turn(*first_)) found = find_done();
  if (found == nullptr) {
    if (!moved_) return 0;
    leave_what_is_read();
    return 1;
  }
  Communicator& comm = comm_;
  comm.retain();
  int events = 0;
  for (; found != nullptr; found = find_done(), ++events) {
    take_out(*found);
    spare_->done(spare_->context, spare_->outcome);
  }
  leave_what_is_read();
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
  if (first_ == nullptr) {
    segment_.leave_held(spare_->last, 0);
  } else {
    segment_.leave_held(std::max(spare_->last, first_->to_read - 1), first_->to_read);
  }
  if (first_ != nullptr) return;
  comm_.progress().remove(*this);
  if (std::exchange(expects_ring_, false)) segment_.call_off_ring();
}

// Others may wait for what a call of several rounds has shown, or for the room of what it has read.
void NonblockingCalls::leave_what_is_read() noexcept {
  if (std::exchange(moved_, false) && first_ != nullptr)
    segment_.leave_held(first_->to_read - 1, first_->to_read);
}

void NonblockingCalls::before_sleep() noexcept {
  if (!std::exchange(expects_ring_, true)) segment_.expect_ring();
}

}  // namespace tessera::coll::sm
