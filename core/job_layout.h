// SPDX-License-Identifier: BSD-3-Clause
// The header page of a job segment. Private to job_segment*.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/job_segment.h"

namespace tessera {

inline constexpr char kJobMagic[8] = {'T', 'E', 'S', 'S', 'J', 'O', 'B', '\n'};
inline constexpr std::uint32_t kJobLayout =
    3;  // changes with any change to the header or to RankPage

// A region is claimed by the first process that wants its name, in the first free entry; entries
// are never freed, so that all processes meet the same names in the same order.
enum class EntryState : std::uint32_t { free, claimed, ready, failed };

struct RegionEntry {
  std::atomic<EntryState> state;
  char name[kRegionNameBytes + 1];
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct TextPlace {
  std::uint64_t offset;
  std::uint64_t bytes;
};

struct alignas(kRankPageBytes) JobHeader {
  char magic[8];
  std::uint32_t layout;
  std::uint32_t page_bytes;
  std::uint64_t job_id;
  std::uint32_t ranks;
  std::uint32_t local_ranks;
  std::uint32_t usable_cpus;
  std::int32_t launcher_pid;
  TextPlace texts[kJobTexts];
  std::uint64_t fixed_bytes;           // header, rank pages and texts
  std::atomic<std::uint32_t> aborter;  // rank + 1 of the first MPI_Abort
  std::atomic<std::uint64_t>
      opinion;  // of the first rank that had one (equal_params.h); 0: none yet
  std::atomic<std::uint64_t> next_offset;  // where the next region begins
  RegionEntry regions[kRegions];
};
static_assert(sizeof(JobHeader) == kRankPageBytes);

}  // namespace tessera
