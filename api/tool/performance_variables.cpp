// SPDX-License-Identifier: BSD-3-Clause
// Performance variables as they are listed, and their sessions and handles (MPI-5.0 §15.3.7).
#include "api/tool/readings.h"

using namespace tessera;
using namespace tessera::api;

namespace tessera::api {

void end_session(Tools& all, MPI_T_pvar_session session) noexcept {
  for (MPI_T_pvar_handle handle : session->handles) {
    all.collector.remove_mark(handle->mark);
    delete handle;
  }
  all.sessions.erase(session);
  delete session;
}

}  // namespace tessera::api

namespace {

MPI_Datatype type_of(VariableClass kind) noexcept {
  switch (kind) {
    case VariableClass::state:
      return MPI_INT;
    case VariableClass::percentage:
    case VariableClass::timer:
      return MPI_DOUBLE;
    default:
      return MPI_UNSIGNED_LONG_LONG;
  }
}

int class_of(VariableClass kind) noexcept {
  return MPI_T_PVAR_CLASS_STATE + static_cast<int>(kind);
}

// The processes whose values a handle shows, in the order of the communicator.
std::vector<std::uint32_t> peers_of(const Comm& comm) {
  std::vector<std::uint32_t> peers;
  for (int rank = 0; rank < comm.remote_size(); ++rank) peers.push_back(comm.peer(rank).id);
  return peers;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_T_pvar_get_num)
extern "C" int PMPI_T_pvar_get_num(int* num_pvar) {
  return tool_call([&](Tools& all) {
    if (num_pvar == nullptr) return MPI_T_ERR_INVALID;
    *num_pvar = static_cast<int>(all.catalog.variables().size());
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_get_info)
extern "C" int PMPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity,
                                    int* var_class, MPI_Datatype* datatype, MPI_T_enum* enumtype,
                                    char* desc, int* desc_len, int* bind, int* readonly,
                                    int* continuous, int* atomic) {
  return tool_call([&](Tools& all) {
    const PerformanceVariable* variable = element(all.catalog.variables(), pvar_index);
    if (variable == nullptr) return MPI_T_ERR_INVALID_INDEX;
    const VariableSpec& spec = variable->spec;
    const bool shown = is_shown(spec.kind);
    give_text(spec.name, name, name_len);
    give(verbosity, verbosity_of(spec.level));
    give(var_class, class_of(spec.kind));
    if (datatype != nullptr) *datatype = type_of(spec.kind);
    if (enumtype != nullptr) *enumtype = handle_of_enum(variable->values);
    give_text(spec.help, desc, desc_len);
    give(bind, spec.per_peer ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT);
    give(readonly, shown ? 1 : 0);
    give(continuous, shown ? 1 : 0);
    give(atomic, shown ? 0 : 1);
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_get_index)
extern "C" int PMPI_T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  return tool_call([&](Tools& all) {
    if (name == nullptr || pvar_index == nullptr) return MPI_T_ERR_INVALID;
    const int found = all.catalog.find_variable(name);
    const PerformanceVariable* variable = element(all.catalog.variables(), found);
    if (variable == nullptr || class_of(variable->spec.kind) != var_class)
      return MPI_T_ERR_INVALID_NAME;
    *pvar_index = found;
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_session_create)
extern "C" int PMPI_T_pvar_session_create(MPI_T_pvar_session* session) {
  return tool_call([&](Tools& all) {
    if (session == nullptr) return MPI_T_ERR_INVALID;
    auto* made = new MPI_T_pvar_session_t;
    all.sessions.insert(made);
    *session = made;
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_session_free)
extern "C" int PMPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  return tool_call([&](Tools& all) {
    if (session == nullptr || !all.sessions.contains(*session)) return MPI_T_ERR_INVALID_SESSION;
    end_session(all, *session);
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_handle_alloc)
extern "C" int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index,
                                        void* obj_handle, MPI_T_pvar_handle* handle, int* count) {
  return tool_call([&](Tools& all) {
    if (!all.sessions.contains(session)) return MPI_T_ERR_INVALID_SESSION;
    const PerformanceVariable* variable = element(all.catalog.variables(), pvar_index);
    if (variable == nullptr) return MPI_T_ERR_INVALID_INDEX;
    if (handle == nullptr) return MPI_T_ERR_INVALID;
    Binding binding;
    if (variable->spec.per_peer && !binding.take(obj_handle)) return MPI_T_ERR_INVALID;
    auto made = std::make_unique<MPI_T_pvar_handle_t>();
    made->variable = variable;
    made->cell = &all.collector.cell(variable->owner, variable->short_name());
    made->binding = binding;
    if (variable->spec.per_peer) made->peers = peers_of(*binding.comm());
    begin_readings(all, *made);
    session->handles.insert(made.get());
    give(count, made->kept.size());
    *handle = made.release();
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_handle_free)
extern "C" int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  return tool_call([&](Tools& all) {
    if (!all.sessions.contains(session)) return MPI_T_ERR_INVALID_SESSION;
    if (handle == nullptr || session->handles.erase(*handle) == 0) return MPI_T_ERR_INVALID_HANDLE;
    all.collector.remove_mark((*handle)->mark);
    delete *handle;
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
  });
}
