// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm carries out a call: Chooser.
#pragma once
//
// Contract. In this order: the algorithm that the user asked for, by an info key of the communicator or else by
// parameter, if it fits the call; the first rule that covers the number of processes and the amount of data and whose algorithm fits. The choice rests
// only on what is equal on all processes of the call.
//
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "algorithms.h"

namespace tessera::coll::basic {

struct Choice {
  const Algorithm* algorithm;  // null: there is none for this call
  const char* rule;            // owned by the chooser
};

inline constexpr int kAnyNumber = std::numeric_limits<int>::max();
inline constexpr Count kAnyAmount = std::numeric_limits<Count>::max();

// One line of the rules: up to so many processes and bytes.
struct Rule {
  Operation operation;
  const char* algorithm;
  int most_processes;
  Count most_bytes;
};

// The rules in use unless others are given. For each operation, the last one covers everything.
std::span<const Rule> builtin_rules() noexcept;

// The amount of data a rule looks at: bytes of the vector in bcast and reductions, of one block in gather,
// scatter, allgather and alltoall; 0 where processes may differ.
Count amount(const Call& call) noexcept;

class Chooser {
 public:
  // With `comm`, the info keys tessera.coll_basic_<operation>_algorithm of this communicator come before parameters; the
  // engine has checked their values. May throw std::bad_alloc.
  Chooser(const Params& params, std::span<const Rule> rules, const Communicator* comm = nullptr);
  Choice choose(const Call& call) const noexcept;
  // Whether the user asked for an algorithm for this operation.
  bool asked(Operation operation) const noexcept {
    return forced_[static_cast<std::size_t>(operation)].algorithm != nullptr;
  }

 private:
  struct Row {
    const Algorithm* algorithm;
    int most_processes;
    Count most_bytes;
    std::string text;
  };
  struct Forced {
    const Algorithm* algorithm = nullptr;
    std::string text;
    std::string fallback_text;
  };
  void read_parameter(const Params& params, const Communicator* comm, Operation operation);
  const Row* by_rule(const Call& call) const noexcept;

  std::array<std::vector<Row>, kOperations> rows_;
  std::array<Forced, kOperations> forced_;
};

}  // namespace tessera::coll::basic
