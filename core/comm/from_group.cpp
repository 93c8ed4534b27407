// SPDX-License-Identifier: BSD-3-Clause
// Communicators out of groups alone (MPI-5.0 §7.4.2, §7.6.2): what a string tag says stands in for
// a parent.
#include <limits>
#include <span>
#include <vector>

#include "core/comm/agreement.h"
#include "core/comm/communicator.h"
#include "core/comm/leaders.h"
#include "core/engine/instance.h"
#include "core/impi/systems.h"

namespace tessera {
namespace {

// FNV-1a, 64 bits.
class Hash {
 public:
  void add(std::string_view text) noexcept {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  void add(std::uint32_t number) noexcept {
    for (int shift = 0; shift < 32; shift += 8) add_byte((number >> shift) & 0xff);
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  void add_byte(std::uint64_t byte) noexcept { value_ = (value_ ^ byte) * 0x100'0000'01b3; }
  std::uint64_t value_ = 0xcbf2'9ce4'8422'2325;
};

int tag_of(const Hash& hash) noexcept {
  return static_cast<int>(hash.value() % std::numeric_limits<int>::max());
}

// The same text in different groups gives different tags: one process may be in several of them.
int tag_of(const Group& group, std::string_view string_tag) noexcept {
  Hash hash;
  for (int rank = 0; rank < group.size(); ++rank) hash.add(group.member(rank).name.index);
  hash.add(string_tag);
  return tag_of(hash);
}

// The leaders' tag is of both groups, in whatever order each of them lists the members: survivors
// who try again with the same text meet nothing of the time before.
int tag_of(std::span<Peer* const> both, std::string_view string_tag) noexcept {
  std::uint32_t members = 0;
  for (const Peer* peer : both) {
    Hash hash;
    hash.add(peer->name.index);
    members += static_cast<std::uint32_t>(hash.value());
  }
  Hash hash;
  hash.add(members);
  hash.add(string_tag);
  return tag_of(hash);
}

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
