// SPDX-License-Identifier: BSD-3-Clause
// Finds the boot component of the engine that started this process.
#pragma once

#include <memory>
#include <string>

#include "framework/library.h"
#include "tessera/boot.h"

namespace tessera {

// A session with the engine and the component it belongs to; destroyed in the right order.
struct EngineSession {
  LoadedComponent loaded;
  std::unique_ptr<boot::Session> session;
  std::string component;  // its name
  std::string marker;     // what it was recognised by
};

// Looks at the components of framework boot on the search path, judged from their bytes, and loads
// those whose markers stand in the environment, the highest priority first, until one answers.
// not_found: none. Reads the environment (TESSERA_MCA_mca_component_path, TESSERA_MCA_boot) and no
// file of parameters.
Result<EngineSession> open_boot_component() noexcept;

}  // namespace tessera
