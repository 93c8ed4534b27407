// SPDX-License-Identifier: BSD-3-Clause
// The hosts that the user named on the command line and in host files: HostList.
#pragma once
//
// Contract. Both dialects' host files are read: `host`, `host:N`, `host slots=N max_slots=N`, with
// comments from '#' on and ranges such as node[01-04]. A host named several times has the sum of
// its slots; one without a number has one for each time that it is named. Whether a name means this
// machine is judged without asking a name server.
//
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/command_line.h"
#include "tessera/status.h"

namespace tessera::launcher {

struct Host {
  std::string name;
  std::uint32_t slots = 0;
  std::uint32_t most = 0;  // max_slots; 0: no limit
};

struct HostList {
  std::vector<Host> hosts;             // each once, in the order in which they were first named
  std::vector<std::uint32_t> entries;  // as they were named: numbers in `hosts`
  bool counted = false;  // a list, or a number of slots: their sum is the default of -n
  bool stated = false;   // somebody wrote a number of slots

  std::uint32_t slots() const noexcept;
};

// What gethostname(2) says; never looked up anywhere.
std::string host_name();

bool is_this_machine(const std::string& host);

// Fails when a list names another machine.
Status check_here(const std::string& list);

// The value is empty where no host was named. Failures name the file and line.
Result<HostList> read_hosts(const CommandLine& line);

// Fails when this machine is of another architecture than `arch`, as uname(2) names it; empty: any.
Status check_arch(const std::string& arch);

}  // namespace tessera::launcher
