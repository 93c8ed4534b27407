// SPDX-License-Identifier: BSD-3-Clause
// Which files a privileged process may obey.
#include "framework/trust.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "framework/install_paths.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// Who may change the engine may make this process do anything: the owner of its library, and the
// group where that may write.
struct Trusted {
  uid_t owner = 0;
  gid_t group = 0;
  bool holds_owner(uid_t user) const noexcept {
    return user == 0 || user == geteuid() || user == owner;
  }
};

Trusted trusted() noexcept {
  struct stat engine {};
  Trusted trusted;
  if (stat(own_library().c_str(), &engine) != 0) return trusted;
  trusted.owner = engine.st_uid;
  if ((engine.st_mode & S_IWGRP) != 0) trusted.group = engine.st_gid;
  return trusted;
}

// The engine stays where it is.
const Trusted& who_is_trusted() noexcept {
  static const Trusted who = trusted();
  return who;
}

bool is_privileged() noexcept {
  return geteuid() == 0 || runs_for_somebody_else();
}

std::string problem_of(const fs::path& path, const struct stat& info, const Trusted& trusted) {
  if (!trusted.holds_owner(info.st_uid))
    return fmt::format("{} belongs to user {}", path.string(), info.st_uid);
  const bool sticky = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
  if ((info.st_mode & S_IWOTH) != 0 && !sticky)
    return fmt::format("everybody may write to {}", path.string());
  if ((info.st_mode & S_IWGRP) != 0 && !sticky && info.st_gid != trusted.group)
    return fmt::format("group {} may write to {}", info.st_gid, path.string());
  return {};
}

std::string in_full(const std::string& problem) {
  return fmt::format(
      "{}, and this process is privileged (user {}); only files that nobody but "
      "root or the owner of the installation can change are used then",
      problem, geteuid());
}

}  // namespace

bool runs_for_somebody_else() noexcept {
  return getauxval(AT_SECURE) != 0;
}

std::string distrust(const std::string& path) {
  if (!is_privileged()) return {};
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return {};  // whoever opens it says so
  for (fs::path part = real;; part = part.parent_path()) {
    struct stat info {};
    const bool there = stat(part.c_str(), &info) == 0;
    const std::string problem = there ? problem_of(part, info, who_is_trusted()) : "";
    if (!problem.empty()) return in_full(problem);
    if (part == part.root_path()) return {};
  }
}

std::string distrust_entry(const std::string& path) {
  if (!is_privileged()) return {};
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return {};
  if (S_ISLNK(info.st_mode)) return distrust(path);
  const std::string problem = problem_of(path, info, who_is_trusted());
  return problem.empty() ? problem : in_full(problem);
}

}  // namespace tessera
