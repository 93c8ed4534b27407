// SPDX-License-Identifier: BSD-3-Clause
// The state of the tools interface: Tools; and what each of its functions begins with: tool_call().
#pragma once
//
// Contract. There is one Tools per process, made on first use and never destroyed, so that tools
// may call from constructors, destructors and at exit. It exists apart from the engine, which tells
// it when it begins and ends (api/env/engine.cpp). No function of the tools interface raises an
// error: all answer with a code.
//
// Locks, in this order: `alive`, shared, which keeps the engine; the engine's lock, where it has
// one; that of the listeners, for calls that change who listens, and how; `mutex`. A callback of an
// event is called under the engine's lock, and that of the listeners, and may read variables.
//
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "api/api.h"
#include "core/engine/instance.h"
#include "core/tools/collector.h"
#include "core/tools/tool_catalog.h"

namespace tessera::api {

struct Tools {
  std::recursive_mutex mutex;
  std::shared_mutex alive;
  std::atomic<int> uses{0};    // MPI_T_init_thread without their MPI_T_finalize
  Instance* engine = nullptr;  // null: MPI has not begun, or is over
  Collector collector;
  ToolCatalog catalog;
  std::unique_ptr<Microkernel> kernel;  // the values of the control variables; null: not in use
  std::vector<std::pair<std::string, std::string>> written;  // by MPI_T_cvar_write

  std::unordered_set<MPI_T_cvar_handle> cvar_handles;
  std::unordered_set<MPI_T_pvar_session> sessions;
  std::unordered_set<MPI_T_event_registration> registrations;

  // What the engine is to be told when it starts; and that it has, or is about to end.
  void prepare(Instance::Options& options);
  void engine_began(Instance& instance);
  void engine_ends() noexcept;

  Status load();
  Result<std::unique_ptr<Microkernel>> make_kernel(const MicrokernelOptions& options) const;
  void end_all() noexcept;  // of the last MPI_T_finalize
};

Tools& tools() noexcept;

// Whether a call changes who listens to events: then none is told of one meanwhile.
enum class Listening : bool { as_it_is, changes };

// Keeps the engine, and everybody else out, for one call.
class ToolScope {
 public:
  explicit ToolScope(Listening listening = Listening::as_it_is)
      : alive_(tools().alive, std::defer_lock) {
    keep_engine();
    if (listening == Listening::changes) listeners_ = tools().collector.keep_listeners();
    lock_ = std::unique_lock(tools().mutex);
  }

 private:
  // In a callback this thread is in the engine already, with its lock where there is one, and holds
  // a lock that comes after `alive`: it must not wait for who starts or ends the engine.
  void keep_engine() {
    if (!tools().collector.calls_listener())
      alive_.lock();
    else if (!alive_.try_lock())
      return;
    if (tools().engine == nullptr || !tools().engine->progress().locking()) return;
    engine_ = std::unique_lock(tools().engine->progress());
  }

  std::shared_lock<std::shared_mutex> alive_;
  std::unique_lock<AdaptiveProgress> engine_;
  std::unique_lock<std::recursive_mutex> listeners_;
  std::unique_lock<std::recursive_mutex> lock_;
};

// The body of a function that needs the interface to be initialised.
template <class Body>
int tool_call(Body&& body, Listening listening = Listening::as_it_is) noexcept {
  try {
    const ToolScope scope(listening);
    if (tools().uses.load() == 0) return MPI_T_ERR_NOT_INITIALIZED;
    return body(tools());
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  }
}

// Sets an output that may be left out.
template <class T, class U>
void give(T* output, U value) noexcept {
  if (output != nullptr) *output = static_cast<T>(value);
}

// A text with its length (MPI-5.0 §15.3.3): at most *length - 1 characters and a null are written,
// then the length is that of the whole text with its null.
void give_text(std::string_view text, char* buffer, int* length) noexcept;

int verbosity_of(int level) noexcept;
MPI_T_enum handle_of_enum(const Enumeration* values) noexcept;

// The element of a list with this index, or null.
template <class List>
auto* element(List& list, int index) noexcept {
  const bool inside = index >= 0 && static_cast<std::size_t>(index) < list.size();
  return inside ? &list[static_cast<std::size_t>(index)] : nullptr;
}

}  // namespace tessera::api
