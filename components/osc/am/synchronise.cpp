// SPDX-License-Identifier: BSD-3-Clause
// Flush, fences and epochs, as messages.
#include <atomic>

#include "waits.h"

namespace tessera::osc::am {

Status AmModule::sync() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return {};
}

Status AmModule::ask_flush(int rank) {
  Target& to = target(rank);
  if (!to.dirty) return {};
  to.dirty = false;
  return send_batch(rank, Flag::answer, ++to.flushes);
}

Status AmModule::await_flush(int rank) {
  Target& to = target(rank);
  const std::uint64_t asked = to.flushes;
  const Status done = wait_for(
      rank,
      [&to, asked] {
        if (to.held == Target::Held::asked && to.reply == Target::Reply::denied) return true;
        return to.flushed >= asked && to.pending == 0;
      },
      to.awaits_lock() ? lock_of(rank) : Waiting::What::answer);
  return done.ok() ? await_lock(rank) : done;
}

// All are asked before any is waited for. The first failure is told, the rest is waited for.
Status AmModule::complete_at(int rank, bool& waits) {
  const int first = rank == kAll ? 0 : rank;
  const int last = rank == kAll ? window_.size() - 1 : rank;
  Status worst;
  const auto note = [&worst](const Status& s) {
    if (worst.ok()) worst = s;
  };
  for (int r = first; r <= last; ++r) {
    if (target(r).settled()) continue;
    note(ask_flush(r));
    waits = waits || target(r).flushed < target(r).flushes || target(r).pending != 0;
  }
  for (int r = first; r <= last; ++r) {
    if (!target(r).settled()) note(await_flush(r));
  }
  note(take_error());
  return worst;
}

// A process that only asks itself, again and again, serves the others all the same; one that waits
// has served them.
Status AmModule::flush(int rank) noexcept {
  bool waits = false;
  const Status done = complete_at(rank, waits);
  if (!waits) network_.progress().poll();
  return done;
}

Status AmModule::flush_local(int rank) noexcept {
  const int first = rank == kAll ? 0 : rank;
  const int last = rank == kAll ? window_.size() - 1 : rank;
  for (int r = first; r <= last; ++r) {
    if (target(r).lent > target(r).flushed) return flush(rank);
  }
  for (int r = first; r <= last; ++r) {
    if (Status s = await_results(r); !s) return s;
  }
  return {};
}

Status AmModule::await_results(int rank) {
  Target& to = target(rank);
  return wait_for(rank, [&to] { return to.pending == 0; });
}

// The barrier comes in any case, so that the others need not wait for ever.
Status AmModule::fence(int) noexcept {
  if (window_.size() == 1) return flush(kAll);
  bool waits = false;
  const Status flushed = complete_at(kAll, waits);
  const Status met = barrier();
  return flushed.ok() ? met : flushed;
}

// All hear of it: who lives waits for it, also when another origin has died.
Status AmModule::post(std::span<const int> origins, int) noexcept {
  expected_ += static_cast<std::uint32_t>(origins.size());
  Status worst;
  for (const int origin : origins) {
    const Status sent = transmit(origin, header(Kind::post));
    if (worst.ok()) worst = sent;
  }
  return worst;
}

Status AmModule::start(std::span<const int> targets, int) noexcept {
  for (const int rank : targets) {
    ++target(rank).consumed;
    target(rank).started = true;
  }
  starting_ = targets;
  Status waited;
  for (const int rank : targets) {
    const Target& to = target(rank);
    if (waited.ok())
      waited = wait_for(
          rank, [&to] { return to.open_posts() >= 0; }, Waiting::What::posts);
  }
  starting_ = {};
  return waited;
}

// Gets are over first: the target may change its memory as soon as it has heard of the end.
Status AmModule::complete(std::span<const int> targets) noexcept {
  Status worst;
  for (const int rank : targets) {
    const Status local = await_results(rank);
    if (worst.ok()) worst = local;
    target(rank).dirty = target(rank).started = false;
    const Status sent = send_batch(rank, Flag::completes);
    if (worst.ok()) worst = sent;
  }
  const Status told = take_error();
  return worst.ok() ? told : worst;
}

int AmModule::dead_rank() const noexcept {
  for (int rank = 0; rank < window_.size(); ++rank) {
    if (peer(rank).failed.load(std::memory_order_relaxed)) return rank;
  }
  return -1;
}

Status AmModule::wait(std::span<const int>) noexcept {
  return wait_for_all([this] { return completed_ == expected_; });
}

Result<bool> AmModule::test(std::span<const int>) noexcept {
  if (completed_ == expected_) return true;
  const int dead = dead_rank();
  if (dead >= 0) [[unlikely]]
    return failed_rank(dead);
  return false;
}

}  // namespace tessera::osc::am
