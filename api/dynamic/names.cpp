// SPDX-License-Identifier: BSD-3-Clause
// Published names (MPI-5.0 §11.9.4).
#include <fmt/format.h>

#include <cstring>

#include "api/dynamic/meeting.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The questions that all three ask; false: reported.
bool right(const char* function, const char* service, MPI_Info info, const char* port, int& code) {
  code = MPI_SUCCESS;
  if (!world.active())
    code = raise_not_active(function);
  else if (service == nullptr)
    code = raise(function, MPI_ERR_ARG, null_pointer("service_name"));
  else if (port == nullptr)
    code = raise(function, MPI_ERR_ARG, null_pointer("port_name"));
  else if (info != MPI_INFO_NULL && find_info(info) == nullptr)
    code = raise(function, MPI_ERR_INFO,
                 "argument `info` is no info object; MPI_INFO_NULL stands for none");
  else if (std::strlen(service) > MPI_MAX_INFO_VAL)
    code = raise(function, MPI_ERR_SERVICE,
                 fmt::format("argument `service_name` has {} characters; it may have {}",
                             std::strlen(service), MPI_MAX_INFO_VAL));
  return code == MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Publish_name)
extern "C" int PMPI_Publish_name(const char* service_name, MPI_Info info, const char* port_name) {
  constexpr const char* function = "MPI_Publish_name";
  int code = MPI_SUCCESS;
  if (!right(function, service_name, info, port_name, code)) return code;
  if (std::strlen(port_name) == 0 || std::strlen(port_name) > kMostPortName) {
    return raise(function, MPI_ERR_PORT,
                 "argument `port_name` is not the name of a port; MPI_Open_port gives one");
  }
  EngineGuard guard(world.engine->progress());
  if (Status s = world.engine->dynamic().names().publish(service_name, port_name); !s)
    return raise(function, MPI_ERR_SERVICE, s.text());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Unpublish_name)
extern "C" int PMPI_Unpublish_name(const char* service_name, MPI_Info info, const char* port_name) {
  constexpr const char* function = "MPI_Unpublish_name";
  int code = MPI_SUCCESS;
  if (!right(function, service_name, info, port_name, code)) return code;
  EngineGuard guard(world.engine->progress());
  if (Status s = world.engine->dynamic().names().withdraw(service_name); !s)
    return raise(function, MPI_ERR_SERVICE, s.text());
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Lookup_name)
extern "C" int PMPI_Lookup_name(const char* service_name, MPI_Info info, char* port_name) {
  constexpr const char* function = "MPI_Lookup_name";
  int code = MPI_SUCCESS;
  if (!right(function, service_name, info, port_name, code)) return code;
  auto port = look_up(service_name);
  if (!port.ok()) return raise(function, MPI_ERR_NAME, port.status().text());
  std::memcpy(port_name, port->c_str(), port->size() + 1);
  return MPI_SUCCESS;
}
