// SPDX-License-Identifier: BSD-3-Clause
// Opening, closing and deleting files (MPI-5.0 §14.2.1-14.2.3).
#include <fmt/format.h>

#include "api/comm/comm_handle.h"
#include "api/io/arguments.h"
#include "api/io/notes.h"
#include "api/p2p/blocking_call.h"
#include "core/io/engine.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// On MPI_FILE_NULL: there is no file yet.
int raise_null(const char* function, Status failure) noexcept {
  return raise(function, object_of(MPI_FILE_NULL), failure);
}

int raise_null(const char* function, int error_class, std::string_view text) noexcept {
  return raise(function, object_of(MPI_FILE_NULL), error_class, text);
}

// What the other processes must hear of.
Status wrong_open(const char* filename, MPI_Info info, const MPI_File* fh) noexcept {
  if (filename == nullptr)
    return Status::failure(io::kBadFile,
                           "argument `filename` is a null pointer; it must name a file");
  if (info != MPI_INFO_NULL && find_info(info) == nullptr)
    return Status::failure(Errc::argument,
                           "argument `info` is no info object; MPI_INFO_NULL stands for none");
  if (fh == nullptr) return Status::failure(Errc::argument, null_pointer("fh"));
  return {};
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_File_open)
extern "C" int PMPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                              MPI_File* fh) {
  constexpr const char* function = "MPI_File_open";
  if (!world.active()) return raise_not_active(function);
  Comm* group = find_comm(comm);
  if (group == nullptr || group->inter()) {
    return raise_null(function, MPI_ERR_COMM,
                      group == nullptr ? "argument `comm` is no communicator: " +
                                             why_none(comm, ObjectKind::communicator)
                                       : "argument `comm` is an intercommunicator; it must be an "
                                         "intracommunicator");
  }
  if (fh != nullptr) *fh = MPI_FILE_NULL;
  BlockingCall call(function, *group);
  std::vector<std::string> notes;
  auto file = io::File::open(world.engine->files(), *group,
                             {filename != nullptr ? filename : "", amode, find_info(info),
                              wrong_open(filename, info, fh), &notes});
  print_notes(notes, *group);
  if (!file.ok()) return raise_null(function, file.status());
  *fh = handle_of<MPI_File>(*file);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_close)
extern "C" int PMPI_File_close(MPI_File* fh) {
  constexpr const char* function = "MPI_File_close";
  if (fh == nullptr) return raise_null(function, MPI_ERR_ARG, null_pointer("fh"));
  FileArguments arguments(function, *fh);
  if (arguments.file() == nullptr) return arguments.raised();
  io::File& file = *arguments.file();
  BlockingCall call(function, file.comm());
  const Status closed = file.close();
  if (closed.code() == io::kPending) return arguments.raised(closed);
  const int code = arguments.result(closed);
  file.release();
  *fh = MPI_FILE_NULL;
  return code;
}

TESSERA_WEAK_ALIAS(MPI_File_delete)
extern "C" int PMPI_File_delete(const char* filename, MPI_Info info) {
  constexpr const char* function = "MPI_File_delete";
  if (!world.active()) return raise_not_active(function, object_of(MPI_FILE_NULL));
  MPI_File none = MPI_FILE_NULL;
  if (Status right = wrong_open(filename, info, &none); !right) return raise_null(function, right);
  EngineGuard guard(world.engine->progress());
  io::Engine& files = world.engine->files();
  auto name = files.resolve(filename);
  if (!name.ok()) return raise_null(function, name.status());
  const Status removed = files.remove(*name);
  return removed.ok() ? MPI_SUCCESS : raise_null(function, removed);
}
