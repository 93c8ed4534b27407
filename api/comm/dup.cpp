// SPDX-License-Identifier: BSD-3-Clause
// Duplicating and freeing communicators (MPI-5.0 §7.4.2, §7.4.3, §11.10.4).
#include "api/comm/attributes.h"
#include "api/comm/make.h"
#include "api/p2p/point_to_point.h"
#include "core/coll/table.h"
#include "core/comm/topology.h"
#include "core/dynamic/connections.h"
#include "core/dynamic/dynamic.h"
#include "core/impi/systems.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// What a duplicate takes over: error handler, topology, and the attributes that agree. On failure
// the duplicate goes.
int inherit(const char* function, MPI_Comm comm, const Comm& parent, Comm& made) {
  made.set_errhandler(Ref<Errhandler>::share(&parent.errhandler()));
  if (parent.topology() != nullptr)
    made.set_topology(std::make_unique<Topology>(*parent.topology()));
  const int code = const_cast<Comm&>(parent).attributes().copy_to(comm, made.attributes());
  if (code == MPI_SUCCESS) return code;
  static_cast<void>(made.attributes().clear(handle_of(made)));
  made.release();
  return outcome_of_callbacks(function, object_of(comm), code);
}

bool right(Arguments& arguments, MPI_Info info, MPI_Comm* newcomm) {
  return arguments.comm() != nullptr && right_info(arguments, info) &&
         arguments.pointer(newcomm, "newcomm");
}

int dup(const char* function, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  Arguments arguments(function, comm);
  if (!right(arguments, info, newcomm)) return arguments.raised();
  Comm& parent = *arguments.comm();
  Hints hints;
  if (!take_hints(arguments, info, false, hints)) return arguments.raised();
  BlockingCall call(function, parent);
  auto made = duplicate(parent);
  if (!made.ok()) return arguments.raised(made.status());
  const int code = inherit(function, comm, parent, **made);
  if (code != MPI_SUCCESS) return code;
  (*made)->set_hints(hints);
  *newcomm = handle_of(**made);
  return MPI_SUCCESS;
}

// Attributes are copied now: what changes later does not count.
int idup(const char* function, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
         MPI_Request* request) {
  Arguments arguments(function, comm);
  if (!right(arguments, info, newcomm) || !arguments.pointer(request, "request"))
    return arguments.raised();
  Comm& parent = *arguments.comm();
  Hints hints;
  if (!take_hints(arguments, info, false, hints)) return arguments.raised();
  EngineGuard guard(world.engine->progress());
  Comm* made = nullptr;
  auto started = duplicate_later(parent, made);
  if (!started.ok()) return arguments.raised(started.status());
  const int code = inherit(function, comm, parent, *made);
  if (code != MPI_SUCCESS) return (*started)->free(), code;
  made->set_hints(hints);
  *newcomm = handle_of(*made);
  *request = hand_over(*started, parent);
  return MPI_SUCCESS;
}

// Returns when all processes of the communicator have called this.
Status wait_for_all(Comm& comm) {
  auto table = comm.collectives();
  return table.ok() ? (*table)->run(coll::Call(coll::Operation::barrier, comm)) : table.status();
}

// The dead are not waited for, and nor are those who cannot tell them from the living any more.
Status wait_for_living(Comm& comm) {
  const auto lost = [&] {
    return any_failed({comm.group()->members(), static_cast<std::size_t>(comm.group()->size())}) ||
           any_failed({comm.remote_group()->members(),
                       static_cast<std::size_t>(comm.remote_group()->size())});
  };
  if (lost()) return {};
  const Status met = wait_for_all(comm);
  return met.ok() || lost() ? Status() : met;
}

// The object lives on while operations on it are pending.
int free_comm(const char* function, MPI_Comm* comm) {
  if (comm == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("comm"));
  Arguments arguments(function, *comm);
  if (arguments.comm() == nullptr) return arguments.raised();
  if (is_predefined(*comm)) {
    arguments.fail(MPI_ERR_COMM,
                   "argument `comm` is predefined and cannot be freed; communicators that "
                   "functions returned can");
    return arguments.raised();
  }
  EngineGuard guard(world.engine->progress());
  Comm& object = *arguments.comm();
  if (const int code = object.attributes().clear(*comm); code != MPI_SUCCESS) {
    return outcome_of_callbacks(function, object_of(*comm), code);
  }
  impi::Systems* const systems = world.engine->systems();
  if (systems != nullptr && systems->spans(object)) {
    if (const Status parted = systems->part(object); !parted) return arguments.raised(parted);
  }
  if (Dynamic* const dynamic = world.engine->dynamic_so_far();
      dynamic != nullptr && dynamic->parent() == &object)
    dynamic->forget_parent();
  const Status matched = object.end_collectives();
  const int code = matched.ok() ? MPI_SUCCESS : arguments.raised(matched);
  object.release();
  *comm = MPI_COMM_NULL;
  return code;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Comm_dup)
extern "C" int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return dup("MPI_Comm_dup", comm, MPI_INFO_NULL, newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Comm_dup_with_info)
extern "C" int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return dup("MPI_Comm_dup_with_info", comm, info, newcomm);
}

TESSERA_WEAK_ALIAS(MPI_Comm_idup)
extern "C" int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return idup("MPI_Comm_idup", comm, MPI_INFO_NULL, newcomm, request);
}

TESSERA_WEAK_ALIAS(MPI_Comm_idup_with_info)
extern "C" int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                                        MPI_Request* request) {
  return idup("MPI_Comm_idup_with_info", comm, info, newcomm, request);
}

TESSERA_WEAK_ALIAS(MPI_Comm_free)
extern "C" int PMPI_Comm_free(MPI_Comm* comm) {
  return free_comm("MPI_Comm_free", comm);
}

// All communication must have been matched (MPI-5.0 §11.10.4): when everybody has come here, it is
// complete as well.
TESSERA_WEAK_ALIAS(MPI_Comm_disconnect)
extern "C" int PMPI_Comm_disconnect(MPI_Comm* comm) {
  constexpr const char* function = "MPI_Comm_disconnect";
  if (comm == nullptr) return raise(function, MPI_ERR_ARG, null_pointer("comm"));
  Arguments arguments(function, *comm);
  if (arguments.comm() == nullptr) return arguments.raised();
  if (is_predefined(*comm)) return free_comm(function, comm);
  Comm& object = *arguments.comm();
  const Ref<Group> local = object.group(), remote = object.remote_group();
  BlockingCall call(function, object);
  if (const Status met = wait_for_living(object); !met) return arguments.raised(met);
  const int code = free_comm(function, comm);
  if (*comm != MPI_COMM_NULL) return code;
  world.engine->connections().part(*local);
  world.engine->connections().part(*remote);
  return code;
}
