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
  const Count first = Count{unit} * marks_.partitions_of(0) * args_.count;
  const auto* buffer = static_cast<const std::byte*>(args_.buffer) + first * args_.type->extent();
  track(comm_.pml().isend({buffer, marks_.partitions_of(unit) * args_.count, args_.type,
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
