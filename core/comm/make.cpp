// SPDX-License-Identifier: BSD-3-Clause
// How processes agree on a new communicator. One exchange each: context ids need no search
// (context_ids.h).
#include <algorithm>
#include <string>
#include <vector>

#include "core/comm/agreement.h"
#include "core/comm/communicator.h"
#include "core/engine/instance.h"
#include "core/impi/spanned.h"
#include "core/impi/systems.h"
#include "tessera/coll_interposer.h"

namespace tessera {
namespace {

PeerGroup peer_group_of(Comm& comm, const Group& group, int me, int tag) noexcept {
  return {comm.pml(),
          comm.progress(),
          {group.members(), static_cast<std::size_t>(group.size())},
          me,
          comm.collective_context(),
          tag,
          {}};
}

// The local group of `comm` exchanging under the number of its next collective.
PeerGroup next_peer_group(Comm& comm) noexcept {
  return peer_group_of(comm, *comm.group(), comm.rank(), comm.next_collective_tag());
}

ContextId draw(Comm& comm) noexcept {
  return comm.instance().context_ids().draw();
}

// The processes with these names, all of which this one must know.
Result<Ref<Group>> group_of(Instance& instance, const std::vector<ProcessName>& names) {
  std::vector<Peer*> members;
  members.reserve(names.size());
  for (const ProcessName& name : names) {
    members.push_back(instance.job().find(name));
    if (members.back() == nullptr) {
      return Status::failure(Errc::peer_failed,
                             "the other group has a process that this one does not know: process " +
                                 std::to_string(name.index) + " of another job");
    }
  }
  return Ref<Group>(Group::make(std::move(members)));
}

std::vector<ProcessName> names_of(const Group& group) {
  std::vector<ProcessName> names;
  for (int rank = 0; rank < group.size(); ++rank) names.push_back(group.member(rank).name);
  return names;
}

// The ranks in `comm` of the members of `group`, as their exchanges number them.
std::vector<int> numbers_in(const Comm& comm, const Group& group) {
  std::vector<int> numbers;
  numbers.reserve(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i)
    numbers.push_back(number_in_group(comm.group()->rank_of(group.member(i))));
  return numbers;
}

// Two processes, to each of which the other has a rank in place.peer_comm, exchange bytes.
Status exchange_pair(const LeadersMeet& place, const void* out, std::size_t bytes_out, void* in,
                     std::size_t bytes_in) {
  Comm& comm = *place.peer_comm;
  Peer* const pair[2] = {&comm.instance().me(), &comm.peer(place.remote_leader)};
  const int numbers[2] = {number_of_leader(comm.rank()), number_of_leader(place.remote_leader)};
  const PeerGroup peers{comm.pml(), comm.progress(), pair, 0, place.context, place.tag, numbers};
  return exchange(peers, 1, out, bytes_out, 1, in, bytes_in);
}

// Both context ids of an intercommunicator on one side: that of the messages and that of the local
// group.
struct InterIds {
  ContextId context;
  ContextId local;
};

// ---- split ----

struct Choice {
  int color;
  int key;
  ContextId context;  // drawn in advance, in case this process becomes rank 0 of a new communicator
};

// The ranks of one colour in the order of (key, old rank).
std::vector<int> ranks_of(const std::vector<Choice>& choices, int color) {
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(choices.size()); ++rank) {
    if (choices[static_cast<std::size_t>(rank)].color == color) ranks.push_back(rank);
  }
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return choices[static_cast<std::size_t>(a)].key < choices[static_cast<std::size_t>(b)].key;
  });
  return ranks;
}

Result<std::vector<Choice>> gather_choices(Comm& comm, int color, int key) {
  const Choice mine{color, key, draw(comm)};
  std::vector<Choice> all(static_cast<std::size_t>(comm.size()));
  if (Status s = allgather(next_peer_group(comm), &mine, sizeof mine, all.data()); !s) return s;
  return all;
}

// The leaders (rank 0) of both groups of an intercommunicator exchange `bytes_out` for `bytes_in`.
Status exchange_leaders(Comm& inter, const void* out, std::size_t bytes_out, void* in,
                        std::size_t bytes_in) {
  const int tag = inter.next_collective_tag();
  if (inter.rank() != 0) return {};
  return exchange_pair({&inter, 0, inter.collective_context(), tag}, out, bytes_out, in, bytes_in);
}

// The choices of the remote group, known to all of the local group.
Result<std::vector<Choice>> exchange_choices(Comm& inter, const std::vector<Choice>& local) {
  std::vector<Choice> remote(static_cast<std::size_t>(inter.remote_size()));
  const std::size_t bytes = remote.size() * sizeof(Choice);
  if (Status s = exchange_leaders(inter, local.data(), local.size() * sizeof(Choice), remote.data(),
                                  bytes);
      !s)
    return s;
  if (Status s = broadcast(next_peer_group(inter), 0, remote.data(), bytes); !s) return s;
  return remote;
}

Result<Comm*> split_intra(Comm& comm, int color, const std::vector<Choice>& choices) {
  const std::vector<int> ranks = ranks_of(choices, color);
  const ContextId context = choices[static_cast<std::size_t>(ranks.front())].context;
  return Comm::make(comm.instance(), Ref<Group>(comm.group()->including(ranks)), context);
}

Result<Comm*> split_inter(Comm& comm, int color, const std::vector<Choice>& local) {
  auto remote = exchange_choices(comm, local);
  if (!remote.ok()) return remote.status();
  if (color < 0) return nullptr;
  const std::vector<int> ours = ranks_of(local, color);
  const std::vector<int> theirs = ranks_of(*remote, color);
  if (theirs.empty()) return nullptr;  // the other side has nobody of this colour (MPI-5.0 §7.4.2)
  const ContextId our_draw = local[static_cast<std::size_t>(ours.front())].context;
  const ContextId their_draw = (*remote)[static_cast<std::size_t>(theirs.front())].context;
  return Comm::make_inter(comm.instance(), Ref<Group>(comm.group()->including(ours)),
                          Ref<Group>(comm.remote_group()->including(theirs)),
                          std::min(our_draw, their_draw), ContextIds::of_local_group(our_draw));
}

}  // namespace

Result<Comm*> duplicate(Comm& comm) {
  if (auto* const systems = impi::spanned_by(comm)) return systems->duplicate(comm);
  if (Status s = comm.announce(coll::Making::duplicate, coll::CallForm::blocking); !s) return s;
  const ContextId drawn = draw(comm);
  InterIds ids{drawn, ContextIds::of_local_group(drawn)};
  if (comm.inter()) {
    ContextId theirs = 0;
    if (Status s = exchange_leaders(comm, &ids.context, sizeof ids.context, &theirs, sizeof theirs);
        !s)
      return s;
    if (comm.rank() == 0) ids.context = std::min(ids.context, theirs);
  }
  if (Status s = broadcast(next_peer_group(comm), 0, &ids, sizeof ids); !s) return s;
  if (comm.inter())
    return Comm::make_inter(comm.instance(), comm.group(), comm.remote_group(), ids.context,
                            ids.local);
  return Comm::make(comm.instance(), comm.group(), ids.context);
}

Result<Comm*> split(Comm& comm, int color, int key) {
  if (auto* const systems = impi::spanned_by(comm)) return systems->split(comm, color, key);
  if (Status s = comm.announce(coll::Making::split, coll::CallForm::blocking); !s) return s;
  auto choices = gather_choices(comm, color, key);
  if (!choices.ok()) return choices.status();
  if (comm.inter()) return split_inter(comm, color, *choices);
  if (color < 0) return nullptr;
  return split_intra(comm, color, *choices);
}

Result<Comm*> create(Comm& comm, Group& group) {
  if (auto* const systems = impi::spanned_by(comm)) return systems->create(comm, group);
  if (comm.inter()) {
    // Membership as a split: one colour for the members, in the order of the group.
    const int rank = group.rank_of(comm.instance().me());
    return split(comm, rank >= 0 ? 0 : -1, std::max(rank, 0));
  }
  if (Status s = comm.announce(coll::Making::create, coll::CallForm::blocking); !s) return s;
  const int tag = comm.next_collective_tag();
  const int me = group.rank_of(comm.instance().me());
  if (me < 0) return nullptr;
  ContextId context = draw(comm);
  if (Status s = broadcast(peer_group_of(comm, group, me, tag), 0, &context, sizeof context); !s)
    return s;
  return Comm::make(comm.instance(), Ref<Group>::share(&group), context);
}

Result<Comm*> create_from_group(Comm& comm, Group& group, int tag) {
  if (auto* const systems = impi::spanned_by(comm); systems != nullptr && systems->spans(group)) {
    return Status::failure(Errc::unsupported,
                           "the protocol between the MPI systems of this job has no way to make a "
                           "communicator by the members of a group alone; MPI_Comm_create does");
  }
  const int me = group.rank_of(comm.instance().me());
  if (me < 0) return nullptr;
  ContextId context = draw(comm);
  const std::vector<int> numbers = numbers_in(comm, group);
  PeerGroup peers = peer_group_of(comm, group, me, tag);
  peers.numbers = numbers;
  if (Status s = broadcast(peers, 0, &context, sizeof context); !s) return s;
  return Comm::make(comm.instance(), Ref<Group>::share(&group), context);
}

// ---- intercommunicators ----

namespace {

// What a leader tells the other one about its group.
struct Introduction {
  ContextId context;  // drawn by this leader
  std::uint64_t size;
  bool high;
};

struct Meeting {
  Introduction remote;
  ContextId local_draw;
  std::vector<ProcessName> remote_names;
};

// At a leader: what the other one says of its group, and its members.
Status introduce(Comm& local, const LeadersMeet& place, Meeting& meeting) {
  const Introduction ours{meeting.local_draw, static_cast<std::uint64_t>(local.size()), false};
  if (Status s = exchange_pair(place, &ours, sizeof ours, &meeting.remote, sizeof meeting.remote);
      !s)
    return s;
  const std::vector<ProcessName> names = names_of(*local.group());
  meeting.remote_names.resize(meeting.remote.size);
  return exchange_pair(place, names.data(), names.size() * sizeof names[0],
                       meeting.remote_names.data(), meeting.remote_names.size() * sizeof names[0]);
}

// The leaders introduce their groups to each other, then each tells its own. A leader that is sent
// to a member of its own group would wait for ever: it tells its group that there is no other.
Result<Meeting> meet(Comm& local, int leader, const LeadersMeet& place) {
  Meeting meeting{};
  meeting.local_draw = draw(local);
  if (local.rank() == leader && place.peer_comm != nullptr) {
    const bool disjoint = local.group()->rank_of(place.peer_comm->peer(place.remote_leader)) < 0;
    if (Status s = disjoint ? introduce(local, place, meeting) : Status(); !s) return s;
  }
  struct {
    Introduction remote;
    ContextId local_draw;
  } told{meeting.remote, meeting.local_draw};
  if (Status s = broadcast(next_peer_group(local), leader, &told, sizeof told); !s) return s;
  if (told.remote.size == 0) {
    return Status::failure(
        Errc::argument,
        "the leader found no other group: the two groups must be disjoint, but `remote_leader` "
        "names a member of the local one; or what the leader gave was wrong");
  }
  meeting.remote = told.remote;
  meeting.local_draw = told.local_draw;
  meeting.remote_names.resize(meeting.remote.size);
  const std::size_t bytes = meeting.remote_names.size() * sizeof(ProcessName);
  if (Status s = broadcast(next_peer_group(local), leader, meeting.remote_names.data(), bytes); !s)
    return s;
  return meeting;
}

}  // namespace

LeadersMeet LeadersMeet::over(Comm* peer_comm, int remote_leader, int tag) noexcept {
  const ContextId collective = peer_comm == nullptr ? 0 : peer_comm->collective_context();
  return {peer_comm, remote_leader, collective, tag};
}

Result<Comm*> create_inter(Comm& local, int local_leader, const LeadersMeet& place) {
  if (auto* const systems = local.instance().systems())
    return systems->create_inter(local, local_leader, place);
  if (Status s = local.announce(coll::Making::create_inter, coll::CallForm::blocking); !s) return s;
  auto met = meet(local, local_leader, place);
  if (!met.ok()) return met.status();
  auto remote_group = group_of(local.instance(), met->remote_names);
  if (!remote_group.ok()) return remote_group.status();
  Ref<Group> remote = std::move(*remote_group);
  for (int rank = 0; rank < remote->size(); ++rank) {
    if (local.group()->rank_of(remote->member(rank)) < 0) continue;
    return Status::failure(Errc::argument,
                           "the two groups of an intercommunicator must be disjoint; process " +
                               std::to_string(remote->member(rank).id) + " is in both");
  }
  return Comm::make_inter(local.instance(), local.group(), std::move(remote),
                          std::min(met->local_draw, met->remote.context),
                          ContextIds::of_local_group(met->local_draw));
}

Result<Comm*> merge(Comm& inter, bool high) {
  if (auto* const systems = impi::spanned_by(inter)) return systems->merge(inter, high);
  if (Status s = inter.announce(coll::Making::merge, coll::CallForm::blocking); !s) return s;
  Introduction ours{draw(inter), static_cast<std::uint64_t>(inter.size()), high};
  Introduction theirs{};
  if (Status s = exchange_leaders(inter, &ours, sizeof ours, &theirs, sizeof theirs); !s) return s;
  Introduction both[2] = {ours, theirs};
  if (Status s = broadcast(next_peer_group(inter), 0, both, sizeof both); !s) return s;
  const auto& [local, remote] = both;
  // Equal wishes leave the order open (MPI-5.0 §7.6.2): the group whose leader drew the smaller id
  // comes first.
  const bool local_first = local.high != remote.high ? remote.high : local.context < remote.context;
  const Group& first = local_first ? *inter.group() : *inter.remote_group();
  const Group& second = local_first ? *inter.remote_group() : *inter.group();
  return Comm::make(inter.instance(), Ref<Group>(first.united_with(second)),
                    std::min(local.context, remote.context));
}

}  // namespace tessera
