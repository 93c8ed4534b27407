// SPDX-License-Identifier: BSD-3-Clause
// Constructors of communicators that span systems (protocol, chapter 4), and attributes.
//
// Context ids: each process keeps the highest one it has heard of, an odd number; the maximum over
// all processes involved is the new one's predecessor.
#include <algorithm>
#include <set>

#include "core/coll/table.h"
#include "core/datatype/predefined.h"
#include "core/engine/instance.h"
#include "core/impi/systems.h"
#include "core/op/predefined.h"
#include "mpi.h"

namespace tessera::impi {
namespace {

const Datatype& type_of(MPI_Datatype handle) noexcept {
  return *predefined_type(reinterpret_cast<std::uintptr_t>(handle));
}
const Datatype& uint8() noexcept {
  return type_of(MPI_UINT64_T);
}

coll::Side side(void* buffer, Count count, const Datatype& type) noexcept {
  return {buffer, count, &type, {}, {}, nullptr};
}

Status run(Comm& comm, const coll::Call& call) {
  auto table = comm.collectives();
  return table.ok() ? (*table)->run(call) : table.status();
}

Status bcast(Comm& comm, void* data, Count count, const Datatype& type, int root) {
  coll::Call call(coll::Operation::bcast, comm);
  call.root = root;
  call.receive = side(data, count, type);
  return run(comm, call);
}

// For the local group of an intercommunicator within one system; see kContextBase.
constexpr ContextId local_context(ContextId context) noexcept {
  return 0xfffd'0000'0000'0000 | cid_of(context);
}

// A message between two ranks, under the collective context of the communicator.
class Talk {
 public:
  Talk(Comm& comm, int tag) noexcept : comm_(comm), tag_(tag) {}

  Status send(int to, const void* data, Count count, const Datatype& type) {
    return comm_.pml().send({data, count, &type, &comm_.peer(to), comm_.rank(), tag_,
                             comm_.collective_context(), pml::Mode::standard});
  }
  Status receive(int from, void* data, Count count, const Datatype& type) {
    MessageStatus status;
    return comm_.pml().recv(
        {data, count, &type, &comm_.peer(from), from, tag_, comm_.collective_context()}, status);
  }
  Status exchange(int with, const void* out, Count out_count, void* in, Count in_count,
                  const Datatype& type) {
    auto receiving = comm_.pml().irecv(
        {in, in_count, &type, &comm_.peer(with), with, tag_, comm_.collective_context()});
    if (!receiving.ok()) return receiving.status();
    const Status sent = send(with, out, out_count, type);
    Request& request = **receiving;
    comm_.progress().wait_until([&request] { return request.complete(); });
    const Status received = request.error();
    request.free();
    return sent.ok() ? received : sent;
  }

 private:
  Comm& comm_;
  int tag_;
};

}  // namespace

Result<ContextId> Systems::next_context(std::uint64_t agreed) {
  if (agreed >= kMostCid - 2) {
    return Status::failure(Errc::no_space,
                           "the context ids of this job of several systems are used "
                           "up: one of them has drawn " +
                               std::to_string(agreed));
  }
  max_cid_ = agreed + 2;
  return cid_context(agreed + 1);
}

Result<std::uint64_t> Systems::agree_on_cid(Comm& comm) {
  std::uint64_t mine = odd_cid();
  std::uint64_t most = 0;
  coll::Call call(coll::Operation::allreduce, comm);
  call.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  call.send = side(&mine, 1, uint8());
  call.receive = side(&most, 1, uint8());
  if (Status s = run(comm, call); !s) return s;
  return most;
}

Result<Comm*> Systems::duplicate(Comm& comm) {
  if (comm.inter()) {
    Talk talk(comm, kDupTag);
    std::uint64_t most = odd_cid();
    std::uint64_t heard = 0;
    if (comm.rank() != 0) {
      if (Status s = talk.send(0, &most, 1, uint8()); !s) return s;
      if (Status s = talk.receive(0, &most, 1, uint8()); !s) return s;
    } else {
      for (int rank = 1; rank < comm.remote_size(); ++rank) {
        if (Status s = talk.receive(rank, &heard, 1, uint8()); !s) return s;
        most = std::max(most, heard);
      }
      if (Status s = talk.exchange(0, &most, 1, &heard, 1, uint8()); !s) return s;
      most = std::max(most, heard);
      for (int rank = 1; rank < comm.remote_size(); ++rank) {
        if (Status s = talk.send(rank, &most, 1, uint8()); !s) return s;
      }
    }
    auto context = next_context(most);
    if (!context.ok()) return context.status();
    return Comm::make_inter(instance_, comm.group(), comm.remote_group(), *context,
                            local_context(*context));
  }
  auto agreed = agree_on_cid(comm);
  if (!agreed.ok()) return agreed.status();
  auto context = next_context(*agreed);
  if (!context.ok()) return context.status();
  return Comm::make(instance_, comm.group(), *context);
}

Result<Comm*> Systems::create(Comm& comm, Group& group) {
  if (comm.inter()) {
    return Status::failure(Errc::unsupported,
                           "the protocol between MPI systems does not create communicators from "
                           "intercommunicators by group");
  }
  auto agreed = agree_on_cid(comm);
  if (!agreed.ok()) return agreed.status();
  auto context = next_context(*agreed);
  if (!context.ok()) return context.status();
  if (group.rank_of(instance_.me()) < 0) return nullptr;
  return Comm::make(instance_, Ref<Group>::share(&group), *context);
}

Result<Comm*> Systems::split(Comm& comm, int color, int key) {
  if (comm.inter()) {
    return Status::failure(Errc::unsupported,
                           "the protocol between MPI systems does not split intercommunicators");
  }
  auto agreed = agree_on_cid(comm);
  if (!agreed.ok()) return agreed.status();
  struct Choice {
    int color, key, rank;
  };
  const Choice mine{color, key, comm.rank()};
  std::vector<Choice> all(static_cast<std::size_t>(comm.size()));
  coll::Call call(coll::Operation::allgather, comm);
  call.send = side(const_cast<Choice*>(&mine), 3, type_of(MPI_INT));
  call.receive = side(all.data(), 3, type_of(MPI_INT));
  if (Status s = run(comm, call); !s) return s;
  auto context = next_context(*agreed);
  if (!context.ok()) return context.status();
  if (color < 0) return nullptr;
  std::erase_if(all, [color](const Choice& choice) { return choice.color != color; });
  std::stable_sort(all.begin(), all.end(),
                   [](const Choice& a, const Choice& b) { return a.key < b.key; });
  std::vector<int> ranks;
  for (const Choice& choice : all) ranks.push_back(choice.rank);
  return Comm::make(instance_, Ref<Group>(comm.group()->including(ranks)), *context);
}

Result<Comm*> Systems::create_inter(Comm& local, int local_leader, const LeadersMeet& place) {
  std::uint64_t mine = odd_cid();
  std::uint64_t out[2] = {0, static_cast<std::uint64_t>(local.size())};
  coll::Call call(coll::Operation::reduce, local);
  call.root = local_leader;
  call.op = predefined_op(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  call.send = side(&mine, 1, uint8());
  call.receive = side(&out[0], 1, uint8());
  if (Status s = run(local, call); !s) return s;
  std::uint64_t in[2] = {0, 0};
  const bool leads = local.rank() == local_leader && place.peer_comm != nullptr &&
                     local.group()->rank_of(place.peer_comm->peer(place.remote_leader)) < 0;
  if (leads) {
    Talk talk(*place.peer_comm, place.tag);
    if (Status s = talk.exchange(place.remote_leader, out, 2, in, 2, uint8()); !s) return s;
    in[0] = std::max(in[0], out[0]);
  }
  if (Status s = bcast(local, in, 2, uint8(), local_leader); !s) return s;
  if (in[1] == 0 || in[1] > world_.size()) {
    return Status::failure(Errc::argument,
                           "the leader found no other group: the two groups must be disjoint, but "
                           "`remote_leader` names a member of the local one; or what the leader "
                           "gave was wrong");
  }
  auto context = next_context(in[0]);
  if (!context.ok()) return context.status();
  std::vector<int> ours;
  for (int rank = 0; rank < local.size(); ++rank)
    ours.push_back(static_cast<int>(rank_of(local.local_peer(rank))));
  std::vector<int> theirs(in[1]);
  if (leads) {
    Talk talk(*place.peer_comm, place.tag);
    if (Status s = talk.exchange(place.remote_leader, ours.data(), local.size(), theirs.data(),
                                 static_cast<Count>(theirs.size()), type_of(MPI_INT));
        !s)
      return s;
  }
  if (Status s = bcast(local, theirs.data(), static_cast<Count>(theirs.size()), type_of(MPI_INT),
                       local_leader);
      !s)
    return s;
  std::vector<Peer*> remote;
  for (const int rank : theirs) {
    if (rank < 0 || rank >= static_cast<int>(world_.size()))
      return Status::failure(Errc::peer_failed, "the other group names a process " +
                                                    std::to_string(rank) +
                                                    " of MPI_COMM_WORLD that does not exist");
    remote.push_back(world_[static_cast<std::size_t>(rank)]);
    if (local.group()->rank_of(*remote.back()) >= 0)
      return Status::failure(Errc::argument,
                             "the two groups of an intercommunicator must be disjoint; rank " +
                                 std::to_string(rank) + " of MPI_COMM_WORLD is in both");
  }
  return Comm::make_inter(instance_, local.group(), Ref<Group>(Group::make(std::move(remote))),
                          *context, local_context(*context));
}

Result<Comm*> Systems::merge(Comm& inter, bool high) {
  Talk talk(inter, kMergeTag);
  std::uint64_t out[2] = {odd_cid(), high ? 1u : 0u};
  std::uint64_t in[2] = {0, 0};
  if (inter.rank() != 0) {
    if (Status s = talk.send(0, out, 1, uint8()); !s) return s;
    if (Status s = talk.receive(0, in, 2, uint8()); !s) return s;
    out[0] = in[0];
  } else {
    std::uint64_t heard = 0;
    for (int rank = 1; rank < inter.remote_size(); ++rank) {
      if (Status s = talk.receive(rank, &heard, 1, uint8()); !s) return s;
      out[0] = std::max(out[0], heard);
    }
    if (Status s = talk.exchange(0, out, 2, in, 2, uint8()); !s) return s;
    out[0] = std::max(out[0], in[0]);
    for (int rank = 1; rank < inter.remote_size(); ++rank) {
      if (Status s = talk.send(rank, out, 2, uint8()); !s) return s;
    }
  }
  auto context = next_context(out[0]);
  if (!context.ok()) return context.status();
  const bool theirs_high = in[1] != 0;
  const bool lower = rank_of(inter.local_peer(0)) < rank_of(inter.peer(0));
  const bool local_first = high == theirs_high ? lower : !high;
  const Group& first = local_first ? *inter.group() : *inter.remote_group();
  const Group& second = local_first ? *inter.remote_group() : *inter.group();
  return Comm::make(instance_, Ref<Group>(first.united_with(second)), *context);
}

// Until all have come here, messages may still be under way.
Status Systems::part(Comm& comm) {
  attributes_.erase(comm.context());
  if (!comm.inter()) return run(comm, coll::Call(coll::Operation::barrier, comm));
  Talk talk(comm, kCommFreeTag);
  const Datatype& nothing = byte_type();
  if (comm.rank() != 0) {
    if (Status s = talk.send(0, nullptr, 0, nothing); !s) return s;
    return talk.receive(0, nullptr, 0, nothing);
  }
  for (int rank = 1; rank < comm.remote_size(); ++rank) {
    if (Status s = talk.receive(rank, nullptr, 0, nothing); !s) return s;
  }
  if (Status s = talk.exchange(0, nullptr, 0, nullptr, 0, nothing); !s) return s;
  for (int rank = 1; rank < comm.remote_size(); ++rank) {
    if (Status s = talk.send(rank, nullptr, 0, nothing); !s) return s;
  }
  return {};
}

// Both groups of an intercommunicator count. Colours follow the order of systems and hosts.
int* Systems::attribute(const Communicator& comm, Attribute which) {
  std::set<std::uint32_t> clients;
  std::set<std::uint32_t> hosts;  // a process that came later is one of its own
  const auto count = [&](const Peer& peer) {
    clients.insert(client_of(peer));
    const std::uint32_t rank = rank_of(peer);
    hosts.insert(knows(peer) ? roster_.processes[rank].host : rank);
  };
  for (int rank = 0; rank < comm.size(); ++rank) count(comm.local_peer(rank));
  for (int rank = 0; rank < comm.remote_size(); ++rank) count(comm.peer(rank));
  const ProcessEntry& me = roster_.processes[my_rank_];
  const auto color = [](const std::set<std::uint32_t>& all, std::uint32_t mine) {
    return static_cast<int>(std::distance(all.begin(), all.find(mine)));
  };
  auto& values = attributes_[comm.context()];
  values = {static_cast<int>(clients.size()), color(clients, me.client),
            static_cast<int>(hosts.size()), color(hosts, me.host)};
  return &values[static_cast<std::size_t>(which)];
}

}  // namespace tessera::impi
