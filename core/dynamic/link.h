// SPDX-License-Identifier: BSD-3-Clause
// How two groups of processes that do not know each other become an intercommunicator: make_link.
#pragma once
//
// Contract. Spawn, accept and connect, and join share this one handshake. The roots have a Line to
// each other; the members of a group talk over their communicator. Collective over both groups:
//   1. the roots say who they are (Preface): job, host, size of the group, a context id;
//   2. each root tells its group whether memory will do or the network is needed; the members open
//      transports and hand in their rows: name, process id, segment, addresses;
//   3. the roots exchange the rows, and tell their groups;
//   4. each process admits those of the other group; what went wrong anywhere, all get to know;
//   5. both sides make the intercommunicator.
// After a failure nobody of the other group is known on that account. Nobody sends before all know
// all: step 4 ends with an answer of the other side.
//
// Context ids are drawn by the roots; that of the accepting side holds. Where two jobs of the link
// draw from the same numbers (context_ids.h), both sides go on with numbers of their own.
//
#include <memory>

#include "core/comm/communicator.h"
#include "core/dynamic/line.h"

namespace tessera {

enum class Side : std::uint8_t { accepts, connects };

// What the roots say first.
struct Preface {
  std::uint64_t magic;
  std::uint64_t host;     // number of the network stack
  std::uint64_t context;  // drawn by this root
  std::uint64_t local_context;
  std::uint32_t size;   // of the group
  std::uint8_t memory;  // this root can share memory
  std::uint8_t spans;   // its group is on several hosts
  std::uint16_t tag;    // from which numbers it draws, should those so far collide
};

// The root's part before the group takes part; `mine` is kept for make_link.
Preface preface_of(Comm& comm);
Status say(Line& line, const Preface& mine, const Deadline& deadline) noexcept;
Result<Preface> hear(Line& line, const Deadline& deadline) noexcept;

// What a root brings to the meeting of its group: a Line and both prefaces, or why there are none.
struct RootsMeeting {
  Line* line = nullptr;
  Preface mine{};
  Preface theirs{};
  Status failure;
};

// Collective over comm; `meeting` counts at its root. The text of a failure is that of the root at
// all processes. Errors: those of the roots' meeting; peer_failed, cancelled: the other group has
// gone meanwhile; argument: the groups overlap.
Result<Comm*> make_link(Comm& comm, int root, Side side, RootsMeeting& meeting,
                        const Deadline& deadline);

}  // namespace tessera
