// SPDX-License-Identifier: BSD-3-Clause
// What the machine has, and what this process is restricted to (MPI-5.0 §9.1.2).
#include "tessera/hardware.h"

#include "api/api.h"
#include "api/errors/error.h"
#include "api/handle.h"
#include "core/object/info.h"

using namespace tessera;
using namespace tessera::api;

TESSERA_WEAK_ALIAS(MPI_Get_hw_resource_info)
extern "C" int PMPI_Get_hw_resource_info(MPI_Info* hw_info) {
  if (hw_info == nullptr)
    return raise("MPI_Get_hw_resource_info", MPI_ERR_ARG, null_pointer("hw_info"));
  Info* info = new Info;
  for (const HardwareResource& resource : hardware_resources())
    info->set(resource.name, resource.instance >= 0 ? "true" : "false");
  *hw_info = handle_of<MPI_Info>(info);
  return MPI_SUCCESS;
}
