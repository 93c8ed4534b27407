// SPDX-License-Identifier: BSD-3-Clause
// The processes of other jobs that this one is connected with: Connections.
#pragma once
//
// Contract. A process of another job is admitted when the two jobs meet (link.h), and stays
// connected until MPI_Comm_disconnect leaves no communicator that lists both: then it is forgotten,
// with all that transports and pml had for it. MPI_Comm_free does not part anybody (MPI-5.0
// §11.10.4). Both sides count the same communicators, so both forget at the same time.
//
// Deaths. The end of a process of this host is seen through a descriptor of the process
// (pidfd_open(2)), looked at every fifth of a second while this process waits, whatever transport
// reaches it: a connection shows nothing before it was made. One that ended before MPI_Finalize, as
// its page says, is lost to all that needs it; one that finalized has simply gone. A process of
// another host shows its death by its connection alone. All under the engine's lock.
//
#include <cstdint>
#include <map>
#include <memory>

#include "core/comm/group.h"
#include "core/dynamic/link_memory.h"
#include "core/job/job.h"
#include "core/progress/pace.h"

namespace tessera {

class Comm;
class Instance;

// What this process and one of another job share. Without memory of the pair they use messages.
struct Sharing {
  std::shared_ptr<JobSegment> segment;  // of its job; null: on another host, or not ours to see
  std::uint32_t page = 0;               // its page there
  std::shared_ptr<LinkMemory> memory;
  std::uint64_t place = 0;  // of the pair in `memory`
};

class Connections final : public PairMemory, private Poller {
 public:
  explicit Connections(Instance& instance) noexcept;
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // Another job is about to be met.
  void expect() noexcept;
  // Makes `peer`, which the table has just admitted, a connected one. `pid`: on this host, or 0.
  void admit(Peer& peer, bool same_host, std::int32_t pid, Sharing sharing);
  bool knows(const Peer& peer) const noexcept { return neighbours_.contains(peer.id); }
  bool any() const noexcept { return !neighbours_.empty(); }

  // A communicator was made, or is destroyed.
  void count(const Comm& comm) noexcept;
  void uncount(const Comm& comm) noexcept;
  // Of these, forgets the processes that no communicator lists any more.
  void part(const Group& group) noexcept;
  // Takes back an admission that came to nothing.
  void forget(Peer& peer) noexcept;
  // The segment of a job that is attached already, or null.
  std::shared_ptr<JobSegment> segment_of(std::uint64_t job) const noexcept;

  Result<SharedRegion> between(const Peer& peer, std::size_t bytes) noexcept override;

 private:
  struct Neighbour {
    Peer* peer = nullptr;
    std::uint32_t communicators = 0;
    Sharing sharing;
    SharedRegion pair;
    int process = -1;  // pidfd
  };
  int poll() noexcept override;
  int look() noexcept;
  int bury(std::uint32_t id) noexcept;
  void watch(bool on) noexcept;
  void changed() noexcept;
  void add_to(const Group& group, std::uint32_t change) noexcept;
  static void release(Neighbour& neighbour) noexcept;

  Instance& instance_;
  std::map<std::uint32_t, Neighbour> neighbours_;  // by id
  Pace pace_;
  std::int64_t usual_nap_ = -1;
  bool watching_ = false;
  bool looking_ = false;
};

}  // namespace tessera
