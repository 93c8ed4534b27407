// SPDX-License-Identifier: BSD-3-Clause
// Words for collective calls that do not match.
#pragma once

#include <string>

#include "record.h"

namespace tessera::coll::check {

// One of two neighbours. Without record: it has ended its use of the communicator.
struct Participant {
  std::string name;  // "rank 2"
  const Record* record = nullptr;
  Amount amount;  // the one compared
};

// "MPI_Ibcast" and the like.
std::string function_name(Operation operation, CallForm form);

// What is wrong, and what to do about it.
struct Text {
  const char* topic = "";  // stable, for searching
  std::string what;
  std::string next_step;
};

// What a person shall read when the `number`-th collective operation on a communicator (from 1) is
// not the same at two neighbours: what each calls, and what would be right.
Text mismatch_text(const Services& services, const std::string& communicator, std::uint64_t number,
                   Difference difference, const Participant& one, const Participant& other);

// Why the job ends although errors are returned.
Text stuck_text(const std::string& communicator);

}  // namespace tessera::coll::check
