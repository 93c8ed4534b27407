// SPDX-License-Identifier: BSD-3-Clause
// The sentences in which mpiexec speaks of ranks.
#include "launcher/report.h"

#include <fmt/format.h>
#include <string.h>
#include <sys/wait.h>

#include <string>
#include <vector>

#include "launcher/hosts.h"

namespace tessera::launcher {
namespace {

std::string describe_communicator(const Blocked& blocked) {
  if (blocked.communicator[0] != 0) return blocked.communicator;
  return fmt::format("an unnamed communicator of {} process{}", blocked.processes,
                     blocked.processes == 1 ? "" : "es");
}

// The rank in the communicator, and in the job where that is another one.
std::string describe_peer(const Blocked& blocked) {
  std::string text = fmt::format("peer {}", blocked.peer);
  if (blocked.peer_in_job >= 0 && blocked.peer_in_job != blocked.peer)
    text += fmt::format(" (rank {} of the job)", blocked.peer_in_job);
  return text;
}

std::string describe_blocked(const Blocked& blocked, std::int64_t now_ns) {
  std::vector<std::string> parts;
  if (blocked.peer >= 0) parts.push_back(describe_peer(blocked));
  if (blocked.tag >= 0) parts.push_back(fmt::format("tag {}", blocked.tag));
  if (blocked.bytes > 0) parts.push_back(fmt::format("{} bytes", blocked.bytes));
  if (blocked.requests > 0)
    parts.push_back(
        fmt::format("{} request{}", blocked.requests, blocked.requests == 1 ? "" : "s"));
  if (blocked.collective > 0)
    parts.push_back(fmt::format("collective call {} on {}", blocked.collective,
                                describe_communicator(blocked)));
  else if (blocked.processes > 0)
    parts.push_back(describe_communicator(blocked));
  std::string text = fmt::format("in {}", blocked.function);
  if (!parts.empty()) text += fmt::format(" ({})", fmt::join(parts, ", "));
  const double seconds = static_cast<double>(now_ns - blocked.since_ns) * 1e-9;
  return blocked.since_ns > 0 ? text + fmt::format(" for {:.1f} s", seconds) : text;
}

}  // namespace

std::string name_rank(std::uint32_t rank, std::int32_t pid) {
  return fmt::format("rank {} (pid {} on {})", rank, pid, host_name());
}

std::string name_rank(std::uint32_t job, std::uint32_t rank, std::int32_t pid) {
  if (job == 1) return name_rank(rank, pid);
  return fmt::format("rank {} of job {} (pid {} on {})", rank, job, pid, host_name());
}

std::string describe_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const char* const core = WCOREDUMP(wait_status) ? ", core dumped" : "";
    return fmt::format("was killed by signal {} ({}{})", WTERMSIG(wait_status),
                       strsignal(WTERMSIG(wait_status)), core);
  }
  return fmt::format("ended with exit status {}", WEXITSTATUS(wait_status));
}

std::string describe_end(int wait_status, const RankPage& page) {
  const char* const note = page.loading.text;
  const std::string_view file(note, strnlen(note, LoadNote::kBytes));
  return describe_end(wait_status) + (file.empty() ? "" : fmt::format(" while it {}", file));
}

int exit_status_of(int wait_status) noexcept {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string describe_place(const RankPage& page, std::int64_t now_ns) {
  const RankState state = page.state.load(std::memory_order_acquire);
  const Blocked blocked = page.blocked.read();
  if (blocked.function[0] == 0) return name_of(state);
  if (state == RankState::finalizing) return describe_blocked(blocked, now_ns);
  return fmt::format("{}, {}", name_of(state), describe_blocked(blocked, now_ns));
}

}  // namespace tessera::launcher
