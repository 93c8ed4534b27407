// SPDX-License-Identifier: BSD-3-Clause
// The engine that starts ranks on other hosts: which one, and what it is told. Pure functions.
#pragma once
//
// Contract. mpiexec starts, connects and ends nothing on other hosts: an existing engine does. Its
// ranks join the job through the framework boot. command_of() writes the engine's command line:
// it carries where ranks go; what a rank gets (directory, variables, library path) is in the words
// of its part, which begin with env(1) and mean the same to all engines.
//
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/status.h"

namespace tessera::launcher::across {

enum class Kind : std::uint8_t { slurm, hydra, prte, openmpi };

struct Engine {
  Kind kind = Kind::hydra;
  std::string path;  // of its program
  std::string way;   // how it reaches hosts, Hydra's -launcher; empty: its own choice
};

// What --launcher says. Users name an engine, or how an engine reaches hosts (ssh, rsh, lsf ...).
struct Wish {
  bool engine_named = false;  // then it is used on one machine too
  bool here = false;          // fork: no other host
  Kind kind = Kind::hydra;
  std::string way;
};
// argument: neither an engine nor a way, with the nearest one.
Result<Wish> wish_of(std::string_view launcher);

// The path of a program on the PATH, or empty.
using Find = std::function<std::string(const std::string& program)>;

// not_found: what was looked for, and how to install one. `host` is one of those that need it.
Result<Engine> choose_engine(const Wish& wish, bool in_allocation, const std::string& host,
                             const Find& find);

// Ranks of one host.
struct Share {
  std::string host;
  std::uint32_t ranks = 0;
};
// Ranks of one program: env(1), what it shall set, the program and its arguments.
struct Part {
  std::uint32_t ranks = 0;
  std::vector<std::string> words;
};
struct Request {
  std::vector<Share> shares;         // in the order of ranks; empty: where the engine likes
  std::vector<Part> parts;           // in the order of ranks
  std::vector<std::string> exports;  // variables to pass on, for engines that pass on none
  std::uint32_t per_host = 0;        // for an allocation without shares; 0: not said
  bool in_turn = false;              // rank by rank to the next host
  bool in_order = false;             // one process for each share, in their order
  std::string bind;                  // to what ranks are bound: core, numa ...; empty: to nothing
  bool tagged = false;
  bool rank0_reads = true;
  bool oversubscribes = false;
  bool root = false;      // some engines refuse the super-user unless told otherwise
  bool mpi_type = false;  // the user has chosen Slurm's plug-in for MPI himself
  std::string agent;      // the program for remote shells; empty: the engine's
  int silence_s = 0;      // when ranks give up a host that does not answer; 0: never
};

// The engine's words, its path first.
std::vector<std::string> command_of(const Engine& engine, const Request& request);

// As one would type it in a shell.
std::string quoted(const std::vector<std::string>& words);

const char* name_of(Kind kind) noexcept;

}  // namespace tessera::launcher::across
