// SPDX-License-Identifier: BSD-3-Clause
// Compares the library of this process with the one to which a component belongs.
#include "framework/installations.h"

#include <filesystem>

#include "framework/install_paths.h"
#include "framework/manifest_reader.h"

namespace tessera {

std::optional<MixedInstallations> mixed_installations(const std::string& component) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(component).parent_path();  // <libdir>/tessera
  MixedInstallations mixed;
  mixed.own = own_library();
  mixed.other = (folder.parent_path() / "libtessera-core.so.1").string();
  mixed.own_build = ManifestReader::build_id(mixed.own);
  mixed.other_build = ManifestReader::build_id(mixed.other);
  if (mixed.own_build.empty() || mixed.other_build.empty() || mixed.own_build == mixed.other_build)
    return std::nullopt;
  return mixed;
}

}  // namespace tessera
