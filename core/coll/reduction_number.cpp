// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names for what reductions combine with.
#include <array>

#include "core/op/predefined.h"
#include "tessera/coll_call.h"

namespace tessera::coll {

namespace {

// In the order of op::Operation.
constexpr std::array kReductionNames{"MPI_SUM",  "MPI_PROD", "MPI_MAX",    "MPI_MIN",
                                     "MPI_BAND", "MPI_BOR",  "MPI_BXOR",   "MPI_LAND",
                                     "MPI_LOR",  "MPI_LXOR", "MPI_MAXLOC", "MPI_MINLOC"};
static_assert(kReductionNames.size() == static_cast<std::size_t>(op::Operation::minimum_place) + 1);
static_assert(kReductionNames.size() < kOwnReduction);

}  // namespace

std::uint8_t reduction_number(const Op* op) noexcept {
  if (op == nullptr) return 0;
  const auto known = op->predefined() ? operation_of(*op) : std::nullopt;
  return known ? static_cast<std::uint8_t>(static_cast<int>(*known) + 1) : kOwnReduction;
}

const char* reduction_name(std::uint8_t number) noexcept {
  if (number - 1u < kReductionNames.size()) return kReductionNames[number - 1u];
  return number == kOwnReduction ? "an operation of the program's own" : "no operation";
}

}  // namespace tessera::coll
