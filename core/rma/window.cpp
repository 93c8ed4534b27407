// SPDX-License-Identifier: BSD-3-Clause
// The window as an object: hints, regions, and the exchange of its processes.
#include "core/rma/window.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>

#include "core/comm/agreement.h"
#include "core/engine/instance.h"
#include "core/rma/one_sided.h"
#include "core/rma/window_hints.h"

namespace tessera {

Win::Win(Ref<Comm> comm, osc::Flavor flavor, std::vector<osc::Part> parts, const WindowHints& hints)
    : own_comm_(std::move(comm)),
      all_parts_(std::move(parts)),
      epochs_(own_comm_->size()),
      errhandler_(own_comm_->instance().default_errhandler()),
      in_effect_(tessera::hints_in_effect(flavor, hints)) {
  ++own_comm_->instance().census().windows;
  comm_ = own_comm_.get();
  parts_ = all_parts_.data();
  flavor_ = flavor;
  hints_ = module_hints(hints);
  values_ = {own().size, static_cast<int>(own().unit),
             MPI_WIN_FLAVOR_CREATE + static_cast<int>(flavor) - 1, MPI_WIN_UNIFIED};
  own_comm_->instance().one_sided().add(*this);
}

Win::~Win() {
  --own_comm_->instance().census().windows;
  own_comm_->instance().one_sided().remove(*this);
}

Win* Win::of(const Communicator& comm) noexcept {
  return static_cast<const Comm&>(comm).instance().one_sided().find(comm.context());
}

Status Win::free() noexcept {
  const Status freed = module_->free();
  if (freed.ok()) module_.reset(), direct_ = {};
  return freed;
}

Status Win::allgather(const void* mine, std::size_t bytes, void* all) noexcept {
  const osc::Waiting waiting(*this, osc::Waiting::What::arrivals);
  Comm& comm = *own_comm_;
  const PeerGroup peers{comm.pml(),
                        comm.progress(),
                        {comm.group()->members(), static_cast<std::size_t>(comm.size())},
                        comm.rank(),
                        comm.collective_context(),
                        comm.next_collective_tag()};
  return tessera::allgather(peers, mine, bytes, all);
}

void Win::look_up_regularly() noexcept {
  constexpr std::int64_t kNapUs = 1'000;
  own_comm_->instance().progress().limit_naps(kNapUs);
}

void Win::serve_while_computing() noexcept {
  own_comm_->instance().one_sided().want_agent();
}

void Win::begin_wait(const osc::Waiting& waiting) noexcept {
  own_comm_->instance().one_sided().begin_wait(waiting, function_);
}

void Win::end_wait(const osc::Waiting& waiting) noexcept {
  own_comm_->instance().one_sided().end_wait(waiting);
}

void Win::change_hints(const WindowHints& hints) {
  // These promises can be given at any time; the others have shaped the window already.
  if (const auto promised = hints.find(kMemoryKindsPromise); promised != hints.end())
    in_effect_.insert_or_assign(promised->first, promised->second);
  const auto given = hints.find("no_locks");
  if (given == hints.end() || (given->second != "true" && given->second != "false")) return;
  in_effect_["no_locks"] = given->second;
  hints_.no_locks = given->second == "true";
}

Status Win::attach(void* base, Aint bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  if (bytes == 0) return ++empty_regions_[begin], Status();
  const auto end = begin + static_cast<std::uintptr_t>(bytes);
  const auto next = regions_.lower_bound(begin);
  auto clash = regions_.end();
  if (next != regions_.end() && next->first < end) clash = next;
  if (next != regions_.begin()) {
    const auto before = std::prev(next);
    if (before->first + static_cast<std::uintptr_t>(before->second) > begin) clash = before;
  }
  if (clash != regions_.end()) {
    return Status::failure(
        Errc::argument,
        fmt::format("the region of {} bytes at {} overlaps the one of {} bytes at {:#x} that is "
                    "attached already; regions of one window may not overlap",
                    bytes, base, clash->second, clash->first));
  }
  if (Status s = module_->attach(base, bytes); !s) return s;
  regions_.emplace(begin, bytes);
  return {};
}

Status Win::detach(const void* base) {
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  const auto found = regions_.find(begin);
  if (const auto empty = empty_regions_.find(begin);
      found == regions_.end() && empty != empty_regions_.end()) {
    if (--empty->second == 0) empty_regions_.erase(empty);
    return {};
  }
  if (found == regions_.end()) {
    return Status::failure(Errc::argument,
                           fmt::format("no region is attached at {}; MPI_Win_detach takes the base "
                                       "that MPI_Win_attach was given",
                                       base));
  }
  if (Status s = module_->detach(base); !s) return s;
  regions_.erase(found);
  return {};
}

}  // namespace tessera
