// SPDX-License-Identifier: BSD-3-Clause
// A job of several MPI systems, seen from one process of ours: Systems.
#pragma once
//
// Contract. The Instance makes one at its start if the parameter impi_server says so, after the
// transports of its own job work, and deletes it before them. join() is collective over the own job
// and waits for all systems. From then on the ForeignPml is the pml, MPI_COMM_WORLD has the
// processes of all systems, and communicators that span systems are made by the functions below and
// have the collectives of the protocol. When a system is lost, or the server before the end, this
// one says which, and ends.
//
#include <array>
#include <map>
#include <memory>

#include "core/coll/table.h"
#include "core/comm/communicator.h"
#include "core/impi/foreign_pml.h"
#include "core/impi/server_link.h"
#include "tessera/coll.h"

namespace tessera::impi {

class Systems {
 public:
  static Result<std::unique_ptr<Systems>> join(Instance& instance);
  ~Systems();
  Systems(const Systems&) = delete;
  Systems& operator=(const Systems&) = delete;

  ForeignPml& pml() noexcept { return *pml_; }
  const Roster& roster() const noexcept { return roster_; }
  std::vector<Peer*> world() const { return world_; }
  // Whether the process took part from the start; those that came later are our own system's.
  bool knows(const Peer& peer) const noexcept { return peer.id < rank_of_id_.size(); }
  std::uint32_t rank_of(const Peer& peer) const noexcept {
    return knows(peer) ? rank_of_id_[peer.id] : static_cast<std::uint32_t>(world_.size()) + peer.id;
  }
  std::uint32_t client_of(const Peer& peer) const noexcept {
    return roster_.processes[knows(peer) ? rank_of(peer) : my_rank_].client;
  }
  bool foreign(const Peer& peer) const noexcept { return pml_->foreign(peer); }
  // Whether processes of several systems are in its groups.
  bool spans(const Communicator& comm) const noexcept;
  bool spans(const Group& group) const noexcept;
  bool with_lam() const noexcept { return with_lam_; }
  // For a communicator that spans systems: the operations of the protocol. Other components serve
  // it too where all systems are ours.
  coll::Candidate collectives() const;
  bool all_ours() const noexcept { return roster_.terms.all_ours(); }

  // The protocol's attributes: number and place of the systems and hosts in a communicator.
  enum class Attribute : std::uint8_t { client_size, client_color, host_size, host_color };
  int* attribute(const Communicator& comm, Attribute which);

  // The end, in this order: all systems have come; nothing is under way any more; send_fini() to
  // the other systems; and, when all processes of our own have said so, to the server.
  Status meet();
  void send_fini();
  Status leave();

  // Constructors of communicators (protocol, chapter 4), where spans(parent). create_inter() serves
  // all in a job of several systems: only the leaders know where the other group is.
  Result<Comm*> duplicate(Comm& comm);
  Result<Comm*> split(Comm& comm, int color, int key);
  Result<Comm*> create(Comm& comm, Group& group);
  Result<Comm*> create_inter(Comm& local, int local_leader, const LeadersMeet& place);
  Result<Comm*> merge(Comm& inter, bool high);
  // Before the handle of such a communicator goes.
  Status part(Comm& comm);

 private:
  explicit Systems(Instance& instance) noexcept : instance_(instance) {}
  Status exchange_roster();
  std::vector<Version> versions() const;
  Result<Bytes> ask_server(const std::vector<struct Presence>& own);
  Status admit_processes();
  Status open_listener();
  void lost(std::uint32_t client, const std::string& why) noexcept;
  void server_lost() noexcept;
  [[noreturn]] void end_job(const std::string& text) noexcept;
  Result<std::uint64_t> agree_on_cid(Comm& comm);
  Result<ContextId> next_context(std::uint64_t agreed);
  std::uint64_t odd_cid() noexcept { return max_cid_ |= 1; }

  Instance& instance_;
  Roster roster_;
  std::unique_ptr<ServerLink> server_;  // in the first process of our system
  std::vector<Peer*> world_;
  std::vector<std::uint32_t> rank_of_id_;
  std::uint32_t my_rank_ = 0;
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<ForeignPml> pml_;
  std::unique_ptr<coll::Component> collectives_;
  std::map<ContextId, std::array<int, 4>> attributes_;  // as last asked
  std::uint64_t max_cid_ = 1;
  int listener_ = -1;
  bool with_lam_ = false;
  HostId address_{};
  std::uint16_t port_ = 0;
  std::atomic<bool> leaving_{false};
};

}  // namespace tessera::impi
