// SPDX-License-Identifier: BSD-3-Clause
// Boot over the job segment.
#include "core/boot/segment.h"

#include "core/boot/equal_params.h"
#include "core/progress/wait_report.h"

namespace tessera {

Result<std::unique_ptr<SegmentBoot>> SegmentBoot::make(const JobView& view) noexcept {
  auto job = SegmentJob::join(view);
  if (!job.ok()) return job.status();
  return std::unique_ptr<SegmentBoot>(new SegmentBoot(view, std::move(*job)));
}

// Ranks of a program follow each other. Their pages tell it; to ask the engine takes a message.
bool SegmentBoot::speaks_for_program() const noexcept {
  const std::uint32_t rank = view_.rank();
  return rank == 0 || view_.segment().page(rank - 1).app_number != view_.app_number();
}

Status SegmentBoot::compare(const ParamRegistry& params) noexcept {
  return check_equal_params(params, view_);
}

WaitReport* SegmentBoot::report() noexcept {
  const std::uint32_t rank = view_.rank();
  auto reports = wait_reports(view_.segment());
  if (!reports.ok()) return nullptr;
  auto region = job_->shared(kWaitReportsName, reports->size_bytes());
  const bool there =
      region.ok() && region->commit(rank * sizeof(WaitReport), sizeof(WaitReport)).ok();
  return there ? &(*reports)[rank] : nullptr;
}

void SegmentBoot::use(AdaptiveProgress& progress) noexcept {
  if (job_->local_size() > 1 && job_->local_size() <= job_->usable_cpus())
    progress.keep_apart(spread_.emplace(view_));
  bootstrap_.emplace(view_, progress);
}

Status SegmentBoot::publishing_done() noexcept {
  bootstrap_->publishing_done();
  return {};
}

void SegmentBoot::ring_all() noexcept {
  JobSegment& segment = view_.segment();
  for (std::uint32_t local = 0; local < segment.ranks(); ++local) segment.page(local).bell.ring();
}

// Of a process on another node nothing is seen: those meet at leave().
bool SegmentBoot::at_rest(std::uint32_t id) const noexcept {
  const auto local = view_.segment().local_of(id);
  if (!local) return true;
  const RankState state = view_.segment().page(*local).state.load(std::memory_order_acquire);
  return state == RankState::finalized || state == RankState::ended || state == RankState::failed;
}

bool SegmentBoot::finalizing(std::uint32_t id) const noexcept {
  const auto local = view_.segment().local_of(id);
  return !local || view_.segment().page(*local).state.load(std::memory_order_acquire) >=
                       RankState::finalizing;
}

std::unique_ptr<Failures> SegmentBoot::failures(Progress& progress,
                                                const btl::Sinks& sinks) noexcept {
  if (!view_.segment().recovers()) return nullptr;
  return std::make_unique<Failures>(view_, *job_, progress, sinks);
}

bool SegmentBoot::aborted() const noexcept {
  std::uint32_t rank = 0;
  std::int32_t code = 0;
  return view_.segment().aborted(rank, code);
}

}  // namespace tessera
