// SPDX-License-Identifier: BSD-3-Clause
// Words for collective calls that do not match.
#pragma once

#include <string>

#include "core/coll/check_record.h"

namespace tessera::coll {

// One of two neighbours. Without record: it has ended its use of the communicator.
struct Witness {
  std::string name;  // "rank 2"
  const Record* record = nullptr;
  Amount amount;  // the one compared
};

// "MPI_Ibcast" and the like.
std::string function_name(Operation operation, CallForm form);

// What a person shall read when the `number`-th collective operation on a communicator (from 1) is
// not the same at two neighbours: what each calls, and what would be right.
std::string mismatch_text(const std::string& communicator, std::uint64_t number,
                          Difference difference, const Witness& one, const Witness& other);

// Why the job ends although errors are returned.
std::string stuck_text(const std::string& communicator);

}  // namespace tessera::coll
