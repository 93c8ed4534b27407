// SPDX-License-Identifier: BSD-3-Clause
// Partitioned receives: one receive per unit of the sender, and which partitions are complete.
#include <algorithm>
#include <new>
#include <string>

#include "core/datatype/predefined.h"
#include "core/engine/instance.h"
#include "core/request/partitioned.h"
#include "core/request/partitioned_numbers.h"

namespace tessera {

PartitionedReceive::PartitionedReceive(Comm& comm, const PartitionedArgs& args)
    : PartitionedRequest(comm, args) {
  if (args.rank != kProcNull) number_ = comm.partitioned().next_receive(args.rank, args.tag);
}

Result<Request*> PartitionedReceive::make(Comm& comm, const PartitionedArgs& args) noexcept try {
  return static_cast<Request*>(new PartitionedReceive(comm, args));
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Status PartitionedReceive::start() noexcept try {
  round_ ^= 1;
  complete_.store(false, std::memory_order_relaxed);
  begin_parts(1);  // this part is the search for the sender, or the loop that posts the units
  if (args_.rank == kProcNull) {
    part_done({});
    return {};
  }
  if (known_.load(std::memory_order_relaxed))
    post_units();
  else
    comm_.partitioned().look_for(*this, args_.rank, args_.tag);
  return {};
} catch (const std::bad_alloc&) {
  part_done(Errc::no_memory);
  return {};
}

void PartitionedReceive::found(const PartitionedLayout& layout) noexcept {
  if (Status prepared = prepare(layout); !prepared) return part_done(prepared);
  known_.store(true, std::memory_order_release);
  post_units();
}

void PartitionedReceive::not_found(Status failure) noexcept {
  part_done(failure);
}

// Room and types of this receive against what the send has.
Status PartitionedReceive::judge() const {
  if (layout_.total > total_bytes()) {
    return Status::failure(Errc::truncated, "the partitioned send has " +
                                                std::to_string(layout_.total) +
                                                " bytes, but the receive has room for " +
                                                std::to_string(total_bytes()) + " bytes");
  }
  if (!comm_.pml().compares_types()) return {};
  if (pml::signature_fits(layout_.mark, layout_.total, *args_.type)) return {};
  const std::string sent = pml::signature_name(layout_.mark);
  const std::string wanted = pml::signature_name(pml::signature_mark(*args_.type, 1));
  return Status::failure(Errc::type, "the partitioned send has " + sent +
                                         ", but the receive takes " +
                                         (sent != wanted ? wanted : "another sequence of types") +
                                         "; what is received must have the types that were sent");
}

Status PartitionedReceive::prepare(const PartitionedLayout& layout) noexcept try {
  layout_ = layout;
  units_.clear();
  for (int unit = 0; unit < layout.units; ++unit) {
    const std::uint64_t first = layout.unit * static_cast<std::uint64_t>(unit);
    const std::uint64_t end = unit + 1 == layout.units ? layout.total : first + layout.unit;
    units_.push_back({this, std::min(first, total_bytes()), std::min(end, total_bytes()), 0});
  }
  if (!args_.type->contiguous()) staging_.resize(std::min(layout.total, total_bytes()));
  divide();
  return {};
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

void PartitionedReceive::divide() {
  there_ = std::make_unique<std::atomic<std::uint8_t>[]>(units_.size());
  for (std::size_t i = 0; i < units_.size(); ++i)
    there_[i].store(round_ ^ 1, std::memory_order_relaxed);
  if (layout_.unit < partition_bytes_)
    missing_ = std::make_unique<std::atomic<std::uint32_t>[]>(partition_count());
  shares_.assign(partition_count(), Share{});
  const std::uint64_t there = std::min(layout_.total, total_bytes());
  for (std::uint64_t p = 0; p < partition_count() && there > 0; ++p) {
    const std::uint64_t first = p * partition_bytes_;
    if (first + partition_bytes_ > there) break;
    const std::uint64_t unit = first / layout_.unit;
    const std::uint64_t last = (first + partition_bytes_ - 1) / layout_.unit;
    shares_[p] = {static_cast<std::uint32_t>(unit), static_cast<std::uint32_t>(last - unit + 1)};
  }
}

// A partition for which the sender has no data is there at the end.
bool PartitionedReceive::arrived(int partition) const noexcept {
  if (complete_.load(std::memory_order_acquire)) return true;
  if (!known_.load(std::memory_order_acquire)) return false;
  const auto place = static_cast<std::size_t>(partition);
  const Share& share = shares_[place];
  if (share.units == 0) return false;
  if (missing_) return missing_[place].load(std::memory_order_acquire) == 0;
  return unit_is_there(share.first_unit) && unit_is_there(share.first_unit + share.units - 1);
}

void PartitionedReceive::post_units() noexcept {
  for (std::size_t i = 0; missing_ && i < partition_count(); ++i)
    missing_[i].store(shares_[i].units, std::memory_order_relaxed);
  if (outcome_.ok()) outcome_ = judge();
  noticed_ = 0;
  if (layout_.units > 1) return listen();
  post({0, 1});
  part_done({});
}

// Notices come in the order of their messages, each before its own, and those of the next start
// after all of this one.
void PartitionedReceive::listen() noexcept {
  while (noticed_ < layout_.units) {
    auto message = comm_.pml().irecv({&arriving_, sizeof arriving_, &byte_type(),
                                      &comm_.peer(args_.rank), notice_number(args_.rank),
                                      layout_.first_tag, comm_.collective_context()});
    if (!message.ok()) return part_done(message.status());
    if (!message.value()->complete()) return message.value()->then(noticed, this);
    if (!take_notice(*message.value())) return;
  }
  part_done({});
}

void PartitionedReceive::noticed(Request& message, void* self) noexcept {
  auto& receive = *static_cast<PartitionedReceive*>(self);
  if (receive.take_notice(message)) receive.listen();
}

// False: the search for messages has ended with a failure.
bool PartitionedReceive::take_notice(Request& message) noexcept {
  const Status outcome = message.error();
  message.free();
  const auto [first, units] = arriving_;
  if (!outcome.ok()) return part_done(outcome), false;
  if (first < 0 || units < 1 || units > layout_.units - noticed_ || first > layout_.units - units) {
    part_done(Status::failure(Errc::internal, "the notice of a partitioned message is damaged"));
    return false;
  }
  noticed_ += units;
  post(arriving_);
  return true;
}

void PartitionedReceive::post(PartitionedNotice run) noexcept {
  Unit& first = units_[static_cast<std::size_t>(run.first)];
  first.run = run.units;
  const std::uint64_t end = units_[static_cast<std::size_t>(run.first + run.units - 1)].last;
  std::byte* const base =
      args_.type->contiguous() ? static_cast<std::byte*>(args_.buffer) : staging_.data();
  wait_for_one_more();
  auto message = comm_.pml().irecv({base + first.first, static_cast<Count>(end - first.first),
                                    &byte_type(), &comm_.peer(args_.rank), unit_number(args_.rank),
                                    layout_.first_tag + run.first, comm_.collective_context()});
  if (!message.ok()) return part_done(message.status());
  if (message.value()->complete()) return run_done(*message.value(), &first);
  message.value()->then(run_done, &first);
}

void PartitionedReceive::run_done(Request& message, void* unit) noexcept {
  const Unit& first = *static_cast<const Unit*>(unit);
  const Status outcome = message.error();
  message.free();
  if (outcome.ok()) first.owner->run_arrived(first);
  first.owner->part_done(outcome);
}

void PartitionedReceive::run_arrived(const Unit& first) noexcept {
  for (const Unit* unit = &first; unit != &first + first.run; ++unit) unit_arrived(*unit);
}

void PartitionedReceive::unit_arrived(const Unit& unit) noexcept {
  if (!args_.type->contiguous() && unit.first != unit.last) {
    PackCursor cursor(*args_.type, args_.buffer, args_.count * args_.partitions);
    cursor.seek(unit.first);
    cursor.unpack(staging_.data() + unit.first, unit.last - unit.first);
  }
  there_[static_cast<std::size_t>(&unit - units_.data())].store(round_, std::memory_order_release);
  if (!missing_ || unit.first == unit.last) return;
  for (std::uint64_t p = unit.first / partition_bytes_; p <= (unit.last - 1) / partition_bytes_;
       ++p)
    missing_[p].fetch_sub(1, std::memory_order_release);
}

void PartitionedReceive::complete_parts() noexcept {
  for (std::size_t i = 0; i < units_.size(); ++i)
    there_[i].store(round_, std::memory_order_relaxed);
  complete_.store(true, std::memory_order_release);
  const bool nobody = args_.rank == kProcNull;
  status_.source = args_.rank;
  status_.tag = nobody ? kAnyTag : args_.tag;
  status_.bytes = nobody ? 0 : std::min(layout_.total, total_bytes());
}

// ---- pairs ----

int PartitionedPairs::take_tags(int units) noexcept {
  if (next_tag_ > kMaxTag - units) next_tag_ = 0;
  return std::exchange(next_tag_, next_tag_ + units);
}

void PartitionedPairs::look_for(PartitionedReceive& receive, int rank, int tag) {
  Announcements& from = announcements_[{rank, tag}];
  from.pairs = this;
  from.key = {rank, tag};
  const auto same = [&](const PartitionedLayout& layout) {
    return layout.number == receive.number();
  };
  const auto kept = std::find_if(from.kept.begin(), from.kept.end(), same);
  if (kept != from.kept.end()) {
    const PartitionedLayout layout = *kept;
    from.kept.erase(kept);
    return receive.found(layout);
  }
  from.kept.reserve(from.kept.size() + 1);  // for what arrives
  from.waiting.push_back(&receive);
  listen(from);
}

void PartitionedPairs::listen(Announcements& from) noexcept {
  if (from.listening || from.waiting.empty()) return;
  const auto [rank, tag] = from.key;
  auto message =
      comm_.pml().irecv({&from.arriving, sizeof from.arriving, &byte_type(), &comm_.peer(rank),
                         announcement_number(rank), tag, comm_.collective_context()});
  if (!message.ok()) {
    for (PartitionedReceive* receive : std::exchange(from.waiting, {}))
      receive->not_found(message.status());
    return;
  }
  from.listening = true;
  if (message.value()->complete()) return heard(*message.value(), &from);
  message.value()->then(heard, &from);
}

void PartitionedPairs::heard(Request& message, void* argument) noexcept {
  Announcements& from = *static_cast<Announcements*>(argument);
  const Status outcome = message.error();
  message.free();
  from.listening = false;
  if (!outcome.ok()) {
    for (PartitionedReceive* receive : std::exchange(from.waiting, {})) receive->not_found(outcome);
    return;
  }
  const PartitionedLayout layout = from.arriving;
  const auto receive = std::find_if(
      from.waiting.begin(), from.waiting.end(),
      [&](const PartitionedReceive* candidate) { return candidate->number() == layout.number; });
  if (receive == from.waiting.end()) {
    from.kept.push_back(layout);
    from.pairs->listen(from);
    return;
  }
  PartitionedReceive& owner = **receive;
  from.waiting.erase(receive);
  from.pairs->listen(from);
  owner.found(layout);
}

}  // namespace tessera
