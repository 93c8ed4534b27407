// SPDX-License-Identifier: BSD-3-Clause
// Parsing PMI_process_mapping.
#include "mapping.h"

#include <charconv>
#include <unordered_map>

namespace tessera::boot::pmi {
namespace {

struct Block {
  std::uint32_t first = 0;
  std::uint32_t nodes = 0;
  std::uint32_t ranks = 0;  // per node
};

bool take_text(std::string_view& rest, std::string_view text) noexcept {
  if (!rest.starts_with(text)) return false;
  rest.remove_prefix(text.size());
  return true;
}

bool take_number(std::string_view& rest, std::uint32_t& number) noexcept {
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return false;
  rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  return true;
}

bool take_block(std::string_view& rest, Block& block) noexcept {
  return take_text(rest, ",(") && take_number(rest, block.first) && take_text(rest, ",") &&
         take_number(rest, block.nodes) && take_text(rest, ",") && take_number(rest, block.ranks) &&
         take_text(rest, ")") && block.nodes > 0 && block.ranks > 0;
}

std::optional<std::vector<Block>> parse_blocks(std::string_view text) {
  std::vector<Block> blocks;
  if (!take_text(text, "(vector")) return std::nullopt;
  while (text != ")") {
    Block block;
    if (!take_block(text, block)) return std::nullopt;
    blocks.push_back(block);
  }
  if (blocks.empty()) return std::nullopt;
  return blocks;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> parse_mapping(std::string_view text, std::uint32_t size) {
  const auto blocks = parse_blocks(text);
  if (!blocks) return std::nullopt;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> nodes;
  nodes.reserve(size);
  while (nodes.size() < size) {
    for (const Block& block : *blocks) {
      for (std::uint32_t node = 0; node < block.nodes && nodes.size() < size; ++node) {
        const auto number = static_cast<std::uint32_t>(numbers.size());
        const std::uint32_t its = numbers.try_emplace(block.first + node, number).first->second;
        for (std::uint32_t i = 0; i < block.ranks && nodes.size() < size; ++i) nodes.push_back(its);
      }
    }
  }
  return nodes;
}

}  // namespace tessera::boot::pmi
