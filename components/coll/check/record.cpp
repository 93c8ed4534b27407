// SPDX-License-Identifier: BSD-3-Clause
// From a call to its record, and which parts of two records must agree.
#include "record.h"

#include <algorithm>
#include <limits>

namespace tessera::coll::check {

namespace {

constexpr std::uint64_t kBlockFactor = 0xd6e8'feb8'6659'fd93;  // odd
constexpr std::uint16_t kPacked = 0x207;                       // MPI_PACKED: fits data of any type

std::uint8_t reduction_of(const Services& services, const Op& op) noexcept {
  const std::uint16_t handle = services.handle(op);
  return handle != 0 ? static_cast<std::uint8_t>(handle) : kUserOp;
}

// The arguments of a call as amounts of data.
class Amounts {
 public:
  explicit Amounts(const Services& services) noexcept : services_(services) {}

  Amount of(const Side& side, Measure measure) const noexcept {
    if (side.type == nullptr) return {};
    Amount amount = of(*side.type, measure);
    amount.count = side.count;
    amount.hash = services_.signature(*side.type, side.count);
    return amount;
  }

  // Of the counts for n processes, each by itself.
  Amount of_blocks(const Side& side, int n) const noexcept {
    if (side.type == nullptr || !side.counts) return {};
    Amount amount = of(*side.type, Measure::recvcounts);
    for (int i = 0; i < n; ++i) {
      amount.count += side.counts[i];
      amount.hash = amount.hash * kBlockFactor + services_.signature(*side.type, side.counts[i]);
    }
    return amount;
  }

 private:
  Amount of(const Datatype& type, Measure measure) const noexcept {
    const auto size = static_cast<std::uint64_t>(type.size());
    Amount amount;
    amount.size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(size, std::numeric_limits<std::uint32_t>::max()));
    amount.type = services_.handle(type);
    amount.measure = measure;
    return amount;
  }

  const Services& services_;
};

bool is_root(const Call& call) noexcept {
  return call.inter ? call.root == kRoot : call.root == call.rank;
}

// Whether the amount at this process counts: not where an intercommunicator's operation passes it
// by.
bool takes_part(const Call& call) noexcept {
  return !call.inter || call.root != kProcNull;
}

void state_rooted(const Amounts& amounts, const Call& call, bool root_receives,
                  Statement& statement) noexcept {
  const bool receives = is_root(call) == root_receives;
  statement.record.amount = statement.expected = receives
                                                     ? amounts.of(call.receive, Measure::recvcount)
                                                     : amounts.of(call.send, Measure::sendcount);
}

void state_exchange(const Amounts& amounts, const Call& call, Statement& statement) noexcept {
  statement.expected = amounts.of(call.receive, Measure::recvcount);
  statement.record.amount =
      call.in_place ? statement.expected : amounts.of(call.send, Measure::sendcount);
}

void state_amount(const Amounts& amounts, const Call& call, Statement& statement) noexcept {
  const auto both = [&](const Amount& amount) {
    statement.record.amount = statement.expected = amount;
  };
  switch (call.operation) {
    case Operation::bcast:
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
      return both(amounts.of(call.receive, Measure::count));
    case Operation::reduce_scatter_block:
      return both(amounts.of(call.receive, Measure::recvcount));
    case Operation::reduce_scatter:
      return both(amounts.of_blocks(call.receive, call.size));
    case Operation::allgatherv:
      return both(amounts.of_blocks(call.receive, call.remote_size));
    case Operation::gather:
      return state_rooted(amounts, call, true, statement);
    case Operation::scatter:
      return state_rooted(amounts, call, false, statement);
    case Operation::allgather:
    case Operation::alltoall:
      return state_exchange(amounts, call, statement);
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
bool roots_fit(int theirs, int mine, Relation relation) noexcept {
  if (relation == Relation::intra) return theirs == mine;
  if (relation == Relation::two_groups) return (theirs >= 0) != (mine >= 0);
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

bool amounts_fit(const Record& theirs, const Statement& mine, Relation relation) noexcept {
  if (relation == Relation::same_group) return amounts_fit(theirs.amount, mine.record.amount);
  if (relation == Relation::two_groups && counts_of_one_group(theirs.operation)) return true;
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

Statement statement_of(const Services& services, const Call& call, CallForm form) noexcept {
  Statement statement;
  Record& record = statement.record;
  record.operation = call.operation;
  record.form = form;
  record.in_place = call.in_place;
  if (has_root(call.operation)) record.root = call.root;
  if (call.op != nullptr) record.reduction = reduction_of(services, *call.op);
  if (!has_root(call.operation) || takes_part(call))
    state_amount(Amounts(services), call, statement);
  return statement;
}

Statement statement_of(Making making, CallForm form) noexcept {
  Statement statement;
  statement.record.operation = as_operation(making);
  statement.record.form = form;
  return statement;
}

Difference compare(const Record& theirs, const Statement& mine, Relation relation) noexcept {
  const Record& own = mine.record;
  const Operation operation = own.operation;
  if (theirs.operation != operation) return Difference::operation;
  if (theirs.form != own.form) return Difference::form;
  if (only_by_name(operation)) return Difference::none;
  if (has_root(operation) && !roots_fit(theirs.root, own.root, relation)) return Difference::root;
  if (theirs.reduction != 0 && own.reduction != 0 && theirs.reduction != own.reduction)
    return Difference::reduction;
  if (theirs.in_place != own.in_place && in_place_together(operation)) return Difference::in_place;
  return amounts_fit(theirs, mine, relation) ? Difference::none : Difference::amount;
}

}  // namespace tessera::coll::check
