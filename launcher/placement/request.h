// SPDX-License-Identifier: BSD-3-Clause
// What the user asked about the places of ranks: PlacementRequest, and how options write it.
#pragma once
//
// Contract. The functions read the value of one option and change the request only when all of it
// is understood; a failure's text says what is allowed. Both families of launchers are understood.
// Where they differ, `dialect` decides: a single dash has Hydra's meaning, two have Open MPI's.
//
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/placement/cpu_map.h"
#include "tessera/status.h"

namespace tessera::launcher {

enum class Dialect : std::uint8_t { hydra, open_mpi };

// slot: CPU after CPU; object: from object to object in turn; ppr: so many on each object.
enum class Mapping : std::uint8_t { unsaid, slot, object, ppr };
enum class Ranking : std::uint8_t { as_mapped, object, fill };
// cpu_set: all of --cpu-set; ordered: one CPU of it each; listed: the sets of `listed` in turn.
enum class Binding : std::uint8_t { unsaid, none, object, cpu_set, ordered, listed };

// What a rank file says of one rank: the CPUs, as written, and where.
struct RankSlots {
  std::string slots;  // empty: it is not bound
  std::uint32_t line = 0;
};

struct PlacementRequest {
  using Cpus = std::vector<std::uint32_t>;

  Mapping mapping = Mapping::unsaid;
  Level map_level = Level::core;
  bool mapping_binds = false;       // without --bind-to: to what a rank was mapped to
  std::uint32_t per_object = 0;     // of ppr
  std::uint32_t cpus_per_rank = 0;  // 0: not said
  Ranking ranking = Ranking::as_mapped;
  Level rank_level = Level::core;
  Binding binding = Binding::unsaid;
  Level bind_level = Level::core;
  std::uint32_t bind_count = 1;          // objects that follow each other
  std::vector<Cpus> listed;              // numbers of the kernel
  Cpus cpu_set;                          // logical numbers of cores, or of hwthreads; empty: all
  std::string rank_file;                 // its path; empty: none
  std::vector<RankSlots> slots_by_rank;  // of the rank file; empty: it binds nobody
  bool kernel_numbers = false;           // those of the rank file are the kernel's, of CPUs
  std::string rank_map;                  // --rankmap, as written; empty: not said
  bool in_sequence = false;              // a rank for each entry of the lists of hosts
  bool hwthreads = false;                // CPUs are hwthreads, not cores
  bool overload_allowed = false;
  bool if_supported = false;
  bool oversubscribe = true;

  bool report_bindings = false;
  bool display_map = false;
  bool display_allocation = false;
  bool dry_run = false;

  // Whether the topology is needed.
  bool asked() const noexcept {
    return mapping == Mapping::object || mapping == Mapping::ppr || cpus_per_rank != 0 ||
           (binding != Binding::unsaid && binding != Binding::none) || !cpu_set.empty() ||
           !slots_by_rank.empty() || report_bindings || display_map || display_allocation ||
           dry_run;
  }
};

Status read_map_by(PlacementRequest& request, std::string_view text, Dialect dialect);
Status read_rank_by(PlacementRequest& request, std::string_view text);
Status read_bind_to(PlacementRequest& request, std::string_view text);
// "0-3,6"
Status read_cpu_set(PlacementRequest& request, std::string_view text);

}  // namespace tessera::launcher
