// SPDX-License-Identifier: BSD-3-Clause
// The header page of a job segment. Private to core/job/{regions,segment,view}.cpp.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/job/segment.h"

namespace tessera {

inline constexpr char kJobMagic[8] = {'T', 'E', 'S', 'S', 'J', 'O', 'B', '\n'};
inline constexpr std::uint32_t kJobLayout =
    7;  // changes with any change to the header, the directory or RankPage

// A region is made by the first process that wants its name, in a free entry, and given back by the
// last one that holds it. Entries are read and written under the directory's lock, which the kernel
// hands on when its holder dies; `claimed` is an entry that a process was working on then.
enum class EntryState : std::uint32_t { free, claimed, ready, failed };

struct RegionEntry {
  EntryState state;
  std::uint32_t holders;  // calls of shared() less calls of release(), of all processes
  char name[kRegionNameBytes + 1];
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t room;  // what the entry has of the file, kept for its next use; 0: nothing yet
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
  std::uint32_t ranks;     // of this node, each with a page
  std::uint32_t job_size;  // ranks of all nodes
  std::uint32_t node;      // which one this is
  std::uint32_t nodes;
  std::uint32_t usable_cpus;
  std::int32_t launcher_pid;
  TextPlace texts[kJobTexts];
  std::uint32_t recovers;              // nonzero: survivors go on when a rank dies
  std::atomic<std::uint32_t> deaths;   // ranks that died
  std::uint64_t spawn_server;          // where mpiexec takes orders; 0: nowhere
  std::uint64_t fixed_bytes;           // header, rank pages and texts
  std::atomic<std::uint32_t> aborter;  // rank + 1 of the first MPI_Abort
  std::atomic<std::uint64_t>
      opinion;                     // of the first rank that had one (equal_params.h); 0: none yet
  pthread_mutex_t directory_lock;  // shared and robust
  std::uint64_t next_offset;       // where the next region begins
};
static_assert(sizeof(JobHeader) == kRankPageBytes);

struct RegionDirectory {
  RegionEntry entries[kRegions];
};
inline constexpr std::size_t kDirectoryBytes = sizeof(RegionDirectory);
static_assert(kDirectoryBytes % kRankPageBytes == 0);

}  // namespace tessera
