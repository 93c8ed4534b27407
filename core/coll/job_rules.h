// SPDX-License-Identifier: BSD-3-Clause
// The rules of a job: the user's files, then those compiled in.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/coll/rules.h"
#include "framework/microkernel.h"

namespace tessera::coll {

// Reads the files that the parameter coll_rules names; components, algorithms and tuning in them
// are those of the manifests. The failure is a help text that names file and line.
Result<std::vector<RuleLine>> users_rules(const Microkernel& kernel);

// The user's rules and the built-in ones, as far as they name one of `components`.
Result<std::unique_ptr<RuleSet>> job_rules(const Microkernel& kernel,
                                           std::span<const std::string> components);

}  // namespace tessera::coll
