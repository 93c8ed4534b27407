// SPDX-License-Identifier: BSD-3-Clause
// coll/sm on one communicator: which calls it takes, and how its processes agree on the memory.
#include "module.h"

#include <new>

#include <algorithm>
#include <array>
#include <limits>

#include "operations.h"
#include "tessera/cpu.h"

namespace tessera::coll::sm {

namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

// Where the segment of a communicator lies. A message of another operation, of processes whose
// calls do not match, has neither this length nor this mark.
struct Meeting {
  static constexpr std::uint64_t kMark = 0x636f'6c6c'2f73'6d31;
  std::uint64_t mark = kMark;
  std::uint64_t place = kNowhere;  // in the arena
};

Status other_operation() noexcept {
  return Status::failure(
      Errc::truncated,
      "the first collective calls on this communicator do not match: a message "
      "of a different operation arrived; mpiexec --check compares the calls argument "
      "by argument");
}

constexpr std::size_t kSegmentBytes =
    16 * 1024 * 1024;  // what the buffers of one communicator may take

// Fewer bytes for many processes, so that a large communicator does not eat the arena.
std::uint32_t slot_bytes_for(int processes, std::size_t most) noexcept {
  const std::size_t share =
      kSegmentBytes / ChunkPlaces::kSlots / static_cast<std::size_t>(processes);
  return static_cast<std::uint32_t>(std::max(std::min(most, share) / kPage * kPage, kPage));
}

using Vector = Status (*)(SharedSegment&, const Call&, const BlockLimits&) noexcept;
using DirectReducing = Status (*)(SharedSegment&, const CmaAccess&, const Call&) noexcept;

// How operations go through the slots of the segment, data moved or reduced; null: not at all.
using ThroughSlots = Status (*)(SharedSegment&, const Call&) noexcept;
constexpr std::array<ThroughSlots, kOperations> through_slots() noexcept {
  std::array<ThroughSlots, kOperations> ways{};
  const auto set = [&](Operation operation, ThroughSlots way) {
    ways[static_cast<std::size_t>(operation)] = way;
  };
  set(Operation::barrier, barrier);
  set(Operation::bcast, bcast);
  set(Operation::gather, gather);
  set(Operation::scatter, scatter);
  set(Operation::allgather, allgather);
  set(Operation::alltoall, alltoall);
  set(Operation::reduce, reduce);
  set(Operation::allreduce, allreduce);
  set(Operation::reduce_scatter, reduce_scatter);
  set(Operation::reduce_scatter_block, reduce_scatter);
  set(Operation::scan, scan);
  set(Operation::exscan, scan);
  return ways;
}
constexpr std::array<ThroughSlots, kOperations> kThroughSlots = through_slots();
ThroughSlots way_through_slots(Operation operation) noexcept {
  return kThroughSlots[static_cast<std::size_t>(operation)];
}

// Where the last choice for an operation is kept. Those that programs call in turn have places of
// their own: a barrier and anything else; a broadcast and a reduction; gather and scatter.
constexpr std::array<std::uint8_t, kOperations> places_of_choices() noexcept {
  std::array<std::uint8_t, kOperations> places{};
  for (std::size_t i = 0; i < kOperations; ++i) places[i] = 4 + i / 2 % 2;
  places[static_cast<std::size_t>(Operation::barrier)] = 0;
  places[static_cast<std::size_t>(Operation::bcast)] = 1;
  places[static_cast<std::size_t>(Operation::reduce)] = 2;
  places[static_cast<std::size_t>(Operation::allreduce)] = 3;
  return places;
}
constexpr std::array<std::uint8_t, kOperations> kPlacesOfChoices = places_of_choices();

// coll::amount(); a short reduction would notice the call.
Count amount_of(const Call& call) noexcept {
  const bool one_vector =
      call.operation == Operation::reduce || call.operation == Operation::allreduce;
  return one_vector ? call.receive.count * call.receive.type->size() : amount(call);
}

Vector vector_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::gather:
    case Operation::gatherv:
      return gatherv;
    case Operation::scatter:
    case Operation::scatterv:
      return scatterv;
    case Operation::allgather:
    case Operation::allgatherv:
      return allgatherv;
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
      return alltoallv;
    default:
      return nullptr;
  }
}

DirectReducing direct_reduction_of(Operation operation) noexcept {
  switch (operation) {
    case Operation::reduce:
      return direct_reduce;
    case Operation::allreduce:
      return direct_allreduce;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return direct_reduce_scatter;
    default:
      return nullptr;
  }
}

}  // namespace

SmModule::SmModule(Common& common, Communicator& comm) noexcept
    : common_(common),
      comm_(comm),
      layout_(layout_of(comm)),
      shape_{comm.size(), slot_bytes_for(comm.size(), common.settings().chunk)},
      until_review_(common.recalibrator().interval()) {
  common_.add(*this);
}

SmModule::~SmModule() {
  static_cast<void>(end());
  common_.remove(*this);
}

Status SmModule::end() noexcept {
  Status matched;
  if (!segment_) return matched;
  if (segment_->abandon(matched)) common_.arena()->give_back(offset_, shape_.bytes());
  cma_.reset();
  nonblocking_.reset();
  segment_.reset();
  state_ = State::without;
  return matched;
}

bool SmModule::serves(Operation operation) const noexcept {
  return way_through_slots(operation) != nullptr || vector_of(operation) != nullptr ||
         among_neighbours(operation);
}

std::uint64_t SmModule::take_memory() noexcept {
  Arena* arena = common_.arena();
  const auto offset = arena != nullptr ? arena->allocate(shape_.bytes()) : std::nullopt;
  if (!offset) return kNowhere;
  SharedSegment::prepare(arena->at(*offset), shape_);
  return *offset;
}

// Rank 0's word goes down a binomial tree.
Status SmModule::meet() noexcept {
  Meeting meeting;
  if (comm_.rank() == 0) meeting.place = take_memory();
  Call call(Operation::bcast, comm_);
  call.receive.buffer = &meeting;
  const Buffer place{Space::receive, 0, sizeof meeting, nullptr};
  Schedule schedule;
  StepId received = kNoStep;
  int bit = 1;
  for (; bit < comm_.size(); bit *= 2) {
    if ((comm_.rank() & bit) == 0) continue;
    received = schedule.recv(comm_.rank() - bit, place);
    break;
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (comm_.rank() + bit < comm_.size()) schedule.send(comm_.rank() + bit, place, {received});
  }
  const Status told = execute(call, schedule);
  state_ = State::without;
  if (!told.ok()) return told;
  if (meeting.mark != Meeting::kMark) return other_operation();
  const std::unique_ptr<CallLog> passed = std::move(passed_log_);
  Arena* arena = meeting.place != kNowhere ? common_.arena() : nullptr;
  if (arena == nullptr) return {};
  offset_ = meeting.place;
  segment_.emplace(arena->at(meeting.place), shape_, comm_);
  segment_->follow(passed_, passed.get());
  state_ = State::ready;
  return {};
}

// Rules give large reductions to this component for the sake of the direct way: without it,
// messages are better. What a parameter gives to it stays here.
Status SmModule::run_large(const Plan& plan, const Call& call) noexcept {
  if (const CmaAccess* cma = cma_access(); cma != nullptr) {
    return segment_->unless_broken(
        call.operation == Operation::exscan
            ? direct_exscan(*segment_, *cma, call, plan.split)
            : direct_reduction_of(call.operation)(*segment_, *cma, call));
  }
  if (plan.without_direct == Plan::WithoutDirect::messages) return Errc::unsupported;
  return way_through_slots(call.operation)(*segment_, call);
}

// Likewise. An alltoall in place overwrites what others would read.
Status SmModule::move_large(const Plan& plan, const Call& call) noexcept {
  const bool overwritten = call.operation == Operation::alltoall && call.in_place;
  const bool one_block = call.size == 2 && (call.operation == Operation::gather ||
                                            call.operation == Operation::scatter);
  if (const CmaAccess* cma = cma_access(); cma != nullptr && one_block)
    return segment_->unless_broken(direct_pair(*segment_, *cma, call, plan.split));
  if (const CmaAccess* cma = cma_access(); cma != nullptr && !overwritten)
    return vector_of(call.operation)(*segment_, call, {0, {}, cma});
  const bool messages = overwritten || plan.without_direct == Plan::WithoutDirect::messages;
  if (messages && common_.limits().limit(call.operation) == Question::kByRules)
    return Errc::unsupported;
  return way_through_slots(call.operation)(*segment_, call);
}

Status SmModule::bcast_long(const Plan& plan, const Call& call) noexcept {
  if (const CmaAccess* cma = cma_access(); cma != nullptr)
    return segment_->unless_broken(direct_bcast(*segment_, *cma, call, plan.split));
  return bcast(*segment_, call);
}

Status SmModule::move_blocks(const Plan& plan, const Call& call) noexcept {
  return vector_of(call.operation)(
      *segment_, call,
      {plan.in_slot, plan.direct, cma_access(), plan.split_from != 0 ? plan.split_from : kNever});
}

const CmaAccess* SmModule::cma_access() noexcept {
  if (!cma_ && common_.settings().direct) cma_.emplace(*segment_, comm_);
  return cma_ && cma_->open() ? &*cma_ : nullptr;
}

Question SmModule::with_figures(Question asked) const noexcept {
  if (needs_figures(asked)) asked.machine = figures();
  return asked;
}

Question SmModule::question(const Call& call) const noexcept {
  const Limits& limits = common_.limits();
  Question asked{.operation = call.operation,
                 .size = call.size,
                 .oversubscribed = layout_.oversubscribed,
                 .cartesian = call.cartesian,
                 .given = limits.admit(call, layout_),
                 .amount = amount(call),
                 .slot = shape_.slot_bytes,
                 .limit = limits.limit(call.operation),
                 .direct_from = limits.direct_from()};
  if (!reduces(call.operation)) return with_figures(asked);
  asked.element = call.receive.type->size();
  asked.contiguous = call.receive.type->contiguous();
  return with_figures(asked);
}

// A gather has a receive type at the root alone.
inline SmModule::Key SmModule::key_of(const Call& call) const noexcept {
  constexpr Count most = std::numeric_limits<std::uint32_t>::max();
  constexpr int commutative = 1, element = 2;  // 2 to 33
  Key key{amount_of(call), CallMark::what(call.operation, common_.number_of(call.op))};
  if (!reduces(call.operation)) return key;
  const Datatype& type = *call.receive.type;
  key.call |= std::uint64_t{type.contiguous()} |
              std::uint64_t{call.op->commutative()} << commutative |
              static_cast<std::uint64_t>(std::min(type.size(), most)) << element;
  return key;
}

inline const SmModule::Choice& SmModule::choice_of(const Call& call) noexcept {
  Choice& last = choices_[kPlacesOfChoices[static_cast<std::size_t>(call.operation)]];
  const Key key = key_of(call);
  return last.key == key ? last : choose(last, call, key);
}

const SmModule::Choice& SmModule::choose(Choice& place, const Call& call,
                                         const Key& key) const noexcept {
  return place = {key, plan(question(call))};
}

inline Status SmModule::carry_out(const Plan& plan, const Call& call) noexcept {
  if (plan.protocol == Protocol::chunks || plan.protocol == Protocol::reduction) [[likely]]
    return way_through_slots(call.operation)(*segment_, call);
  return carry_out_otherwise(plan, call);
}

Status SmModule::carry_out_otherwise(const Plan& plan, const Call& call) noexcept {
  switch (plan.protocol) {
    case Protocol::none:
    case Protocol::chunks:
    case Protocol::reduction:
      break;
    case Protocol::blocks:
      return move_blocks(plan, call);
    case Protocol::direct_bcast:
      return bcast_long(plan, call);
    case Protocol::direct_blocks:
      return move_large(plan, call);
    case Protocol::direct_reduction:
      return run_large(plan, call);
    case Protocol::neighbors:
      return to_neighbours(*segment_, call, plan.in_slot);
  }
  return Errc::internal;
}

Status SmModule::run(const Call& call) noexcept {
  if (until_review_ <= 0) [[unlikely]]
    review_figures();
  const Choice& choice = choice_of(call);
  if (choice.plan.protocol == Protocol::none) return Errc::unsupported;
  if (state_ == State::before) [[unlikely]] {
    const Status met = meet();
    if (!met.ok()) return met;
  }
  if (state_ == State::without) [[unlikely]]
    return Errc::unsupported;
  if (nonblocking_ != nullptr) nonblocking_->show_all();
  segment_->begin(call.operation, kind_of(choice.key), call.root);
  const Round before = segment_->entered();
  const Count bytes = choice.key.bytes;
  const Status outcome = carry_out(choice.plan, call);
  until_review_ -= Recalibrator::weight(bytes, segment_->entered() - before);
  if (segment_->broken()) [[unlikely]]
    return segment_->intact();
  return outcome;
}

// The segment is made by a call that may wait, and so are the figures of the machine; which calls
// have been made before is the same on all processes.
Status SmModule::start(const Call& call, Done done, void* context) noexcept {
  if (state_ != State::ready || call.comm != &comm_) return Errc::unsupported;
  if (!layout_.oversubscribed && amount(call) > static_cast<Count>(kNeverDirect))
    return Errc::unsupported;
  if (!fits_rounds(*segment_, call)) return Errc::unsupported;
  const Choice& choice = choice_of(call);
  if (!takes_rounds(*segment_, choice.plan, call)) return Errc::unsupported;
  if (nonblocking_ == nullptr) {
    nonblocking_.reset(new (std::nothrow) NonblockingCalls(*segment_, comm_));
    if (nonblocking_ == nullptr) return NonblockingCalls::no_memory();
  }
  segment_->begin_nonblocking(call.operation, kind_of(choice.key), call.root);
  return nonblocking_->start(call, done, context);
}

// What others make of a part of a call is not on this communicator. Without a segment nothing is
// ever compared.
Status SmModule::emit(const Call& call, Schedule& /*schedule*/) noexcept {
  if (call.comm != &comm_ || state_ == State::without) return Errc::unsupported;
  const CallMark::Kind kind = kind_of(key_of(call));
  if (segment_) {
    segment_->pass(call.operation, kind, call.root);
  } else {
    if (passed_log_ == nullptr) passed_log_.reset(new (std::nothrow) CallLog);
    const std::uint64_t logged = passed_.pass(kind, call.root);
    if (passed_log_ != nullptr) passed_log_->add(logged);
  }
  return Errc::unsupported;
}

const char* SmModule::describe(const Call& call) noexcept {
  words_.reset(new (std::nothrow) Words(question(call), choice_of(call).plan));
  return words_ != nullptr ? words_->text() : "";
}

}  // namespace tessera::coll::sm
