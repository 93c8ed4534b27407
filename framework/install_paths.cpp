// SPDX-License-Identifier: BSD-3-Clause
// Where the installation lies, found from the running library or program.
#include "framework/install_paths.h"

#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>

#include "framework/text.h"

#ifndef TESSERA_BINDIR
#define TESSERA_BINDIR "bin"
#endif
#ifndef TESSERA_LIBDIR
#define TESSERA_LIBDIR "lib"
#endif
#ifndef TESSERA_SYSCONFDIR
#define TESSERA_SYSCONFDIR "etc"
#endif

namespace tessera {
namespace {

namespace fs = std::filesystem;

// The prefix is as many levels above a directory as that is below it.
fs::path prefix_above(fs::path directory, const char* below) {
  for (const fs::path& part : fs::path(below).relative_path())
    if (!part.empty() && part != ".") directory = directory.parent_path();
  return directory;
}

// Without /proc, the name by which the program was started, if it is still right.
fs::path own_file(std::error_code& error) {
  fs::path file = fs::canonical("/proc/self/exe", error);
  const auto* const started_as = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  const bool trusted = started_as != nullptr && getauxval(AT_SECURE) == 0;
  return error && trusted ? fs::canonical(started_as, error) : file;
}

struct LoadedObject {
  std::uintptr_t address;  // anywhere in it
  std::string file;        // empty: it is the program
};

int find_object(dl_phdr_info* info, std::size_t, void* data) {
  auto& object = *static_cast<LoadedObject*>(data);
  for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || object.address - begin >= segment.p_memsz) continue;
    object.file = info->dlpi_name;
    return 1;
  }
  return 0;
}

struct OwnObject {
  bool is_program = false;
  fs::path file;  // links resolved; empty: not known
};

// The object that contains this function is the library, or a program that has it inside. dladdr
// would look at each symbol of it as well.
OwnObject find_own_object() {
  LoadedObject self{reinterpret_cast<std::uintptr_t>(&find_own_object), {}};
  if (dl_iterate_phdr(find_object, &self) == 0) return {};
  std::error_code error;
  const bool is_program = self.file.empty();
  const fs::path real = is_program ? own_file(error) : fs::canonical(self.file, error);
  return {is_program, error ? fs::path() : real};
}

// It stays where it is.
const OwnObject& own_object() {
  static const OwnObject own = find_own_object();
  return own;
}

fs::path own_prefix() {
  const OwnObject& own = own_object();
  if (own.file.empty()) return {};
  return prefix_above(own.file.parent_path(), own.is_program ? TESSERA_BINDIR : TESSERA_LIBDIR);
}

}  // namespace

std::string own_library() {
  return own_object().file.string();
}

InstallPaths InstallPaths::detect(const char* home) {
  InstallPaths paths;
  const fs::path prefix = own_prefix();
  paths.prefix = prefix.string();
  paths.system_components = (prefix / TESSERA_LIBDIR / "tessera").string();
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
