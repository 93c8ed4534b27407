// SPDX-License-Identifier: BSD-3-Clause
// coll/check: compares the collective calls of all processes, and tells those that do not match.
#include <algorithm>

#include "check.h"
#include "tessera/clock.h"

namespace tessera::coll::check {

namespace {

constexpr std::uint32_t kPollsPerClock = 8;
constexpr std::size_t kFewClosed = 16;
constexpr std::int64_t kNap_us = 20'000;
constexpr std::uint64_t kLastWords_ns = 1'000'000'000;

}  // namespace

Status Checks::open(const Host& host, const Services& services) noexcept {
  services_ = &services;
  progress_ = &host.progress;
  progress_->add(*this);
  services.limit_naps(kNap_us);
  return {};
}

Checks::~Checks() {
  finished_ = true;
  all_.clear();
  if (progress_ == nullptr) return;
  services_->limit_naps(-1);
  progress_->remove(*this);
}

Guard* Checks::guard(Communicator& comm) noexcept {
  if (finished_ || (comm.size() == 1 && !comm.inter())) return nullptr;
  try {
    Check& made = *all_.emplace_back(std::make_unique<Check>(*this, comm));
    made.listen();
    return &made;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void Checks::forget(Guard& guard) noexcept {
  static_cast<Check&>(guard).close();
  if (++closed_ >= kFewClosed + sweep_at_) sweep();
}

void Checks::flush() noexcept {
  ticking_ = true;  // the list stays as it is
  for (const auto& check : all_) check->flush();
  ticking_ = false;
}

void Checks::finish(Communicator& world) noexcept {
  const auto is_of_world = [&](const auto& check) {
    return check->context_ == world.collective_context();
  };
  if (std::none_of(all_.begin(), all_.end(), is_of_world)) static_cast<void>(guard(world));
  ticking_ = true;
  for (const auto& check : all_) check->close();
  ticking_ = false;
}

// Those that say nothing have never had a collective call on the communicator.
void Checks::hear_out() noexcept {
  const std::uint64_t end = now_ns() + kLastWords_ns;
  const auto heard = [](const auto& check) { return check->ended_; };
  progress_->wait_until(
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

}  // namespace tessera::coll::check

#ifdef TESSERA_COLL_CHECK_DEFAULT
#define TESSERA_CHECK_DEFAULT "true"
#else
#define TESSERA_CHECK_DEFAULT "false"
#endif

TESSERA_COMPONENT(coll, check, "1.0.0", 0, tessera::coll::check::Checks,
                  "Detects collective calls that do not match",
                  TESSERA_FACT("interposes", "") TESSERA_FACT("uniform", "*")
                      TESSERA_PARAM("", boolean, TESSERA_CHECK_DEFAULT, "", "", 1,
                                    "Detect mismatched collective calls: report both ranks and the "
                                    "conflicting arguments."))
