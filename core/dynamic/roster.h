// SPDX-License-Identifier: BSD-3-Clause
// The processes of a group as another group must know them: Row, Roster.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dynamic/packing.h"
#include "tessera/peer.h"

namespace tessera {

// One process. Where it can share memory, `descriptor` is that of its job's segment in it.
struct Row {
  ProcessName name;
  std::uint64_t host = 0;
  std::int32_t pid = 0;
  std::int32_t descriptor = -1;
  std::uint32_t page = 0;
  bool memory = false;
  std::vector<std::byte> cards;

  void write(Packer& packer) const;
  static Row read(Unpacker& unpacker);
};

// A group in its order, and the memory of the link, which the root of the accepting side has made.
struct Roster {
  std::vector<Row> rows;
  std::int32_t memory_pid = 0;  // 0: none
  std::int32_t memory_descriptor = -1;
  std::uint64_t memory_id = 0;

  std::vector<std::byte> pack() const;
  // argument: damaged.
  static Result<Roster> unpack(std::span<const std::byte> bytes);
};

}  // namespace tessera
