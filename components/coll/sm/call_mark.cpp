// SPDX-License-Identifier: BSD-3-Clause
// What a process says whose collective call does not match another one's.
#include "call_mark.h"

#include <cctype>
#include <cstdio>
#include <span>

namespace tessera::coll::sm {

namespace {

// A call as the fields of its mark tell it.
struct Told {
  explicit Told(std::uint64_t word) noexcept
      : operation((word >> CallMark::kShift) & 31),
        root(static_cast<unsigned>(word >> CallMark::kRootShift) & 127),
        reduction((word >> CallMark::kReductionShift) & 15) {
    const char* const known = operation < kOperations ? kOperationNames[operation] : "?";
    std::snprintf(function, sizeof function, "MPI_%s", known);
    function[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(function[4])));
  }
  const char* combines() const noexcept { return reduction_name(reduction); }
  std::size_t operation;
  unsigned root;
  std::uint8_t reduction;
  char function[40];
};

void differ(const Told& theirs, const Told& mine, int rank, std::span<char> text) noexcept {
  if (theirs.operation != mine.operation)
    std::snprintf(text.data(), text.size(), "rank %d of the communicator calls %s, this one %s",
                  rank, theirs.function, mine.function);
  else if (theirs.root != mine.root)
    std::snprintf(text.data(), text.size(),
                  "rank %d of the communicator calls %s with root %u, this one with root %u", rank,
                  theirs.function, theirs.root, mine.root);
  else if (theirs.reduction != mine.reduction)
    std::snprintf(text.data(), text.size(),
                  "rank %d of the communicator calls %s with %s, this one with %s", rank,
                  theirs.function, theirs.combines(), mine.combines());
  else if (mine.operation == static_cast<std::size_t>(Operation::barrier))
    std::snprintf(text.data(), text.size(),
                  "rank %d of the communicator calls MPI_Barrier as this one does, but one of the "
                  "calls before did not match",
                  rank);
  else
    std::snprintf(text.data(), text.size(),
                  "rank %d of the communicator calls %s with another amount of data than this one, "
                  "or one of the calls before did not match already",
                  rank, theirs.function);
}

}  // namespace

void CallMark::explain(std::uint64_t announced, Round round, int rank, char* text,
                       std::size_t bytes) const noexcept {
  char how[240];
  differ(Told(announced - round), Told(word_), rank, how);
  std::snprintf(text, bytes,
                "collective calls do not match: %s; all processes of a communicator call the same "
                "operations in the same order, with equal roots, reductions and amounts of data; "
                "the parameter coll_check compares each argument",
                how);
}

}  // namespace tessera::coll::sm
