// SPDX-License-Identifier: BSD-3-Clause
// What one process does: accesses that conflict with its own.
#include "core/rma/window_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/rma/window.h"

namespace tessera {

namespace {

constexpr std::size_t kMostBlocks = 1 << 16;  // of one access; what follows is not looked at
constexpr std::uintptr_t kBias = 4096;        // so that displacement 0 is no null pointer

std::uint16_t element_of(const osc::Combination& how) noexcept {
  constexpr std::uint16_t kPairs = 0x1000;
  return how.number != Number::none ? static_cast<std::uint16_t>(how.number)
                                    : static_cast<std::uint16_t>(how.element_number + kPairs);
}

std::uint16_t operation_of(const osc::Combination& how) noexcept {
  using Effect = osc::Combination::Kind;
  if (how.kind == Effect::replace) return AccessRecord::kReplace;
  return how.kind == Effect::no_op ? AccessRecord::kNoOp
                                   : static_cast<std::uint16_t>(how.operation);
}

}  // namespace

AccessRecord WindowCheck::record(const Call& call, const osc::Remote& to) const {
  AccessRecord made{};
  made.displacement = call.displacement;
  made.origin = window_.rank();
  made.target = to.rank;
  made.kind = call.kind;
  made.fetches = call.fetches;
  if (call.how != nullptr) {
    made.op = operation_of(*call.how);
    made.element = element_of(*call.how);
  }
  if (call.swaps) made.op = AccessRecord::kSwap;
  made.any_operation = call.swaps || made.op == AccessRecord::kNoOp;
  std::strncpy(made.function, call.function, sizeof made.function - 1);
  return made;
}

std::vector<AccessRecord> WindowCheck::blocks(const AccessRecord& access,
                                              const osc::Remote& to) const {
  std::vector<AccessRecord> list;
  const auto start = static_cast<std::uintptr_t>(to.displacement) + kBias;
  PackCursor cursor(*to.type, reinterpret_cast<const void*>(start), to.count);
  for (auto run = cursor.run(); !run.empty() && list.size() < kMostBlocks; run = cursor.run()) {
    AccessRecord block = access;
    block.begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(run.data()) - kBias);
    block.end = block.begin + static_cast<std::int64_t>(run.size());
    if (!list.empty() && list.back().end == block.begin) {
      list.back().end = block.end;
    } else {
      list.push_back(block);
    }
    cursor.seek(cursor.position() + run.size());
  }
  return list;
}

// A fetch with a request is known to be done when the request is: the program knows where that is,
// so that only accesses before it count.
Status WindowCheck::note(const Call& call, const osc::Remote& to) {
  if (!window_.epochs().by_fence(to.rank)) others_ = true;
  const AccessRecord access = record(call, to);
  AccessMap& known = mine_[to.rank];
  std::optional<AccessRecord> clash;
  const std::vector<AccessRecord> all = blocks(access, to);
  for (const AccessRecord& block : all) {
    if ((clash = known.find(block))) break;
  }
  if (clash) {
    return Status::failure(
        Errc::argument,
        fmt::format("osc_check: {} and {} both access bytes {} to {} of the window of rank {} in "
                    "one epoch; accesses of one location must be in different epochs or separated "
                    "by MPI_Win_flush, or be accumulates of the same basic type (MPI-5.0 12.7)",
                    describe(*clash), describe(access), clash->begin, clash->end - 1, to.rank));
  }
  if (call.has_request && call.fetches) return {};
  for (const AccessRecord& block : all) static_cast<void>(known.add(block));
  return {};
}

void WindowCheck::done(int rank) {
  if (rank == osc::kAll) return mine_.clear();
  mine_.erase(rank);
}

void WindowCheck::done_locally(int rank) {
  for (auto& [target, known] : mine_) {
    if (rank == osc::kAll || rank == target) known.forget_fetches();
  }
}

}  // namespace tessera
