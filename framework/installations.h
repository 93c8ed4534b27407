// SPDX-License-Identifier: BSD-3-Clause
// Components of one installation in a process that has loaded the library of another one.
#pragma once
//
// Contract. For a component that has just been refused: files are read. Two libraries are the same
// where their build ids are, as those of a build folder and of what is installed from it; a library
// without a build id is taken for the same.
//
#include <optional>
#include <string>

namespace tessera {

struct MixedInstallations {
  std::string own;  // the library of this process
  std::string own_build;
  std::string other;  // the one beside which the component lies
  std::string other_build;
};

// Nothing where the component belongs to the library of this process, or to none.
std::optional<MixedInstallations> mixed_installations(const std::string& component);

}  // namespace tessera
