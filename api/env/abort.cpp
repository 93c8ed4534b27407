// SPDX-License-Identifier: BSD-3-Clause
// Ending the job.
#include "api/env/abort.h"

#include <unistd.h>

#include <cstdio>

#include "api/api.h"
#include "api/env/world.h"
#include "core/job/abort_status.h"
#include "framework/text.h"

namespace tessera::api {
namespace {

static_assert(kPeerDiedCode == MPI_ERR_PROC_ABORTED);

// Write errors are ignored: there is nobody left to tell.
void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void abort_job(int code, std::string_view report) noexcept {
  std::fflush(nullptr);  // what the program has printed so far belongs before the report
  write_all(text::printable(report));
  if (world.engine != nullptr) world.engine->boot().abort(code);
  ::_exit(abort_status(code));
}

}  // namespace tessera::api
