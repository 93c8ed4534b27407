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

void PartitionedRequest::part_done(Status outcome) noexcept {
  if (!outcome.ok() && outcome_.ok()) outcome_ = outcome;
  if (--pending_ > 0) return;
  complete_parts();
  status_.error = outcome_;
  finish();
  release();
}

PartitionedSend::PartitionedSend(Comm& comm, const PartitionedArgs& args)
    : PartitionedRequest(comm, args) {
  const auto least = comm.instance().params().size("mpi_partitioned_unit");
  const std::uint64_t wanted =
      partition_bytes_ == 0 ? partition_count() : (least + partition_bytes_ - 1) / partition_bytes_;
  per_unit_ = static_cast<int>(std::clamp<std::uint64_t>(wanted, 1, partition_count()));
  units_ = (args.partitions + per_unit_ - 1) / per_unit_;
  marked_ = std::make_unique<std::atomic<std::uint8_t>[]>(partition_count());
  missing_ = std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(units_));
  if (args.rank == kProcNull) return;
  PartitionedPairs& pairs = comm.partitioned();
  number_ = pairs.next_send(args.rank, args.tag);
  layout_ = {number_, total_bytes(), partition_bytes_ * static_cast<std::uint64_t>(per_unit_),
             units_, pairs.take_tags(units_)};
}

Result<Request*> PartitionedSend::make(Comm& comm, const PartitionedArgs& args) noexcept try {
  return static_cast<Request*>(new PartitionedSend(comm, args));
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

int PartitionedSend::partitions_of(int unit) const noexcept {
  return std::min(per_unit_, args_.partitions - unit * per_unit_);
}

Status PartitionedSend::start() noexcept {
  round_ ^= 1;
  if (args_.rank == kProcNull) {  // such a start ends whatever was marked
    for (std::size_t i = 0; i < partition_count(); ++i)
      marked_[i].store(round_ ^ 1, std::memory_order_relaxed);
  }
  for (int unit = 0; unit < units_; ++unit)
    missing_[unit].store(partitions_of(unit), std::memory_order_relaxed);
  const bool nobody = args_.rank == kProcNull;
  begin_parts(nobody ? 1 : units_);
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

// Two threads that mark the same partition at the same moment are not found out.
int PartitionedSend::mark(int partition) noexcept {
  if (marked_[partition].load(std::memory_order_relaxed) == round_) return kAgain;
  marked_[partition].store(round_, std::memory_order_relaxed);
  const int unit = partition / per_unit_;
  const bool last = missing_[unit].fetch_sub(1, std::memory_order_acq_rel) == 1;
  return last && args_.rank != kProcNull ? unit : kNone;
}

void PartitionedSend::send_unit(int unit) noexcept {
  const Count first = Count{unit} * per_unit_ * args_.count;
  const auto* buffer = static_cast<const std::byte*>(args_.buffer) + first * args_.type->extent();
  track(comm_.pml().isend({buffer, partitions_of(unit) * args_.count, args_.type,
                           &comm_.peer(args_.rank), unit_number(comm_.rank()),
                           layout_.first_tag + unit, comm_.collective_context(),
                           pml::Mode::standard}));
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
