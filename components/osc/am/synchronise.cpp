// SPDX-License-Identifier: BSD-3-Clause
// Flush, fences, epochs and locks, as messages.
#include <atomic>
#include <utility>

#include "waits.h"

namespace tessera::osc::am {
namespace {

constexpr int kMostOvertakes = 1'000;  // shared locks granted before an exclusive one that waits

}  // namespace

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
  return wait_for(rank, [&to, asked] { return to.flushed >= asked && to.pending == 0; });
}

// All are asked before any is waited for. The first failure is told, the rest is waited for.
Status AmModule::flush(int rank) noexcept {
  const int first = rank == kAll ? 0 : rank;
  const int last = rank == kAll ? window_.size() - 1 : rank;
  Status worst;
  const auto note = [&worst](const Status& s) {
    if (worst.ok()) worst = s;
  };
  bool waits = false;
  for (int r = first; r <= last; ++r) {
    note(ask_flush(r));
    waits = waits || target(r).flushed < target(r).flushes || target(r).pending != 0;
  }
  for (int r = first; r <= last; ++r) note(await_flush(r));
  // A process that only asks itself, again and again, serves the others all the same; one that
  // waits has served them.
  if (!waits) network_.progress().poll();
  note(take_error());
  return worst;
}

Status AmModule::flush_local(int rank) noexcept {
  const int first = rank == kAll ? 0 : rank;
  const int last = rank == kAll ? window_.size() - 1 : rank;
  for (int r = first; r <= last; ++r) {
    Target& to = target(r);
    if (Status s = wait_for(r, [&to] { return to.pending == 0; }); !s) return s;
  }
  return {};
}

// The barrier comes in any case, so that the others need not wait for ever.
Status AmModule::fence(int) noexcept {
  const Status flushed = flush(kAll);
  const Status met = barrier();
  return flushed.ok() ? met : flushed;
}

// All hear of it: who lives waits for it, also when another origin has died.
Status AmModule::post(std::span<const int> origins, int) noexcept {
  expected_ += static_cast<std::uint32_t>(origins.size());
  Status worst;
  for (const int origin : origins) {
    const Status sent = send(origin, header(Kind::post));
    if (worst.ok()) worst = sent;
  }
  return worst;
}

Status AmModule::start(std::span<const int> targets, int) noexcept {
  for (const int rank : targets) {
    Target& to = target(rank);
    const std::uint32_t next = ++to.consumed;
    if (Status s =
            wait_for(rank, [&to, next] { return static_cast<std::int32_t>(to.posts - next) >= 0; });
        !s)
      return s;
  }
  return {};
}

// Gets are over first: the target may change its memory as soon as it has heard of the end.
Status AmModule::complete(std::span<const int> targets) noexcept {
  Status worst;
  for (const int rank : targets) {
    const Status local = flush_local(rank);
    if (worst.ok()) worst = local;
    target(rank).dirty = false;
    const Status sent = send_batch(rank, Flag::completes);
    if (worst.ok()) worst = sent;
  }
  const Status told = take_error();
  return worst.ok() ? told : worst;
}

Status AmModule::wait(std::span<const int>) noexcept {
  return wait_for_all([this] { return completed_ == expected_; });
}

Result<bool> AmModule::test(std::span<const int>) noexcept {
  return completed_ == expected_;
}

Status AmModule::request_lock(int rank, Lock kind, bool may_wait_there) {
  Header head = header(Kind::lock);
  head.flags = static_cast<std::uint8_t>((kind == Lock::exclusive ? Flag::exclusive : 0) |
                                         (may_wait_there ? Flag::may_wait : 0));
  target(rank).reply = Target::Reply::none;
  return send(rank, head);
}

Status AmModule::lock(Lock kind, int rank, int assertions) noexcept {
  Target& to = target(rank);
  if ((assertions & no_check) != 0) return to.held = Target::Held::unchecked, Status();
  if (Status s = request_lock(rank, kind, true); !s) return s;
  if (Status s = wait_for(rank, [&to] { return to.reply != Target::Reply::none; }); !s) return s;
  if (to.reply == Target::Reply::denied) return failed_rank(to.dead_holder);
  to.held = Target::Held::locked;
  return {};
}

// One message, after all operations, both ends the epoch and asks whether all is done.
Status AmModule::unlock(int rank) noexcept {
  Target& to = target(rank);
  const bool locked = std::exchange(to.held, Target::Held::none) == Target::Held::locked;
  if (!locked) return flush(rank);
  Status done = flush_local(rank);
  to.dirty = false;
  const Status sent = send_batch(rank, Flag::answer | Flag::unlocks, ++to.flushes);
  if (done.ok()) done = sent.ok() ? await_flush(rank) : sent;
  const Status told = take_error();
  return done.ok() ? told : done;
}

// Waits for the first, and takes the others only if they are free: whoever is refused gives all
// back and waits there next. So nobody waits while he holds a lock that others wait for.
Status AmModule::lock_all(int assertions) noexcept {
  all_unchecked_ = (assertions & no_check) != 0;
  if (all_unchecked_) return {};
  int first = 0;
  Status failure;
  for (int refused = -1; !try_all(first, refused, failure); first = refused) {
    if (!failure.ok()) return failure;
  }
  return {};
}

bool AmModule::try_all(int first, int& refused, Status& failure) {
  using Reply = Target::Reply;
  failure = lock(Lock::shared, first, 0);
  if (!failure.ok()) return false;
  refused = -1;
  for (int rank = 0; rank < window_.size() && failure.ok(); ++rank) {
    if (rank != first) failure = request_lock(rank, Lock::shared, false);
  }
  for (int rank = 0; rank < window_.size() && failure.ok(); ++rank) {
    Target& to = target(rank);
    failure = wait_for(rank, [&to] { return to.reply != Reply::none; });
    if (to.reply == Reply::denied) refused = rank;
  }
  for (int rank = 0; rank < window_.size(); ++rank) target(rank).held = Target::Held::none;
  if (failure.ok() && refused < 0) return true;
  for (int rank = 0; rank < window_.size(); ++rank) {
    if (target(rank).reply != Reply::granted) continue;
    const Status sent = send_batch(rank, Flag::unlocks);
    if (failure.ok()) failure = sent;
  }
  return false;
}

Status AmModule::unlock_all() noexcept {
  const Status flushed = flush(kAll);
  if (all_unchecked_) return flushed;
  Status worst = flushed;
  for (int rank = 0; rank < window_.size(); ++rank) {
    const Status sent = send_batch(rank, Flag::unlocks);
    if (worst.ok()) worst = sent;
  }
  return worst;
}

// ---- the lock of this process's memory ----

bool AmModule::grantable(bool exclusive) const noexcept {
  return !writer_ && (!exclusive || readers_ == 0);
}

void AmModule::grant(int rank, bool exclusive) {
  holders_[static_cast<std::size_t>(rank)] = 1;
  exclusive ? void(writer_ = true) : void(++readers_);
  answer(rank, header(Kind::granted));
}

// Readers may come in while readers are in: one that they depend on may be among them. Not for ever
// before a writer.
void AmModule::receive_lock(const Header& head) {
  const auto rank = static_cast<int>(head.sender);
  const bool exclusive = (head.flags & Flag::exclusive) != 0;
  const bool fair = waiters_.empty() || (!exclusive && overtaken_ < kMostOvertakes);
  if (grantable(exclusive) && fair) {
    if (!waiters_.empty()) ++overtaken_;
    return grant(rank, exclusive);
  }
  if ((head.flags & Flag::may_wait) == 0 || (dead_holder_ >= 0 && !grantable(exclusive)))
    return deny(rank);
  waiters_.push_back({rank, exclusive});
}

void AmModule::deny(int rank) {
  Header denied = header(Kind::denied);
  denied.id = static_cast<std::uint64_t>(dead_holder_ + 1);
  answer(rank, denied);
}

// The memory may be half changed: what excludes the dead process's lock is not granted any more.
void AmModule::keep_for(int dead) {
  dead_holder_ = dead;
  for (const Waiter& waiter : std::exchange(waiters_, {}))
    grantable(waiter.exclusive) ? grant(waiter.rank, waiter.exclusive) : deny(waiter.rank);
}

void AmModule::grant_next() {
  while (!waiters_.empty() && grantable(waiters_.front().exclusive)) {
    const Waiter next = waiters_.front();
    waiters_.pop_front();
    overtaken_ = 0;
    grant(next.rank, next.exclusive);
  }
}

void AmModule::release_lock(int rank) {
  auto& holder = holders_[static_cast<std::size_t>(rank)];
  if (std::exchange(holder, std::uint8_t{0}) != 0)
    writer_ ? void(writer_ = false) : void(--readers_);
  grant_next();
}

}  // namespace tessera::osc::am
