// SPDX-License-Identifier: BSD-3-Clause
// The objects behind the handles of the tools interface.
#pragma once
//
// A handle is right while it is in the set of its kind in Tools, or of its session. What is bound
// to a communicator dies with it: `comm` is looked at again for each use.
//
#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "api/comm/comm_handle.h"
#include "api/tool/state.h"
#include "core/object/info.h"

namespace tessera::api {

// A communicator as an object that variables are bound to, or none.
struct Binding {
  bool bound = false;
  MPI_Comm handle = MPI_COMM_NULL;
  ContextId context = 0;

  // Of the address that MPI_T_..._handle_alloc was given; false: no communicator is there.
  bool take(const void* object) noexcept;
  // Null where it is not bound, or the communicator is gone.
  Comm* comm() const noexcept;
  bool dead() const noexcept { return bound && comm() == nullptr; }
};

// Frees a session with all its handles.
void end_session(Tools& tools, MPI_T_pvar_session session) noexcept;

}  // namespace tessera::api

struct MPI_T_cvar_handle_t {
  int index;
  tessera::api::Binding binding;
};

struct MPI_T_pvar_handle_t {
  const tessera::PerformanceVariable* variable;
  tessera::Collector::Cell* cell;
  tessera::api::Binding binding;
  std::vector<std::uint32_t> peers{};  // ids, of a variable per peer
  bool started = false;
  std::vector<std::uint64_t> kept{};     // what was counted until the last stop, write or reset
  std::vector<std::uint64_t> counted{};  // the source's values at the last start, write or reset
  tessera::Mark mark{};
};

struct MPI_T_pvar_session_t {
  std::unordered_set<MPI_T_pvar_handle> handles;
};

struct MPI_T_event_instance_t {
  const tessera::EventType* event;
  const tessera::Occurrence* occurrence;
};

struct MPI_T_event_registration_t final : tessera::Listener {
  struct Callback {
    MPI_T_event_cb_function* function = nullptr;
    void* user_data = nullptr;
  };
  static constexpr std::array kLevels{MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                      MPI_T_CB_REQUIRE_THREAD_SAFE,
                                      MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};

  const tessera::EventType* event = nullptr;
  std::array<Callback, kLevels.size()> callbacks{};
  MPI_T_event_dropped_cb_function* dropped_handler = nullptr;
  std::int64_t dropped = 0;
  bool inside = false;  // a callback of this registration is running
  // Freed from inside a callback: what happens when it returns.
  bool freed = false;
  MPI_T_event_free_cb_function* free_function = nullptr;
  void* free_data = nullptr;

  void happened(const tessera::Occurrence& occurrence) noexcept override;
  void end() noexcept;  // calls the free function and deletes this
};
