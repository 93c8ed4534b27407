// SPDX-License-Identifier: BSD-3-Clause
// The cards of processes on other nodes: NodeCards.
#pragma once
//
// Contract. One value per node travels through the engine's store, not one per rank: the cards of
// all its ranks, put by its speaker, the lowest rank of the node, before the fence. After it they
// are fetched when a process of that node is first asked for, and kept. Cost: one put per node; one
// get per node that a process speaks with.
//
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "core/job/segment.h"
#include "tessera/boot.h"

namespace tessera {

class NodeCards {
 public:
  static constexpr std::string_view kKey = "node";  // of the value in the store
  static constexpr std::uint32_t kFewNodes = 64;    // all of them are fetched at once, and compared

  NodeCards(boot::Session& session, JobSegment& segment, std::vector<std::uint32_t> nodes)
      : session_(session), segment_(segment), nodes_(std::move(nodes)) {}

  // The lowest rank of each node, by node.
  std::vector<std::uint32_t> speakers() const;
  // By the speaker, when all ranks of the node have published.
  Status give() noexcept;
  // The cards of rank `id` of another node, as they lie in its page.
  Result<std::span<const std::byte>> of(std::uint32_t id) noexcept;
  // Fetches all nodes, and compares what must be equal in the whole job. argument: parameters
  // differ.
  Status fetch_all() noexcept;

 private:
  struct Node {
    std::vector<std::byte> bytes;
    std::map<std::uint32_t, std::span<const std::byte>> cards;  // by id, within `bytes`
  };
  std::uint32_t speaker_of(std::uint32_t node) const noexcept;
  Result<const Node*> fetch(std::uint32_t node) noexcept;

  boot::Session& session_;
  JobSegment& segment_;
  std::vector<std::uint32_t> nodes_;  // by id
  std::map<std::uint32_t, Node> known_;
};

}  // namespace tessera
