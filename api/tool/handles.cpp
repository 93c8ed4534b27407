// SPDX-License-Identifier: BSD-3-Clause
// Start and end of the tools interface, enumerations, and binding.
#include "api/tool/handles.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::api;

namespace tessera::api {

bool Binding::take(const void* object) noexcept {
  if (object == nullptr) return false;
  handle = *static_cast<const MPI_Comm*>(object);
  const Comm* comm = find_comm(handle);
  if (comm == nullptr) return false;
  bound = true;
  context = comm->context();
  return true;
}

Comm* Binding::comm() const noexcept {
  if (!bound || !world.active()) return nullptr;
  Comm* comm = find_comm(handle);
  return comm != nullptr && comm->context() == context ? comm : nullptr;
}

}  // namespace tessera::api

namespace {

const Enumeration* find_enum(const Tools& tools, MPI_T_enum handle) noexcept {
  for (const Enumeration& known : tools.catalog.enumerations()) {
    if (handle_of_enum(&known) == handle) return &known;
  }
  return nullptr;
}

}  // namespace

// The level is that of the tools interface alone: all its functions lock.
TESSERA_WEAK_ALIAS(MPI_T_init_thread)
extern "C" int PMPI_T_init_thread(int required, int* provided) {
  const std::array levels{MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                          MPI_THREAD_MULTIPLE};
  if (std::find(levels.begin(), levels.end(), required) == levels.end()) return MPI_T_ERR_INVALID;
  try {
    const ToolScope scope;
    Tools& all = tools();
    if (all.uses.load() == 0 && !all.load().ok()) return MPI_T_ERR_CANNOT_INIT;
    ++all.uses;
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  }
  give(provided, MPI_THREAD_MULTIPLE);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_T_finalize)
extern "C" int PMPI_T_finalize() {
  const auto body = [](Tools& all) {
    if (--all.uses == 0) {
      all.end_all();
      all.kernel.reset();
    }
    return MPI_SUCCESS;
  };
  return tool_call(body, Listening::changes);
}

TESSERA_WEAK_ALIAS(MPI_T_enum_get_info)
extern "C" int PMPI_T_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  return tool_call([&](Tools& all) {
    const Enumeration* values = find_enum(all, enumtype);
    if (values == nullptr) return MPI_T_ERR_INVALID_HANDLE;
    give(num, values->items.size());
    give_text(values->name, name, name_len);
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_enum_get_item)
extern "C" int PMPI_T_enum_get_item(MPI_T_enum enumtype, int indx, int* value, char* name,
                                    int* name_len) {
  return tool_call([&](Tools& all) {
    const Enumeration* values = find_enum(all, enumtype);
    if (values == nullptr) return MPI_T_ERR_INVALID_HANDLE;
    const std::string* item = element(values->items, indx);
    if (item == nullptr) return MPI_T_ERR_INVALID_INDEX;
    give(value, indx);
    give_text(*item, name, name_len);
    return MPI_SUCCESS;
  });
}
