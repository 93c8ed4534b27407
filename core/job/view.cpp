// SPDX-License-Identifier: BSD-3-Clause
// A job segment as its ranks see it: who is where, states, and what a rank writes into its page.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/job/layout.h"
#include "core/job/segment.h"

namespace tessera {

const char* name_of(RankState state) noexcept {
  switch (state) {
    case RankState::unstarted:
      return "not started";
    case RankState::started:
      return "started, MPI not initialised";
    case RankState::initialised:
      return "running";
    case RankState::finalizing:
      return "in MPI_Finalize";
    case RankState::finalized:
      return "MPI finalized";
    case RankState::ended:
      return "ended";
    case RankState::failed:
      return "died";
  }
  return "unknown";
}

void BlockedSlot::write(const Blocked& blocked) noexcept {
  std::uint64_t words[kWords];
  std::memcpy(words, &blocked, sizeof blocked);
  const std::uint64_t sequence = sequence_.load(std::memory_order_relaxed);
  sequence_.store(sequence + 1, std::memory_order_relaxed);
  for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_release);
  sequence_.store(sequence + 2, std::memory_order_release);
}

Blocked BlockedSlot::read(int attempts) const noexcept {
  Blocked blocked;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    std::uint64_t words[kWords];
    const std::uint64_t before = sequence_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_acquire);
    if ((before & 1) != 0 || sequence_.load(std::memory_order_relaxed) != before) continue;
    std::memcpy(&blocked, words, sizeof blocked);
    blocked.function[sizeof blocked.function - 1] = 0;
    blocked.communicator[sizeof blocked.communicator - 1] = 0;
    if (blocked.function[0] == 0) return Blocked{};
    return blocked;
  }
  return blocked;
}

// A rank may have written over the header: mpiexec, which reads on, never goes beyond what is
// there.
std::uint32_t JobSegment::ranks() const noexcept {
  const std::size_t pages = (bytes_ - sizeof(JobHeader) - kDirectoryBytes) / kRankPageBytes;
  return static_cast<std::uint32_t>(std::min<std::size_t>(header().ranks, pages));
}
std::uint32_t JobSegment::job_size() const noexcept {
  return std::max(header().job_size, ranks());
}
std::uint32_t JobSegment::node() const noexcept {
  return header().node;
}
std::uint32_t JobSegment::nodes() const noexcept {
  return header().nodes;
}

std::span<const std::uint32_t> JobSegment::ids() const noexcept {
  const std::string_view bytes = text(JobText::ids);
  if (bytes.size() != ranks() * sizeof(std::uint32_t)) return {};
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::uint32_t) != 0) return {};
  return {reinterpret_cast<const std::uint32_t*>(bytes.data()),
          bytes.size() / sizeof(std::uint32_t)};
}

std::uint32_t JobSegment::id_of(std::uint32_t local) const noexcept {
  const auto all = ids();
  return local < all.size() && all[local] < job_size() ? all[local] : local;
}

std::optional<std::uint32_t> JobSegment::local_of(std::uint32_t id) const noexcept {
  const auto all = ids();
  if (all.empty()) return id < ranks() ? std::optional(id) : std::nullopt;
  const auto at = std::lower_bound(all.begin(), all.end(), id);
  if (at == all.end() || *at != id) return std::nullopt;
  return static_cast<std::uint32_t>(at - all.begin());
}
std::uint32_t JobSegment::usable_cpus() const noexcept {
  return header().usable_cpus;
}
Status JobView::claim() const noexcept {
  std::int32_t owner = 0;
  const std::int32_t me = getpid();
  if (page().pid.compare_exchange_strong(owner, me, std::memory_order_acq_rel) || owner == me)
    return {};
  return Status::failure(
      Errc::refused,
      "rank " + std::to_string(rank_) + " of this job is already process " + std::to_string(owner) +
          ", so process " + std::to_string(me) +
          " cannot become it: a rank runs one MPI program. Start a second one with its own "
          "mpiexec, or alone with TESSERA_JOB unset");
}

void JobView::record_abort(std::int32_t code) const noexcept {
  page().abort_code.store(code, std::memory_order_relaxed);
  page().aborted.store(1, std::memory_order_release);
  std::uint32_t nobody = 0;
  segment_->header().aborter.compare_exchange_strong(nobody, rank_ + 1, std::memory_order_acq_rel);
  // mpiexec looks at the record whenever a child has ended; where a script stands between it and
  // us, it learns so.
  const std::int32_t launcher = segment_->launcher_pid();
  if (launcher > 0 && launcher != getpid()) kill(launcher, SIGCHLD);
}

}  // namespace tessera
