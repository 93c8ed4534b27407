// SPDX-License-Identifier: BSD-3-Clause
// The last schedule of each operation, for a call like the one before: KeptSchedules.
#pragma once
//
// Contract. A schedule depends on the communicator and on the numbers and types of a call. So a
// call that has the same as the last one of its operation gets a copy of that one's schedule: a
// third of the instructions (docs/decisions/0150). Calls with arrays, and with types or operations
// of a program, which may be freed and made anew in the same place, are left alone.
//
#include <array>
#include <cstdint>
#include <memory>

#include "tessera/coll.h"

namespace tessera::coll::basic {

class KeptSchedules {
 public:
  // For a communicator: a number that no other one has had.
  std::uint64_t next_number() noexcept { return ++numbers_; }

  // If the schedule of such a call of communicator `number` is kept, a fresh one becomes like it.
  bool recall(std::uint64_t number, const Call& call, Schedule& schedule) const noexcept;
  // Of two such calls in a row, the schedule is kept.
  void note(std::uint64_t number, const Call& call, const Schedule& schedule) noexcept;

  // Schedules that this process needed, kept or not.
  void count() noexcept { ++counted_; }
  std::uint64_t counted() const noexcept { return counted_; }

 private:
  struct Key {
    std::uint64_t number = 0;
    int root = 0;
    bool in_place = false;
    const Op* op = nullptr;
    Count sent = 0, received = 0;
    const Datatype* send_type = nullptr;
    const Datatype* receive_type = nullptr;
    bool operator==(const Key&) const noexcept = default;
  };
  struct Last {
    Key key;
    bool kept = false;
    std::unique_ptr<Schedule> schedule;
  };
  static bool plain(const Call& call) noexcept;
  static Key key_of(std::uint64_t number, const Call& call) noexcept;

  std::array<Last, kOperations> last_;
  std::uint64_t numbers_ = 0;
  std::uint64_t counted_ = 0;
};

}  // namespace tessera::coll::basic
