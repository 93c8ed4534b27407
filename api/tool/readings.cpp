// SPDX-License-Identifier: BSD-3-Clause
// Reading performance variables through handles (MPI-5.0 §15.3.7).
#include "api/tool/readings.h"

#include <cstring>

using namespace tessera;
using namespace tessera::api;

namespace {

// The source's values as they are now.
std::vector<std::uint64_t> look(Tools& all, const MPI_T_pvar_handle_t& handle) {
  std::vector<std::uint64_t> values = all.collector.read(*handle.cell);
  if (!handle.variable->spec.per_peer) return values.resize(1), values;
  std::vector<std::uint64_t> chosen;
  chosen.reserve(handle.peers.size());
  for (const std::uint32_t id : handle.peers) chosen.push_back(id < values.size() ? values[id] : 0);
  return chosen;
}

void add_mark(Tools& all, MPI_T_pvar_handle_t& handle) {
  handle.mark.high = handle.variable->spec.kind == VariableClass::highwatermark;
  all.collector.add_mark(*handle.cell, handle.mark);
}

}  // namespace

namespace tessera::api {

void begin_readings(Tools& all, MPI_T_pvar_handle_t& handle) {
  handle.kept = look(all, handle);
  if (is_watermark(handle.variable->spec.kind)) {
    add_mark(all, handle);
    handle.kept.front() = handle.mark.extreme;
    all.collector.remove_mark(handle.mark);
  } else if (!is_shown(handle.variable->spec.kind)) {
    handle.kept.assign(handle.kept.size(), 0);
  }
}

void start_reading(Tools& all, MPI_T_pvar_handle_t& handle) {
  if (handle.started) return;
  handle.started = true;
  if (is_watermark(handle.variable->spec.kind)) return add_mark(all, handle);
  handle.counted = look(all, handle);
}

void stop_reading(Tools& all, MPI_T_pvar_handle_t& handle) {
  if (!handle.started) return;
  handle.kept = reading(all, handle);
  handle.started = false;
  all.collector.remove_mark(handle.mark);
}

std::vector<std::uint64_t> reading(Tools& all, MPI_T_pvar_handle_t& handle) {
  const VariableClass kind = handle.variable->spec.kind;
  if (is_shown(kind)) return look(all, handle);
  if (!handle.started) return handle.kept;
  std::vector<std::uint64_t> now = look(all, handle);
  if (is_watermark(kind)) return {handle.mark.extreme};
  for (std::size_t i = 0; i < now.size(); ++i) now[i] += handle.kept[i] - handle.counted[i];
  return now;
}

void set_reading(Tools& all, MPI_T_pvar_handle_t& handle, std::vector<std::uint64_t> values) {
  handle.mark.extreme = values.front();
  handle.kept = std::move(values);
  if (handle.started) handle.counted = look(all, handle);
}

void reset_reading(Tools& all, MPI_T_pvar_handle_t& handle) {
  if (!is_watermark(handle.variable->spec.kind))
    return set_reading(all, handle, std::vector<std::uint64_t>(handle.kept.size(), 0));
  add_mark(all, handle);
  handle.kept.front() = handle.mark.extreme;
  if (!handle.started) all.collector.remove_mark(handle.mark);
}

}  // namespace tessera::api

namespace {

template <class T>
void store(T value, void* buffer, std::size_t place) noexcept {
  std::memcpy(static_cast<char*>(buffer) + place * sizeof value, &value, sizeof value);
}

void store_all(VariableClass kind, const std::vector<std::uint64_t>& values,
               void* buffer) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    if (kind == VariableClass::state)
      store(static_cast<int>(values[i]), buffer, i);
    else if (kind == VariableClass::timer)
      store(value * 1e-9, buffer, i);
    else if (kind == VariableClass::percentage)
      store(value * 1e-6, buffer, i);
    else
      store(static_cast<unsigned long long>(values[i]), buffer, i);
  }
}

// What a tool writes; false: a time that is none.
bool load_all(VariableClass kind, const void* buffer, std::vector<std::uint64_t>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const char* const at = static_cast<const char*>(buffer) + i * sizeof(std::uint64_t);
    if (kind != VariableClass::timer) {
      std::memcpy(&values[i], at, sizeof values[i]);
      continue;
    }
    double seconds;
    std::memcpy(&seconds, at, sizeof seconds);
    if (!(seconds >= 0 && seconds < 9e9)) return false;
    values[i] = static_cast<std::uint64_t>(seconds * 1e9);
  }
  return true;
}

// One handle of a session, right as to both; what is to be done with it.
template <class Body>
int with_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Body&& body) {
  return tool_call([&](Tools& all) {
    if (!all.sessions.contains(session)) return MPI_T_ERR_INVALID_SESSION;
    if (!session->handles.contains(handle) || handle->binding.dead())
      return MPI_T_ERR_INVALID_HANDLE;
    return body(all, *handle);
  });
}

// The same for all handles of the session that are not merely shown.
template <class Body>
int with_handles(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int if_shown, Body&& body) {
  if (handle != MPI_T_PVAR_ALL_HANDLES) {
    return with_handle(session, handle, [&](Tools& all, MPI_T_pvar_handle_t& one) {
      if (is_shown(one.variable->spec.kind)) return if_shown;
      body(all, one);
      return MPI_SUCCESS;
    });
  }
  return tool_call([&](Tools& all) {
    if (!all.sessions.contains(session)) return MPI_T_ERR_INVALID_SESSION;
    for (MPI_T_pvar_handle one : session->handles) {
      if (!is_shown(one->variable->spec.kind) && !one->binding.dead()) body(all, *one);
    }
    return MPI_SUCCESS;
  });
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_T_pvar_start)
extern "C" int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return with_handles(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, start_reading);
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_stop)
extern "C" int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return with_handles(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, stop_reading);
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_reset)
extern "C" int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return with_handles(session, handle, MPI_T_ERR_PVAR_NO_WRITE, reset_reading);
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_read)
extern "C" int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  return with_handle(session, handle, [&](Tools& all, MPI_T_pvar_handle_t& one) {
    if (buf == nullptr) return MPI_T_ERR_INVALID;
    store_all(one.variable->spec.kind, reading(all, one), buf);
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_pvar_write)
extern "C" int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                                 const void* buf) {
  return with_handle(session, handle, [&](Tools& all, MPI_T_pvar_handle_t& one) {
    const VariableClass kind = one.variable->spec.kind;
    if (is_shown(kind)) return MPI_T_ERR_PVAR_NO_WRITE;
    std::vector<std::uint64_t> values(one.kept.size());
    if (buf == nullptr || !load_all(kind, buf, values)) return MPI_T_ERR_INVALID;
    set_reading(all, one, std::move(values));
    return MPI_SUCCESS;
  });
}

// In one: what is counted between the two would be lost otherwise.
TESSERA_WEAK_ALIAS(MPI_T_pvar_readreset)
extern "C" int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle,
                                     void* buf) {
  return with_handle(session, handle, [&](Tools& all, MPI_T_pvar_handle_t& one) {
    const VariableClass kind = one.variable->spec.kind;
    if (is_shown(kind)) return MPI_T_ERR_PVAR_NO_ATOMIC;
    if (buf == nullptr) return MPI_T_ERR_INVALID;
    std::vector<std::uint64_t> values = reading(all, one);
    store_all(kind, values, buf);
    if (is_watermark(kind) || !one.started) return reset_reading(all, one), MPI_SUCCESS;
    for (std::size_t i = 0; i < values.size(); ++i) one.counted[i] += values[i] - one.kept[i];
    one.kept.assign(values.size(), 0);
    return MPI_SUCCESS;
  });
}
