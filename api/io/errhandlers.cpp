// SPDX-License-Identifier: BSD-3-Clause
// Error handlers of files (MPI-5.0 §9.3.3, §14.7). That of MPI_FILE_NULL is the one of calls
// without an open file, and the one that files are opened with.
#include <fmt/format.h>

#include "api/errors/errhandler_handle.h"
#include "api/errors/error_codes.h"
#include "api/io/arguments.h"
#include "core/io/engine.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// A file, or MPI_FILE_NULL while MPI is active.
bool has_handler(const FileArguments& arguments, MPI_File file) noexcept {
  return arguments.file() != nullptr || (file == MPI_FILE_NULL && world.active());
}

Errhandler& handler_of(const FileArguments& arguments) noexcept {
  return arguments.file() != nullptr ? arguments.file()->errhandler()
                                     : *world.engine->files().default_errhandler();
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_File_set_errhandler)
extern "C" int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  constexpr const char* function = "MPI_File_set_errhandler";
  FileArguments arguments(function, file);
  if (!has_handler(arguments, file)) return arguments.raised();
  Errhandler* handler = find_errhandler(errhandler);
  if (handler == nullptr || (handler->of() != HandlerOf::any && handler->of() != HandlerOf::file)) {
    return raise(function, object_of(file), MPI_ERR_ERRHANDLER,
                 handler == nullptr ? "argument `errhandler` is no error handler: " +
                                          why_none(errhandler, ObjectKind::errhandler)
                                    : "argument `errhandler` was made for another kind of object; "
                                      "MPI_File_create_errhandler makes those for files");
  }
  EngineGuard guard(world.engine->progress());
  if (arguments.file() != nullptr) {
    arguments.file()->set_errhandler(Ref<Errhandler>::share(handler));
  } else {
    world.engine->files().set_default_errhandler(Ref<Errhandler>::share(handler));
  }
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_get_errhandler)
extern "C" int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  FileArguments arguments("MPI_File_get_errhandler", file);
  if (!has_handler(arguments, file) || !arguments.pointer(errhandler, "errhandler"))
    return arguments.raised();
  Errhandler& handler = handler_of(arguments);
  if (!handler.predefined()) handler.retain();  // the caller will free the handle
  *errhandler = handle_of(handler);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_File_call_errhandler)
extern "C" int PMPI_File_call_errhandler(MPI_File fh, int errorcode) {
  constexpr const char* function = "MPI_File_call_errhandler";
  FileArguments arguments(function, fh);
  if (!has_handler(arguments, fh)) return arguments.raised();
  if (!ErrorCodes::instance().class_of(errorcode)) {
    return raise(function, object_of(fh), MPI_ERR_ARG,
                 fmt::format("argument `errorcode` is {}, which is not an error code", errorcode));
  }
  call_handler(function, object_of(fh), errorcode);
  return MPI_SUCCESS;
}
