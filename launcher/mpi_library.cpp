// SPDX-License-Identifier: BSD-3-Clause
// Recognises MPI libraries by their names and places.
#include "launcher/mpi_library.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "framework/install_paths.h"
#include "framework/text.h"
#include "launcher/elf_needs.h"

namespace tessera::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOurs = "libmpi_abi.so.1";

// Whose library bears a name that is not ours; empty for everything else.
std::string_view owner_of(std::string_view name) noexcept {
  struct Known {
    std::string_view prefix;
    std::string_view owner;
  };
  constexpr Known kKnown[] = {
      {"libmpi.so.12", "MPICH or a relative of it"},
      {"libmpich", "MPICH or a relative of it"},
      {"libmpifort.so.", "MPICH or a relative of it"},
      {"libmpicxx.so.", "MPICH or a relative of it"},
      {"libmpi.so.", "Open MPI"},
      {"libmpi_cxx.so.", "Open MPI"},
      {"libmpi_mpifh.so.", "Open MPI"},
      {"libmpi_usempi", "Open MPI"},
  };
  for (const Known& known : kKnown)
    if (name.starts_with(known.prefix)) return known.owner;
  return {};
}

bool same_file(const std::string& a, const std::string& b) noexcept {
  struct stat first {
  }, second{};
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

std::string library_directory() {
  return fs::path(InstallPaths::detect(nullptr).system_components).parent_path().string();
}

namespace {

// Another installation of Tessera is no other MPI.
bool is_tessera(const std::string& library) {
  const fs::path beside = fs::path(library).parent_path() / "libtessera-core.so.1";
  std::error_code error;
  return same_file(library, library_directory() + "/" + std::string(kOurs)) ||
         fs::exists(beside, error);
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// The first file of our library's name on a search path, or nothing.
std::string found_on(std::string path, const std::string& origin) {
  replace_all(path, "${ORIGIN}", origin);
  replace_all(path, "$ORIGIN", origin);
  for (std::string_view part : text::split(path, ':')) {
    const std::string file = fs::path(part.empty() ? "." : part) / kOurs;
    std::error_code error;
    if (!part.empty() && fs::exists(file, error)) return file;
  }
  return {};
}

std::string of_another(const std::string& library) {
  return library + " of another MPI";
}

MpiUse use_of_abi(const std::string& program, const ElfNeeds& needs, std::string_view search_path) {
  std::error_code error;
  const std::string origin = fs::canonical(program, error).parent_path().string();
  for (const std::string& path : {needs.rpath, std::string(search_path)})
    if (const std::string found = found_on(path, origin); !found.empty())
      return is_tessera(found) ? MpiUse{true, true, {}} : MpiUse{true, false, of_another(found)};
  // Our directory comes at the end of the search path, which goes before the runpath.
  const std::string found = found_on(needs.runpath, origin);
  return {true, !found.empty() && is_tessera(found), {}};
}

}  // namespace

std::string own_library_directory() {
  std::string directory = library_directory();
  const bool of_system = directory.starts_with("/usr/lib") || directory.starts_with("/lib");
  return of_system ? std::string() : directory;
}

MpiUse mpi_use_of(const std::string& program, std::string_view search_path) {
  const ElfNeeds needs = read_elf_needs(program);
  for (const std::string& library : needs.libraries) {
    if (library == kOurs) return use_of_abi(program, needs, search_path);
    if (const auto owner = owner_of(library); !owner.empty())
      return {true, false, library + " of " + std::string(owner)};
  }
  return {};
}

namespace {

std::string in_proc(pid_t process, const std::string& name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

// Those that its first thread has started: a shell has no other one.
void add_children(pid_t process, std::vector<pid_t>& processes) {
  std::ifstream children(in_proc(process, "task/" + std::to_string(process) + "/children"));
  for (pid_t child = 0; children >> child;) processes.push_back(child);
}

// By the variables that launchers give to each of their processes. One that has just ended shows
// none at all: it may have been a launcher's.
bool works_alone(pid_t process) {
  constexpr std::string_view kMarks[] = {"OMPI_COMM_WORLD_RANK=", "PMI_RANK=", "PMIX_RANK="};
  std::ifstream environment(in_proc(process, "environ"));
  bool shown = false;
  for (std::string variable; std::getline(environment, variable, '\0'); shown = true)
    for (const std::string_view mark : kMarks)
      if (variable.starts_with(mark)) return false;
  return shown;
}

}  // namespace

std::string other_mpi_in(pid_t process) {
  std::ifstream maps(in_proc(process, "maps"));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos) continue;
    const std::string library = line.substr(path);
    const std::string name = library.substr(library.rfind('/') + 1);
    if (name.starts_with("libmpi_abi.so") && !is_tessera(library)) return of_another(library);
    if (const auto owner = owner_of(name); !owner.empty())
      return library + " of " + std::string(owner);
  }
  return {};
}

std::string other_mpi_behind(pid_t process) {
  constexpr std::size_t kMost = 16;
  std::vector<pid_t> processes;
  add_children(process, processes);
  for (std::size_t i = 0; i < processes.size() && i < kMost; ++i) {
    std::string library = other_mpi_in(processes[i]);
    if (!library.empty() && works_alone(processes[i])) return library;
    add_children(processes[i], processes);
  }
  return {};
}

}  // namespace tessera::launcher
