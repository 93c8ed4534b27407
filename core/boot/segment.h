// SPDX-License-Identifier: BSD-3-Clause
// A process whose job segment tells everything.
#pragma once

#include <memory>
#include <optional>

#include "core/boot/boot.h"
#include "core/machine/cpu_spread.h"

namespace tessera {

class SegmentBoot : public Boot {
 public:
  static Result<std::unique_ptr<SegmentBoot>> make(const JobView& view) noexcept;

  EngineJob& job() const noexcept override { return *job_; }
  std::uint32_t app_number() const noexcept override { return view_.app_number(); }
  bool speaks_for_program() const noexcept override;
  Starts starts() const noexcept override {
    return spawn_server() != 0 ? Starts::its_launcher : Starts::nobody;
  }
  std::uint64_t spawn_server() const noexcept override { return view_.segment().spawn_server(); }
  std::string_view snapshot() const noexcept override {
    return view_.segment().text(JobText::snapshot);
  }
  Status compare(const ParamRegistry& params) noexcept override;

  BlockedSlot* blocked() const noexcept override { return &view_.page().blocked; }
  LoadNote* load_note() const noexcept override { return &view_.page().loading; }
  WaitQuestion* question() const noexcept override { return &view_.page().question; }
  WaitReport* report() noexcept override;
  void use(AdaptiveProgress& progress) noexcept override;
  Bootstrap& bootstrap() noexcept override { return *bootstrap_; }
  Status publishing_done() noexcept override;
  bool has_published() const noexcept override { return view_.page().card_used > 0; }

  void set_state(RankState state) noexcept override { view_.set_state(state); }
  void ring_all() noexcept override;
  std::unique_ptr<Failures> failures(Progress& progress, const btl::Sinks& sinks) noexcept override;
  bool finalizing(std::uint32_t id) const noexcept override;
  bool at_rest(std::uint32_t id) const noexcept override;

  void abort(std::int32_t code) noexcept override { view_.record_abort(code); }
  bool aborted() const noexcept override;

 protected:
  SegmentBoot(const JobView& view, std::unique_ptr<SegmentJob> job) noexcept
      : view_(view), job_(std::move(job)) {}
  const JobView& view() const noexcept { return view_; }
  SegmentBootstrap& cards() noexcept { return *bootstrap_; }

 private:
  JobView view_;
  std::unique_ptr<SegmentJob> job_;
  std::optional<CpuSpread> spread_;
  std::optional<SegmentBootstrap> bootstrap_;
};

}  // namespace tessera
