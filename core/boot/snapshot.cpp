// SPDX-License-Identifier: BSD-3-Clause
// Reading parameters and catalog for those who share a segment.
#include "core/boot/snapshot.h"

#include <unistd.h>

#include "core/coll/job_rules.h"
#include "core/engine/tables.h"
#include "framework/help.h"
#include "framework/microkernel.h"

namespace tessera {

Result<std::string> take_snapshot(std::uint32_t ranks, bool aloud) noexcept {
  MicrokernelOptions options;
  options.frameworks = engine_frameworks();
  options.core_params = engine_params();
  options.environment = environ;
  options.ranks = ranks;
  auto kernel = Microkernel::from_system(options);
  if (!kernel.ok()) return kernel.status();
  for (const std::string& warning : (*kernel)->take_warnings()) {
    if (aloud) print_help(warning);
  }
  if (auto rules = coll::users_rules(**kernel); !rules.ok()) return rules.status();
  return (*kernel)->snapshot();
}

}  // namespace tessera
