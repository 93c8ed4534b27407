// SPDX-License-Identifier: BSD-3-Clause
// Verbose output on standard error.
#include "framework/log.h"

#include <unistd.h>

#include <string>

#include "framework/param_condition.h"
#include "framework/text.h"

namespace tessera {

Log::Log(std::string_view framework, int level, int rank) : level_(level) {
  if (level <= 0) return;
  const std::string who = rank < 0 ? "-" : std::to_string(rank);
  const std::string host = host_name();
  prefix_ = fmt::format("[{}:{} {} {}] ", host.substr(0, host.find('.')), getpid(), who, framework);
}

void Log::write(std::string_view line) const {
  const std::string whole = fmt::format("{}{}\n", prefix_, text::printable(line));
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace tessera
