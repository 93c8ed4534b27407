// SPDX-License-Identifier: BSD-3-Clause
// What a process asks mpiexec to start, and what it is told: SpawnOrder, SpawnOutcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/status.h"

namespace tessera {

struct SpawnCommand {
  std::string program;
  std::vector<std::string> arguments;  // without the name of the program
  std::uint32_t most = 0;              // maxprocs
  std::uint32_t wanted = 0;            // of these; fewer where `soft` says so
  std::string directory;               // to start in; empty: that of the caller
  std::string path;                    // where to look for the program first
  std::string host;
  std::string arch;                      // what the machine has to be; empty: anything
  std::vector<std::string> environment;  // NAME=value
};

struct SpawnOrder {
  std::vector<SpawnCommand> commands;
  std::string directory;  // of the caller
  std::string port;       // where the parents wait
  std::uint64_t job = 0;  // of the caller

  std::uint32_t wanted() const noexcept;
  std::vector<std::byte> pack() const;
  static std::optional<SpawnOrder> unpack(std::span<const std::byte> bytes);
};

// Whether each process was started, in the order of the commands.
struct SpawnOutcome {
  std::vector<std::uint8_t> started;  // one for each process of `most`
  std::string why;                    // text where some were not
  bool complete() const noexcept { return why.empty(); }
};

// The largest number up to `most` of a set as the info key soft writes it: "2:10:4,7". argument: it
// is no such set, or has no number from 0 to `most`.
Result<std::uint32_t> largest_of(std::string_view set, std::uint32_t most);

}  // namespace tessera
