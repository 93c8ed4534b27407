// SPDX-License-Identifier: BSD-3-Clause
// Tools: where its values come from, before, during and after MPI.
#include "api/tool/state.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "api/tool/handles.h"
#include "core/engine/tables.h"
#include "core/job/segment.h"
#include "framework/trust.h"

namespace tessera::api {

Tools& tools() noexcept {
  static Tools* const it = new Tools;
  return *it;
}

void Tools::prepare(Instance::Options& options) {
  const std::lock_guard lock(mutex);
  options.watcher = &collector;
  options.program = written;
  collector.forget_opened();
}

void Tools::engine_began(Instance& instance) {
  {
    const std::unique_lock lock(alive);
    engine = &instance;
  }
  const ToolScope scope;
  if (uses.load() > 0) static_cast<void>(load());
}

void Tools::engine_ends() noexcept {
  const std::unique_lock lock(alive);
  engine = nullptr;
}

// As the engine has it; else as it will find it: as mpiexec has read it, or by reading everything.
Result<std::unique_ptr<Microkernel>> Tools::make_kernel(const MicrokernelOptions& options) const {
  if (engine != nullptr) return Microkernel::from_snapshot(engine->kernel().snapshot(), options);
  if (auto view = JobSegment::attach_inherited(); view.ok())
    return Microkernel::from_snapshot(view->segment().text(JobText::snapshot), options);
  return Microkernel::from_system(options);
}

Status Tools::load() {
  MicrokernelOptions options;
  options.frameworks = engine_frameworks();
  options.core_params = engine_params();
  options.program = written;
  options.environment = runs_for_somebody_else() ? nullptr : environ;
  options.tolerant = true;
  auto made = make_kernel(options);
  if (!made.ok()) return made.status();
  kernel = std::move(*made);
  catalog.add(*kernel);
  return {};
}

void Tools::end_all() noexcept {
  for (MPI_T_cvar_handle handle : cvar_handles) delete handle;
  cvar_handles.clear();
  while (!sessions.empty()) end_session(*this, *sessions.begin());
  for (MPI_T_event_registration registration : registrations) {
    collector.ignore(*registration);
    delete registration;
  }
  registrations.clear();
}

void give_text(std::string_view text, char* buffer, int* length) noexcept {
  if (length == nullptr) return;
  const int room = *length;
  *length = static_cast<int>(text.size()) + 1;
  if (buffer == nullptr || room <= 0) return;
  const std::size_t cut = std::min(text.size(), static_cast<std::size_t>(room) - 1);
  std::memcpy(buffer, text.data(), cut);
  buffer[cut] = '\0';
}

int verbosity_of(int level) noexcept {
  constexpr std::array levels{
      MPI_T_VERBOSITY_USER_BASIC,   MPI_T_VERBOSITY_USER_DETAIL,   MPI_T_VERBOSITY_USER_ALL,
      MPI_T_VERBOSITY_TUNER_BASIC,  MPI_T_VERBOSITY_TUNER_DETAIL,  MPI_T_VERBOSITY_TUNER_ALL,
      MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL, MPI_T_VERBOSITY_MPIDEV_ALL};
  return levels[static_cast<std::size_t>(std::clamp(level, 1, 9) - 1)];
}

MPI_T_enum handle_of_enum(const Enumeration* values) noexcept {
  return reinterpret_cast<MPI_T_enum>(const_cast<Enumeration*>(values));
}

}  // namespace tessera::api
