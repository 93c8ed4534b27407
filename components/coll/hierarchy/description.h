// SPDX-License-Identifier: BSD-3-Clause
// What the user says about the machines of a job: Description.
#pragma once
//
// Format. A file in YAML has `levels`, the names of the groups from the outside in, and one of
// these:
//   shape: 2x4x8   so many groups of each level within one of the level before; a number more than
//                  there are levels is that of processes in an innermost group, else it is one.
//                  Ranks in order; those that are missing at the end leave their places empty.
//   groups: [[0..3, 4..7], [8..11, 12..15]]
//                  nested as deep as there are levels; an innermost group is a rank, a range,
//                  several of them in quotes ("0..3, 8"), or a list of these. Ranks beyond the job
//                  are left out.
// Ranks are those of MPI_COMM_WORLD. Groups of a level called `system` are joined by slow links.
// The file on one line:
//   {levels: [system, node], groups: [[0..3, 4..7], ["8, 9, 11", [10, 12..15]]]}
//
#include <string>
#include <vector>

#include "tree.h"

namespace tessera::coll::hierarchy {

// From the outside in; Level::group by rank in the job.
using Description = std::vector<Level>;

// Errc::argument: what is wrong, and what would be right. May throw std::bad_alloc.
Result<Description> read_shape(const std::string& shape, int processes);
// Names file and line. Errc::not_found, Errc::refused: the file is not there, or cannot be read.
Result<Description> read_description(const std::string& path, int processes);
Result<Description> parse_description(const std::string& path, const std::string& text,
                                      int processes);

}  // namespace tessera::coll::hierarchy
