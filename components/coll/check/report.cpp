// SPDX-License-Identifier: BSD-3-Clause
// What follows from a mismatch: the report, the calls that return it, the end of the job.
#include <algorithm>
#include <iterator>
#include <utility>

#include "check.h"
#include "tessera/clock.h"
#include "text.h"

namespace tessera::coll::check {

namespace {

constexpr std::uint64_t kLingering_ns = 10'000'000;  // how long records wait for more
constexpr std::uint64_t kPatience_ns =
    1'000'000'000;                        // how long a report of the cause is waited for
constexpr std::uint64_t kTimesSure = 20;  // longer, where there is one to come

Errc code_of(Difference difference) noexcept {
  return difference == Difference::reduction ? Errc::operation : Errc::argument;
}

// What a call with an amount shall be known by.
Amount amount_to_tell(const Statement& mine, Relation relation) noexcept {
  return relation == Relation::same_group ? mine.record.amount : mine.expected;
}

}  // namespace

std::string Check::title() const {
  if (comm_ == nullptr) return name_;
  if (*comm_->name() != '\0') return comm_->name();
  std::string ranks = std::to_string(comm_->size());
  if (comm_->inter()) ranks += " + " + std::to_string(comm_->remote_size());
  return "a communicator without a name (" + ranks + " ranks)";
}

std::string Check::name_of(const Neighbour& who) const {
  std::string name = "rank " + std::to_string(who.rank);
  if (who.relation == Relation::same_group) name += " of the local group";
  if (who.relation == Relation::two_groups) name += " of the remote group";
  if (static_cast<std::uint32_t>(who.rank) == who.peer->id) return name;
  return name + " (" + std::to_string(who.peer->id) + " in MPI_COMM_WORLD)";
}

Text Check::describe(Difference difference, const Record* theirs, const Statement* mine) const {
  Participant other{name_of(previous_), theirs, theirs != nullptr ? theirs->amount : Amount()};
  Participant self{name_of(self_), nullptr, {}};
  if (mine != nullptr)
    self.record = &mine->record, self.amount = amount_to_tell(*mine, previous_.relation);
  if (previous_.relation == Relation::intra && self_.rank < previous_.rank) std::swap(self, other);
  return mismatch_text(*all_.services_, title(), compared_ + 1, difference, other, self);
}

bool Check::fatal() const noexcept {
  if (comm_ == nullptr) return fatal_;
  return all_.services_->fatal(*comm_);
}

void Check::tell(const Text& text) const noexcept {
  all_.services_->tell(text.topic, text.what, text.next_step);
}

void Check::mismatch(Difference difference, const Record* theirs, const Statement* mine) noexcept {
  if (std::exchange(silent_, true)) return;
  if (fatal() && all_.services_->ending()) all_.services_->abort();
  try {
    text_ = describe(difference, theirs, mine);
    tell(text_);
  } catch (const std::bad_alloc&) {
    text_ = {};
  }
  if (fatal()) all_.services_->abort();
  if (comm_ == nullptr) return;
  failed_ = true;
  failure_ = code_of(difference);
  failed_ns_ = now_ns();
  flush();
  if (!watched_) watch();
}

Status Check::verdict() noexcept {
  failed_ = false;
  return all_.services_->failure(failure_, text_.topic, text_.what, text_.next_step);
}

// Those who know the cause tell it while this process waits, and end the job where errors are
// fatal.
Status Check::explain(Status outcome) noexcept {
  if (!silent_) {
    flush();
    const bool is_mismatch = outcome == Errc::argument;  // a component has seen it, too
    const std::uint64_t end = now_ns() + kPatience_ns * (is_mismatch ? kTimesSure : 1);
    all_.progress_->wait_until([&] { return silent_ || now_ns() >= end; });
  }
  return failed_ ? verdict() : outcome;
}

void Check::postpone(Conclude conclude, void* operation, Status outcome) noexcept {
  const std::uint64_t now = now_ns();
  flush();
  Postponed& one = postponed_.emplace_back(
      Postponed{conclude, operation, {}, silent_ ? now : now + kPatience_ns});
  one.outcome = outcome;
  if (!watched_) watch();
}

// ---- the passing of time ----

void Check::watch() noexcept {
  watched_ = true;
  all_.watched_.push_back(this);
}

bool Check::tick(std::uint64_t now_ns) noexcept {
  tick_batch(now_ns);
  tick_postponed(now_ns);
  if (failed_ && running_ > 0 && now_ns - failed_ns_ > kPatience_ns) {
    tell(stuck_text(title()));
    all_.services_->abort();
  }
  return filling_->batch.count > 0 || failed_ || !postponed_.empty();
}

void Check::tick_batch(std::uint64_t now_ns) noexcept {
  if (filling_->batch.count == 0) return;
  if (flushes_seen_ == flushes_) {
    if (now_ns - seen_ns_ > kLingering_ns) flush();
  } else {
    flushes_seen_ = flushes_;
    seen_ns_ = now_ns;
  }
}

void Check::tick_postponed(std::uint64_t now_ns) noexcept {
  const auto waits = [&](const Postponed& one) { return !silent_ && now_ns < one.until_ns; };
  const auto first_due = std::stable_partition(postponed_.begin(), postponed_.end(), waits);
  std::vector<Postponed> due;
  std::move(first_due, postponed_.end(), std::back_inserter(due));
  postponed_.erase(first_due, postponed_.end());
  for (const Postponed& one : due)
    one.conclude(one.operation, failed_ ? verdict() : one.outcome.get());
}

}  // namespace tessera::coll::check
