// SPDX-License-Identifier: BSD-3-Clause
// Accesses by location, and which of them go together.
#include "core/rma/access_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tessera {

namespace {

// Beyond this an epoch is looked at no further.
constexpr std::size_t kMostPieces = std::size_t{1} << 20;

// In the order of op::Operation.
constexpr std::array<const char*, 14> kOperations{
    "MPI_SUM",  "MPI_PROD", "MPI_MAX",  "MPI_MIN",    "MPI_BAND",   "MPI_BOR",     "MPI_BXOR",
    "MPI_LAND", "MPI_LOR",  "MPI_LXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_REPLACE", "MPI_NO_OP"};

}  // namespace

bool conflict(const AccessRecord& one, const AccessRecord& other) noexcept {
  if (one.kind == AccessRecord::Kind::get && other.kind == AccessRecord::Kind::get) return false;
  if (one.kind != AccessRecord::Kind::accumulate || other.kind != AccessRecord::Kind::accumulate)
    return true;
  if (one.element != other.element) return true;
  return one.origin != other.origin && one.op != other.op && !one.any_operation &&
         !other.any_operation;
}

std::string describe(const AccessRecord& access) {
  const bool named =
      access.kind == AccessRecord::Kind::accumulate && access.op < kOperations.size();
  const std::string op = named ? fmt::format(" of {}", kOperations[access.op]) : "";
  return fmt::format("{}{} by rank {} (target_disp {})", access.function, op, access.origin,
                     access.displacement);
}

AccessMap::Pieces::const_iterator AccessMap::first_after(std::int64_t byte) const noexcept {
  auto next = pieces_.upper_bound(byte);
  if (next != pieces_.begin() && std::prev(next)->second.end > byte) --next;
  return next;
}

std::optional<AccessRecord> AccessMap::find(const AccessRecord& access) const {
  for (auto each = first_after(access.begin); each != pieces_.end() && each->first < access.end;
       ++each) {
    if (!conflict(each->second, access)) continue;
    AccessRecord common = each->second;
    common.begin = std::max(common.begin, access.begin);
    common.end = std::min(common.end, access.end);
    return common;
  }
  return {};
}

// Older records stay, and the new one fills the gaps between them.
std::optional<AccessRecord> AccessMap::add(const AccessRecord& access) {
  if (auto found = find(access)) return found;
  if (pieces_.size() >= kMostPieces) return {};
  AccessRecord piece = access;
  auto each = first_after(access.begin);
  while (piece.begin < access.end) {
    const bool more = each != pieces_.end() && each->first < access.end;
    piece.end = more ? each->first : access.end;
    const std::int64_t next = more ? each->second.end : access.end;
    if (more) ++each;
    if (piece.begin < piece.end) pieces_.emplace(piece.begin, piece);
    piece.begin = next;
  }
  return {};
}

void AccessMap::forget_fetches() {
  std::erase_if(pieces_, [](const auto& each) { return each.second.fetches; });
}

std::int64_t AccessMap::unwritten(std::int64_t at, std::int64_t end) const noexcept {
  for (auto each = first_after(at); each != pieces_.end() && each->first < end; ++each) {
    if (each->second.kind != AccessRecord::Kind::get)
      return std::max<std::int64_t>(0, each->first - at);
  }
  return end - at;
}

const AccessRecord* AccessMap::at(std::int64_t byte) const noexcept {
  const auto found = first_after(byte);
  return found != pieces_.end() && found->first <= byte ? &found->second : nullptr;
}

}  // namespace tessera
