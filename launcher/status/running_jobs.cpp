// SPDX-License-Identifier: BSD-3-Clause
// Reads from /proc who has a job segment open.
#include "launcher/status/running_jobs.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "launcher/behind.h"

namespace tessera::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSegmentLink = "/memfd:tessera-job";

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  return entries;
}

// 0: not a process.
pid_t process_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  pid_t number = 0;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && stop == name.data() + name.size() ? number : 0;
}

std::shared_ptr<JobSegment> segment_of(const fs::path& process) {
  std::error_code error;
  for (const fs::path& entry : entries_of(process / "fd")) {
    if (!fs::read_symlink(entry, error).string().starts_with(kSegmentLink) || error) continue;
    const int descriptor = open(entry.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) continue;
    auto segment = JobSegment::attach(descriptor);
    close(descriptor);
    if (segment.ok()) return segment.value();
  }
  return nullptr;
}

std::string command_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && text.back() == 0) text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace

std::vector<RunningJob> running_jobs() {
  std::vector<pid_t> processes;
  for (const fs::path& entry : entries_of("/proc"))
    if (const pid_t process = process_of(entry); process > 0) processes.push_back(process);
  std::sort(processes.begin(), processes.end());
  std::vector<RunningJob> jobs;
  for (const pid_t process : processes) {
    auto segment = segment_of("/proc/" + std::to_string(process));
    if (segment == nullptr) continue;
    const bool known = std::any_of(jobs.begin(), jobs.end(), [&](const RunningJob& job) {
      return job.segment->job_id() == segment->job_id();
    });
    if (known) continue;
    const pid_t first = segment->page(0).launched_pid.load(std::memory_order_acquire);
    const pid_t own = segment->page(0).pid.load(std::memory_order_acquire);
    jobs.push_back({std::move(segment), command_of(first != 0 ? first : own)});
  }
  return jobs;
}

bool belongs_to(const RunningJob& job, pid_t process) {
  for (pid_t at = job.segment->launcher_pid(); at > 1; at = parent_of(at))
    if (at == process) return true;
  for (std::uint32_t rank = 0; rank < job.segment->ranks(); ++rank) {
    const RankPage& page = job.segment->page(rank);
    if (page.pid.load() == process || page.launched_pid.load() == process) return true;
  }
  return false;
}

}  // namespace tessera::launcher
