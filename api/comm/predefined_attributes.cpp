// SPDX-License-Identifier: BSD-3-Clause
// Values of the predefined attributes.
#include "api/comm/predefined_attributes.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "api/api.h"
#include "api/env/world.h"
#include "api/errors/error_codes.h"
#include "core/impi/systems.h"

namespace tessera::api {

namespace {

// How many processes could run, as the engine or mpiexec says; of a process that is alone, as many
// as there are CPUs. 0: nobody tells.
std::uint32_t universe(const Boot& boot, const Job& job) noexcept {
  if (const auto told = boot.universe()) return *told;
  if (boot.starts() == Starts::launcher_of_its_own) return job.usable_cpus();
  const char* const text = std::getenv("TESSERA_UNIVERSE");
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : 0;
}

}  // namespace

void PredefinedAttributes::fill() noexcept {
  const Job& job = world.engine->job();
  const impi::Systems* const systems = world.engine->systems();
  tag_ub = systems != nullptr ? systems->roster().terms.tag_ub : kMaxTag;
  io = MPI_ANY_SOURCE;  // every process can do input and output
  host = MPI_PROC_NULL;
  wtime_is_global =
      systems == nullptr && job.local_size() == job.size() ? 1 : 0;  // one machine has one clock
  asked_engine = false;
}

void PredefinedAttributes::ask_engine() noexcept {
  if (std::exchange(asked_engine, true)) return;
  const Job& job = world.engine->job();
  const Boot& boot = world.engine->boot();
  appnum = static_cast<int>(boot.app_number());
  // Engines that let ranks outnumber their slots tell the slots.
  universe_size = static_cast<int>(std::max(universe(boot, job), job.size()));
}

int* PredefinedAttributes::find(int keyval) noexcept {
  switch (keyval) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_IO:
      return &io;
    case MPI_HOST:
      return &host;
    case MPI_WTIME_IS_GLOBAL:
      return &wtime_is_global;
    case MPI_APPNUM:
      ask_engine();
      return &appnum;
    case MPI_LASTUSEDCODE:
      last_used_code = ErrorCodes::instance().last_used();
      return &last_used_code;
    case MPI_UNIVERSE_SIZE:
      ask_engine();
      return &universe_size;
    default:
      return nullptr;
  }
}

}  // namespace tessera::api
