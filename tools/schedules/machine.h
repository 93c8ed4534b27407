// SPDX-License-Identifier: BSD-3-Clause
// A machine as the cost model sees it: Machine, Level.
#pragma once
//
// Contract. A machine is a hierarchy of groups of ranks, numbered without gaps: with 64 ranks per
// node, ranks 0..63 share a node. A message between two ranks costs what the innermost group that
// has both says. Times are in nanoseconds. Messages follow LogGP (Alexandrov, Ionescu, Schauser,
// Scheiman, "LogGP: incorporating long messages into the LogP model", SPAA 1995; LogP: Culler et
// al., PPoPP 1993). Read from YAML, every key of which must be known:
//
//   name: cluster
//   about: what it stands for
//   levels:                       # from the inside out
//     - name: node
//       ranks: 64                 # of one group; the last level has no such line: it holds all
//       latency: 250              # L: from the network port of the sender to that of the receiver
//       overhead: 80              # o: processor time to send a message, and again to receive one
//       gap: 40                   # g: between the last byte of a message and the first of the
//                                 #    next one, at a port
//       gap_per_byte: 0.08        # G: at a port
//   copy: {fixed: 20, per_byte: 0.05}      # processor time of a local copy
//   reduce: {fixed: 30, per_byte: 0.10}    # and of a reduction, per byte of the result
//
#include <string>
#include <vector>

namespace tessera::coll::schedules {

struct Level {
  std::string name;
  int ranks = 0;  // of one group; 0: all
  double latency = 0;
  double overhead = 0;
  double gap = 0;
  double gap_per_byte = 0;
};

struct LocalCost {
  double fixed = 0;
  double per_byte = 0;
  // Nothing to do costs nothing.
  double of(double bytes) const noexcept { return bytes > 0 ? fixed + bytes * per_byte : 0; }
};

struct Machine {
  std::string name;
  std::string about;
  std::vector<Level> levels;  // at least one; group sizes divide one another, the last is 0
  LocalCost copy;
  LocalCost reduce;

  // The index of the innermost level that has both.
  std::size_t level_between(int a, int b) const noexcept {
    std::size_t level = 0;
    while (levels[level].ranks != 0 && a / levels[level].ranks != b / levels[level].ranks) ++level;
    return level;
  }
  // The number of ranks after which `ranks` of them look as they did: the largest group that is
  // smaller, or 1.
  int period(int ranks) const noexcept;
};

// A shipped machine by name, or a file. Throws BadInput with file:line, and the names of the
// machines that there are.
Machine read_machine(const std::string& name_or_file);
std::vector<std::string> shipped_machines();

}  // namespace tessera::coll::schedules
