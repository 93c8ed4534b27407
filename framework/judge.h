// SPDX-License-Identifier: BSD-3-Clause
// Judges one file of a component directory from its bytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "framework/catalog.h"
#include "framework/frameworks.h"

namespace tessera {

// Usable, or refused with a reason that names what is wrong and what to do. Nothing for a file that
// is no component and does not look like one. Of its directory the caller knows that this process
// may obey it (trust.h). Must be equal: manifest layout, interface number, ABI tag; the framework
// must be one of ours, the file name that of framework and component.
std::optional<Candidate> judge(const std::string& path, std::span<const FrameworkInfo> frameworks,
                               Depth depth = Depth::whole);

// Framework and component of a file named tessera_<framework>_<component>.so, with or without
// directories in front; nothing for other names.
std::optional<ComponentName> component_of_file(std::string_view path);

// What is said of a component whose manifest cannot be read.
std::string unreadable(const Status& why);

// The same question to a manifest alone, for a process that has the verdicts of another one: empty
// when it fits this engine.
std::string manifest_problem(const Manifest& manifest, std::span<const FrameworkInfo> frameworks);

}  // namespace tessera
