// SPDX-License-Identifier: BSD-3-Clause
// How processes agree on a new communicator. One exchange each: context ids need no search
// (context_ids.h).
#include <algorithm>
#include <string>
#include <vector>

#include "core/comm/agreement.h"
#include "core/comm/communicator.h"
#include "core/comm/group_tags.h"
#include "core/comm/leaders.h"
#include "core/engine/instance.h"
#include "core/impi/spanned.h"
#include "core/impi/systems.h"
#include "core/job/failures.h"
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

std::vector<Peer*> both_groups(const Comm& inter) {
  const Group& local = *inter.group();
  const Group& remote = *inter.remote_group();
  std::vector<Peer*> all(local.members(), local.members() + local.size());
  all.insert(all.end(), remote.members(), remote.members() + remote.size());
  return all;
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

// Two processes, to each of which the other has a rank in place.peer_comm, exchange bytes if both
// are well. `needed`: whose death ends that; empty: theirs alone.
Status exchange_pair(const LeadersMeet& place, std::span<Peer* const> needed, const Status& mine,
                     const void* out, std::size_t bytes_out, void* in, std::size_t bytes_in) {
  Comm& comm = *place.peer_comm;
  Peer* const pair[2] = {&comm.instance().me(), &comm.peer(place.remote_leader)};
  const int numbers[2] = {number_of_leader(comm.rank()), number_of_leader(place.remote_leader)};
  const PeerGroup peers{comm.pml(),    comm.progress(), pair,    0,
                        place.context, place.tag,       numbers, needed};
  if (Status s = agree_with(peers, 1, mine); !s) return s;
  return exchange(peers, 1, out, bytes_out, 1, in, bytes_in);
}

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

// Of the local group; `needed` as in PeerGroup.
Result<std::vector<Choice>> gather_choices(Comm& comm, int color, int key,
                                           std::span<Peer* const> needed = {}) {
  const Choice mine{color, key, draw(comm)};
  std::vector<Choice> all(static_cast<std::size_t>(comm.size()));
  PeerGroup peers = next_peer_group(comm);
  peers.needed = needed;
  if (Status s = allgather(peers, &mine, sizeof mine, all.data()); !s) return s;
  return all;
}

// The leaders (rank 0) of both groups of an intercommunicator tell each other `ours`, and their
// groups what both have said. `mine`: whether this process is well so far; a leader that is not
// tells the other group, too, which might not notice.
Status exchange_groups(Comm& inter, const Status& mine, std::span<Peer* const> needed,
                       std::span<std::byte> ours, std::span<std::byte> theirs) {
  const int tag = inter.next_collective_tag();
  PeerGroup local = next_peer_group(inter);
  local.needed = needed;
  Status met = mine;
  if (inter.rank() == 0)
    met = exchange_pair({&inter, 0, inter.collective_context(), tag}, needed, mine, ours.data(),
                        ours.size(), theirs.data(), theirs.size());
  else if (!mine)
    return mine;
  if (Status s = agree(local, 0, met); !s) return s;
  if (Status s = broadcast(local, 0, ours.data(), ours.size()); !s) return s;
  return broadcast(local, 0, theirs.data(), theirs.size());
}

// The same where no exchange within the groups has gone before, which would have met a death.
template <class Word>
Status exchange_words(Comm& inter, Word& ours, Word& theirs) {
  const std::vector<Peer*> needed = both_groups(inter);
  PeerGroup all = peer_group_of(inter, *inter.group(), inter.rank(), 0);
  all.needed = needed;
  return exchange_groups(inter, all_alive(all), needed, std::as_writable_bytes(std::span(&ours, 1)),
                         std::as_writable_bytes(std::span(&theirs, 1)));
}

Result<Comm*> split_intra(Comm& comm, int color, const std::vector<Choice>& choices) {
  const std::vector<int> ranks = ranks_of(choices, color);
  const ContextId context = choices[static_cast<std::size_t>(ranks.front())].context;
  return Comm::make(comm.instance(), Ref<Group>(comm.group()->including(ranks)), context);
}

Result<Comm*> split_inter(Comm& comm, int color, int key) {
  const std::vector<Peer*> needed = both_groups(comm);
  auto gathered = gather_choices(comm, color, key, needed);
  std::vector<Choice> local(static_cast<std::size_t>(comm.size()));
  std::vector<Choice> remote(static_cast<std::size_t>(comm.remote_size()));
  if (gathered.ok()) local = std::move(*gathered);
  if (Status s =
          exchange_groups(comm, gathered.status(), needed, std::as_writable_bytes(std::span(local)),
                          std::as_writable_bytes(std::span(remote)));
      !s)
    return s;
  if (color < 0) return nullptr;
  const std::vector<int> ours = ranks_of(local, color);
  const std::vector<int> theirs = ranks_of(remote, color);
  if (theirs.empty()) return nullptr;  // the other side has nobody of this colour (MPI-5.0 §7.4.2)
  const ContextId our_draw = local[static_cast<std::size_t>(ours.front())].context;
  const ContextId their_draw = remote[static_cast<std::size_t>(theirs.front())].context;
  return Comm::make_inter(comm.instance(), Ref<Group>(comm.group()->including(ours)),
                          Ref<Group>(comm.remote_group()->including(theirs)),
                          std::min(our_draw, their_draw), ContextIds::of_local_group(our_draw));
}

}  // namespace

Result<Comm*> duplicate(Comm& comm) {
  if (auto* const systems = impi::spanned_by(comm)) return systems->duplicate(comm);
  if (Status s = comm.announce(coll::Making::duplicate, coll::CallForm::blocking); !s) return s;
  ContextId context = draw(comm);
  if (comm.inter()) {
    ContextId theirs = 0;
    if (Status s = exchange_words(comm, context, theirs); !s) return s;
    return Comm::make_inter(comm.instance(), comm.group(), comm.remote_group(),
                            std::min(context, theirs), ContextIds::of_local_group(context));
  }
  const PeerGroup peers = next_peer_group(comm);
  if (Status s = all_alive(peers); !s) return s;
  if (Status s = broadcast(peers, 0, &context, sizeof context); !s) return s;
  return Comm::make(comm.instance(), comm.group(), context);
}

Result<Comm*> split(Comm& comm, int color, int key) {
  if (auto* const systems = impi::spanned_by(comm)) return systems->split(comm, color, key);
  if (Status s = comm.announce(coll::Making::split, coll::CallForm::blocking); !s) return s;
  if (comm.inter()) return split_inter(comm, color, key);
  auto choices = gather_choices(comm, color, key);
  if (!choices.ok()) return choices.status();
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
  const PeerGroup peers = peer_group_of(comm, group, me, tag);
  if (Status s = all_alive(peers); !s) return s;
  if (Status s = broadcast(peers, 0, &context, sizeof context); !s) return s;
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
  PeerGroup peers = peer_group_of(comm, group, me, tag_of(group, tag));
  peers.numbers = numbers;
  if (Status s = all_alive(peers); !s) return s;
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

// At a leader: what the other one says of its group, and its members. A leader that is sent to a
// member of its own group would wait for ever.
Status introduce(Comm& local, const LeadersMeet& place, std::span<Peer* const> needed,
                 Meeting& meeting) {
  const Introduction ours{meeting.local_draw, static_cast<std::uint64_t>(local.size()), false};
  if (place.peer_comm == nullptr ||
      local.group()->rank_of(place.peer_comm->peer(place.remote_leader)) >= 0)
    return Status::failure(
        Errc::argument,
        "the leader found no other group: the two groups must be disjoint, but `remote_leader` "
        "names a member of the local one; or what the leader gave was wrong");
  if (Status s = exchange_pair(place, needed, {}, &ours, sizeof ours, &meeting.remote,
                               sizeof meeting.remote);
      !s)
    return s;
  const std::vector<ProcessName> names = names_of(*local.group());
  meeting.remote_names.resize(meeting.remote.size);
  return exchange_pair(place, needed, {}, names.data(), names.size() * sizeof names[0],
                       meeting.remote_names.data(), meeting.remote_names.size() * sizeof names[0]);
}

// The leaders introduce their groups to each other, then each tells its own, which cannot know
// whether the other leader is there.
Result<Meeting> meet(Comm& local, int leader, const LeadersMeet& place,
                     std::span<Peer* const> needed) {
  Meeting meeting{};
  meeting.local_draw = draw(local);
  Status met;
  if (local.rank() == leader) met = introduce(local, place, needed, meeting);
  const PeerGroup peers = next_peer_group(local);
  if (Status s = agree(peers, leader, met); !s) return s;
  struct {
    Introduction remote;
    ContextId local_draw;
  } told{meeting.remote, meeting.local_draw};
  if (Status s = broadcast(peers, leader, &told, sizeof told); !s) return s;
  meeting.remote = told.remote;
  meeting.local_draw = told.local_draw;
  meeting.remote_names.resize(meeting.remote.size);
  const std::size_t bytes = meeting.remote_names.size() * sizeof(ProcessName);
  if (Status s = broadcast(peers, leader, meeting.remote_names.data(), bytes); !s) return s;
  return meeting;
}

}  // namespace

LeadersMeet LeadersMeet::over(Comm* peer_comm, int remote_leader, int tag) noexcept {
  const ContextId collective = peer_comm == nullptr ? 0 : peer_comm->collective_context();
  return {peer_comm, remote_leader, collective, tag};
}

Result<Comm*> create_inter(Comm& local, int local_leader, const LeadersMeet& place) {
  return create_inter(local, local_leader, place, {});
}

Result<Comm*> create_inter(Comm& local, int local_leader, const LeadersMeet& place,
                           std::span<Peer* const> needed) {
  if (auto* const systems = local.instance().systems())
    return systems->create_inter(local, local_leader, place);
  if (Status s = local.announce(coll::Making::create_inter, coll::CallForm::blocking); !s) return s;
  auto met = meet(local, local_leader, place, needed);
  if (!met.ok()) return met.status();
  auto remote_group = group_of(local.instance(), met->remote_names);
  if (!remote_group.ok()) return remote_group.status();
  Ref<Group> remote = std::move(*remote_group);
  local.progress().notice_failures();
  for (int rank = 0; rank < remote->size(); ++rank) {
    const Peer& member = remote->member(rank);
    if (member.failed.load(std::memory_order_relaxed)) return died(member);
    if (local.group()->rank_of(member) < 0) continue;
    return Status::failure(Errc::argument,
                           "the two groups of an intercommunicator must be disjoint; process " +
                               std::to_string(member.id) + " is in both");
  }
  return Comm::make_inter(local.instance(), local.group(), std::move(remote),
                          std::min(met->local_draw, met->remote.context),
                          ContextIds::of_local_group(met->local_draw));
}

Result<Comm*> merge(Comm& inter, bool high) {
  if (auto* const systems = impi::spanned_by(inter)) return systems->merge(inter, high);
  if (Status s = inter.announce(coll::Making::merge, coll::CallForm::blocking); !s) return s;
  Introduction local{draw(inter), static_cast<std::uint64_t>(inter.size()), high};
  Introduction remote{};
  if (Status s = exchange_words(inter, local, remote); !s) return s;
  // Equal wishes leave the order open (MPI-5.0 §7.6.2): the group whose leader drew the smaller id
  // comes first.
  const bool local_first = local.high != remote.high ? remote.high : local.context < remote.context;
  const Group& first = local_first ? *inter.group() : *inter.remote_group();
  const Group& second = local_first ? *inter.remote_group() : *inter.group();
  return Comm::make(inter.instance(), Ref<Group>(first.united_with(second)),
                    std::min(local.context, remote.context));
}

}  // namespace tessera
