// SPDX-License-Identifier: BSD-3-Clause
// What one process says of a collective call, and what its neighbour may say: Record, compare().
#pragma once
//
// Contract. A Record holds what MPI wants equal on neighbouring processes, and what a person needs
// to read of it. Types are compared by signature, not by handle: two MPI_INT are one type made of
// two. Amounts that MPI does not relate among all processes (gatherv, scatterv, alltoallv,
// alltoallw, neighbourhoods) are not compared. Records travel between processes as bytes. Source:
// MPI-5.0 §6.4-6.12 (arguments), §6.14 (order), §8.6.
//
#include "tessera/coll_interposer.h"

namespace tessera::coll::check {

// Making a communicator out of another one is collective as well. In records these follow the
// Operations.
constexpr Operation as_operation(Making making) noexcept {
  return static_cast<Operation>(kOperations + static_cast<std::size_t>(making));
}

// Which argument an amount of data is.
enum class Measure : std::uint8_t { none, count, sendcount, recvcount, recvcounts };

struct Amount {
  Count count = 0;         // elements; of recvcounts: all together
  std::uint64_t hash = 0;  // of the signature of all elements; 0 when there are none
  std::uint32_t size = 0;  // bytes of data in one element, or the largest number if it is greater
  std::uint16_t type = 0;  // handle value of a predefined type, else 0
  Measure measure = Measure::none;
  std::uint8_t unused = 0;
};

struct Record {
  Operation operation = Operation::barrier;
  CallForm form = CallForm::blocking;
  std::uint8_t reduction = 0;  // handle value of a predefined op, kUserOp, or 0: none
  bool in_place = false;
  std::int32_t root = 0;
  Amount amount;  // what this process has for each of the others, or in all
};
static_assert(sizeof(Record) == 32);
inline constexpr std::uint8_t kUserOp = 255;

// A call at the process that makes it: what it says, and the amount it expects of others where that
// is another one.
struct Statement {
  Record record;
  Amount expected;
};

Statement statement_of(const Services& services, const Call& call, CallForm form) noexcept;
Statement statement_of(Making making, CallForm form) noexcept;

// How two neighbours are related.
enum class Relation : std::uint8_t {
  intra,       // in an intracommunicator
  same_group,  // in an intercommunicator
  two_groups,
};

enum class Difference : std::uint8_t { none, operation, form, root, reduction, in_place, amount };

// The first thing in which a call of a neighbour does not match mine.
Difference compare(const Record& theirs, const Statement& mine, Relation relation) noexcept;

bool has_root(Operation operation) noexcept;

}  // namespace tessera::coll::check
