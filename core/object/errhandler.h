// SPDX-License-Identifier: BSD-3-Clause
// What happens when an operation on an object fails. Source: MPI-5.0 §9.3.
#pragma once

#include "core/object/freed_objects.h"
#include "tessera/data.h"

namespace tessera {

// The kind of object whose handler this may be; predefined ones fit all.
enum class HandlerOf : std::uint8_t { any, communicator, window, file, session };

class Errhandler final : public Object {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::errhandler); }
  enum class Action : std::uint8_t { fatal, abort, return_code, call };
  using Function = void (*)(void* handle, int* code, ...);

  explicit Errhandler(Action action) noexcept : Object(ObjectKind::errhandler), action_(action) {}
  Errhandler(HandlerOf of, Function user) noexcept
      : Object(ObjectKind::errhandler), function_(user), of_(of), action_(Action::call) {}

  Action action() const noexcept { return action_; }
  Function function() const noexcept { return function_; }
  HandlerOf of() const noexcept { return of_; }
  bool predefined() const noexcept { return action_ != Action::call; }

 private:
  Function function_ = nullptr;
  HandlerOf of_ = HandlerOf::any;
  Action action_;
};

}  // namespace tessera
