// SPDX-License-Identifier: BSD-3-Clause
// The one source of events: this process, by its monotonic clock.
#include <limits>

#include "api/handle.h"
#include "api/tool/state.h"
#include "core/object/info.h"

using namespace tessera;
using namespace tessera::api;

namespace {

constexpr int kSources = 1;

}  // namespace

TESSERA_WEAK_ALIAS(MPI_T_source_get_num)
extern "C" int PMPI_T_source_get_num(int* num_sources) {
  return tool_call([&](Tools&) {
    if (num_sources == nullptr) return MPI_T_ERR_INVALID;
    *num_sources = kSources;
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_source_get_info)
extern "C" int PMPI_T_source_get_info(int source_index, char* name, int* name_len, char* desc,
                                      int* desc_len, MPI_T_source_order* ordering,
                                      MPI_Count* ticks_per_second, MPI_Count* max_ticks,
                                      MPI_Info* info) {
  return tool_call([&](Tools&) {
    if (source_index < 0 || source_index >= kSources) return MPI_T_ERR_INVALID_INDEX;
    give_text("process", name, name_len);
    give_text("This process, by the monotonic clock of the system.", desc, desc_len);
    give(ordering, MPI_T_SOURCE_ORDERED);
    give(ticks_per_second, 1'000'000'000);
    give(max_ticks, std::numeric_limits<MPI_Count>::max());
    if (info != nullptr) *info = handle_of<MPI_Info>(new Info);
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_source_get_timestamp)
extern "C" int PMPI_T_source_get_timestamp(int source_index, MPI_Count* timestamp) {
  if (tools().uses.load() == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (source_index < 0 || source_index >= kSources) return MPI_T_ERR_INVALID_INDEX;
  if (timestamp == nullptr) return MPI_T_ERR_INVALID;
  *timestamp = event_clock();
  return MPI_SUCCESS;
}
