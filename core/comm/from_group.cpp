// SPDX-License-Identifier: BSD-3-Clause
// Communicators out of groups alone (MPI-5.0 §7.4.2, §7.6.2): what a string tag says stands in for
// a parent.
#include <span>
#include <vector>

#include "core/comm/agreement.h"
#include "core/comm/communicator.h"
#include "core/comm/group_tags.h"
#include "core/comm/leaders.h"
#include "core/engine/instance.h"
#include "core/impi/systems.h"

namespace tessera {
namespace {

std::vector<int> job_numbers(const Group& group) {
  std::vector<int> numbers;
  for (int rank = 0; rank < group.size(); ++rank)
    numbers.push_back(number_in_group(static_cast<int>(group.member(rank).name.index)));
  return numbers;
}

}  // namespace

Result<Comm*> create_from_group(Instance& instance, Group& group, std::string_view string_tag) {
  const int me = group.rank_of(instance.me());
  if (me < 0) return Status::failure(Errc::argument, "the calling process is not in the group");
  if (instance.systems() != nullptr && instance.systems()->spans(group))
    return Status::failure(Errc::unsupported,
                           "the protocol between the MPI systems of this job has no way to make a "
                           "communicator of a group alone; MPI_Comm_create does");
  instance.expect(group);
  const std::vector<int> numbers = job_numbers(group);
  const PeerGroup peers{instance.pml(),
                        instance.progress(),
                        {group.members(), static_cast<std::size_t>(group.size())},
                        me,
                        ContextIds::control,
                        tag_of(group, string_tag),
                        numbers};
  if (Status s = all_alive(peers); !s) return s;
  ContextId context = instance.context_ids().draw();
  if (Status s = broadcast(peers, 0, &context, sizeof context); !s) return s;
  return Comm::make(instance, Ref<Group>::share(&group), context);
}

// The local group gets a communicator for the time of the call; the leaders meet over that of all
// processes.
Result<Comm*> create_inter_from_groups(Instance& instance, Group& local, int local_leader,
                                       const Group* remote, int remote_leader,
                                       std::string_view string_tag) {
  auto made = create_from_group(instance, local, string_tag);
  if (!made.ok()) return made.status();
  const Ref<Comm> ours(*made);
  const bool leads = ours->rank() == local_leader && remote != nullptr;
  LeadersMeet place{nullptr, 0, ContextIds::control, 0};
  std::vector<Peer*> both;
  if (leads) {
    instance.expect(*remote);
    both.assign(local.members(), local.members() + local.size());
    both.insert(both.end(), remote->members(), remote->members() + remote->size());
    place.peer_comm = &instance.world();
    place.remote_leader = static_cast<int>(remote->member(remote_leader).name.index);
    place.tag = tag_of(both, string_tag);
  }
  auto inter = create_inter(*ours, local_leader, place, both);
  if (inter.ok()) instance.expect(*(*inter)->remote_group());
  return inter;
}

}  // namespace tessera
