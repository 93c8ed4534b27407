// SPDX-License-Identifier: BSD-3-Clause
// How processes of one node that share nothing yet come to share a job segment: NodeMeeting.
#pragma once
//
// Contract. All processes of a node know a common key, which no other job of the user on this host
// has. call() binds an abstract Unix address made of it, or connects to it: the first process to
// come is the maker of the segment, no particular one is waited for. The maker hands the segment's
// descriptor to each member (admit_all), a member receives it (join). The address vanishes with the
// maker's listening socket, that is, when all have come or when the maker ends: nothing is left
// behind, however the processes end. Both sides look at the other's user (SO_PEERCRED).
//
// Links. The connections stay open for the life of the processes, between the maker and each
// member: the end of one tells the other side of the death of the process behind it. ended() tells
// which processes those are.
//
// The processes may live in different user, pid, mount and ipc namespaces. An own network namespace
// keeps them apart, since abstract addresses belong to it.
//
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/status.h"

namespace tessera {

// This process in its node.
struct NodePosition {
  std::string key;                 // of the node, unique on the host for this user
  std::uint32_t local = 0;         // number in the node
  std::vector<std::uint32_t> ids;  // in the job, by local number
  std::uint32_t layout = 0;        // of the job segment, equal in all processes
  std::int64_t patience_ms = 300'000;
};

class NodeMeeting {
 public:
  explicit NodeMeeting(NodePosition position) noexcept : position_(std::move(position)) {}
  NodeMeeting(const NodeMeeting&) = delete;
  NodeMeeting& operator=(const NodeMeeting&) = delete;
  ~NodeMeeting();

  // refused: another user holds the name; system.
  Status call() noexcept;
  bool is_maker() const noexcept { return listener_ >= 0; }

  // The maker: returns when all others have `memory`. refused: another build; peer_failed: some did
  // not come within the patience.
  Status admit_all(int memory) noexcept;
  // A member: the maker's descriptor, now the caller's.
  Result<int> join() noexcept;

  // Ids of the processes whose links have ended since the last call.
  std::vector<std::uint32_t> ended() noexcept;
  bool has_links() const noexcept { return !links_.empty(); }

 private:
  struct Link {
    int socket;
    std::uint32_t local;
  };

  Status connect_to_maker(int socket) noexcept;
  Status check_user(int socket) const noexcept;
  Status admit_one(int memory) noexcept;
  Status wait_for_arrival(std::int64_t since_ms, bool& told) noexcept;
  Status report_missing() const;
  std::string missing() const;

  NodePosition position_;
  int listener_ = -1;
  std::vector<Link> links_;
};

}  // namespace tessera
