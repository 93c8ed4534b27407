// SPDX-License-Identifier: BSD-3-Clause
// Parameters that must be equal on all ranks are compared when ranks start.
#pragma once
//
// Contract. Every rank calls check_equal_params() once, in MPI_Init. Nobody waits: the first rank
// to come leaves its opinion (a hash of all uniform values) in the job segment, every later one
// compares with it. Values are written out only by ranks that have some that are not defaults, so
// that the usual job pays one atomic operation per rank.
//
#include "core/job/segment.h"
#include "framework/param_registry.h"

namespace tessera {

// Errc::argument when this rank and the first one differ; the text names both ranks, the
// parameters, their values and where these came from.
Status check_equal_params(const ParamRegistry& params, const JobView& view);

// What the processes of this node agree on, as a number to compare with other nodes'.
std::uint64_t opinion_of(const JobSegment& segment) noexcept;

}  // namespace tessera
