// SPDX-License-Identifier: BSD-3-Clause
// Ports, accept and connect, join.
#include "core/dynamic/dynamic.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/comm/agreement.h"
#include "core/dynamic/connections.h"
#include "core/dynamic/link.h"
#include "core/dynamic/spawn_service.h"
#include "core/engine/instance.h"
#include "core/job/failures.h"

namespace tessera {
namespace {

// A caller that has shown the key says who it is at once, or is taken for dead.
constexpr double kIntroductionSeconds = 10;

struct JoinGreeting {
  std::uint64_t magic;
  std::uint64_t job;
  std::uint64_t index;
};
constexpr std::uint64_t kJoin = 0x314e494f4a535354;  // "TSSJOIN1"

Status no_port(std::string_view text) {
  return Status::failure(Errc::not_found, "'" + std::string(text.substr(0, 80)) +
                                              "' is not the name of a port; MPI_Open_port and "
                                              "MPI_Lookup_name tell them");
}

Status nobody_accepts(double seconds) {
  char text[200];
  std::snprintf(text, sizeof text,
                "nobody has accepted on the port within %g s (parameter core_connect_timeout, info "
                "key timeout)",
                seconds);
  return Status::failure(Errc::cancelled, text);
}

}  // namespace

Dynamic::Dynamic(Instance& instance) noexcept : instance_(instance) {}
Dynamic::~Dynamic() = default;

Result<std::string> Dynamic::open_port(const PortWishes& wishes) noexcept try {
  auto port = Port::open(wishes);
  if (!port.ok()) return port.status();
  std::string name = (*port)->name().text();
  ports_.emplace(name, std::move(*port));
  return name;
} catch (const std::bad_alloc&) {
  return Errc::no_memory;
}

Status Dynamic::close_port(std::string_view name) noexcept {
  const auto found = ports_.find(name);
  if (found == ports_.end())
    return Status::failure(Errc::not_found, "this process has no open port of that name");
  ports_.erase(found);
  return {};
}

// A caller that has given up, or dies now, is nobody's loss: the next one gets its turn. Without
// all of comm there is no point in waiting for one.
Status Dynamic::receive_caller(Comm& comm, Port& port, RootsMeeting& meeting, Line& line) {
  const Deadline none(instance_.progress(), 0);
  const std::span<Peer* const> group{comm.group()->members(),
                                     static_cast<std::size_t>(comm.size())};
  meeting.mine = preface_of(comm);
  while (true) {
    auto caller = port.take(none, [group] { return any_failed(group); });
    if (Status s = all_alive(group); !s) return s;
    if (!caller.ok()) return caller.status();
    line = std::move(*caller);
    const Deadline soon(instance_.progress(), kIntroductionSeconds);
    auto theirs = hear(line, soon);
    if (!theirs.ok() || line.ended()) continue;
    meeting.theirs = *theirs;
    if (say(line, meeting.mine, soon).ok()) return {};
  }
}

Result<Comm*> Dynamic::accept(Comm& comm, int root, std::string_view name) {
  RootsMeeting meeting;
  Line line;
  const Deadline none(instance_.progress(), 0);
  if (comm.rank() == root) {
    const auto port = ports_.find(name);
    meeting.failure = port == ports_.end()
                          ? Status::failure(Errc::not_found,
                                            "the root process has no open port of this name; it "
                                            "must be the one that called MPI_Open_port")
                          : receive_caller(comm, *port->second, meeting, line);
  }
  meeting.line = &line;
  return make_link(comm, root, Side::accepts, meeting, none);
}

Status Dynamic::call(Comm& comm, std::string_view text, double seconds, RootsMeeting& meeting,
                     Line& line) {
  const auto name = PortName::parse(text);
  if (!name) return no_port(text);
  if (seconds < 0)
    seconds = static_cast<double>(instance_.params().integer("core_connect_timeout"));
  const Deadline deadline(instance_.progress(), seconds);
  auto dialled = dial(*name, deadline);
  if (!dialled.ok()) return dialled.status();
  line = std::move(*dialled);
  meeting.mine = preface_of(comm);
  if (Status s = say(line, meeting.mine, deadline); !s) return s;
  auto theirs = hear(line, deadline);
  if (theirs.status() == Errc::cancelled) return nobody_accepts(seconds);
  if (theirs.status() == Errc::peer_failed) {
    return Status::failure(Errc::not_found,
                           "the port was closed before anybody accepted, or it refuses the key of "
                           "this name");
  }
  if (!theirs.ok()) return theirs.status();
  meeting.theirs = *theirs;
  return {};
}

Result<Comm*> Dynamic::connect(Comm& comm, int root, std::string_view port, double seconds) {
  RootsMeeting meeting;
  Line line;
  const Deadline none(instance_.progress(), 0);
  if (comm.rank() == root) meeting.failure = call(comm, port, seconds, meeting, line);
  meeting.line = &line;
  return make_link(comm, root, Side::connects, meeting, none);
}

// The socket stays as it is, but for exactly the bytes of the handshake.
Result<Comm*> Dynamic::join(int socket) {
  const Deadline none(instance_.progress(), 0);
  Line line(socket, true);
  const ProcessName& me = instance_.me().name;
  const JoinGreeting mine{kJoin, me.job, me.index};
  JoinGreeting theirs{};
  if (Status s = line.send_raw(&mine, sizeof mine, none); !s) return s;
  if (Status s = line.receive_raw(&theirs, sizeof theirs, none); !s) return s;
  if (theirs.magic != kJoin) return nullptr;
  const ProcessName other{theirs.job, static_cast<std::uint32_t>(theirs.index)};
  if (other == me) return Status::failure(Errc::argument, "a process cannot join itself");
  RootsMeeting meeting;
  meeting.line = &line;
  meeting.mine = preface_of(instance_.self());
  if (Status s = say(line, meeting.mine, none); !s) return s;
  auto preface = hear(line, none);
  if (!preface.ok()) return preface.status();
  meeting.theirs = *preface;
  const Side side = me < other ? Side::accepts : Side::connects;
  return make_link(instance_.self(), 0, side, meeting, none);
}

}  // namespace tessera
