// SPDX-License-Identifier: BSD-3-Clause
// The operations that are put together from operations of teams: one file each.
#pragma once
//
// Contract. A Way writes down the part of this process. It may throw std::bad_alloc; other failures
// are the composer's status(). What it needs is what lies below for the operations of its `parts`.
//
#include <initializer_list>
#include <span>

#include "composer.h"

namespace tessera::coll::hierarchy {

struct Way {
  Operation operation;
  // `segment`: bytes that go from level to level at a time; only where `segments` is set.
  void (*emit)(Composer& composer, Count segment);
  bool segments;
  bool ranks_in_order;  // needs a tree in which positions are ranks
  std::span<const Operation> parts;
};

// Null: there is none.
const Way* way_of(Operation operation) noexcept;

void barrier(Composer& composer, Count segment);
void bcast(Composer& composer, Count segment);
void reduce(Composer& composer, Count segment);
void allreduce(Composer& composer, Count segment);
void gather(Composer& composer, Count segment);
void scatter(Composer& composer, Count segment);
void allgather(Composer& composer, Count segment);  // and allgatherv
void alltoall(Composer& composer, Count segment);
void reduce_scatter(Composer& composer, Count segment);  // and reduce_scatter_block
void scan(Composer& composer, Count segment);            // and exscan

}  // namespace tessera::coll::hierarchy
