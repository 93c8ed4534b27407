// SPDX-License-Identifier: BSD-3-Clause
// What coll/sm does with a call: Plan.
#pragma once
//
// Contract. plan() is a pure function of a Question, which holds nothing but what is equal on all
// processes of the communicator: what MPI makes equal about the call, how the processes are spread,
// and the figures of the shared segment and the parameters. All processes so come to one plan
// without a word. What only a trial can show, whether the kernel permits direct copies (CMA,
// process_vm_readv(2)), the processes find out together before they first use them (cma_access.h);
// Plan::without_direct says what to do where it does not.
//
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "costs.h"
#include "tessera/coll.h"
#include "tessera/machine.h"

namespace tessera::coll::sm {

enum class Protocol : std::uint8_t {
  none,    // not here: the next component
  chunks,  // through the slots of the shared segment, chunk by chunk
  blocks,  // blocks of any length: short ones in a slot, long ones copied directly, others sent
  direct_bcast,      // the buffer of the root copied directly
  direct_blocks,     // every block copied directly
  reduction,         // operands in the slots, combined where they lie
  direct_reduction,  // operands read from the memory of the other processes
  neighbors          // blocks for the neighbors in a slot, longer ones sent
};

struct Question {
  Operation operation = Operation::barrier;
  int size = 2;                 // processes
  bool oversubscribed = false;  // they share processors
  bool cartesian = false;
  bool given = false;      // a rule or a parameter gives the call to coll/sm
  Count amount = 0;        // bytes, as coll::amount()
  Count element = 0;       // of a reduction: bytes of an element
  bool contiguous = true;  // likewise: whether its type has no holes
  // Figures.
  std::size_t slot = 0;         // bytes
  Count limit = kByRules;       // a parameter that stands in place of the rules
  std::size_t direct_from = 0;  // a parameter: bytes; 0: own choice
  MachineFigures machine{};     // equal on all processes of a node; for long data only
  static constexpr Count kByRules = -1;
};
// Whether the plan depends on the figures of the machine.
bool needs_figures(const Question& question) noexcept;

// A reduction that reads the memory of other processes does so in blocks of so many bytes: two of
// them fit a second-level cache, and a system call, half a microsecond, is little against copying
// one. (Measured from 8 to 512 KiB.)
// Measured: docs/decisions/0065.
inline constexpr std::size_t kDirectBlock = 128 * 1024;

struct Plan {
  Protocol protocol = Protocol::none;
  // Where direct copies are not permitted: whether messages are better, or the slots serve.
  enum class WithoutDirect : std::uint8_t { slots, messages } without_direct = WithoutDirect::slots;
  bool split = false;  // direct_bcast, direct_blocks: sender and receiver copy a part each
  std::uint32_t split_from = 0;  // blocks of two: both copy a part from so many bytes on; 0: never
  std::size_t in_slot = 0;  // blocks, neighbors: bytes of the longest block that goes into a slot
  Rule::Range<std::size_t> direct;  // blocks: bytes of those that are copied directly
};

Plan plan(const Question& question) noexcept;

// How one chunk of a reduction of `bytes` bytes is computed; `rooted`: one process wants the
// result.
enum class Combining : std::uint8_t {
  by_all,    // whoever wants the result computes all of it
  by_parts,  // every process computes a part: a round more, and p times fewer operations
  by_one     // one process computes all and shows it
};
// Up to kShort a second round costs more than to compute all everywhere; where processors are
// shared, up to kShortInTurns of all operands together, and from kLongInTurns on kFew processes had
// better compute at the same time.
inline Combining combining(int size, bool oversubscribed, bool rooted, std::size_t bytes) noexcept {
  // Measured: docs/decisions/0065.
  constexpr std::size_t kShort = 4096;
  constexpr std::size_t kShortInTurns = 16384;
  constexpr std::size_t kLongInTurns = 12288;
  constexpr int kFew = 8;
  if (size == 2) return Combining::by_all;
  if (!oversubscribed) return bytes <= kShort ? Combining::by_all : Combining::by_parts;
  if (rooted || bytes * static_cast<std::size_t>(size) <= kShortInTurns) return Combining::by_all;
  return bytes > kLongInTurns && size <= kFew ? Combining::by_parts : Combining::by_one;
}

// How a scan of so many bytes is computed.
enum class Scanning : std::uint8_t {
  few_bytes,   // a chain where the ranks keep up, otherwise everybody combines what is there
  everything,  // everybody combines the operands of all lower ranks
  chain        // rank by rank, in segments
};
inline constexpr std::size_t kFewBytes = 24;           // with their sum, they fit a line
inline constexpr std::size_t kEverythingBytes = 4096;  // see scanning()
Scanning scanning(int size, std::size_t bytes) noexcept;

// Bytes of one chunk of data that goes one way: so few that readers copy one chunk while the next
// is being written. Where processors are shared, a turn shall be worth more.
inline std::size_t one_way_chunk(bool oversubscribed, std::size_t slot) noexcept {
  return oversubscribed ? slot : std::min(kOneWayChunk, slot);
}

// The plan in words, for --explain.
class Words {
 public:
  Words() noexcept = default;
  Words(const Question& question, const Plan& plan) noexcept;
  const char* text() const noexcept { return text_; }

 private:
  void add_split(std::size_t from) noexcept;
  void add_figures(const MachineFigures& f) noexcept;
  char text_[320] = "";
};

constexpr bool reduces(Operation operation) noexcept {
  return operation >= Operation::reduce && operation <= Operation::exscan;
}
// Operations among the neighbors of a topology, and those with a block for each of them.
constexpr bool among_neighbours(Operation operation) noexcept {
  return operation >= Operation::neighbor_allgather;
}
constexpr bool exchanges_with_neighbours(Operation operation) noexcept {
  return operation >= Operation::neighbor_alltoall;
}

}  // namespace tessera::coll::sm
