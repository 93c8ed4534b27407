// SPDX-License-Identifier: BSD-3-Clause
// From MPI_Request to Request and back.
#pragma once
//
// Requests serve again and again. So the upper bits of a handle say which of its lives the request
// was in (core/object/freed_objects.h): a handle that was kept too long stands for no request,
// until the lives have come round, 32 of them.
//
#include "api/handle.h"
#include "core/object/freed_objects.h"
#include "tessera/comm.h"

namespace tessera::api {

static_assert(sizeof(std::uintptr_t) == 8, "the upper bits of an address are free");
constexpr int life_shift = 51;  // from the bits of a kind to those above every address
constexpr std::uintptr_t life_bits = std::uintptr_t{kLives} << life_shift;

constexpr std::uintptr_t place_of_request(std::uintptr_t handle) noexcept {
  return handle & ~life_bits;
}

inline Request* find_request(MPI_Request handle) noexcept {
  const std::uintptr_t number = number_of(handle);
  const std::uintptr_t place = place_of_request(number);
  if (!is_place(place, world.handles)) return nullptr;
  Object* const object = reinterpret_cast<Object*>(place);
  const auto expected = static_cast<std::uint32_t>(ObjectKind::request) +
                        static_cast<std::uint32_t>((number & life_bits) >> life_shift);
  return static_cast<std::uint32_t>(object->kind()) == expected ? static_cast<Request*>(object)
                                                                : nullptr;
}

inline MPI_Request handle_of(Request& request) noexcept {
  const std::uintptr_t life = static_cast<std::uint32_t>(request.kind()) & kLives;
  return reinterpret_cast<MPI_Request>(number_of(static_cast<Object*>(&request)) |
                                       life << life_shift);
}

}  // namespace tessera::api
