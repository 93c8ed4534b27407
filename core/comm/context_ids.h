// SPDX-License-Identifier: BSD-3-Clause
// Where context ids come from.
#pragma once
//
// Contract. The Instance holds one source of context ids, which whoever connects this job with
// others may replace (Instance::replace_context_ids). To make a communicator, one of its processes
// draws and tells the others: nothing is searched, nothing is given back. An id is unique among all
// communicators that any process of this job takes part in. Bit 0 stays free for collectives (see
// comm.h), bit 1 for the hidden communicator of an intercommunicator's local group: one draw serves
// both.
//
#include "tessera/comm.h"

namespace tessera {

class ContextIds {
 public:
  // The same in all jobs; only processes of one job meet on them.
  static constexpr ContextId world = 4;
  static constexpr ContextId self = 8;
  static constexpr ContextId control =
      13;  // the engine's own exchanges; odd, for all processes take part

  virtual ~ContextIds() = default;
  // A multiple of 4.
  virtual ContextId draw() noexcept = 0;
  static constexpr ContextId of_local_group(ContextId drawn_by_its_leader) noexcept {
    return drawn_by_its_leader + 2;
  }
};

// Ids of a job on its own and of jobs that have met: 16 bits of the job's random number, 17 bits
// for the drawer, 29 for its counter. A drawer that has used up its counter goes on under a number
// that no process of the job has. Two jobs with the same 16 bits (tag_of) must not draw for common
// communicators; who connects them sees that and gives one of them another source.
class JobContextIds final : public ContextIds {
 public:
  JobContextIds(std::uint64_t job, std::uint32_t my_index, std::uint32_t size) noexcept
      : tag_(tag_of(job)), drawer_(my_index + 1), size_(size) {}
  static constexpr std::uint16_t tag_of(std::uint64_t job) noexcept {
    return static_cast<std::uint16_t>(job ^ job >> 16 ^ job >> 32 ^ job >> 48);
  }
  ContextId draw() noexcept override {
    const ContextId drawn =
        ContextId{tag_} << 48 | ContextId{drawer_} << 31 | ContextId{next_} << 2;
    next_ = (next_ + 1) % (1u << 29);
    if (next_ == 0) drawer_ += size_;
    return drawn;
  }

 private:
  std::uint16_t tag_;
  std::uint32_t drawer_;
  std::uint32_t size_;
  std::uint32_t next_ = 0;
};

}  // namespace tessera
