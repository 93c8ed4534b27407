// SPDX-License-Identifier: BSD-3-Clause
// Locks, at the origin and at the target.
//
// A lock of another process's memory is asked for by the first batch of its epoch, which may bring
// the operations and give the lock up again: then the epoch is one message and its answer
// (docs/decisions/0106). That of the own memory is there at the return, since the caller may load
// and store.
#include <utility>

#include "waits.h"

namespace tessera::osc::am {
namespace {

constexpr int kMostOvertakes = 1'000;  // shared locks granted before an exclusive one that waits

bool is_exclusive(const Header& batch) noexcept {
  return (batch.flags & Flag::exclusive) != 0;
}

}  // namespace

Status AmModule::lock(Lock kind, int rank, int assertions) noexcept {
  Target& to = target(rank);
  if ((assertions & no_check) != 0) return to.held = Target::Held::unchecked, Status();
  network_.take_lock_put_off();
  to.kind = kind;
  to.held = Target::Held::wanted;
  if (rank != window_.rank()) return network_.put_off(*this, rank), Status();
  const Status taken = take_lock(rank);
  if (!taken.ok()) to.held = Target::Held::none;
  return taken;
}

// What a batch says that asks for the lock of the epoch.
int AmModule::lock_flags(int rank) noexcept {
  Target& to = target(rank);
  network_.forget_lock(*this, rank);
  to.held = Target::Held::asked;
  to.reply = Target::Reply::none;
  const int kind = to.kind == Lock::exclusive ? Flag::exclusive : 0;
  return kind | Flag::locks | Flag::may_wait;
}

Status AmModule::take_lock(int rank) {
  if (target(rank).held == Target::Held::wanted) {
    if (Status s = send_batch(rank); !s) return s;
  }
  return await_lock(rank);
}

Waiting::What AmModule::lock_of(int rank) const noexcept {
  const Lock kind = targets_[static_cast<std::size_t>(rank)].kind;
  return kind == Lock::shared ? Waiting::What::shared_lock : Waiting::What::exclusive_lock;
}

// Nothing more leaves for the target before it has answered: it keeps one batch of each origin.
Status AmModule::await_lock(int rank) {
  Target& to = target(rank);
  if (to.held != Target::Held::asked) return {};
  const auto answered = [&to] { return to.reply != Target::Reply::none; };
  if (Status s = wait_for(rank, answered, lock_of(rank)); !s) return s;
  if (to.reply == Target::Reply::denied) return failed_rank(to.dead_holder);
  to.held = Target::Held::locked;
  return {};
}

// One message, after all operations, both ends the epoch and asks whether all is done.
Status AmModule::unlock(int rank) noexcept {
  Target& to = target(rank);
  const bool locks = to.held >= Target::Held::wanted;
  Status done = locks ? await_results(rank) : flush(rank);
  if (locks) {
    to.dirty = false;
    const Status sent = send_batch(rank, Flag::answer | Flag::unlocks, ++to.flushes);
    if (done.ok()) done = sent.ok() ? await_flush(rank) : sent;
    if (!sent.ok()) to.batch.reuse(to.batch.take());
  }
  to.held = Target::Held::none;
  const Status told = take_error();
  return done.ok() ? told : done;
}

// Waits for the first, and takes the others only if they are free: whoever is refused gives all
// back and waits there next. So nobody waits while he holds a lock that others wait for.
Status AmModule::lock_all(int assertions) noexcept {
  all_unchecked_ = (assertions & no_check) != 0;
  if (all_unchecked_) return {};
  network_.take_lock_put_off();
  int first = 0;
  Status failure;
  for (int refused = -1; !try_all(first, refused, failure); first = refused) {
    if (!failure.ok()) return failure;
  }
  has_all_ = true;
  return {};
}

Status AmModule::ask_lock(int rank, bool may_wait_there) {
  Header head = header(Kind::batch);
  head.flags = Flag::locks | (may_wait_there ? Flag::may_wait : 0);
  target(rank).reply = Target::Reply::none;
  return transmit(rank, head);
}

bool AmModule::try_all(int first, int& refused, Status& failure) {
  using Reply = Target::Reply;
  const auto answered = [this](int rank, Waiting::What what = Waiting::What::answer) {
    Target& to = target(rank);
    return wait_for(
        rank, [&to] { return to.reply != Reply::none; }, what);
  };
  failure = ask_lock(first, true);
  if (failure.ok()) failure = answered(first, Waiting::What::shared_lock);
  if (failure.ok() && target(first).reply == Reply::denied)
    failure = failed_rank(target(first).dead_holder);
  if (!failure.ok()) return false;
  refused = -1;
  for (int rank = 0; rank < window_.size() && failure.ok(); ++rank) {
    if (rank != first) failure = ask_lock(rank, false);
  }
  for (int rank = 0; rank < window_.size() && failure.ok(); ++rank) {
    failure = answered(rank);
    if (target(rank).reply == Reply::denied) refused = rank;
  }
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
  has_all_ = false;
  Status worst = flushed;
  for (int rank = 0; rank < window_.size(); ++rank) {
    const Status sent = send_batch(rank, Flag::unlocks);
    if (worst.ok()) worst = sent;
  }
  return worst;
}

void AmModule::survey(Surveyor& surveyor) const noexcept {
  using Stands = Standing::Kind;
  if (has_all_) surveyor.see({Stands::holds_shared, kAll});
  for (int rank = 0; rank < window_.size(); ++rank) {
    const Target& to = targets_[static_cast<std::size_t>(rank)];
    const bool shared = to.kind == Lock::shared;
    if (to.has_lock())
      surveyor.see({shared ? Stands::holds_shared : Stands::holds_exclusive, rank});
    if (to.open_posts() > 0) surveyor.see({Stands::posted, rank});
    if (to.open_posts() < 0) surveyor.see({Stands::awaited, rank});
  }
  for (const int rank : starting_)
    if (targets_[static_cast<std::size_t>(rank)].open_posts() == 0)
      surveyor.see({Stands::posted, rank});
}

// ---- the lock of this process's memory ----

bool AmModule::grantable(const Header& batch) const noexcept {
  return !writer_ && (!is_exclusive(batch) || readers_ == 0);
}

void AmModule::hold_lock(const Header& batch) noexcept {
  holders_[batch.sender] = 1;
  is_exclusive(batch) ? void(writer_ = true) : void(++readers_);
}

// Readers may come in while readers are in: one that they depend on may be among them. Not for ever
// before a writer.
bool AmModule::admit(const Header& batch, std::span<const std::byte> payload) {
  const bool fair = waiters_.empty() || (!is_exclusive(batch) && overtaken_ < kMostOvertakes);
  if (grantable(batch) && fair) {
    if (!waiters_.empty()) ++overtaken_;
    hold_lock(batch);
    return true;
  }
  if ((batch.flags & Flag::may_wait) == 0 || (dead_holder_ >= 0 && !grantable(batch)))
    deny(batch);
  else
    waiters_.push_back({batch, {payload.begin(), payload.end()}});
  return false;
}

void AmModule::grant(const Waiter& waiter) {
  hold_lock(waiter.batch);
  carry_out(waiter.batch, waiter.payload);
}

void AmModule::deny(const Header& batch) {
  Header denied = header(Kind::denied);
  denied.id = static_cast<std::uint64_t>(dead_holder_ + 1);
  answer(static_cast<int>(batch.sender), denied);
}

// The memory may be half changed: what excludes the dead process's lock is not granted any more.
void AmModule::keep_for(int dead) {
  dead_holder_ = dead;
  for (const Waiter& waiter : std::exchange(waiters_, {}))
    grantable(waiter.batch) ? grant(waiter) : deny(waiter.batch);
}

// Whoever is granted it may give it up at once: that is seen here, not one level deeper each time.
void AmModule::grant_next() {
  if (std::exchange(granting_, true)) return;
  while (!waiters_.empty() && grantable(waiters_.front().batch)) {
    const Waiter next = std::move(waiters_.front());
    waiters_.pop_front();
    overtaken_ = 0;
    grant(next);
  }
  granting_ = false;
}

void AmModule::release_lock(int rank) {
  auto& holder = holders_[static_cast<std::size_t>(rank)];
  if (std::exchange(holder, std::uint8_t{0}) != 0)
    writer_ ? void(writer_ = false) : void(--readers_);
  grant_next();
}

}  // namespace tessera::osc::am
