// SPDX-License-Identifier: BSD-3-Clause
// From a call to its record, and which parts of two records must agree.
#include "core/coll/check_record.h"

#include <algorithm>
#include <limits>

#include "core/datatype/predefined.h"
#include "core/op/predefined.h"

namespace tessera::coll {

namespace {

constexpr std::uintptr_t kFirstOp = 0x20;  // handle values of operations (MPI-5.0 table A.2)
constexpr std::uintptr_t kEndOp = 0x40;
constexpr std::uint64_t kBlockFactor = 0xd6e8'feb8'6659'fd93;  // odd
constexpr std::uint16_t kPacked = 0x207;                       // MPI_PACKED: fits data of any type

std::uint8_t reduction_of(const Op* op) noexcept {
  if (op == nullptr) return 0;
  if (!op->predefined()) return kUserOp;
  for (std::uintptr_t handle = kFirstOp; handle < kEndOp; ++handle) {
    if (predefined_op(handle) == op) return static_cast<std::uint8_t>(handle);
  }
  return kUserOp;
}

Amount amount_of(const Datatype& type, Measure measure) noexcept {
  const auto& object = static_cast<const TypeObject&>(type);  // the engine makes all types
  const auto size = static_cast<std::uint64_t>(type.size());
  Amount amount;
  amount.size = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(size, std::numeric_limits<std::uint32_t>::max()));
  amount.type = static_cast<std::uint16_t>(object.handle());
  amount.measure = measure;
  return amount;
}

std::uint64_t hash_of(const Datatype& type, Count count) noexcept {
  const Signature& one = static_cast<const TypeObject&>(type).signature();
  return count == 1 ? one.hash : one.times(count).hash;
}

Amount amount_of(const Side& side, Measure measure) noexcept {
  if (side.type == nullptr) return {};
  Amount amount = amount_of(*side.type, measure);
  amount.count = side.count;
  amount.hash = hash_of(*side.type, side.count);
  return amount;
}

// Of the counts for n processes, each by itself.
Amount amount_of_blocks(const Side& side, int n) noexcept {
  if (side.type == nullptr || !side.counts) return {};
  Amount amount = amount_of(*side.type, Measure::recvcounts);
  for (int i = 0; i < n; ++i) {
    amount.count += side.counts[i];
    amount.hash = amount.hash * kBlockFactor + hash_of(*side.type, side.counts[i]);
  }
  return amount;
}

bool is_root(const Call& call) noexcept {
  return call.inter ? call.root == kRoot : call.root == call.rank;
}

// Whether the amount at this process counts: not where an intercommunicator's operation passes it
// by.
bool takes_part(const Call& call) noexcept {
  return !call.inter || call.root != kProcNull;
}

void state_rooted(const Call& call, bool root_receives, Statement& statement) noexcept {
  const bool receives = is_root(call) == root_receives;
  statement.record.amount = statement.expected = receives
                                                     ? amount_of(call.receive, Measure::recvcount)
                                                     : amount_of(call.send, Measure::sendcount);
}

void state_exchange(const Call& call, Statement& statement) noexcept {
  statement.expected = amount_of(call.receive, Measure::recvcount);
  statement.record.amount =
      call.in_place ? statement.expected : amount_of(call.send, Measure::sendcount);
}

void state_amount(const Call& call, Statement& statement) noexcept {
  const auto both = [&](const Amount& amount) {
    statement.record.amount = statement.expected = amount;
  };
  switch (call.operation) {
    case Operation::bcast:
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
      return both(amount_of(call.receive, Measure::count));
    case Operation::reduce_scatter_block:
      return both(amount_of(call.receive, Measure::recvcount));
    case Operation::reduce_scatter:
      return both(amount_of_blocks(call.receive, call.size));
    case Operation::allgatherv:
      return both(amount_of_blocks(call.receive, call.remote_size));
    case Operation::gather:
      return state_rooted(call, true, statement);
    case Operation::scatter:
      return state_rooted(call, false, statement);
    case Operation::allgather:
    case Operation::alltoall:
      return state_exchange(call, statement);
    default:
      return;
  }
}

// Neighbourhoods and the making of communicators: nothing but the operation need be equal.
bool only_by_name(Operation operation) noexcept {
  return operation >= Operation::neighbor_allgather;
}

// MPI_IN_PLACE is given by all processes or by none.
bool in_place_together(Operation operation) noexcept {
  switch (operation) {
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
    case Operation::allreduce:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return true;
    default:
      return false;
  }
}

// One group of an intercommunicator names a rank of the other one, which says kRoot or kProcNull.
bool roots_fit(int theirs, int mine, Seam seam) noexcept {
  if (seam == Seam::intra) return theirs == mine;
  if (seam == Seam::two_groups) return (theirs >= 0) != (mine >= 0);
  return theirs >= 0 ? theirs == mine : mine < 0;
}

// Across the groups of an intercommunicator the counts of each group are its own.
bool counts_of_one_group(Operation operation) noexcept {
  return operation == Operation::allgatherv || operation == Operation::reduce_scatter ||
         operation == Operation::reduce_scatter_block;
}

bool amounts_fit(const Amount& theirs, const Amount& mine) noexcept {
  if (theirs.measure == Measure::none || mine.measure == Measure::none) return true;
  if (theirs.type == kPacked || mine.type == kPacked)
    return theirs.measure == Measure::recvcounts ||
           theirs.count * theirs.size == mine.count * mine.size;
  return theirs.hash == mine.hash;
}

bool amounts_fit(const Record& theirs, const Statement& mine, Seam seam) noexcept {
  if (seam == Seam::same_group) return amounts_fit(theirs.amount, mine.record.amount);
  if (seam == Seam::two_groups && counts_of_one_group(theirs.operation)) return true;
  return amounts_fit(theirs.amount, mine.expected);
}

}  // namespace

bool has_root(Operation operation) noexcept {
  switch (operation) {
    case Operation::bcast:
    case Operation::gather:
    case Operation::gatherv:
    case Operation::scatter:
    case Operation::scatterv:
    case Operation::reduce:
      return true;
    default:
      return false;
  }
}

Statement statement_of(const Call& call, CallForm form) noexcept {
  Statement statement;
  Record& record = statement.record;
  record.operation = call.operation;
  record.form = form;
  record.in_place = call.in_place;
  if (has_root(call.operation)) record.root = call.root;
  if (call.op != nullptr) record.reduction = reduction_of(call.op);
  if (!has_root(call.operation) || takes_part(call)) state_amount(call, statement);
  return statement;
}

Statement statement_of(Making making, CallForm form) noexcept {
  Statement statement;
  statement.record.operation = as_operation(making);
  statement.record.form = form;
  return statement;
}

Difference compare(const Record& theirs, const Statement& mine, Seam seam) noexcept {
  const Record& own = mine.record;
  const Operation operation = own.operation;
  if (theirs.operation != operation) return Difference::operation;
  if (theirs.form != own.form) return Difference::form;
  if (only_by_name(operation)) return Difference::none;
  if (has_root(operation) && !roots_fit(theirs.root, own.root, seam)) return Difference::root;
  if (theirs.reduction != 0 && own.reduction != 0 && theirs.reduction != own.reduction)
    return Difference::reduction;
  if (theirs.in_place != own.in_place && in_place_together(operation)) return Difference::in_place;
  return amounts_fit(theirs, mine, seam) ? Difference::none : Difference::amount;
}

}  // namespace tessera::coll
