// SPDX-License-Identifier: BSD-3-Clause
// What the user asked impirun for.
#pragma once
//
// Contract. Options have one dash or two, their values follow as the next word or after '='.
// Options of impirun stand before -client's HOST:PORT; all words behind it belong to mpiexec.
// Nothing is printed here.
//
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "impi/wire/outcome.h"

namespace tessera::impi {

struct RunLine {
  enum class Role : std::uint8_t { none, server, client, help, version } role = Role::none;
  std::uint32_t clients = 0;
  std::uint32_t rank = 0;
  std::string server;              // HOST:PORT
  std::vector<std::string> words;  // for mpiexec
  std::uint16_t port = 0;
  std::string auth;
  std::string bind;
  std::string trace;
  double timeout_s = 0;
  bool quiet = false;
};

Outcome<RunLine> parse_run_line(std::span<char* const> words);
std::string run_help();

}  // namespace tessera::impi
