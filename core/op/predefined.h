// SPDX-License-Identifier: BSD-3-Clause
// The predefined reduction operations of the standard ABI.
#pragma once

#include <cstdint>
#include <optional>

#include "tessera/data.h"

namespace tessera {

// The operation behind a predefined handle value (MPI_SUM is 0x21), or null.
// MPI_REPLACE and MPI_NO_OP take any type.
const Op* predefined_op(std::uintptr_t handle) noexcept;

// What a predefined operation is; none for MPI_REPLACE and MPI_NO_OP, and for those of users.
std::optional<op::Operation> operation_of(const Op& op) noexcept;

namespace op {

// A reduction that is used for the first time.
struct Wanted {
  Operation operation;
  Number number;
  Number index;  // none unless elements are pairs
  Loop own;      // the engine's
  const char* operation_name;
  const char* type_name;
};

// Somebody who may know better loops than the engine's own.
class LoopSource {
 public:
  // Sets the loop to use from now on. A failure is that of the reduction, and the next use asks
  // again.
  virtual Status choose(const Wanted& wanted, Loop& loop) noexcept = 0;

 protected:
  ~LoopSource() = default;
};

// The predefined operations belong to the process, as their handles do. So does the source: where
// several Instances are in one process, the first to attach is asked until it detaches; then all
// reductions use the engine's own loops again, and nobody may be reducing meanwhile.
void attach_loop_source(LoopSource& source) noexcept;
void detach_loop_source(LoopSource& source) noexcept;

}  // namespace op

}  // namespace tessera
