// SPDX-License-Identifier: BSD-3-Clause
// Names and hints of communicators (MPI-5.0 §7.4.4, §7.8).
#include <cstring>

#include "api/comm/make.h"
#include "api/env/memory_kinds.h"
#include "api/names.h"
#include "core/object/info.h"

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Comm_set_name)
extern "C" int PMPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
  Arguments arguments("MPI_Comm_set_name", comm);
  if (arguments.comm() == nullptr || !arguments.input(comm_name, "comm_name"))
    return arguments.raised();
  EngineGuard guard(world.engine->progress());
  arguments.comm()->set_name(name_from(comm_name));
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Comm_get_name)
extern "C" int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  Arguments arguments("MPI_Comm_get_name", comm);
  if (arguments.comm() == nullptr && !(world.active() && comm == MPI_COMM_NULL))
    return arguments.raised();
  if (!arguments.pointer(comm_name, "comm_name") || !arguments.pointer(resultlen, "resultlen")) {
    return arguments.raised();
  }
  store_name(comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : arguments.comm()->user_name(), comm_name,
             resultlen);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Comm_set_info)
extern "C" int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  Arguments arguments("MPI_Comm_set_info", comm);
  if (arguments.comm() == nullptr || !right_info(arguments, info)) return arguments.raised();
  EngineGuard guard(world.engine->progress());
  Hints hints;
  if (!take_hints(arguments, info, true, hints)) return arguments.raised();
  for (const auto& [key, value] : hints) arguments.comm()->set_hint(key, value);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Comm_get_info)
extern "C" int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  Arguments arguments("MPI_Comm_get_info", comm);
  if (arguments.comm() == nullptr || !arguments.pointer(info_used, "info_used"))
    return arguments.raised();
  Info* info = new Info();
  for (const auto& [key, value] : arguments.comm()->hints()) info->set(key, value);
  answer_memory_kinds(*info);
  *info_used = handle_of<MPI_Info>(info);
  return MPI_SUCCESS;
}
