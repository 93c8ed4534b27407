// SPDX-License-Identifier: BSD-3-Clause
// Verbose output on standard error.
#include "framework/log.h"

#include <unistd.h>

#include <array>

namespace tessera {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "?";
  const std::string full(name.data());
  return full.substr(0, full.find('.'));
}

}  // namespace

Log::Log(std::string_view framework, int level, int rank) : level_(level) {
  if (level <= 0) return;
  const std::string who = rank < 0 ? "-" : std::to_string(rank);
  prefix_ = fmt::format("[{}:{} {} {}] ", host_name(), getpid(), who, framework);
}

void Log::write(std::string_view line) const {
  const std::string whole = fmt::format("{}{}\n", prefix_, line);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace tessera
