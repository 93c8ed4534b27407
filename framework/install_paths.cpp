// SPDX-License-Identifier: BSD-3-Clause
// Where the installation lies, found from the running library.
#include "framework/install_paths.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "framework/text.h"

#ifndef TESSERA_LIBDIR
#define TESSERA_LIBDIR "lib"
#endif
#ifndef TESSERA_SYSCONFDIR
#define TESSERA_SYSCONFDIR "etc"
#endif

namespace tessera {
namespace {

namespace fs = std::filesystem;

// The directory of the object that contains this function, links resolved.
fs::path own_directory() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_directory), &info) == 0 || info.dli_fname == nullptr)
    return {};
  std::error_code error;
  const fs::path real = fs::canonical(info.dli_fname, error);
  return error ? fs::path() : real.parent_path();
}

// The prefix is as many levels above the library as CMAKE_INSTALL_LIBDIR is below it.
fs::path prefix_above(fs::path libdir) {
  for (const fs::path& part : fs::path(TESSERA_LIBDIR).relative_path())
    if (!part.empty() && part != ".") libdir = libdir.parent_path();
  return libdir;
}

}  // namespace

InstallPaths InstallPaths::detect(const char* home) {
  InstallPaths paths;
  const fs::path libdir = own_directory();
  const fs::path prefix = prefix_above(libdir);
  paths.prefix = prefix.string();
  paths.system_components = (libdir / "tessera").string();
  // An absolute TESSERA_SYSCONFDIR replaces the prefix, as fs::path::operator/ does.
  paths.system_config = (prefix / TESSERA_SYSCONFDIR / "tessera").string();
  if (home == nullptr || *home != '/') return paths;
  paths.user_config = (fs::path(home) / ".tessera").string();
  paths.user_components = (fs::path(home) / ".tessera" / "components").string();
  return paths;
}

std::vector<std::string> InstallPaths::expand(std::string_view search_path) const {
  std::vector<std::string> directories;
  const fs::path home = fs::path(user_config).parent_path();
  for (std::string_view part : text::split(search_path, ':')) {
    const std::string_view entry = text::trim(part);
    fs::path directory(entry);
    if (entry == "SYSTEM") directory = system_components;
    if (entry == "USER") directory = user_components;
    if (entry.starts_with("~/") && !home.empty()) directory = home / entry.substr(2);
    if (directory.empty()) continue;
    std::error_code error;
    const fs::path absolute = fs::absolute(directory, error).lexically_normal();
    const std::string path = (absolute.has_filename() ? absolute : absolute.parent_path()).string();
    if (std::find(directories.begin(), directories.end(), path) == directories.end())
      directories.push_back(path);
  }
  return directories;
}

}  // namespace tessera
