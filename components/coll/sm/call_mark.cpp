// SPDX-License-Identifier: BSD-3-Clause
// What a process says whose collective call does not match another one's.
#include "call_mark.h"

#include <cctype>
#include <cstdio>
#include <cstring>

namespace tessera::coll::sm {

namespace {

struct Told {
  explicit Told(std::uint64_t word) noexcept
      : operation((word >> CallMark::kShift) & 31),
        root(static_cast<unsigned>(word >> (CallMark::kShift + 5)) & 127) {
    const char* const known = operation < kOperations ? kOperationNames[operation] : "?";
    std::snprintf(function, sizeof function, "MPI_%s", known);
    function[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(function[4])));
  }
  std::size_t operation;
  unsigned root;
  char function[40];
};

}  // namespace

void CallMark::explain(std::uint64_t announced, Round round, int rank, char* text,
                       std::size_t bytes) const noexcept {
  const Told theirs(announced - round);
  const Told mine(word_);
  char how[200];
  if (theirs.operation != mine.operation)
    std::snprintf(how, sizeof how, "rank %d of the communicator calls %s, this one %s", rank,
                  theirs.function, mine.function);
  else if (theirs.root != mine.root)
    std::snprintf(how, sizeof how,
                  "rank %d of the communicator calls %s with root %u, this one with root %u", rank,
                  theirs.function, theirs.root, mine.root);
  else if (mine.operation == static_cast<std::size_t>(Operation::barrier))
    std::snprintf(how, sizeof how,
                  "rank %d of the communicator calls MPI_Barrier as this one does, but one of the "
                  "calls before did not match",
                  rank);
  else
    std::snprintf(how, sizeof how,
                  "rank %d of the communicator calls %s with another amount of data than this one, "
                  "or one of the calls before did not match already",
                  rank, theirs.function);
  std::snprintf(text, bytes,
                "collective calls do not match: %s; all processes of a communicator call the same "
                "operations in the same order, with equal roots and amounts of data; the parameter "
                "coll_check compares each argument",
                how);
}

}  // namespace tessera::coll::sm
