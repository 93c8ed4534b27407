// SPDX-License-Identifier: BSD-3-Clause
// The processes that this one knows: PeerTable.
#pragma once
//
// Contract. The engine's Job owns one table; see peer.h for names and ids. The table begins with
// the processes of the job, whose index is their id. admit() adds a process of another job, in the
// lowest free place; forget() removes one. A Peer keeps its address meanwhile; a place is used
// again when no group lists its peer any more. All under the engine's lock.
//
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "tessera/peer.h"

namespace tessera {

class PeerTable {
 public:
  // `size` processes of the job `job`.
  PeerTable(std::uint64_t job, std::uint32_t size);
  PeerTable(const PeerTable&) = delete;
  PeerTable& operator=(const PeerTable&) = delete;

  Peer& operator[](std::uint32_t id) const noexcept { return peers_[id]; }
  std::uint32_t end_id() const noexcept { return static_cast<std::uint32_t>(peers_.size()); }
  Peer* find(const ProcessName& name) const noexcept;

  // The peer of that name, made if it is unknown: then without locality, pid and bell, which the
  // caller fills in. no_memory.
  Result<Peer*> admit(const ProcessName& name) noexcept;
  // argument: a process of the own job, which stays. The place and the address are used again, so
  // that the caller has made sure that nobody but groups holds a reference (btl.h,
  // Module::disconnect).
  Status forget(Peer& peer) noexcept;

 private:
  Peer& place(const ProcessName& name);
  void collect() noexcept;
  void set_free(Peer& peer) noexcept;

  std::uint64_t job_;
  std::uint32_t size_;
  mutable std::deque<Peer> peers_;
  std::map<ProcessName, Peer*> others_;
  std::vector<std::uint32_t> free_;  // ids, the lowest last
  std::vector<std::uint32_t> kept_;  // forgotten, but listed by groups
};

}  // namespace tessera
