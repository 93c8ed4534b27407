// SPDX-License-Identifier: BSD-3-Clause
// How the installation was built, and where it lies.
#include <fmt/format.h>

#include "framework/text.h"
#include "report.h"

namespace ompi_info {
namespace {

using namespace tessera;

struct Entry {
  std::string name;
  std::string value;
};

std::vector<Entry> build() {
  return {
      {"version", TESSERA_VERSION},
      {"mpi", "5.0"},
      {"abi", "1.0 (libmpi_abi.so.1)"},
      {"thread_level", "MPI_THREAD_MULTIPLE"},
      {"c_compiler", TESSERA_C_COMPILER},
      {"cxx_compiler", TESSERA_CXX_COMPILER},
      {"cxx_standard", "C++20"},
      {"build_type", TESSERA_BUILD_TYPE},
      {"c_flags", TESSERA_C_FLAGS},
      {"cxx_flags", TESSERA_CXX_FLAGS},
      {"architecture", TESSERA_ARCHITECTURE},
  };
}

std::vector<Entry> folders(const InstallPaths& paths) {
  const auto below = [&paths](const char* folder) {
    return *folder == '/' ? std::string(folder) : paths.prefix + "/" + folder;
  };
  return {
      {"prefix", paths.prefix},
      {"bindir", below(TESSERA_BINDIR)},
      {"libdir", below(TESSERA_LIBDIR)},
      {"incdir", below(TESSERA_INCLUDEDIR)},
      {"mandir", below(TESSERA_MANDIR)},
      {"datadir", below(TESSERA_DATADIR)},
      {"sysconfdir", paths.system_config},
      {"pkglibdir", paths.system_components},
      {"user_sysconfdir", paths.user_config},
      {"user_pkglibdir", paths.user_components},
  };
}

void print_entries(std::string_view kind, const std::vector<Entry>& entries, Format format) {
  for (const Entry& entry : entries) {
    if (format == Format::parsable)
      fmt::print("{}\t{}\tvalue\t{}\n", kind, entry.name, text::escape(entry.value));
    else
      fmt::print("{:<15} {}\n", entry.name, entry.value.empty() ? "none" : entry.value);
  }
}

}  // namespace

void print_config(Format format) {
  print_entries("config", build(), format);
}

Status print_path(const InstallPaths& paths, const std::string& name, Format format) {
  const std::vector<Entry> all = folders(paths);
  if (name.empty() || name == "all") return print_entries("path", all, format), Status();
  std::vector<std::string> known;
  for (const Entry& entry : all) {
    known.push_back(entry.name);
    if (entry.name != name) continue;
    if (format == Format::parsable) return print_entries("path", {entry}, format), Status();
    return fmt::print("{}\n", entry.value), Status();
  }
  return Status::failure(Errc::not_found,
                         fmt::format("there is no folder '{}'{}; there is: {}", name,
                                     text::did_you_mean(name, known), text::join(known, ", ")));
}

}  // namespace ompi_info
