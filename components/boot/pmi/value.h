// SPDX-License-Identifier: BSD-3-Clause
// Values of any size and content as pieces of text that a PMI server stores unharmed.
#pragma once
//
// Contract. A value becomes base64url text without padding, with its length and a checksum in
// front: servers have been seen to cut long values and to answer that all is well. The text is cut
// into pieces, numbered from 0.
//
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::boot::pmi {

std::vector<std::string> split(std::span<const std::byte> value, std::size_t piece_bytes);

// How many pieces follow the first one; none: it is no first piece.
std::optional<std::size_t> pieces_after(std::string_view first, std::size_t piece_bytes);

// The value from all pieces in a row; none: something is missing or has changed.
std::optional<std::vector<std::byte>> join(std::string_view text);

}  // namespace tessera::boot::pmi
