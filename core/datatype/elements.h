// SPDX-License-Identifier: BSD-3-Clause
// Counting basic elements. Source: MPI-5.0 §5.1.11 (MPI_Get_elements).
#pragma once

#include <optional>

#include "core/datatype/type_object.h"

namespace tessera {

// How many basic elements the first `bytes` bytes of data in copies of the type
// are; none if they end within one.
std::optional<Count> elements_in(const TypeObject& type, Count bytes) noexcept;
// How many bytes the first `elements` basic elements have.
Count bytes_of_elements(const TypeObject& type, Count elements) noexcept;

}  // namespace tessera
