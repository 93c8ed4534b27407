// SPDX-License-Identifier: BSD-3-Clause
// What a process has and does to meet other jobs: Dynamic.
#pragma once
//
// Contract. One per Instance, made on first use, under the engine's lock, which waits release.
// Calls with a communicator are collective over it; what is said of the root counts there only.
// Failures come with these codes: not_found: there is no such port; cancelled: the time is over;
// refused, peer_failed: the other side; argument: what the caller gave.
//
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/comm/communicator.h"
#include "core/dynamic/name_service.h"
#include "core/dynamic/port.h"
#include "core/dynamic/spawn_order.h"

namespace tessera {

class SpawnService;
struct RootsMeeting;

class Dynamic {
 public:
  explicit Dynamic(Instance& instance) noexcept;
  ~Dynamic();
  Dynamic(const Dynamic&) = delete;
  Dynamic& operator=(const Dynamic&) = delete;

  Result<std::string> open_port(const PortWishes& wishes) noexcept;
  Status close_port(std::string_view name) noexcept;
  bool has_port(std::string_view name) const noexcept { return ports_.contains(name); }

  Result<Comm*> accept(Comm& comm, int root, std::string_view port);
  // `seconds`: how long to wait for an accept; negative: the parameter says it.
  Result<Comm*> connect(Comm& comm, int root, std::string_view port, double seconds);
  // Null: the process at the other end of the socket cannot be reached by MPI.
  Result<Comm*> join(int socket);

  NameService& names() noexcept { return names_; }

  // Starts processes; `order` counts at the root, or `refusal`, which says why there is none. The
  // outcome is known to all processes of comm, also where no process was started.
  Result<Comm*> spawn(Comm& comm, int root, SpawnOrder order, const Status& refusal,
                      SpawnOutcome& outcome);

  // Of a spawned process: meets its parents, once.
  Status meet_parents();
  // Null: it was not spawned, or has parted from its parents.
  Comm* parent() const noexcept { return parent_; }
  void forget_parent() noexcept { parent_ = nullptr; }

 private:
  Status receive_caller(Comm& comm, Port& port, RootsMeeting& meeting, Line& line);
  Status call(Comm& comm, std::string_view port, double seconds, RootsMeeting& meeting, Line& line);
  Status place_order(SpawnOrder& order, const Port& port, const Deadline& deadline,
                     std::unique_ptr<SpawnService>& open);
  Status start_children(Comm& comm, SpawnOrder& order, SpawnOutcome& outcome, RootsMeeting& meeting,
                        Line& line, std::unique_ptr<SpawnService>& open);
  Result<std::unique_ptr<SpawnService>> spawn_service();

  Instance& instance_;
  std::map<std::string, std::unique_ptr<Port>, std::less<>> ports_;
  NameService names_;
  std::unique_ptr<SpawnService> launcher_;  // of a process that is alone; null: none was needed yet
  std::uint64_t launcher_number_ = 0;       // where it takes orders
  Comm* parent_ = nullptr;                  // the program's handle owns it
};

// The port at which the parents of this process wait, from its environment; empty: it was not
// spawned.
std::string_view parents_port() noexcept;

}  // namespace tessera
