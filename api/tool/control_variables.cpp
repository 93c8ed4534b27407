// SPDX-License-Identifier: BSD-3-Clause
// Control variables: the parameters (MPI-5.0 §15.3.6).
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "api/tool/handles.h"
#include "core/comm/hints.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Room for a text, whatever is written to it.
constexpr int kTextRoom = 4096;
constexpr const char* kKeyPrefix = "tessera.";

MPI_Datatype type_of(const ControlVariable& variable) noexcept {
  if (variable.values != nullptr) return MPI_INT;
  switch (variable.spec.type) {
    case ParamType::integer:
      return MPI_COUNT;
    case ParamType::size:
      return MPI_UNSIGNED_LONG_LONG;
    case ParamType::real:
      return MPI_DOUBLE;
    default:
      return MPI_CHAR;
  }
}

int scope_of(const ControlVariable& variable) noexcept {
  if (variable.fixed) return MPI_T_SCOPE_READONLY;
  if (variable.of_communicator) return MPI_T_SCOPE_GROUP_EQ;
  return variable.spec.uniform ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL;
}

const ControlVariable& variable_of(const Tools& all, MPI_T_cvar_handle handle) noexcept {
  return *element(all.catalog.controls(), handle->index);
}

// What the engine reads again whenever it needs it.
bool live(std::string_view name) noexcept {
  constexpr std::array names{"mpi_argument_check",      "mpi_partitioned_unit",
                             "mpi_partitioned_at_once", "core_wait",
                             "core_spin_time",          "core_yield_time"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A component that was not loaded yet reads its parameters when it is; what must be equal on all
// ranks was compared in MPI_Init.
bool writable_now(const Tools& all, const ControlVariable& variable) {
  if (all.engine == nullptr || live(variable.name)) return true;
  return !variable.spec.component.empty() && !variable.spec.uniform &&
         !all.collector.opened(variable.spec.framework);
}

template <class T>
std::string number_text(const void* buffer) {
  T value;
  std::memcpy(&value, buffer, sizeof value);
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

// What a tool writes, as the text of a parameter; false: it is no value of this variable.
bool read_value(const ControlVariable& variable, const void* buffer, std::string& text) {
  if (variable.values != nullptr) {
    int value;
    std::memcpy(&value, buffer, sizeof value);
    const std::string* item = element(variable.values->items, value);
    if (item != nullptr) text = *item;
    return item != nullptr;
  }
  switch (variable.spec.type) {
    case ParamType::integer:
      return text = number_text<MPI_Count>(buffer), true;
    case ParamType::size:
      return text = number_text<unsigned long long>(buffer), true;
    case ParamType::real:
      return text = number_text<double>(buffer), true;
    default:
      const auto* begin = static_cast<const char*>(buffer);
      const void* end = std::memchr(begin, '\0', kTextRoom);
      if (end != nullptr) text.assign(begin, static_cast<const char*>(end));
      return end != nullptr;
  }
}

template <class T>
void store(T value, void* buffer) noexcept {
  std::memcpy(buffer, &value, sizeof value);
}

void write_value(const ControlVariable& variable, const ParamValue& value, int room, void* buffer) {
  if (const auto* yes = std::get_if<bool>(&value)) return store(*yes ? 1 : 0, buffer);
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return store(static_cast<MPI_Count>(*number), buffer);
  if (const auto* size = std::get_if<std::uint64_t>(&value))
    return store(static_cast<unsigned long long>(*size), buffer);
  if (const auto* real = std::get_if<double>(&value)) return store(*real, buffer);
  const auto& text = std::get<std::string>(value);
  if (variable.values != nullptr) return store(variable.values->value_of(text), buffer);
  const std::size_t cut = std::min(text.size(), static_cast<std::size_t>(room) - 1);
  std::memcpy(buffer, text.data(), cut);
  static_cast<char*>(buffer)[cut] = '\0';
}

// The value in force: that of the communicator, if one was given.
ParamValue present(const Tools& all, const ControlVariable& variable, const Comm* comm) {
  const Parameter* parameter = all.kernel->params().find(variable.spec.name);
  const std::string key = kKeyPrefix + variable.spec.name;
  const char* own = comm != nullptr ? comm->hint(key.c_str()) : nullptr;
  if (own != nullptr) {
    if (auto value = parse_value(variable.spec, own); value.ok()) return *value;
  }
  return parameter->value;
}

int count_of(const Tools& all, const ControlVariable& variable) {
  if (type_of(variable) != MPI_CHAR) return 1;
  const Parameter* parameter = all.kernel->params().find(variable.spec.name);
  return std::max(kTextRoom, static_cast<int>(parameter->text.size()) + 1);
}

int write_to_communicator(const ControlVariable& variable, Comm& comm, const std::string& text) {
  if (comm.collectives_chosen()) return MPI_T_ERR_CVAR_SET_NOT_NOW;
  Hints hints{{kKeyPrefix + variable.spec.name, text}};
  std::vector<std::string> warnings;
  if (!check_hints(comm.instance().kernel(), false, hints, warnings).ok() || hints.empty())
    return MPI_T_ERR_INVALID;
  comm.set_hint(hints.begin()->first, hints.begin()->second);
  return MPI_SUCCESS;
}

int write_everywhere(Tools& all, const ControlVariable& variable, const std::string& text) {
  if (!writable_now(all, variable)) return MPI_T_ERR_CVAR_SET_NOT_NOW;
  const Status assigned = all.kernel->assign(variable.name, text);
  if (assigned == Errc::refused) return MPI_T_ERR_CVAR_SET_NEVER;
  if (!assigned.ok()) return MPI_T_ERR_INVALID;
  std::erase_if(all.written, [&](const auto& one) { return one.first == variable.name; });
  all.written.emplace_back(variable.name, text);
  if (all.engine == nullptr) return MPI_SUCCESS;
  static_cast<void>(all.engine->assign(variable.name, text));
  world.check_arguments = all.engine->params().boolean("mpi_argument_check");
  return MPI_SUCCESS;
}

bool right_handle(const Tools& all, MPI_T_cvar_handle handle) noexcept {
  return handle != MPI_T_CVAR_HANDLE_NULL && all.cvar_handles.contains(handle) &&
         !handle->binding.dead();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_T_cvar_get_num)
extern "C" int PMPI_T_cvar_get_num(int* num_cvar) {
  return tool_call([&](Tools& all) {
    if (num_cvar == nullptr) return MPI_T_ERR_INVALID;
    *num_cvar = static_cast<int>(all.catalog.controls().size());
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_cvar_get_info)
extern "C" int PMPI_T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity,
                                    MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc,
                                    int* desc_len, int* bind, int* scope) {
  return tool_call([&](Tools& all) {
    const ControlVariable* variable = element(all.catalog.controls(), cvar_index);
    if (variable == nullptr) return MPI_T_ERR_INVALID_INDEX;
    give_text(variable->name, name, name_len);
    give(verbosity, verbosity_of(variable->spec.level));
    if (datatype != nullptr) *datatype = type_of(*variable);
    if (enumtype != nullptr) *enumtype = handle_of_enum(variable->values);
    give_text(variable->spec.help, desc, desc_len);
    give(bind, variable->of_communicator ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT);
    give(scope, scope_of(*variable));
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_cvar_get_index)
extern "C" int PMPI_T_cvar_get_index(const char* name, int* cvar_index) {
  return tool_call([&](Tools& all) {
    if (name == nullptr || cvar_index == nullptr) return MPI_T_ERR_INVALID;
    const int found = all.catalog.find_control(name);
    if (found < 0) return MPI_T_ERR_INVALID_NAME;
    *cvar_index = found;
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_cvar_handle_alloc)
extern "C" int PMPI_T_cvar_handle_alloc(int cvar_index, void* obj_handle, MPI_T_cvar_handle* handle,
                                        int* count) {
  return tool_call([&](Tools& all) {
    const ControlVariable* variable = element(all.catalog.controls(), cvar_index);
    if (variable == nullptr) return MPI_T_ERR_INVALID_INDEX;
    if (handle == nullptr) return MPI_T_ERR_INVALID;
    Binding binding;
    if (variable->of_communicator && !binding.take(obj_handle)) return MPI_T_ERR_INVALID;
    *handle = new MPI_T_cvar_handle_t{cvar_index, binding};
    all.cvar_handles.insert(*handle);
    give(count, count_of(all, *variable));
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_cvar_handle_free)
extern "C" int PMPI_T_cvar_handle_free(MPI_T_cvar_handle* handle) {
  return tool_call([&](Tools& all) {
    if (handle == nullptr || all.cvar_handles.erase(*handle) == 0) return MPI_T_ERR_INVALID_HANDLE;
    delete *handle;
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_cvar_read)
extern "C" int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  return tool_call([&](Tools& all) {
    if (!right_handle(all, handle)) return MPI_T_ERR_INVALID_HANDLE;
    if (buf == nullptr) return MPI_T_ERR_INVALID;
    const ControlVariable& variable = variable_of(all, handle);
    write_value(variable, present(all, variable, handle->binding.comm()), kTextRoom, buf);
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_cvar_write)
extern "C" int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  return tool_call([&](Tools& all) {
    if (!right_handle(all, handle)) return MPI_T_ERR_INVALID_HANDLE;
    if (buf == nullptr) return MPI_T_ERR_INVALID;
    const ControlVariable& variable = variable_of(all, handle);
    if (variable.fixed) return MPI_T_ERR_CVAR_SET_NOT_NOW;
    std::string text;
    if (!read_value(variable, buf, text)) return MPI_T_ERR_INVALID;
    Comm* comm = handle->binding.comm();
    return comm != nullptr ? write_to_communicator(variable, *comm, text)
                           : write_everywhere(all, variable, text);
  });
}
