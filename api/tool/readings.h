// SPDX-License-Identifier: BSD-3-Clause
// What a handle of a performance variable shows.
#pragma once

#include "api/tool/handles.h"

namespace tessera::api {

// Classes whose values are shown as they are, and neither started nor written: state, level, size,
// percentage. All others count from a handle's start on.
inline bool is_shown(VariableClass kind) noexcept {
  return kind <= VariableClass::percentage;
}
inline bool is_watermark(VariableClass kind) noexcept {
  return kind == VariableClass::highwatermark || kind == VariableClass::lowwatermark;
}

// A new handle: stopped, at its starting value.
void begin_readings(Tools& all, MPI_T_pvar_handle_t& handle);
void start_reading(Tools& all, MPI_T_pvar_handle_t& handle);
void stop_reading(Tools& all, MPI_T_pvar_handle_t& handle);
void reset_reading(Tools& all, MPI_T_pvar_handle_t& handle);
// The value through this handle, in the units of VariableClass.
std::vector<std::uint64_t> reading(Tools& all, MPI_T_pvar_handle_t& handle);
// From now on it counts on from these.
void set_reading(Tools& all, MPI_T_pvar_handle_t& handle, std::vector<std::uint64_t> values);

}  // namespace tessera::api
