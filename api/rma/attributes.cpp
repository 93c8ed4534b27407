// SPDX-License-Identifier: BSD-3-Clause
// Attributes of windows, the predefined ones and those of users (MPI-5.0 §7.7.3, §12.2.7).
#include "api/comm/attributes.h"

#include "api/rma/arguments.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Where a predefined attribute is, or null. The base is itself the value.
void* predefined_value(Win& window, int keyval) noexcept {
  Win::Attributes& values = window.values();
  switch (keyval) {
    case MPI_WIN_BASE:
      return reinterpret_cast<void*>(window.own().base);
    case MPI_WIN_SIZE:
      return &values.size;
    case MPI_WIN_DISP_UNIT:
      return &values.unit;
    case MPI_WIN_CREATE_FLAVOR:
      return &values.flavor;
    case MPI_WIN_MODEL:
      return &values.model;
    default:
      return nullptr;
  }
}

bool predefined(int keyval) noexcept {
  return keyval == MPI_WIN_BASE || keyval == MPI_WIN_SIZE || keyval == MPI_WIN_DISP_UNIT ||
         keyval == MPI_WIN_CREATE_FLAVOR || keyval == MPI_WIN_MODEL;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Win_create_keyval)
extern "C" int PMPI_Win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn,
                                      MPI_Win_delete_attr_function* win_delete_attr_fn,
                                      int* win_keyval, void* extra_state) {
  return create_keyval(
      "MPI_Win_create_keyval", KeyvalOf::window, reinterpret_cast<Keyval::Copy>(win_copy_attr_fn),
      reinterpret_cast<Keyval::Delete>(win_delete_attr_fn), extra_state, win_keyval);
}

TESSERA_WEAK_ALIAS(MPI_Win_free_keyval)
extern "C" int PMPI_Win_free_keyval(int* win_keyval) {
  return free_keyval("MPI_Win_free_keyval", KeyvalOf::window, win_keyval);
}

TESSERA_WEAK_ALIAS(MPI_Win_set_attr)
extern "C" int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
  constexpr const char* function = "MPI_Win_set_attr";
  Win* window = find_window(win);
  if (window == nullptr) return raise_not_window(function, win);
  EngineGuard guard(world.engine->progress());
  const auto keyval = find_keyval(KeyvalOf::window, win_keyval);
  if (keyval == nullptr) return raise_not_keyval(function, object_of(*window), win_keyval);
  return outcome_of_callbacks(function, object_of(*window),
                              window->attributes().set(win, keyval, attribute_val));
}

TESSERA_WEAK_ALIAS(MPI_Win_get_attr)
extern "C" int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  constexpr const char* function = "MPI_Win_get_attr";
  WindowArguments arguments(function, win);
  if (!arguments.exists() || !arguments.pointer(attribute_val, "attribute_val") ||
      !arguments.pointer(flag, "flag"))
    return arguments.raised();
  Win& window = *arguments.window();
  EngineGuard guard(world.engine->progress());
  if (predefined(win_keyval)) {
    if (win_keyval == MPI_WIN_DISP_UNIT && window.values().unit != window.own().unit) {
      return raise(function, window, MPI_ERR_VALUE_TOO_LARGE,
                   "the displacement unit does not fit an int; MPI_Win_shared_query_c tells it");
    }
    *static_cast<void**>(attribute_val) = predefined_value(window, win_keyval);
    *flag = 1;
    return MPI_SUCCESS;
  }
  if (find_keyval(KeyvalOf::window, win_keyval) == nullptr)
    return raise_not_keyval(function, object_of(window), win_keyval);
  void* const* value = window.attributes().find(win_keyval);
  *flag = value != nullptr ? 1 : 0;
  if (value != nullptr) *static_cast<void**>(attribute_val) = *value;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_delete_attr)
extern "C" int PMPI_Win_delete_attr(MPI_Win win, int win_keyval) {
  constexpr const char* function = "MPI_Win_delete_attr";
  Win* window = find_window(win);
  if (window == nullptr) return raise_not_window(function, win);
  EngineGuard guard(world.engine->progress());
  if (!deletable(KeyvalOf::window, win_keyval, window->attributes()))
    return raise_not_keyval(function, object_of(*window), win_keyval);
  return outcome_of_callbacks(function, object_of(*window),
                              window->attributes().erase(win, win_keyval));
}
