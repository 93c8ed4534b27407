// SPDX-License-Identifier: BSD-3-Clause
// How the processes of a job end their use of MPI together.
#include <unistd.h>

#include "core/coll/guards.h"
#include "core/comm/agreement.h"
#include "core/engine/instance.h"
#include "core/impi/systems.h"
#include "core/progress/store_watch.h"
#include "core/request/buffered_sends.h"
#include "core/rma/one_sided.h"

namespace tessera {

PeerGroup Instance::everybody(int tag) const noexcept {
  return {pml(),
          *progress_,
          {own_job_->members(), job().size()},
          static_cast<int>(job().my_id()),
          ContextIds::control,
          tag,
          {}};
}

// Until every process is here, somebody may still need an answer from this one.
Status Instance::meet_all() {
  if (job().size() == 1) return {};
  if (failures_) return meet_survivors(), Status();
  std::vector<int> near;
  for (std::uint32_t id = 0; id < job().size(); ++id)
    if (job().peer(id).locality != Locality::remote) near.push_back(static_cast<int>(id));
  const std::vector<std::uint32_t> ids = boot_->firsts();
  const std::vector<int> firsts(ids.begin(), ids.end());
  return meet(everybody(kMeetTag), near, firsts);
}

// Seen in the pages: a message of the dead would be missing in the exchange of the others.
void Instance::meet_survivors() {
  boot_->ring_all();
  for (std::uint32_t id = 0; id < job().size(); ++id)
    wait_for_store(*progress_, [this, id] { return boot_->finalizing(id); });
}

// Guards in front of collectives compare more, and tell it in finish().
Status Instance::end_collectives() noexcept {
  Status first;
  if (guards_ || !coll_framework_) return first;
  for (const Member* member : coll_framework_->members()) {
    const Status ended = Framework<coll::Component>::of(*member).end();
    if (first.ok()) first = ended;
  }
  return first;
}

Status Instance::finish() {
  if (std::exchange(finished_, true)) return {};
  if (one_sided_) one_sided_->stop_agent();
  boot_->set_state(RankState::finalizing);
  const WaitNote note{"MPI_Finalize", -1, -1, world_.get(), 0, nullptr};
  WaitScope scope(*progress_, note);
  buffered_->flush();
  if (guards_) guards_->finish(world());
  const Status all_here = systems_ ? systems_->meet() : Status();
  pml().drain();
  if (systems_) systems_->send_fini();
  explain_end();
  const Status met = meet_all();
  const Status system_left = systems_ ? systems_->leave() : Status();
  if (guards_) guards_->hear_out();
  pml().drain();
  if (one_sided_) progress_->wait_until([this] { return one_sided_->drained(); });
  progress_->wait_until([this] { return router_->flushed(); });
  acquainted_.clear();
  boot_->set_state(RankState::finalized);
  const Status left = boot_->leave(met.ok());
  if (!all_here.ok()) return all_here;
  if (!system_left.ok()) return system_left;
  return met ? left : met;
}

}  // namespace tessera
