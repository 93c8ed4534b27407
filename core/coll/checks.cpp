// SPDX-License-Identifier: BSD-3-Clause
// The checks of all communicators of a process.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "core/boot/boot.h"
#include "core/coll/check.h"
#include "core/comm/communicator.h"
#include "core/progress/clock.h"

#include "core/progress/progress.h"

namespace tessera::coll {

namespace {

constexpr std::uint32_t kPollsPerClock = 8;
constexpr std::size_t kFewClosed = 16;
constexpr std::int64_t kNap_us = 20'000;
constexpr std::uint64_t kLastWords_ns = 1'000'000'000;

}  // namespace

Checks::Checks(pml::Module& pml, AdaptiveProgress& progress, Boot& boot)
    : pml_(pml), progress_(progress), boot_(boot) {
  progress_.add(*this);
  progress_.limit_naps(kNap_us);
}

Checks::~Checks() {
  finished_ = true;
  all_.clear();
  progress_.limit_naps(-1);
  progress_.remove(*this);
}

Check* Checks::open(Comm& comm) noexcept {
  if (finished_ || (comm.size() == 1 && !comm.inter())) return nullptr;
  try {
    Check& made = *all_.emplace_back(std::make_unique<Check>(*this, comm));
    made.listen();
    return &made;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void Checks::close(Check& check) noexcept {
  check.close();
  if (++closed_ >= kFewClosed + sweep_at_) sweep();
}

void Checks::flush() noexcept {
  ticking_ = true;  // the list stays as it is
  for (const auto& check : all_) check->flush();
  ticking_ = false;
}

void Checks::finish(Comm& world) noexcept {
  const auto is_of_world = [&](const auto& check) {
    return check->context_ == world.collective_context();
  };
  if (std::none_of(all_.begin(), all_.end(), is_of_world)) static_cast<void>(open(world));
  ticking_ = true;
  for (const auto& check : all_) check->close();
  ticking_ = false;
}

// Those that say nothing have never had a collective call on the communicator.
void Checks::hear_out() noexcept {
  const std::uint64_t end = now_ns() + kLastWords_ns;
  const auto heard = [](const auto& check) { return check->ended_; };
  progress_.wait_until(
      [&] { return std::all_of(all_.begin(), all_.end(), heard) || now_ns() >= end; });
  finished_ = true;
}

void Checks::sweep() noexcept {
  if (ticking_) return;
  std::erase_if(all_, [this](const auto& check) {
    if (!check->over()) return false;
    std::erase(watched_, check.get());
    return true;
  });
  closed_ = 0;
  sweep_at_ = all_.size();
}

int Checks::poll() noexcept {
  if (watched_.empty() || ticking_ || ++polls_ % kPollsPerClock != 0) return 0;
  ticking_ = true;
  const std::uint64_t now = now_ns();
  for (std::size_t i = 0; i < watched_.size();) {
    Check& check = *watched_[i];
    if (check.tick(now)) {
      ++i;
    } else {
      check.watched_ = false;
      watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  ticking_ = false;
  return 0;
}

bool Checks::ending() const noexcept {
  return boot_.aborted();
}

// As MPI_Abort does: what the program has printed so far belongs before the end.
void Checks::abort() noexcept {
  constexpr int status = 1;
  std::fflush(nullptr);
  boot_.abort(status);
  ::_exit(status);
}

}  // namespace tessera::coll
