// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of coll/basic: one file each, in the folder of its operation.
#pragma once
//
// Contract. An algorithm is one file, which ends with the line that makes it known:
//   const Algorithm registered_bcast_chain{Operation::bcast, "chain", bcast_chain, kAlways,
//   {.segment = 64 * 1024}};
// The name in quotes becomes a value of the parameter coll_basic_<operation>_algorithm, and may
// stand in rules. An algorithm that serves several operations has such a line for each. One that
// has a segment or a radix of its own takes Tuning as its second argument and gives their defaults;
// parameters coll_basic_<operation>_segment and _radix then exist. The build finds these lines;
// nothing else is to be changed.
//
#include <span>

#include "tessera/coll.h"

namespace tessera::coll::basic {

// Whether an operation combines data: reductions and scans.
constexpr bool reduces(Operation operation) noexcept {
  return Operation::reduce <= operation && operation <= Operation::exscan;
}

// Which calls an algorithm can carry out.
struct Condition {
  bool (*holds)(const CallSignature& call) noexcept = nullptr;  // null: any call
  const char* words = "";                                       // what it asks for
};
bool commutes(const CallSignature& call) noexcept;
bool power_of_two(const CallSignature& call) noexcept;
bool even(const CallSignature& call) noexcept;
bool two_processes(const CallSignature& call) noexcept;

inline constexpr Condition kAlways{};
inline constexpr Condition kCommutes{commutes, "an operation that commutes"};
inline constexpr Condition kPowerOfTwo{power_of_two, "a power of two of processes"};
inline constexpr Condition kEven{even, "an even number of processes"};
inline constexpr Condition kTwoProcesses{two_processes, "two processes"};

// In which order an algorithm combines the operands of a reduction. Those of_ranks combine one
// after the other, a0 op (a1 op (a2 ...)), scans from the left: they all give the same bits. Only
// they are used where results must be reproducible.
enum class Combining : std::uint8_t { any, of_ranks };

// Writes down the part of process call.rank. May throw std::bad_alloc.
using Emit = void (*)(const Call& call, Schedule& schedule);
using TunedEmit = void (*)(const Call& call, const Tuning& tuning, Schedule& schedule);

class Algorithm {
 public:
  constexpr Algorithm(Operation what, const char* called, Emit how, Condition when = kAlways,
                      Combining order = Combining::any) noexcept
      : operation(what), name(called), needs(when), combining(order), plain_(how) {}
  constexpr Algorithm(Operation what, const char* called, TunedEmit how, Condition when,
                      Tuning otherwise) noexcept
      : operation(what), name(called), needs(when), usual(otherwise), tuned_(how) {}

  bool fits(const CallSignature& call) const noexcept {
    return needs.holds == nullptr || needs.holds(call);
  }
  // Tuning that are 0 are replaced by the usual ones.
  void emit(const Call& call, const Tuning& tuning, Schedule& schedule) const;

  Operation operation;
  const char* name;
  Condition needs;
  Tuning usual;
  Combining combining = Combining::any;

 private:
  Emit plain_ = nullptr;
  TunedEmit tuned_ = nullptr;
};

// All for intracommunicators, by operation and name.
std::span<const Algorithm* const> algorithms() noexcept;
// Null: there is none.
const Algorithm* find_algorithm(Operation operation, std::string_view name) noexcept;
// The one for intercommunicators, or null (scan, exscan and neighbourhoods are not defined there).
const Algorithm* inter_algorithm(Operation operation) noexcept;

// Those that others build upon.
void gather_linear(const Call& call, Schedule& schedule);
void scatter_linear(const Call& call, Schedule& schedule);
void allgather_linear(const Call& call, Schedule& schedule);
void alltoall_linear(const Call& call, Schedule& schedule);

}  // namespace tessera::coll::basic

#include "registry.h"  // made by the build: declares what the algorithm files define
