// SPDX-License-Identifier: BSD-3-Clause
// Setting up the region, connecting, polling.
#include "module.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>

#include "single_copy.h"

namespace tessera::btl::sm {

namespace {

constexpr int kPacketsPerVisit = 32;  // of one ring; then the next one; docs/decisions/0065

SingleCopy single_copy(std::string_view name) noexcept {
  if (name == "none") return SingleCopy::none;
  return name == "cma" ? SingleCopy::cma : SingleCopy::automatic;
}

std::uint32_t count_local(const Job& job) noexcept {
  std::uint32_t count = 0;
  for (std::uint32_t id = 0; id < job.size(); ++id)
    count += job.peer(id).locality != Locality::remote;
  return count;
}

}  // namespace

Result<std::unique_ptr<SmModule>> SmModule::create(const Host& host, const Sinks& sinks) noexcept {
  try {
    std::unique_ptr<SmModule> module(new SmModule(host, sinks));
    if (Status status = module->open(host); !status) return status;
    return module;
  } catch (const std::bad_alloc&) {
    return Errc::no_memory;
  }
}

SmModule::~SmModule() {
  if (!registered_) return;
  if (entry_ != nullptr) entry_->pid.store(0, std::memory_order_release);
  progress_.remove(*this);
}

Status SmModule::open(const Host& host) {
  const std::uint32_t ranks = count_local(host.job);
  const Peer& me = host.job.peer(host.job.my_id());
  const bool others = host.job.shared_with(me, 0).status() == Errc::not_found;
  if (ranks < 2 && !others)
    return Status::failure(Errc::unsupported, "no other process of the job runs on this machine");
  shared_.geometry = Geometry::from(host.params, figures_, std::max(ranks, 2u));
  if (ranks > 1) {
    if (Status status = open_job(host, ranks); !status) return status;
  }
  declare(host.params);
  publish_probe();
  progress_.add(*this);
  registered_ = true;
  return {};
}

Status SmModule::open_job(const Host& host, std::uint32_t ranks) {
  shared_.geometry = Geometry::from(host.params, figures_, ranks);
  if (Status status = open_region(host.job); !status) return status;
  number_processes(host.job);
  entry_ = &shared_.process_entry(shared_.me);
  next_opening_ = entry_->opened();
  return {};
}

Status SmModule::open_region(const Job& job) noexcept {
  const Result<SharedRegion> region = job.shared("btl.sm", shared_.geometry.region_bytes());
  if (!region) {
    if (region.status() == Errc::unsupported)
      return Status::failure(Errc::refused, "this job has no shared memory");
    return region.status() == Errc::argument ? different_geometry() : region.status();
  }
  shared_.region = region.value();
  if (Status status = shared_.commit(0, shared_.geometry.pair(0, 0)); !status) return status;
  return agree_on_geometry();
}

// Two geometries may happen to need regions of one size.
Status SmModule::agree_on_geometry() noexcept {
  auto& agreed = reinterpret_cast<Prologue*>(shared_.region.base())->geometry;
  const std::uint64_t mine = std::uint64_t{shared_.geometry.slots} << 32 | shared_.geometry.data;
  std::uint64_t theirs = 0;
  if (agreed.compare_exchange_strong(theirs, mine, std::memory_order_relaxed) || theirs == mine)
    return {};
  return different_geometry();
}

Status SmModule::different_geometry() const noexcept {
  char text[256];
  std::snprintf(
      text, sizeof text,
      "this process has rings of %u slots and %u bytes, others of the job have different ones; "
      "btl_sm_slots and btl_sm_ring_size must be the same in all processes of a job",
      shared_.geometry.slots, shared_.geometry.data);
  return Status::failure(Errc::argument, text);
}

// What the first process measured holds for all, so that sender and receiver of a message think
// alike.
std::size_t SmModule::get_threshold(const Params& params) const noexcept {
  const std::size_t given = params.size("get_threshold");
  if (given != 0 || shared_.single_copy == SingleCopy::none) return given;
  if (entry_ == nullptr) return worth_reading(cost_of_reading(), figures_);
  auto& agreed = reinterpret_cast<Prologue*>(shared_.region.base())->threshold;
  std::uint64_t theirs = agreed.load(std::memory_order_relaxed);
  if (theirs != 0) return theirs;
  const std::size_t mine = worth_reading(cost_of_reading(), figures_);
  return agreed.compare_exchange_strong(theirs, mine, std::memory_order_relaxed) ? mine : theirs;
}

void SmModule::number_processes(const Job& job) {
  number_.assign(job.size(), -1);
  inboxes_.reserve(shared_.geometry.ranks);
  endpoints_.reserve(shared_.geometry.ranks);
  std::int32_t next = 0;
  for (std::uint32_t id = 0; id < job.size(); ++id) {
    if (job.peer(id).locality == Locality::remote) continue;
    if (id == job.my_id()) shared_.me = static_cast<std::uint32_t>(next);
    number_[id] = next++;
  }
  for (std::uint32_t id = 0; id < job.size(); ++id) {
    if (number_[id] >= 0)
      endpoints_.emplace_back(job.peer(id), static_cast<std::uint32_t>(number_[id]), shared_);
  }
}

void SmModule::declare(const Params& params) noexcept {
  const std::string_view wanted = params.text("single_copy");
  shared_.single_copy = single_copy(wanted);
  attributes_.latency_ns = 100;
  attributes_.bandwidth_mbs = 12000;
  attributes_.exclusivity = 50;
  attributes_.capabilities =
      can_land | (shared_.single_copy == SingleCopy::none ? 0u : can_get | can_put);
  attributes_.max_packet = shared_.geometry.max_packet();
  attributes_.eager_limit =
      std::min<std::size_t>(params.size("eager_limit"), attributes_.max_packet - kMaxHeader);
  attributes_.get_threshold = get_threshold(params);
  if (shared_.single_copy != SingleCopy::none && params.size("get_threshold") == 0)
    attributes_.get_tried = std::min(kLeastRead, attributes_.get_threshold);
  const int length =
      std::snprintf(description_, sizeof description_,
                    "rings of %u packets and %u KiB; single copy: %.*s", shared_.geometry.slots,
                    shared_.geometry.data / 1024, static_cast<int>(wanted.size()), wanted.data());
  if (shared_.single_copy != SingleCopy::none)
    std::snprintf(description_ + length, sizeof description_ - static_cast<std::size_t>(length),
                  ", from %zu bytes on", attributes_.get_threshold);
}

void SmModule::publish_probe() noexcept {
  if (shared_.single_copy == SingleCopy::none) return;
  if (const pid_t parent = getppid(); parent > 1) admit_descendants(parent);
  probe_ = place_probe(probed_);
  if (entry_ != nullptr) show_probe(*entry_);
}

void SmModule::show_probe(ProcessEntry& process_entry) const noexcept {
  process_entry.probe_address.store(probe_.address, std::memory_order_relaxed);
  process_entry.probe_value.store(probe_.value, std::memory_order_relaxed);
  process_entry.pid.store(getpid(), std::memory_order_release);
}

Result<Endpoint*> SmModule::connect(Peer& peer) noexcept {
  if (!reaches(peer))
    return Status::failure(Errc::argument, "btl sm reaches only other processes of this machine");
  if (!shares_job(peer)) return connect_pair(peer);
  SmEndpoint& endpoint = endpoints_[static_cast<std::size_t>(number_[peer.id])];
  if (Status status = endpoint.open(); !status) return status;
  return &endpoint;
}

void SmModule::measure(Measures& measures) const noexcept {
  std::uint64_t packets = 0;
  std::uint64_t copies = 0;
  std::uint64_t copied_bytes = 0;
  for (const SmEndpoint& endpoint : endpoints_) {
    packets += endpoint.packets();
    copies += endpoint.copies();
    copied_bytes += endpoint.copied_bytes();
  }
  measures.value("packets_sent") = packets;
  measures.value("single_copies") = copies;
  measures.value("single_copy_bytes") = copied_bytes;
}

int SmModule::poll() noexcept {
  if (next_opening_ != nullptr && next_opening_->load(std::memory_order_relaxed) != 0) [[unlikely]]
    accept_opened();
  int packets = pairs_.empty() ? 0 : poll_pairs();
  for (Inbox& inbox : inboxes_) packets += inbox.drain(sinks_, kPacketsPerVisit);
  return packets;
}

void SmModule::accept_opened() noexcept {
  const std::uint32_t sender = next_opening_++->load(std::memory_order_acquire) - 1;
  inboxes_.emplace_back(shared_.pair(sender, shared_.me), shared_.geometry, endpoints_[sender],
                        kFirstSequence, &progress_);
}

}  // namespace tessera::btl::sm
