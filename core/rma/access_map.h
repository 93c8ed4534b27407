// SPDX-License-Identifier: BSD-3-Clause
// Which bytes of a window have been accessed how, for osc_check: AccessRecord, AccessMap.
#pragma once
//
// Contract. Two accesses of one location in one epoch conflict (MPI-5.0 §12.7) unless both read, or
// both are accumulates of the same basic type: of one origin, which keep their order, or of one
// operation, where MPI_NO_OP and compare-and-swap go with all. An AccessMap takes accesses one by
// one and names the first that is there already and conflicts.
//
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tessera {

// Some bytes that one call accesses; travels between processes.
struct AccessRecord {
  enum class Kind : std::uint8_t { get, put, accumulate };
  static constexpr std::uint16_t kReplace = 12, kNoOp = 13, kSwap = 14;
  std::int64_t begin, end;    // bytes from the base of the target's window; addresses if dynamic
  std::int64_t displacement;  // as the call was given it
  std::int32_t origin, target;
  Kind kind;
  bool fetches;           // done, with its result, at the origin: done at the target
  bool any_operation;     // goes with every other one
  std::uint16_t op;       // of accumulates, as is the next: op::Operation; kReplace, kNoOp, kSwap
  std::uint16_t element;  // equal for equal basic types
  char function[26];
};

bool conflict(const AccessRecord& one, const AccessRecord& other) noexcept;
// Who did what, for a report: "MPI_Put by rank 1 (target_disp 4)".
std::string describe(const AccessRecord& access);

class AccessMap {
 public:
  // The bytes of an earlier access with which this one conflicts, cut to what both have in common.
  std::optional<AccessRecord> add(const AccessRecord& access);
  // Whether an access there would conflict; nothing is added.
  std::optional<AccessRecord> find(const AccessRecord& access) const;
  // Those that are done once their results are at the origin.
  void forget_fetches();
  // The bytes from `at` on, below `end`, that no put or accumulate covers: their number.
  std::int64_t unwritten(std::int64_t at, std::int64_t end) const noexcept;
  // The access that covers a byte, or null.
  const AccessRecord* at(std::int64_t byte) const noexcept;
  const std::map<std::int64_t, AccessRecord>& pieces() const noexcept { return pieces_; }

 private:
  using Pieces = std::map<std::int64_t, AccessRecord>;
  Pieces::const_iterator first_after(std::int64_t byte) const noexcept;
  Pieces pieces_;  // by begin; they do not overlap
};

}  // namespace tessera
