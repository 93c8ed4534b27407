// SPDX-License-Identifier: BSD-3-Clause
// Joining through the carrier of this host.
#include "core/boot/carried.h"

#include <utility>

namespace tessera {
namespace {

std::vector<std::uint32_t> copy(std::span<const std::uint32_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace

CarriedBoot::Store::Store(const JobView& view, HostExchange& exchange) noexcept
    : exchange_(exchange) {
  place_.rank = view.id();
  place_.size = view.segment().job_size();
}

Result<std::vector<std::byte>> CarriedBoot::Store::get(std::uint32_t rank,
                                                       std::string_view) noexcept {
  auto bytes = exchange_.cards_of(exchange_.nodes()[rank]);
  if (!bytes.ok()) return bytes.status();
  return std::vector<std::byte>(bytes->begin(), bytes->end());
}

CarriedBoot::CarriedBoot(const JobView& view, std::unique_ptr<SegmentJob> job,
                         HostExchange exchange)
    : SegmentBoot(view, std::move(job)),
      exchange_(exchange),
      store_(view, exchange_),
      node_cards_(store_, view.segment(), copy(exchange_.nodes())) {}

Result<std::unique_ptr<CarriedBoot>> CarriedBoot::make(const JobView& view) noexcept {
  auto exchange = HostExchange::of(view.segment());
  if (!exchange.ok()) return exchange.status();
  auto job = SegmentJob::join(view);
  if (!job.ok()) return job.status();
  return std::unique_ptr<CarriedBoot>(new CarriedBoot(view, std::move(*job), *exchange));
}

std::string CarriedBoot::story() const {
  const JobSegment& segment = view().segment();
  return "started by mpiexec, recognized by TESSERA_JOB: " + std::to_string(segment.job_size()) +
         " ranks on " + std::to_string(segment.nodes()) + " hosts";
}

void CarriedBoot::use(AdaptiveProgress& progress) noexcept {
  SegmentBoot::use(progress);
  cards().use(&node_cards_);
}

Status CarriedBoot::publishing_done() noexcept {
  if (Status s = SegmentBoot::publishing_done(); !s) return s;
  exchange_.cross(view().rank(), HostExchange::published);
  const bool compares = view().rank() == 0 && view().segment().nodes() <= NodeCards::kFewNodes;
  return compares ? node_cards_.fetch_all() : Status();
}

// Other hosts, too, send all they have to send before they leave.
Status CarriedBoot::leave(bool) noexcept {
  if (!std::exchange(left_, true)) exchange_.cross(view().rank(), HostExchange::left);
  return {};
}

}  // namespace tessera
