// SPDX-License-Identifier: BSD-3-Clause
// What the processes find together at a fence.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/rma/window.h"
#include "core/rma/window_check.h"

namespace tessera {

namespace {

void tell(WindowCheck::Verdict& verdict, bool assertion, const std::string& text) {
  if (!verdict.failure.ok()) return;
  verdict.failure = Status::failure(Errc::argument, "osc_check: " + text);
  verdict.assertion = assertion;
}

// Stores are seen where the memory is the process's own and nobody else may store to it.
bool observable(const osc::Window& window) noexcept {
  return window.flavor() == osc::Flavor::create || window.flavor() == osc::Flavor::allocate;
}

}  // namespace

// All tell all: first how much, then what.
Status WindowCheck::exchange(int assertions) {
  std::vector<AccessRecord> own;
  for (const auto& [target, known] : mine_) {
    for (const auto& [begin, access] : known.pieces()) {
      own.push_back(access);
      own.back().begin = begin;
    }
  }
  const auto processes = static_cast<std::size_t>(window_.size());
  const Summary summary{assertions, static_cast<std::uint32_t>(own.size()), others_};
  summaries_.assign(processes, Summary{});
  if (Status s = window_.allgather(&summary, sizeof summary, summaries_.data()); !s) return s;
  std::size_t most = 0;
  for (const Summary& each : summaries_) most = std::max<std::size_t>(most, each.count);
  told_.clear();
  if (most == 0) return {};
  own.resize(most);
  std::vector<AccessRecord> all(most * processes);
  if (Status s = window_.allgather(own.data(), most * sizeof(AccessRecord), all.data()); !s)
    return s;
  for (std::size_t rank = 0; rank < processes; ++rank) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank * most);
    told_.insert(told_.end(), first, first + summaries_[rank].count);
  }
  return {};
}

void WindowCheck::judge_assertions(Verdict& verdict) const {
  constexpr int kAlike = osc::no_precede | osc::no_succeed;
  for (std::size_t rank = 1; rank < summaries_.size(); ++rank) {
    const int differing = (summaries_[rank].assertions ^ summaries_[0].assertions) & kAlike;
    if (differing == 0) continue;
    const char* name =
        (differing & osc::no_precede) != 0 ? "MPI_MODE_NOPRECEDE" : "MPI_MODE_NOSUCCEED";
    tell(verdict, true,
         fmt::format("rank {} gave {} to this fence and rank {} did not; all processes must give "
                     "it, or none (MPI-5.0 12.5.5)",
                     (summaries_[rank].assertions & differing) != 0 ? rank : 0, name,
                     (summaries_[rank].assertions & differing) != 0 ? 0 : rank));
  }
  for (const AccessRecord& access : told_) {
    if ((summaries_[0].assertions & osc::no_precede) == 0 || access.origin != window_.rank())
      continue;
    tell(verdict, true,
         fmt::format("MPI_MODE_NOPRECEDE says that the fence ends no accesses, but {} accesses "
                     "bytes {} to {} of the window of rank {} (MPI-5.0 12.5.5)",
                     describe(access), access.begin, access.end - 1, access.target));
  }
}

void WindowCheck::judge_accesses(Verdict& verdict) {
  here_ = {};
  for (const AccessRecord& access : told_) {
    if (access.target != window_.rank()) continue;
    if ((last_assertions_ & osc::no_put) != 0 && access.kind != AccessRecord::Kind::get) {
      tell(verdict, true,
           fmt::format("the last fence of rank {} had MPI_MODE_NOPUT, which says that nobody "
                       "updates its memory until the next one, but {} updates bytes {} to {} "
                       "(MPI-5.0 12.5.5)",
                       window_.rank(), describe(access), access.begin, access.end - 1));
    }
    const auto clash = here_.add(access);
    if (!clash) continue;
    tell(verdict, false,
         fmt::format("{} and {} both access bytes {} to {} of the window of rank {} between two "
                     "fences; accesses of one location must be in different epochs, or be "
                     "accumulates of the same operation and basic type (MPI-5.0 12.7)",
                     describe(*clash), describe(access), clash->begin, clash->end - 1,
                     window_.rank()));
  }
}

// After the fence: what has changed and was not changed by others.
void WindowCheck::judge_memory(Verdict& verdict, int assertions) const {
  const auto* base = reinterpret_cast<const std::byte*>(window_.own().base);
  const auto size = static_cast<std::int64_t>(memory_.size());
  for (std::int64_t at = 0; at < size && verdict.failure.ok(); ++at) {
    if (const AccessRecord* known = here_.at(at);
        known != nullptr && known->kind != AccessRecord::Kind::get) {
      at = known->end - 1;
      continue;
    }
    const std::int64_t end = at + here_.unwritten(at, size);
    at = std::mismatch(memory_.begin() + at, memory_.begin() + end, base + at).first -
         memory_.begin();
    if (at == end) {
      --at;
      continue;
    }
    const AccessRecord* access = here_.at(at);
    if ((assertions & osc::no_store) != 0) {
      tell(verdict, true,
           fmt::format("MPI_MODE_NOSTORE says that rank {} has stored nothing to its memory since "
                       "the last fence, but byte {} has changed, and no access did it (MPI-5.0 "
                       "12.5.5)",
                       window_.rank(), at));
    }
    if (access != nullptr) {
      tell(verdict, false,
           fmt::format("{} gets byte {} of the window of rank {}, which has stored to it between "
                       "the same two fences; a store needs an epoch of its own (MPI-5.0 12.7)",
                       describe(*access), at, window_.rank()));
    }
  }
}

void WindowCheck::remember(int assertions) {
  mine_.clear();
  others_ = false;
  last_assertions_ = assertions;
  memory_.clear();
  if (!observable(window_) || (assertions & osc::no_succeed) != 0 || window_.own().base == 0)
    return;
  const auto* base = reinterpret_cast<const std::byte*>(window_.own().base);
  memory_.assign(base, base + window_.own().size);
}

// Assertions are hints: wrong ones must not make the fence itself go wrong.
WindowCheck::Verdict WindowCheck::fence(int assertions) {
  Verdict verdict;
  if (verdict.failure = exchange(assertions); !verdict.failure.ok()) return verdict;
  if (verdict.failure = window_.module().fence(0); !verdict.failure.ok()) return verdict;
  const bool others = std::any_of(summaries_.begin(), summaries_.end(),
                                  [](const Summary& each) { return each.others; });
  judge_assertions(verdict);
  judge_accesses(verdict);
  if (!others) judge_memory(verdict, assertions);
  remember(assertions);
  // Nobody goes on before all have looked at their memory.
  const std::uint8_t here = 1;
  std::vector<std::uint8_t> all(static_cast<std::size_t>(window_.size()));
  const Status met = window_.allgather(&here, 1, all.data());
  if (!met.ok()) return {met, false};
  return verdict;
}

}  // namespace tessera
