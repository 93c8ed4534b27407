// SPDX-License-Identifier: BSD-3-Clause
// Reading files of rules that choose collective algorithms.
#pragma once
//
// Format. YAML: a map from an operation to its list of rules, the first that admits a call counts:
//   allreduce:
//     - {component: sm, bytes: ..32K, oversubscribed: no}
//     - {algorithm: ring, processes: 3.., bytes: 512K.., commutative: yes, segment: 64K}
//     - {algorithm: recursive_doubling}
// Conditions, all of which must hold: `bytes` (the vector in bcast and reductions, one block
// elsewhere), `processes`, `nodes`, `per_node` (ranges: 8, 2..8, ..8, 8..; both ends belong to
// them), `commutative` (the operation), `oversubscribed` (more ranks than
// processors). Choice: `component` (basic unless said), `algorithm`, `segment`, `radix`.
//
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/coll/rules.h"

namespace tessera::coll {

// Says what is wrong with the names in a rule, or nothing.
using RuleJudge = std::function<std::string(const RuleLine& line)>;

// `path` is for the texts. Errc::argument: names the line, what is wrong there and what would be
// right.
Result<std::vector<RuleLine>> parse_rules(const std::string& path, const std::string& text,
                                          const RuleJudge& judge);
// Errc::not_found, Errc::refused: the file is not there, or cannot be read.
Result<std::vector<RuleLine>> read_rules(const std::string& path, const RuleJudge& judge);

}  // namespace tessera::coll
