// SPDX-License-Identifier: BSD-3-Clause
// Where the installation and the user's own files lie, found from the running library itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// All absolute; computed from the place of libtessera-core, so that a moved prefix works.
struct InstallPaths {
  std::string prefix;
  std::string system_components;  // <libdir>/tessera
  std::string user_components;    // ~/.tessera/components; empty when HOME is not set
  std::string system_config;      // <prefix>/etc/tessera
  std::string user_config;        // ~/.tessera; empty when HOME is not set

  // `home` is the value of HOME, or null.
  static InstallPaths detect(const char* home);

  // The directories of a search path in order: ':'-separated, SYSTEM and USER stand for the two
  // defaults, ~/ is the home directory, relative ones are taken from the current directory. Empty
  // and repeated entries are dropped.
  std::vector<std::string> expand(std::string_view search_path) const;
};

// The file of the library, or of the program that has it inside; links resolved. Empty: unknown.
std::string own_library();

}  // namespace tessera
