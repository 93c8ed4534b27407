// SPDX-License-Identifier: BSD-3-Clause
// Which error handler an object has, and how a report names the object.
#include <fmt/format.h>

#include <string>

#include "api/comm/comm_handle.h"
#include "api/errors/errhandler_handle.h"
#include "api/errors/error.h"
#include "api/io/file_handle.h"
#include "core/io/engine.h"
#include "core/object/initial_errhandler.h"

namespace tessera::api {
namespace {

ErrorContext context_of(const Errhandler& handler, void* handle, std::string where) {
  ErrorContext context;
  switch (handler.action()) {
    case Errhandler::Action::fatal:
      context.action = ErrorContext::Action::fatal;
      break;
    case Errhandler::Action::abort:
      context.action = ErrorContext::Action::abort;
      break;
    case Errhandler::Action::return_code:
      context.action = ErrorContext::Action::return_code;
      break;
    case Errhandler::Action::call:
      context.action = ErrorContext::Action::call;
      break;
  }
  context.function = handler.function();
  context.handle = handle;
  context.where = std::move(where);
  return context;
}

// Many processes are rank 0 of something: where that is not the rank in the job, both are said.
std::string rank_text(int rank) {
  const auto in_job = static_cast<int>(world.engine->job().my_id());
  return in_job == rank ? fmt::format("rank {}", rank)
                        : fmt::format("rank {} (rank {} of the job)", rank, in_job);
}

std::string kind_of(const Comm& comm) {
  if (comm.inter())
    return fmt::format("intercommunicator of {} and {} processes", comm.size(), comm.remote_size());
  return fmt::format("communicator of {} process{}", comm.size(), comm.size() == 1 ? "" : "es");
}

std::string where(const Comm& comm) {
  const std::string& name = comm.user_name();
  return fmt::format("{}, {}", name.empty() ? kind_of(comm) : "communicator " + name,
                     rank_text(comm.rank()));
}

ErrorContext outside(std::string_view when) {
  using Context = ErrorContext::Action;
  ErrorContext context;
  const auto initial = initial_errhandler();
  if (initial == Errhandler::Action::abort) context.action = Context::abort;
  if (initial == Errhandler::Action::return_code) context.action = Context::return_code;
  context.where = when;
  return context;
}

}  // namespace

ErrorContext handled_by(const Errhandler& handler, void* handle, std::string where) {
  return context_of(handler, handle, std::move(where));
}

ErrorContext no_object() {
  if (world.active() && !world.running())
    return outside(fmt::format("rank {}", world.engine->world().rank()));
  switch (world.phase.load()) {
    case Phase::before_init:
      return outside(world.sessions_seen ? "no session is open" : "before MPI_Init");
    case Phase::after_finalize:
      return outside("after MPI_Finalize");
    case Phase::running:
      break;
  }
  return context_of(world.comm_self->errhandler(), MPI_COMM_SELF,
                    fmt::format("rank {}", world.comm_world->rank()));
}

ErrorContext object_of(MPI_Comm handle) {
  const Comm* comm = world.active() ? find_comm(handle) : nullptr;
  return comm != nullptr ? context_of(comm->errhandler(), handle, where(*comm)) : no_object();
}

ErrorContext object_of(MPI_File handle) {
  if (!world.active()) {
    ErrorContext context;
    context.action = ErrorContext::Action::return_code;
    return context;
  }
  const std::string rank = fmt::format("rank {}", world.engine->world().rank());
  if (const io::File* file = find_file(handle); file != nullptr) {
    return context_of(file->errhandler(), handle,
                      fmt::format("file \"{}\", {}", file->path(), rank_text(file->comm().rank())));
  }
  return context_of(*world.engine->files().default_errhandler(), MPI_FILE_NULL, rank);
}

int raise_not_active(const char* function) noexcept {
  return raise_not_active(function, no_object());
}

int raise_not_active(const char* function, const ErrorContext& object) noexcept {
  if (world.over())
    return raise(function, object, MPI_ERR_OTHER, "called after MPI_Finalize; call it before");
  return raise(function, object, MPI_ERR_OTHER,
               world.sessions_seen ? "called while no session is open; call it before the last "
                                     "MPI_Session_finalize"
                                   : "called before MPI_Init; call MPI_Init first");
}

int raise_not_comm(const char* function, MPI_Comm handle) noexcept {
  if (!world.active()) return raise_not_active(function);
  if (handle == MPI_COMM_NULL) {
    return raise(function, MPI_ERR_COMM,
                 "the communicator is MPI_COMM_NULL; it must be a communicator");
  }
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) {
    return raise(function, MPI_ERR_COMM,
                 "MPI_COMM_WORLD and MPI_COMM_SELF exist from MPI_Init to MPI_Finalize only; a "
                 "session gives such groups (MPI_Group_from_session_pset), and "
                 "MPI_Comm_create_from_group a communicator");
  }
  return raise(function, MPI_ERR_COMM,
               fmt::format("argument `comm` is no communicator: {}; it must be MPI_COMM_WORLD, "
                           "MPI_COMM_SELF or one that a function returned",
                           why_none(handle, ObjectKind::communicator)));
}

}  // namespace tessera::api
