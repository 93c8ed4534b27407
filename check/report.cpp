// SPDX-License-Identifier: BSD-3-Clause
// Lines on standard error.
#include "check/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace tessera::check {
namespace {

constexpr std::size_t kMostLines = 10;
constinit std::atomic<int> rank_in_job{-1};

// A process that has only sessions is not told of its rank.
std::string own_rank() {
  if (const int rank = rank_in_job.load(); rank >= 0) return std::to_string(rank);
  const char* const known = std::getenv("TESSERA_RANK");
  return known != nullptr ? known : "?";
}

// In one piece, so that lines of several ranks do not mix.
void tell(std::string_view text) {
  const std::string line = fmt::format("mpiexec --check: rank {}: {}\n", own_rank(), text);
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void tell_as(int rank) noexcept {
  rank_in_job.store(rank);
}

int told_as() noexcept {
  return rank_in_job.load();
}

void complain(const Site& site, std::string_view text) {
  static std::mutex mutex;
  static auto& told =
      *new std::set<std::pair<const void*, std::string_view>>;  // until the very end
  const std::lock_guard lock(mutex);
  if (told.emplace(site.caller, site.function).second) tell(text);
}

void tell_all(const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) tell(lines[i]);
  if (lines.size() > kMostLines) tell(fmt::format("and {} more", lines.size() - kMostLines));
}

}  // namespace tessera::check
