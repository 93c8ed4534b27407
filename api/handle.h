// SPDX-License-Identifier: BSD-3-Clause
// From handles to objects and back.
#pragma once

#include <cstdint>
#include <string>

#include "api/api.h"
#include "api/env/world.h"
#include "tessera/data.h"

namespace tessera::api {

// Predefined handles are numbers below this one (MPI 5.0, section 20.3.3); every object lies above
// it.
constexpr std::uintptr_t predefined_end = 0x1000;

template <class Handle>
std::uintptr_t number_of(Handle handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

// True for null pointers as well, which are not handles at all.
template <class Handle>
bool is_predefined(Handle handle) noexcept {
  return number_of(handle) < predefined_end;
}

// Which of the places where an object can lie this is, from 0 on. What lies below the first or
// between two of them gets a large number, so that one comparison tells whether it is one.
constexpr std::uintptr_t place_number(std::uintptr_t address) noexcept {
  static_assert(alignof(Object) == 8);
  const std::uintptr_t from_first = address - predefined_end;
  return from_first >> 3 | from_first << 61;
}
// As many as there are: no process has memory beyond, and processors fault there.
#if defined(__x86_64__)
constexpr int address_bits = 47;
#else
constexpr int address_bits = 56;
#endif
constexpr std::uintptr_t all_places = place_number(std::uintptr_t{1} << address_bits);

// Whether it is one of the first so many.
inline bool is_place(std::uintptr_t address, std::uintptr_t places) noexcept {
  if (place_number(address) >= places) return false;
  if (address == 0) __builtin_unreachable();  // which the rotation hides from the compiler
  return true;
}

// The object behind a handle that is not predefined; null if it is none of this kind. Handles of
// freed objects are recognized as long as their memory is kept (core/object/freed_objects.cpp).
// While MPI is not active there is no object, whatever memory has been left behind.
template <class T, ObjectKind kind, class Handle>
T* find_object(Handle handle) noexcept {
  if (!is_place(number_of(handle), world.handles)) return nullptr;
  Object* object = reinterpret_cast<Object*>(handle);
  return object->kind() == kind ? static_cast<T*>(object) : nullptr;
}

// The same whether MPI is active or not: for kinds that programs may use at any time (MPI-5.0
// §11.4.1), and for datatypes, where each call that uses one has asked for something else before.
template <class T, ObjectKind kind, class Handle>
T* find_object_always(Handle handle) noexcept {
  if (is_predefined(handle) || number_of(handle) % alignof(Object) != 0) return nullptr;
  Object* object = reinterpret_cast<Object*>(handle);
  return object->kind() == kind ? static_cast<T*>(object) : nullptr;
}

// The handle of an object; it stands for one reference, which the call that frees the handle gives
// up.
template <class Handle>
Handle handle_of(Object* object) noexcept {
  return reinterpret_cast<Handle>(object);
}

// Why find_object() said no, for a message: "it is MPI_COMM_NULL", "it was freed", "it is a
// request", "0x7ffd12345678 was never a handle".
[[gnu::cold]] std::string why_none(std::uintptr_t handle, ObjectKind wanted);
template <class Handle>
std::string why_none(Handle handle, ObjectKind wanted) {
  return why_none(number_of(handle), wanted);
}

}  // namespace tessera::api
