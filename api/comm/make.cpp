// SPDX-License-Identifier: BSD-3-Clause
// Communicators out of communicators and groups (MPI-5.0 §7.4.2).
#include "api/comm/make.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/comm/group_handle.h"
#include "api/env/info_handle.h"
#include "core/impi/systems.h"
#include "framework/help.h"
#include "tessera/hardware.h"

using namespace tessera;
using namespace tessera::api;

namespace tessera::api {

int conclude(const Arguments& arguments, const Comm& parent, Result<Comm*> made,
             MPI_Comm* newcomm) noexcept {
  if (!made.ok()) return arguments.raised(made.status());
  Comm* comm = *made;
  if (comm == nullptr) return *newcomm = MPI_COMM_NULL, MPI_SUCCESS;
  comm->set_errhandler(Ref<Errhandler>::share(&parent.errhandler()));
  *newcomm = handle_of(*comm);
  return MPI_SUCCESS;
}

std::map<std::string, std::string, std::less<>> hints_of(MPI_Info info) {
  std::map<std::string, std::string, std::less<>> hints;
  const Info* object = find_info(info);
  if (object == nullptr) return hints;
  for (std::size_t i = 0; const auto key = object->key(i); ++i) {
    hints.insert_or_assign(*key, object->get(*key).value_or(""));
  }
  return hints;
}

bool take_hints(Arguments& arguments, MPI_Info info, bool own, Hints& hints) {
  hints = hints_of(info);
  if (hints.empty()) return true;
  std::vector<std::string> warnings;
  const bool too_late = own && arguments.comm()->collectives_chosen();
  const Status checked = check_hints(world.engine->kernel(), too_late, hints, warnings);
  if (arguments.comm()->rank() == 0)
    for (const std::string& warning : warnings) print_help(warning);
  if (checked.ok()) return true;
  const bool value = checked.code() == Errc::argument;
  return arguments.fail(value ? MPI_ERR_INFO_VALUE : MPI_ERR_INFO_KEY, checked.text());
}

bool right_info(Arguments& arguments, MPI_Info info) noexcept {
  return arguments.that(info == MPI_INFO_NULL || find_info(info) != nullptr, MPI_ERR_INFO,
                        "argument `info` is no info object; MPI_INFO_NULL stands for none");
}

}  // namespace tessera::api

namespace {

bool right_color(Arguments& arguments, int color) {
  return color >= 0 || color == MPI_UNDEFINED ||
         arguments.fail(
             MPI_ERR_ARG,
             fmt::format("argument `color` is {}; it must be at least 0, or MPI_UNDEFINED", color));
}

int split_by(const char* function, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  Arguments arguments(function, comm);
  if (arguments.comm() == nullptr || !right_color(arguments, color) ||
      !arguments.pointer(newcomm, "newcomm")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call(function, parent);
  return conclude(arguments, parent, split(parent, color == MPI_UNDEFINED ? -1 : color, key),
                  newcomm);
}

// A group all of whose members are in the group of the communicator.
bool right_group(Arguments& arguments, const Group* group) {
  if (group == nullptr) {
    return arguments.fail(MPI_ERR_GROUP, "argument `group` is no group, or one that was freed");
  }
  const Group& all = *arguments.comm()->group();
  for (int rank = 0; rank < group->size(); ++rank) {
    if (all.rank_of(group->member(rank)) >= 0) continue;
    return arguments.fail(
        MPI_ERR_GROUP, fmt::format("rank {} of argument `group` is not in the group of `comm`; all "
                                   "members must be",
                                   rank));
  }
  return true;
}

// The number of a process that all processes of a communicator know it by.
std::uint32_t number_of(const Comm& comm, const Peer& peer) {
  const impi::Systems* const systems = comm.instance().systems();
  return systems != nullptr ? systems->rank_of(peer) : peer.name.index;
}

// Processes that share the memory of one job.
bool beside(const Comm& comm, const Peer& peer) noexcept {
  return peer.locality != Locality::remote && peer.name.job == comm.instance().me().name.job;
}

// The first one of those that do so with this one: the same for all of them. By its rank, since
// several jobs may take part; on an intercommunicator, of both groups, by its number.
int machine_of(const Comm& comm) {
  int first = 0;
  while (!beside(comm, comm.local_peer(first))) ++first;
  if (!comm.inter()) return first;
  std::uint32_t lowest = number_of(comm, comm.local_peer(first));
  const auto look = [&](const Peer& peer) {
    if (beside(comm, peer)) lowest = std::min(lowest, number_of(comm, peer));
  };
  for (int i = 0; i < comm.size(); ++i) look(comm.local_peer(i));
  for (int i = 0; i < comm.remote_size(); ++i) look(comm.peer(i));
  return static_cast<int>(lowest);
}

bool spans_machines(const Comm& comm) {
  for (int i = 0; i < comm.size(); ++i) {
    if (!beside(comm, comm.local_peer(i))) return true;
  }
  for (int i = 0; i < comm.remote_size(); ++i) {
    if (!beside(comm, comm.peer(i))) return true;
  }
  return false;
}

constexpr std::string_view kMachine =
    "mpi_shared_memory";  // the one resource type that all libraries know

// One for each part of each machine; -1: this process may run on several, or there are none.
int color_of_hardware(const Comm& comm, std::string_view name) {
  constexpr int kMostParts = 4096;
  for (const HardwareResource& resource : hardware_resources()) {
    if (resource.name == name && resource.instance >= 0)
      return machine_of(comm) * kMostParts + resource.instance % kMostParts;
  }
  return -1;
}

// By a resource that the info object names; what is not known here is shared by nobody.
int color_by_resource(const Comm& comm, MPI_Info info, bool process_sets) {
  const Info* object = find_info(info);
  if (object == nullptr) return -1;
  const auto type = object->get("mpi_hw_resource_type");
  if (type == kMachine) return machine_of(comm);
  if (type && names_hardware(*type)) return color_of_hardware(comm, *type);
  const auto set = process_sets ? object->get("mpi_pset_name") : std::nullopt;
  if (set == "mpi://WORLD") return 0;
  if (set == "mpi://SELF") return number_of(comm, comm.instance().me());
  return -1;
}

// Into the largest parts that share hardware and are smaller than the whole; the info object is
// told which those are.
int color_unguided(const Comm& comm, MPI_Info info) {
  if (!spans_machines(comm)) return -1;
  if (Info* object = find_own_info(info); object != nullptr)
    object->set("mpi_hw_resource_type", kMachine);
  return machine_of(comm);
}

bool right_split_type(Arguments& arguments, int type) {
  return type == MPI_UNDEFINED ||
         (type >= MPI_COMM_TYPE_SHARED && type <= MPI_COMM_TYPE_RESOURCE_GUIDED) ||
         arguments.fail(MPI_ERR_ARG,
                        fmt::format("argument `split_type` is {}; it must be one of the "
                                    "MPI_COMM_TYPE_ constants, or MPI_UNDEFINED",
                                    type));
}

int color_of(const Comm& comm, int split_type, MPI_Info info) {
  switch (split_type) {
    case MPI_COMM_TYPE_SHARED:
      return machine_of(comm);
    case MPI_COMM_TYPE_HW_UNGUIDED:
      return color_unguided(comm, info);
    case MPI_COMM_TYPE_HW_GUIDED:
      return color_by_resource(comm, info, false);
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      return color_by_resource(comm, info, true);
    default:
      return -1;
  }
}

// Where the other leader is found.
bool right_peer(Arguments& arguments, const Comm* peer, int remote_leader) {
  if (peer == nullptr) {
    return arguments.fail(
        MPI_ERR_COMM,
        "argument `peer_comm` is no communicator; at the leader it must be one that has both "
        "leaders");
  }
  return arguments.member(remote_leader, peer->remote_size(), MPI_ERR_RANK, "remote_leader");
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Comm_split)
extern "C" int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return split_by("MPI_Comm_split", comm, color, key, newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Comm_split_type)
extern "C" int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
                                    MPI_Comm* newcomm) {
  Arguments arguments("MPI_Comm_split_type", comm);
  if (arguments.comm() == nullptr || !right_split_type(arguments, split_type) ||
      !right_info(arguments, info) || !arguments.pointer(newcomm, "newcomm")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Comm_split_type", parent);
  return conclude(arguments, parent, split(parent, color_of(parent, split_type, info), key),
                  newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Comm_create)
extern "C" int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  Arguments arguments("MPI_Comm_create", comm);
  Group* members = find_group(group);
  if (arguments.comm() == nullptr || !right_group(arguments, members) ||
      !arguments.pointer(newcomm, "newcomm")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Comm_create", parent);
  return conclude(arguments, parent, create(parent, *members), newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Comm_create_group)
extern "C" int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  Arguments arguments("MPI_Comm_create_group", comm);
  Group* members = find_group(group);
  if (arguments.comm() == nullptr || !arguments.intra() || !right_group(arguments, members) ||
      !arguments.send_tag(tag) || !arguments.pointer(newcomm, "newcomm")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Comm_create_group", parent);
  return conclude(arguments, parent, create_from_group(parent, *members, tag), newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Intercomm_create)
extern "C" int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                                     int remote_leader, int tag, MPI_Comm* newintercomm) {
  Arguments arguments("MPI_Intercomm_create", local_comm);
  Comm* local = arguments.comm();
  if (local == nullptr || !arguments.intra() ||
      !arguments.member(local_leader, local->size(), MPI_ERR_RANK, "local_leader") ||
      !arguments.send_tag(tag) || !arguments.pointer(newintercomm, "newintercomm")) {
    return arguments.raised();
  }
  BlockingCall call("MPI_Intercomm_create", *local);
  const bool leads = local->rank() == local_leader;  // what follows counts at the leader only
  Comm* peer = leads ? find_comm(peer_comm) : nullptr;
  if (leads && !right_peer(arguments, peer, remote_leader)) {
    static_cast<void>(
        create_inter(*local, local_leader,
                     LeadersMeet::over(nullptr, 0, tag)));  // the group waits for its leader
    return arguments.raised();
  }
  auto made = create_inter(*local, local_leader, LeadersMeet::over(peer, remote_leader, tag));
  if (!made.ok() && made.status() == Errc::argument) {  // the communicators do not fit together
    return raise("MPI_Intercomm_create", local_comm, MPI_ERR_COMM, made.status().text());
  }
  return conclude(arguments, *local, std::move(made), newintercomm);
}

TESSERA_WEAK_ALIAS(MPI_Intercomm_merge)
extern "C" int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  Arguments arguments("MPI_Intercomm_merge", intercomm);
  if (arguments.comm() == nullptr || !arguments.inter() ||
      !arguments.pointer(newintracomm, "newintracomm")) {
    return arguments.raised();
  }
  Comm& parent = *arguments.comm();
  BlockingCall call("MPI_Intercomm_merge", parent);
  return conclude(arguments, parent, merge(parent, high != 0), newintracomm);
}
