// SPDX-License-Identifier: BSD-3-Clause
#include "core/object/initial_errhandler.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "framework/text.h"

namespace tessera {

Result<Errhandler::Action> handler_named(std::string_view what, std::string_view name) noexcept {
  constexpr std::pair<std::string_view, Errhandler::Action> known[] = {
      {"mpi_errors_are_fatal", Errhandler::Action::fatal},
      {"mpi_errors_abort", Errhandler::Action::abort},
      {"mpi_errors_return", Errhandler::Action::return_code},
  };
  for (const auto& [text, action] : known)
    if (text::equal_ignoring_case(name, text)) return action;
  return Status::failure(
      Errc::argument,
      std::string(what) + " is '" + std::string(name) +
          "'; mpi_errors_are_fatal, mpi_errors_abort and mpi_errors_return are known");
}

Status check_initial_errhandler() noexcept {
  const char* const name = std::getenv(kInitialErrhandler);
  return name == nullptr || *name == 0 ? Status()
                                       : handler_named(kInitialErrhandler, name).status();
}

Errhandler::Action initial_errhandler() noexcept {
  const char* const name = std::getenv(kInitialErrhandler);
  if (name == nullptr) return Errhandler::Action::fatal;
  auto action = handler_named(kInitialErrhandler, name);
  return action.ok() ? *action : Errhandler::Action::fatal;
}

}  // namespace tessera
