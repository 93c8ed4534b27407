// SPDX-License-Identifier: BSD-3-Clause
// What a process says whose collective call does not match another one's.
#include "call_mark.h"

#include <cctype>
#include <cstdio>
#include <span>

namespace tessera::coll::sm {

namespace {

// A call as its mark or its place in a log tells it.
struct Told {
  static Told announced(std::uint64_t word, int processes) noexcept {
    Told told(word, static_cast<unsigned>(word >> CallMark::kRootShift) % CallMark::kRoots);
    static_assert(CallMark::kRoots == 128);
    if (processes > static_cast<int>(CallMark::kRoots)) told.root_form = " modulo 128";
    return told;
  }
  static Told logged(std::uint64_t word) noexcept { return {word, static_cast<unsigned>(word)}; }
  Told(std::uint64_t word, unsigned root_in) noexcept
      : operation((word >> CallMark::kShift) & 31),
        root(root_in),
        reduction((word >> CallMark::kReductionShift) & 15) {
    const char* const known = operation < kOperations ? kOperationNames[operation] : "?";
    std::snprintf(function, sizeof function, "MPI_%s", known);
    function[4] = static_cast<char>(std::toupper(static_cast<unsigned char>(function[4])));
  }
  const char* combines() const noexcept { return reduction_name(reduction); }
  std::size_t operation;
  unsigned root;
  const char* root_form = "";
  std::uint8_t reduction;
  char function[40];
};

void differ(const Told& theirs, const Told& mine, int rank, std::span<char> text) noexcept {
  if (theirs.operation != mine.operation)
    std::snprintf(text.data(), text.size(), "rank %d of the communicator calls %s, this one %s",
                  rank, theirs.function, mine.function);
  else if (theirs.root != mine.root)
    std::snprintf(text.data(), text.size(),
                  "rank %d of the communicator calls %s with root %u%s, this one with root %u%s",
                  rank, theirs.function, theirs.root, theirs.root_form, mine.root, mine.root_form);
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

void compose(const Told& theirs, const Told& mine, int rank, const char* when,
             std::span<char> text) noexcept {
  char how[240];
  differ(theirs, mine, rank, how);
  std::snprintf(text.data(), text.size(),
                "collective calls do not match: %s%s; all processes of a communicator call the "
                "same operations in the same order, with equal roots, reductions and amounts of "
                "data; the parameter coll_check compares each argument",
                when, how);
}

}  // namespace

void CallMark::explain(std::uint64_t announced, Round round, int rank, int processes,
                       std::span<char> text) const noexcept {
  compose(Told::announced(announced - round, processes), Told::announced(word_, processes), rank,
          "", text);
}

void CallMark::explain(const CallLog::Difference& earlier, int rank,
                       std::span<char> text) noexcept {
  compose(Told::logged(earlier.theirs), Told::logged(earlier.mine), rank,
          "in an earlier call, nonblocking, persistent or sent as messages, ", text);
}

}  // namespace tessera::coll::sm
