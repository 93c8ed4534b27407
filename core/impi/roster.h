// SPDX-License-Identifier: BSD-3-Clause
// Who takes part in a job of several MPI systems, and the terms they agreed on: Roster.
#pragma once
//
// Contract. Every process makes the same Roster out of what the server gathered, and keeps it
// unchanged. Processes are numbered by their rank in MPI_COMM_WORLD: system by system, in each host
// by host. In our own system each process is a host of its own.
//
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "impi/wire/labels.h"
#include "impi/wire/packet.h"
#include "tessera/status.h"

namespace tessera::impi {

// What limits and steers the traffic between systems; equal in all of them.
struct Terms {
  std::uint32_t most_data = 65536;  // bytes of user data in a packet
  std::uint32_t ackmark = 10;       // packets that one acknowledgement stands for
  std::uint32_t hiwater = 20;       // packets without acknowledgement that a pair may have
  std::int32_t tag_ub = 0;
  std::int32_t short_below = 0;  // bytes: smaller messages take the short form of a collective
  std::int32_t most_linear = 0;  // systems up to which collectives are linear
  Version version{};
  // All systems are ours; and all users let them choose their algorithms.
  bool all_ours() const noexcept { return version >= kOwnVersion; }
  bool free_choice() const noexcept { return version >= kFreeVersion; }
};

struct HostEntry {
  HostId address{};
  std::uint16_t port = 0;
  std::uint32_t client = 0;
};

struct ProcessEntry {
  ProcId id;
  std::uint32_t host = 0;
  std::uint32_t client = 0;
};

struct Roster {
  std::uint32_t clients = 0;
  std::vector<HostEntry> hosts;
  std::vector<ProcessEntry> processes;
  Terms terms;

  // The world rank of the first process of a client.
  std::uint32_t first_of(std::uint32_t client) const noexcept;
  // "system 1 (10.0.0.2)", for messages to people.
  std::string name_of(std::uint32_t client) const;
};

// What the server answered, by label: the mask of the clients, and their values.
struct Gathered {
  std::uint32_t clients = 0;
  Bytes values;
};
using Answers = std::map<std::uint32_t, Gathered>;

// For the way from the process that speaks with the server to the others of its system. argument:
// what the systems say contradicts the protocol or each other; the text says who and how.
Bytes encode_answers(const Answers& answers, std::uint32_t clients);
Result<Roster> roster_from(ByteView bytes) noexcept;

}  // namespace tessera::impi
