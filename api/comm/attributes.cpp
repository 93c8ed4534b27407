// SPDX-License-Identifier: BSD-3-Clause
// Keyvals, and what becomes of callbacks that fail (MPI-5.0 §7.7).
#include "api/comm/attributes.h"

#include <fmt/format.h>

#include "api/env/world.h"
#include "api/errors/error_codes.h"

namespace tessera::api {
namespace {

// The ABI's predefined copy functions are the addresses 0 (copies nothing) and 1 (copies the
// pointer).
bool is_dup(Keyval::Copy copy) noexcept {
  return copy == reinterpret_cast<Keyval::Copy>(MPI_COMM_DUP_FN);
}

bool predefined(int number) noexcept {
  return number >= MPI_TAG_UB && number <= MPI_UNIVERSE_SIZE;
}

}  // namespace

int outcome_of_callbacks(const char* function, const ErrorContext& object, int code) noexcept {
  if (code == MPI_SUCCESS) return code;
  if (ErrorCodes::instance().class_of(code)) return call_handler(function, object, code);
  return raise(
      function, object, MPI_ERR_OTHER,
      fmt::format(
          "a copy or delete function of an attribute returned {}; it must return MPI_SUCCESS "
          "for the operation to take place",
          code));
}

int create_keyval(const char* function, KeyvalOf of, Keyval::Copy copy, Keyval::Delete destroy,
                  void* extra, int* number) noexcept {
  if (!world.active()) return raise_not_active(function);
  if (number == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("keyval"));
  EngineGuard guard(world.engine->progress());
  Keyval keyval;
  keyval.of = of;
  keyval.dup = is_dup(copy);
  keyval.copy = keyval.dup ? nullptr : copy;
  keyval.destroy = destroy;
  keyval.extra = extra;
  *number = world.engine->keyvals().add(keyval);
  return MPI_SUCCESS;
}

int free_keyval(const char* function, KeyvalOf of, int* number) noexcept {
  if (!world.active()) return raise_not_active(function);
  if (number == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("keyval"));
  EngineGuard guard(world.engine->progress());
  if (find_keyval(of, *number) == nullptr) return raise_not_keyval(function, no_object(), *number);
  world.engine->keyvals().remove(*number);
  *number = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

std::shared_ptr<Keyval> find_keyval(KeyvalOf of, int number) noexcept {
  auto keyval = world.engine->keyvals().find(number);
  return keyval != nullptr && keyval->of == of ? keyval : nullptr;
}

bool deletable(KeyvalOf of, int number, const AttributeSet& attributes) noexcept {
  return find_keyval(of, number) != nullptr || attributes.find(number) != nullptr;
}

int raise_not_keyval(const char* function, const ErrorContext& object, int number) noexcept {
  if (number == MPI_KEYVAL_INVALID) {
    return raise(function, object, MPI_ERR_KEYVAL, "the keyval is MPI_KEYVAL_INVALID");
  }
  if (predefined(number)) {
    return raise(function, object, MPI_ERR_KEYVAL,
                 fmt::format("the keyval {} is one of MPI's own attributes, which can only be read",
                             number));
  }
  return raise(
      function, object, MPI_ERR_KEYVAL,
      fmt::format("the keyval {} does not exist, was freed, or is for another kind of object",
                  number));
}

}  // namespace tessera::api
