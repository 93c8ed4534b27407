// SPDX-License-Identifier: BSD-3-Clause
// Name, group, info and error handler of a window (MPI-5.0 §12.2.7, §7.8, §9.3.2).
#include "api/names.h"

#include <fmt/format.h>

#include "api/comm/group_handle.h"
#include "api/comm/make.h"
#include "api/env/info_handle.h"
#include "api/env/memory_kinds.h"
#include "api/errors/errhandler_handle.h"
#include "api/errors/error_codes.h"
#include "api/rma/arguments.h"

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Win_set_name)
extern "C" int PMPI_Win_set_name(MPI_Win win, const char* win_name) {
  WindowArguments arguments("MPI_Win_set_name", win);
  if (!arguments.exists() || !arguments.pointer(win_name, "win_name")) return arguments.raised();
  EngineGuard guard(world.engine->progress());
  arguments.window()->set_name(name_from(win_name));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_get_name)
extern "C" int PMPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  constexpr const char* function = "MPI_Win_get_name";
  WindowArguments arguments(function, win);
  if (!arguments.exists() && !(world.active() && win == MPI_WIN_NULL)) return arguments.raised();
  if (win_name == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("win_name"));
  if (resultlen == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("resultlen"));
  store_name(win == MPI_WIN_NULL ? "MPI_WIN_NULL" : arguments.window()->name(), win_name,
             resultlen);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_get_group)
extern "C" int PMPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  WindowArguments arguments("MPI_Win_get_group", win);
  if (!arguments.exists() || !arguments.pointer(group, "group")) return arguments.raised();
  EngineGuard guard(world.engine->progress());
  Group* members = arguments.window()->own_comm().group().get();
  members->retain();
  *group = hand_over(members);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_set_info)
extern "C" int PMPI_Win_set_info(MPI_Win win, MPI_Info info) {
  WindowArguments arguments("MPI_Win_set_info", win);
  if (!arguments.exists() ||
      !arguments.that(info == MPI_INFO_NULL || find_info(info) != nullptr, MPI_ERR_INFO,
                      "argument `info` is no info object; MPI_INFO_NULL stands for none"))
    return arguments.raised();
  EngineGuard guard(world.engine->progress());
  arguments.window()->change_hints(hints_of(info));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_get_info)
extern "C" int PMPI_Win_get_info(MPI_Win win, MPI_Info* info_used) {
  WindowArguments arguments("MPI_Win_get_info", win);
  if (!arguments.exists() || !arguments.pointer(info_used, "info_used")) return arguments.raised();
  EngineGuard guard(world.engine->progress());
  auto* const info = new Info();
  for (const auto& [key, value] : arguments.window()->hints_in_effect()) info->set(key, value);
  answer_memory_kinds(*info);
  *info_used = handle_of<MPI_Info>(info);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_set_errhandler)
extern "C" int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  WindowArguments arguments("MPI_Win_set_errhandler", win);
  if (!arguments.exists()) return arguments.raised();
  Errhandler* handler = find_errhandler(errhandler);
  if (!arguments.that(handler != nullptr, MPI_ERR_ERRHANDLER,
                      "argument `errhandler` is no error handler, or one that was freed") ||
      !arguments.that(handler->of() == HandlerOf::any || handler->of() == HandlerOf::window,
                      MPI_ERR_ERRHANDLER,
                      "argument `errhandler` was made for another kind of object; "
                      "MPI_Win_create_errhandler makes those for windows"))
    return arguments.raised();
  EngineGuard guard(world.engine->progress());
  arguments.window()->set_errhandler(Ref<Errhandler>::share(handler));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_get_errhandler)
extern "C" int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) {
  WindowArguments arguments("MPI_Win_get_errhandler", win);
  if (!arguments.exists() || !arguments.pointer(errhandler, "errhandler"))
    return arguments.raised();
  Errhandler& handler = arguments.window()->errhandler();
  if (!handler.predefined()) handler.retain();  // the caller will free the handle
  *errhandler = handle_of(handler);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Win_call_errhandler)
extern "C" int PMPI_Win_call_errhandler(MPI_Win win, int errorcode) {
  WindowArguments arguments("MPI_Win_call_errhandler", win);
  if (!arguments.exists()) return arguments.raised();
  if (!ErrorCodes::instance().class_of(errorcode)) {
    return raise(arguments.function(), *arguments.window(), MPI_ERR_ARG,
                 fmt::format("argument `errorcode` is {}, which is not an error code", errorcode));
  }
  call_handler(arguments.function(), object_of(*arguments.window()), errorcode);
  return MPI_SUCCESS;
}
