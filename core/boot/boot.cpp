// SPDX-License-Identifier: BSD-3-Clause
// Which of the ways into a job this process takes.
#include "core/boot/boot.h"

#include "core/boot/alone.h"
#include "core/boot/carried.h"
#include "core/boot/components.h"
#include "core/boot/engine.h"
#include "core/boot/lost_job.h"
#include "core/boot/segment.h"
#include "core/object/initial_errhandler.h"

namespace tessera {
namespace {

template <class Made>
Result<std::unique_ptr<Boot>> as_boot(Result<std::unique_ptr<Made>> made) {
  if (!made.ok()) return made.status();
  return std::unique_ptr<Boot>(std::move(*made));
}

// On several hosts, the carrier of this one has made the segment.
Result<std::unique_ptr<Boot>> join_segment(const JobView& view) {
  return view.segment().nodes() > 1 ? as_boot(CarriedBoot::make(view))
                                    : as_boot(SegmentBoot::make(view));
}

// Many processes that each believe to be rank 0 of 1 are worse than none.
Result<std::unique_ptr<Boot>> join_alone() {
  if (const std::string_view other = foreign_launcher(); !other.empty()) {
    return Status::failure(
        Errc::refused,
        "this process was started as one of several by " + std::string(other) +
            ", and no boot component joins such a job here (`ompi-info --framework boot` lists "
            "them). "
            "With Slurm, try `srun --mpi=pmi2`; else use the mpiexec of Tessera, or start one "
            "process alone.");
  }
  tell_of_lost_job();
  return std::unique_ptr<Boot>(std::make_unique<AloneBoot>());
}

Result<std::unique_ptr<Boot>> join_by_environment() {
  auto inherited = JobSegment::attach_inherited();
  if (inherited.ok()) return join_segment(*inherited);
  if (inherited.status().code() != Errc::not_found) return inherited.status();
  auto engine = open_boot_component();
  if (engine.ok()) return as_boot(EngineBoot::make(std::move(*engine)));
  if (engine.status().code() != Errc::not_found) return engine.status();
  return join_alone();
}

}  // namespace

Result<std::unique_ptr<Boot>> join_job(const std::optional<JobView>& view) noexcept {
  if (Status s = check_initial_errhandler(); !s) return s;
  return view ? as_boot(SegmentBoot::make(*view)) : join_by_environment();
}

}  // namespace tessera
