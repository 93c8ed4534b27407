// SPDX-License-Identifier: BSD-3-Clause
// mca-params/collectives.yaml as constants; the build writes them (tools/rules).
#pragma once

#include <span>

#include "tessera/coll.h"

namespace tessera::coll {

struct BuiltinRule {
  Operation operation;
  const char* component;
  const char* algorithm;
  const char* where;
  Rule rule;
};
extern const std::span<const BuiltinRule> kBuiltinRules;

}  // namespace tessera::coll
