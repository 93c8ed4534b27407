// SPDX-License-Identifier: BSD-3-Clause
// Partitioned sends: marks, units, and the announcement of how a message is divided.
#include <algorithm>
#include <new>

#include "core/datatype/predefined.h"
#include "core/engine/instance.h"
#include "core/request/partitioned.h"
#include "core/request/partitioned_numbers.h"
#include "tessera/clock.h"
#include "tessera/machine.h"

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
  outcome_ = Status();
  pending_ = parts;
}

void PartitionedRequest::part_done(Status outcome, int parts) noexcept {
  if (!outcome.ok() && outcome_.ok()) outcome_ = outcome;
  pending_ -= parts;
  if (pending_ > 0) return;
  complete_parts();
  status_.error = outcome_.get();
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

// A unit that waits for the others may lose as much time as their marks take, and saves a message
// of its own: the call, and the copy of its bytes.
std::uint64_t message_ns(Comm& comm, std::uint64_t bytes) {
  const MachineFigures figures = given_figures(comm.instance().job());
  return figures.single_call_ns + bytes * 1000 / std::max(1U, figures.single);
}

}  // namespace

PartitionedSend::PartitionedSend(Comm& comm, const PartitionedArgs& args)
    : PartitionedRequest(comm, args), marks_(args.partitions, unit_shift(comm, args)) {
  if (args.rank == kProcNull) return;
  PartitionedPairs& pairs = comm.partitioned();
  number_ = pairs.next_send(args.rank, args.tag);
  layout_ = {number_,
             total_bytes(),
             partition_bytes_ * static_cast<std::uint64_t>(marks_.partitions_of(0)),
             marks_.units(),
             pairs.take_tags(marks_.units()),
             pml::signature_mark(*args.type, args.count * args.partitions)};
  const std::uint64_t at_once = comm.instance().params().size("mpi_partitioned_at_once");
  if (layout_.unit > 0) enough_ = std::max(std::uint64_t{1}, at_once / layout_.unit);
  burst_ns_ = message_ns(comm, layout_.unit);
  const auto units = static_cast<std::size_t>(marks_.units());
  runs_.assign(units, {this, {}});
  states_ = std::make_unique<std::atomic<UnitState>[]>(units);
  ready_.reserve(units);
}

PartitionedSend::~PartitionedSend() {
  if (holds_) comm_.progress().remove(*this);
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
  if (nobody) {
    part_done({});
    return {};
  }
  for (std::size_t unit = 0; unit < runs_.size(); ++unit)
    states_[unit].store(UnitState::open, std::memory_order_relaxed);
  ready_.clear();
  next_ready_ = 0;
  first_ready_ns_.store(0, std::memory_order_relaxed);
  holds_ = in_burst_ && runs_.size() > 1 && runs_.size() <= enough_;
  if (holds_) comm_.progress().add(*this);
  open_.store(static_cast<std::uint32_t>(runs_.size()) | (holds_ ? kHeld : 0),
              std::memory_order_relaxed);
  if (!announced_) announce();
  return {};
}

void PartitionedSend::announce() noexcept {
  announced_ = true;
  wait_for_one_more();
  track(comm_.pml().isend({&layout_, sizeof layout_, &byte_type(), &comm_.peer(args_.rank),
                           announcement_number(comm_.rank()), args_.tag, comm_.collective_context(),
                           pml::Mode::standard}));
}

// The last access but for the one that is told to send: when all have noted theirs, another thread
// may send them, see the end of the request and free it.
bool PartitionedSend::note_ready(int unit) noexcept {
  if (first_ready_ns_.load(std::memory_order_relaxed) == 0)
    first_ready_ns_.store(now_ns(), std::memory_order_relaxed);
  states_[static_cast<std::size_t>(unit)].store(UnitState::noted, std::memory_order_relaxed);
  const std::uint32_t open = open_.fetch_sub(1, std::memory_order_acq_rel);
  return (open & kHeld) == 0 || open == (kHeld | 1);
}

void PartitionedSend::send_unit(int unit) noexcept {
  retain();  // another thread may see the end of the last message and free the request
  if (holds_) take_held();
  if (state_is(static_cast<std::size_t>(unit), UnitState::noted))
    take(static_cast<std::size_t>(unit));
  send_ready();
  release();
}

void PartitionedSend::take(std::size_t unit) noexcept {
  states_[unit].store(UnitState::ready, std::memory_order_relaxed);
  ready_.push_back(static_cast<int>(unit));
  ++waiting_;
  if (ready_.size() == runs_.size())
    in_burst_ = now_ns() - first_ready_ns_.load(std::memory_order_relaxed) <= burst_ns_;
}

// Units that were noted while kHeld was set have nobody else to send them. They are taken when no
// other unit is noted: the thread of each other one is about to send it, and needs the request.
void PartitionedSend::take_held() noexcept {
  const std::uint32_t open = open_.fetch_and(~kHeld, std::memory_order_acq_rel);
  const auto units = static_cast<std::uint32_t>(runs_.size());
  if ((open & kHeld) != 0) held_ = units - (open & ~kHeld);
  std::uint32_t noted = 0;
  for (std::size_t unit = 0; unit < units; ++unit) noted += state_is(unit, UnitState::noted);
  if (noted != held_) return;
  for (std::size_t unit = 0; unit < units; ++unit)
    if (state_is(unit, UnitState::noted)) take(unit);
  holds_ = false;
  comm_.progress().remove(*this);
}

// The process makes progress: it may wait for what needs a unit that is held.
int PartitionedSend::poll() noexcept {
  retain();
  take_held();
  send_ready();
  release();
  return 1;
}

void PartitionedSend::send_ready() noexcept {
  while (next_ready_ < ready_.size()) {
    const auto unit = static_cast<std::size_t>(ready_[next_ready_]);
    const bool sent = state_is(unit, UnitState::sent);
    const bool together = waiting_ >= enough_ || ready_.size() == runs_.size();
    if (!sent && !together && on_the_way_ > 0) return;
    ++next_ready_;
    if (!sent) send(join_ready(unit));
  }
}

// The ready units around one of them become a run.
PartitionedSend::Run& PartitionedSend::join_ready(std::size_t unit) noexcept {
  std::size_t first = unit, end = unit + 1;
  while (first > 0 && state_is(first - 1, UnitState::ready)) --first;
  while (end < runs_.size() && state_is(end, UnitState::ready)) ++end;
  for (std::size_t i = first; i < end; ++i)
    states_[i].store(UnitState::sent, std::memory_order_relaxed);
  waiting_ -= end - first;
  Run& run = runs_[first];
  run.notice = {static_cast<int>(first), static_cast<int>(end - first)};
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
