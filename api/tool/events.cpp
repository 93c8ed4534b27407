// SPDX-License-Identifier: BSD-3-Clause
// Events: their types, their callbacks, their source (MPI-5.0 §15.3.8).
#include <algorithm>
#include <cstring>
#include <limits>

#include "api/env/info_handle.h"
#include "api/tool/handles.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// Elements lie one after the other, eight bytes each.
constexpr std::size_t kElement = sizeof(std::int64_t);

bool is_enumerated(const EventType& event, std::size_t element) noexcept {
  return event.values != nullptr && element + 1 == event.spec.elements.size();
}

void store_element(const EventType& event, const Occurrence& occurrence, std::size_t element,
                   void* buffer) noexcept {
  const std::int64_t value = occurrence.elements[element];
  const int item = static_cast<int>(value);
  if (is_enumerated(event, element))
    std::memcpy(buffer, &item, sizeof item);
  else
    std::memcpy(buffer, &value, sizeof value);
}

// The place of a safety level among those there are; none: it is no level.
std::size_t place_of(MPI_T_cb_safety safety) noexcept {
  constexpr auto& levels = MPI_T_event_registration_t::kLevels;
  return static_cast<std::size_t>(std::find(levels.begin(), levels.end(), safety) - levels.begin());
}

bool is_level(MPI_T_cb_safety safety) noexcept {
  return place_of(safety) < MPI_T_event_registration_t::kLevels.size();
}

bool right_info(MPI_Info info) noexcept {
  return info == MPI_INFO_NULL || find_info(info) != nullptr;
}

int give_info(MPI_Info* info) {
  if (info == nullptr) return MPI_T_ERR_INVALID;
  *info = handle_of<MPI_Info>(new Info);
  return MPI_SUCCESS;
}

template <class Body>
int with_registration(MPI_T_event_registration registration, Body&& body) {
  const auto checked = [&](Tools& all) {
    if (!all.registrations.contains(registration)) return MPI_T_ERR_INVALID_HANDLE;
    return body(all, *registration);
  };
  return tool_call(checked, Listening::changes);
}

}  // namespace

// Events are raised under the engine's lock, so that a callback may call no MPI function: of those
// that ask for no more than this allows, the one with the weakest demand is called. An event that
// comes while a callback of the same registration runs is lost to it, as one without a callback is.
void MPI_T_event_registration_t::happened(const Occurrence& occurrence) noexcept {
  const auto usable = std::find_if(callbacks.begin() + 1, callbacks.end(),
                                   [](const Callback& one) { return one.function != nullptr; });
  if (usable == callbacks.end() || inside) return static_cast<void>(++dropped);
  const auto safety = kLevels[static_cast<std::size_t>(usable - callbacks.begin())];
  inside = true;
  if (dropped > 0 && dropped_handler != nullptr)
    dropped_handler(std::exchange(dropped, 0), this, 0, safety, usable->user_data);
  MPI_T_event_instance_t instance{event, &occurrence};
  usable->function(&instance, this, safety, usable->user_data);
  inside = false;
  if (freed) end();
}

void MPI_T_event_registration_t::end() noexcept {
  if (free_function != nullptr) free_function(this, MPI_T_CB_REQUIRE_MPI_RESTRICTED, free_data);
  delete this;
}

TESSERA_WEAK_ALIAS(MPI_T_event_get_num)
extern "C" int PMPI_T_event_get_num(int* num_events) {
  return tool_call([&](Tools& all) {
    if (num_events == nullptr) return MPI_T_ERR_INVALID;
    *num_events = static_cast<int>(all.catalog.events().size());
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_event_get_info)
extern "C" int PMPI_T_event_get_info(int event_index, char* name, int* name_len, int* verbosity,
                                     MPI_Datatype array_of_datatypes[],
                                     MPI_Aint array_of_displacements[], int* num_elements,
                                     MPI_T_enum* enumtype, MPI_Info* info, char* desc,
                                     int* desc_len, int* bind) {
  return tool_call([&](Tools& all) {
    const EventType* event = element(all.catalog.events(), event_index);
    if (event == nullptr) return MPI_T_ERR_INVALID_INDEX;
    const std::size_t elements = event->spec.elements.size();
    const int room = num_elements != nullptr ? *num_elements : 0;
    for (std::size_t i = 0; i < elements && static_cast<int>(i) < room; ++i) {
      if (array_of_datatypes != nullptr)
        array_of_datatypes[i] = is_enumerated(*event, i) ? MPI_INT : MPI_COUNT;
      if (array_of_displacements != nullptr)
        array_of_displacements[i] = static_cast<MPI_Aint>(i * kElement);
    }
    give(num_elements, elements);
    give_text(event->spec.name, name, name_len);
    give(verbosity, verbosity_of(event->spec.level));
    if (enumtype != nullptr) *enumtype = handle_of_enum(event->values);
    give_text(event->spec.help, desc, desc_len);
    give(bind, MPI_T_BIND_NO_OBJECT);
    return info != nullptr ? give_info(info) : MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_event_get_index)
extern "C" int PMPI_T_event_get_index(const char* name, int* event_index) {
  return tool_call([&](Tools& all) {
    if (name == nullptr || event_index == nullptr) return MPI_T_ERR_INVALID;
    const int found = all.catalog.find_event(name);
    if (found < 0) return MPI_T_ERR_INVALID_NAME;
    *event_index = found;
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_event_handle_alloc)
extern "C" int PMPI_T_event_handle_alloc(int event_index, void*, MPI_Info info,
                                         MPI_T_event_registration* event_registration) {
  const auto body = [&](Tools& all) {
    const EventType* event = element(all.catalog.events(), event_index);
    if (event == nullptr) return MPI_T_ERR_INVALID_INDEX;
    if (event_registration == nullptr || !right_info(info)) return MPI_T_ERR_INVALID;
    auto made = std::make_unique<MPI_T_event_registration_t>();
    made->event = event;
    all.registrations.insert(made.get());
    all.collector.listen(event->owner, event->number, *made);
    *event_registration = made.release();
    return MPI_SUCCESS;
  };
  return tool_call(body, Listening::changes);
}

TESSERA_WEAK_ALIAS(MPI_T_event_register_callback)
extern "C" int PMPI_T_event_register_callback(MPI_T_event_registration event_registration,
                                              MPI_T_cb_safety cb_safety, MPI_Info info,
                                              void* user_data,
                                              MPI_T_event_cb_function event_cb_function) {
  return with_registration(event_registration, [&](Tools&, MPI_T_event_registration_t& one) {
    if (!is_level(cb_safety) || !right_info(info)) return MPI_T_ERR_INVALID;
    one.callbacks[place_of(cb_safety)] = {event_cb_function, user_data};
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_event_set_dropped_handler)
extern "C" int PMPI_T_event_set_dropped_handler(
    MPI_T_event_registration event_registration,
    MPI_T_event_dropped_cb_function dropped_cb_function) {
  return with_registration(event_registration, [&](Tools&, MPI_T_event_registration_t& one) {
    one.dropped_handler = dropped_cb_function;
    return MPI_SUCCESS;
  });
}

// From inside its own callback it lives until that returns.
TESSERA_WEAK_ALIAS(MPI_T_event_handle_free)
extern "C" int PMPI_T_event_handle_free(MPI_T_event_registration event_registration,
                                        void* user_data,
                                        MPI_T_event_free_cb_function free_cb_function) {
  return with_registration(event_registration, [&](Tools& all, MPI_T_event_registration_t& one) {
    all.registrations.erase(&one);
    all.collector.ignore(one);
    one.free_function = free_cb_function;
    one.free_data = user_data;
    if (one.inside)
      one.freed = true;
    else
      one.end();
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_event_handle_get_info)
extern "C" int PMPI_T_event_handle_get_info(MPI_T_event_registration event_registration,
                                            MPI_Info* info_used) {
  return with_registration(event_registration, [&](Tools&, MPI_T_event_registration_t&) {
    return give_info(info_used);
  });
}

TESSERA_WEAK_ALIAS(MPI_T_event_handle_set_info)
extern "C" int PMPI_T_event_handle_set_info(MPI_T_event_registration event_registration,
                                            MPI_Info info) {
  return with_registration(event_registration, [&](Tools&, MPI_T_event_registration_t&) {
    return right_info(info) ? MPI_SUCCESS : MPI_T_ERR_INVALID;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_event_callback_get_info)
extern "C" int PMPI_T_event_callback_get_info(MPI_T_event_registration event_registration,
                                              MPI_T_cb_safety cb_safety, MPI_Info* info_used) {
  return with_registration(event_registration, [&](Tools&, MPI_T_event_registration_t&) {
    return is_level(cb_safety) ? give_info(info_used) : MPI_T_ERR_INVALID;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_event_callback_set_info)
extern "C" int PMPI_T_event_callback_set_info(MPI_T_event_registration event_registration,
                                              MPI_T_cb_safety cb_safety, MPI_Info info) {
  return with_registration(event_registration, [&](Tools&, MPI_T_event_registration_t&) {
    return is_level(cb_safety) && right_info(info) ? MPI_SUCCESS : MPI_T_ERR_INVALID;
  });
}

// These four are for callbacks, and take no lock.
TESSERA_WEAK_ALIAS(MPI_T_event_read)
extern "C" int PMPI_T_event_read(MPI_T_event_instance event_instance, int element_index,
                                 void* buffer) {
  if (tools().uses.load() == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (event_instance == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  const EventType& event = *event_instance->event;
  if (element(event.spec.elements, element_index) == nullptr) return MPI_T_ERR_INVALID_INDEX;
  if (buffer == nullptr) return MPI_T_ERR_INVALID;
  store_element(event, *event_instance->occurrence, static_cast<std::size_t>(element_index),
                buffer);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_T_event_copy)
extern "C" int PMPI_T_event_copy(MPI_T_event_instance event_instance, void* buffer) {
  if (tools().uses.load() == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (event_instance == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (buffer == nullptr) return MPI_T_ERR_INVALID;
  const EventType& event = *event_instance->event;
  for (std::size_t i = 0; i < event.spec.elements.size(); ++i)
    store_element(event, *event_instance->occurrence, i, static_cast<char*>(buffer) + i * kElement);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_T_event_get_timestamp)
extern "C" int PMPI_T_event_get_timestamp(MPI_T_event_instance event_instance,
                                          MPI_Count* event_timestamp) {
  if (tools().uses.load() == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (event_instance == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (event_timestamp == nullptr) return MPI_T_ERR_INVALID;
  *event_timestamp = event_instance->occurrence->time_ns;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_T_event_get_source)
extern "C" int PMPI_T_event_get_source(MPI_T_event_instance event_instance, int* source_index) {
  if (tools().uses.load() == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (event_instance == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  if (source_index == nullptr) return MPI_T_ERR_INVALID;
  *source_index = 0;
  return MPI_SUCCESS;
}
