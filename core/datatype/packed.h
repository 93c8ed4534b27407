// SPDX-License-Identifier: BSD-3-Clause
// Data set next to each other, in type-map order, in the form that the receiver unpacks.
#pragma once

#include "core/datatype/checked.h"
#include "core/datatype/type_object.h"

namespace tessera {

// native: as it is in memory. external32: for a process of another MPI system.
enum class PackedForm : std::uint8_t { native, external32 };

Checked packed_size(const TypeObject& type, Count count, PackedForm form) noexcept;
// Writes packed_size() bytes. type: a value does not fit its external32 form.
Status pack_data(const TypeObject& type, const void* data, Count count, PackedForm form,
                 std::byte* out) noexcept;
// Reads as many.
void unpack_data(const TypeObject& type, void* data, Count count, PackedForm form,
                 const std::byte* in) noexcept;

// ok, or why the values cannot go to another system.
Status fit_for_other_systems(const TypeObject& type, const void* data, Count count) noexcept;

}  // namespace tessera
