// SPDX-License-Identifier: BSD-3-Clause
// The text in which PMI servers say which rank is on which node.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera::boot::pmi {

// `(vector,(first node,nodes,ranks per node),...)`; the blocks are repeated until all `size` ranks
// have a node. The result has the node of each rank as a consecutive number in the order of
// appearance. none: another form.
std::optional<std::vector<std::uint32_t>> parse_mapping(std::string_view text, std::uint32_t size);

}  // namespace tessera::boot::pmi
