// SPDX-License-Identifier: BSD-3-Clause
// A process that an existing engine started: Slurm, Hydra, PRRTE, ...
#pragma once
//
// Contract. A boot component has said who this process is. The processes of its host meet
// (node_meeting.h) and share a segment from then on, as under mpiexec; what is published crosses
// hosts through the engine's store (node_cards.h). Jobs of one host use neither store nor fence.
//
// Deaths. The links of the meeting tell of processes of this host that ended without MPI_Finalize.
// They are looked at every fifth of a second while this process waits. Engines differ in what they
// do about one failed process; so whoever notices ends the job.
//
#include <memory>
#include <optional>

#include "core/boot/components.h"
#include "core/boot/node_cards.h"
#include "core/boot/node_meeting.h"
#include "core/boot/segment.h"
#include "core/progress/pace.h"

namespace tessera {

class EngineBoot final : public SegmentBoot, private Poller {
 public:
  static Result<std::unique_ptr<EngineBoot>> make(EngineSession engine) noexcept;

  std::string component() const override { return engine_.component; }
  std::string story() const override;
  std::uint32_t app_number() const noexcept override { return engine_.session->app_number(); }
  std::optional<std::uint32_t> universe() const noexcept override {
    return engine_.session->universe();
  }
  std::vector<std::uint32_t> firsts() const override { return node_cards_.speakers(); }
  Starts starts() const noexcept override { return Starts::its_engine; }
  Status spawn(const SpawnOrder& order) noexcept override;
  void use(AdaptiveProgress& progress) noexcept override;
  Status publishing_done() noexcept override;
  void abort(std::int32_t code) noexcept override;
  Status leave(bool met) noexcept override;

 private:
  EngineBoot(EngineSession engine, std::unique_ptr<NodeMeeting> meeting, const JobView& view,
             std::unique_ptr<SegmentJob> job, std::vector<std::uint32_t> nodes)
      : SegmentBoot(view, std::move(job)),
        engine_(std::move(engine)),
        meeting_(std::move(meeting)),
        node_cards_(*engine_.session, view.segment(), std::move(nodes)) {}

  int poll() noexcept override;
  void look_at_links() noexcept;
  bool several_nodes() const noexcept { return view().segment().nodes() > 1; }

  EngineSession engine_;
  std::unique_ptr<NodeMeeting> meeting_;  // null: one process on this node
  NodeCards node_cards_;
  Pace pace_;
  bool left_ = false;
};

}  // namespace tessera
