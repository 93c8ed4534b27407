// SPDX-License-Identifier: BSD-3-Clause
// The loops of the predefined reductions.
#pragma once
//
// Each loop is compiled for the baseline of the architecture and, on x86-64,
// for AVX2 and AVX-512; the widest that the processor has is used. Integers
// wrap around. MPI_MIN and MPI_MAX keep the value of the in-out buffer unless
// the other one is less or greater, so a NaN there stays and a NaN in the in
// buffer is passed over. Complex products follow the school formula, without
// special care for infinities.
//
#include "core/datatype/basic.h"
#include "tessera/data.h"

namespace tessera::op {

constexpr int kOperations = static_cast<int>(Operation::minimum_place) + 1;

// Null where there is no such loop. Whether the standard defines the reduction
// is not asked here.
Loop number_loop(Operation operation, Number number) noexcept;
// For maximum_place and minimum_place only.
Loop pair_loop(Operation operation, Number value, Number index) noexcept;
// The instruction set of the loops: "AVX-512", "AVX2" or "baseline".
const char* isa_name() noexcept;

}  // namespace tessera::op
