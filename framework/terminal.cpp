// SPDX-License-Identifier: BSD-3-Clause
// Asks the terminal, or the environment.
#include "framework/terminal.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>

namespace tessera {
namespace {

constexpr std::size_t kNarrowest = 40;

}  // namespace

std::optional<std::size_t> terminal_columns(int descriptor) noexcept {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

std::size_t output_columns(int descriptor, std::size_t usual) noexcept {
  if (const auto columns = terminal_columns(descriptor)) return std::max(*columns, kNarrowest);
  const char* named = std::getenv(kColumnsVariable);
  const long columns = named != nullptr ? std::strtol(named, nullptr, 10) : 0;
  return columns > 0 ? std::max(static_cast<std::size_t>(columns), kNarrowest) : usual;
}

}  // namespace tessera
