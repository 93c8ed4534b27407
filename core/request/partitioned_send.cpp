// SPDX-License-Identifier: BSD-3-Clause
// Partitioned sends: marks, units, and the announcement of how a message is divided.
#include <algorithm>
#include <new>

#include "core/datatype/predefined.h"
#include "core/engine/instance.h"
#include "core/request/partitioned.h"
#include "core/request/partitioned_numbers.h"

namespace tessera {

PartitionedRequest::PartitionedRequest(Comm& comm, const PartitionedArgs& args) noexcept
    : comm_(comm),
      args_(args),
      partition_bytes_(static_cast<std::uint64_t>(args.count * args.type->size())) {
  persistent_ = true;
  args_.type->hold();
}

PartitionedRequest::~PartitionedRequest() {
  args_.type->drop();
}

// The operation's own reference keeps the object until all its messages have ended.
void PartitionedRequest::begin_parts(int parts) noexcept {
  begin();
  retain();
  status_ = {};
  outcome_ = {};
  pending_ = parts;
}

void PartitionedRequest::part_done(Status outcome, int parts) noexcept {
  if (!outcome.ok() && outcome_.ok()) outcome_ = outcome;
  pending_ -= parts;
  if (pending_ > 0) return;
  complete_parts();
  status_.error = outcome_;
  finish();
  release();
}

namespace {

// The least power of two of partitions that has as many bytes as a message should; all of them if
// they have none.
int unit_shift(Comm& comm, const PartitionedArgs& args) {
  const std::uint64_t least = comm.instance().params().size("mpi_partitioned_unit");
  const auto bytes = static_cast<std::uint64_t>(args.count * args.type->size());
  int shift = 0;
  while ((bytes << shift) < least && (std::int64_t{1} << shift) < args.partitions) ++shift;
  return shift;
}

}  // namespace

PartitionedSend::PartitionedSend(Comm& comm, const PartitionedArgs& args)
    : PartitionedRequest(comm, args), marks_(args.partitions, unit_shift(comm, args)) {
  if (args.rank == kProcNull) return;
  PartitionedPairs& pairs = comm.partitioned();
  number_ = pairs.next_send(args.rank, args.tag);
  layout_ = {number_, total_bytes(),
             partition_bytes_ * static_cast<std::uint64_t>(marks_.partitions_of(0)), marks_.units(),
             pairs.take_tags(marks_.units())};
  const std::uint64_t at_once = comm.instance().params().size("mpi_partitioned_at_once");
  if (layout_.unit > 0) enough_ = std::max(std::uint64_t{1}, at_once / layout_.unit);
  const auto units = static_cast<std::size_t>(marks_.units());
  runs_.assign(units, {this, {}});
  states_.assign(units, UnitState::open);
  ready_.reserve(units);
}

Result<Request*> PartitionedSend::make(Comm& comm, const PartitionedArgs& args) noexcept try {
  return static_cast<Request*>(new PartitionedSend(comm, args));
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Status PartitionedSend::start() noexcept {
  const bool nobody = args_.rank == kProcNull;
  marks_.start(nobody);
  begin_parts(nobody ? 1 : marks_.units());
  std::fill(states_.begin(), states_.end(), UnitState::open);
  ready_.clear();
  next_ready_ = 0;
  if (nobody)
    part_done({});
  else if (!announced_)
    announce();
  return {};
}

void PartitionedSend::announce() noexcept {
  announced_ = true;
  wait_for_one_more();
  track(comm_.pml().isend({&layout_, sizeof layout_, &byte_type(), &comm_.peer(args_.rank),
                           announcement_number(comm_.rank()), args_.tag, comm_.collective_context(),
                           pml::Mode::standard}));
}

void PartitionedSend::send_unit(int unit) noexcept {
  states_[static_cast<std::size_t>(unit)] = UnitState::ready;
  ready_.push_back(unit);
  ++waiting_;
  retain();  // another thread may see the end of the last message and free the request
  send_ready();
  release();
}

void PartitionedSend::send_ready() noexcept {
  while (next_ready_ < ready_.size()) {
    const int unit = ready_[next_ready_];
    const bool sent = states_[static_cast<std::size_t>(unit)] == UnitState::sent;
    const bool together = waiting_ >= enough_ || ready_.size() == states_.size();
    if (!sent && !together && on_the_way_ > 0) return;
    ++next_ready_;
    if (!sent) send(join_ready(unit));
  }
}

// The ready units around one of them become a run.
PartitionedSend::Run& PartitionedSend::join_ready(int unit) noexcept {
  const auto ready = [this](UnitState state) { return state == UnitState::ready; };
  const auto middle = states_.begin() + unit;
  const auto end = std::find_if_not(middle, states_.end(), ready);
  const auto first = std::find_if_not(std::make_reverse_iterator(middle), states_.rend(), ready);
  std::fill(first.base(), end, UnitState::sent);
  waiting_ -= static_cast<std::uint64_t>(end - first.base());
  Run& run = runs_[static_cast<std::size_t>(first.base() - states_.begin())];
  run.notice = {static_cast<int>(first.base() - states_.begin()),
                static_cast<int>(end - first.base())};
  return run;
}

void PartitionedSend::send(Run& run) noexcept {
  Peer* const peer = &comm_.peer(args_.rank);
  if (layout_.units > 1) {
    wait_for_one_more();
    track(comm_.pml().isend({&run.notice, sizeof run.notice, &byte_type(), peer,
                             notice_number(comm_.rank()), layout_.first_tag,
                             comm_.collective_context(), pml::Mode::standard}));
  }
  const Count before = Count{run.notice.first} * marks_.partitions_of(0);
  const Count partitions =
      std::min(Count{run.notice.units} * marks_.partitions_of(0), Count{args_.partitions} - before);
  const auto* buffer =
      static_cast<const std::byte*>(args_.buffer) + before * args_.count * args_.type->extent();
  ++on_the_way_;
  auto message = comm_.pml().isend({buffer, partitions * args_.count, args_.type, peer,
                                    unit_number(comm_.rank()), layout_.first_tag + run.notice.first,
                                    comm_.collective_context(), pml::Mode::standard});
  if (!message.ok()) return run_over(run, message.status());
  if (!message.value()->complete()) return message.value()->then(run_done, &run);
  const Status outcome = message.value()->error();
  message.value()->free();
  run_over(run, outcome);
}

void PartitionedSend::run_over(const Run& run, Status outcome) noexcept {
  --on_the_way_;
  part_done(outcome, run.notice.units);
}

// Its own units are the last to be counted: until then the object is there for those that waited.
void PartitionedSend::run_done(Request& message, void* argument) noexcept {
  const Run& run = *static_cast<const Run*>(argument);
  PartitionedSend& self = *run.owner;
  const Status outcome = message.error();
  message.free();
  --self.on_the_way_;
  self.send_ready();
  self.part_done(outcome, run.notice.units);
}

void PartitionedSend::track(Result<Request*> message) noexcept {
  if (!message.ok()) return part_done(message.status());
  if (message.value()->complete()) return message_done(*message.value(), this);
  message.value()->then(message_done, this);
}

void PartitionedSend::message_done(Request& message, void* self) noexcept {
  const Status outcome = message.error();
  message.free();
  static_cast<PartitionedSend*>(self)->part_done(outcome);
}

void PartitionedSend::complete_parts() noexcept {
  status_.bytes = 0;
}

}  // namespace tessera
