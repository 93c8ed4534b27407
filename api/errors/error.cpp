// SPDX-License-Identifier: BSD-3-Clause
// Composing, keeping and delivering the report of an error.
#include "api/errors/error.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <cstring>

#include "api/env/abort.h"
#include "api/errors/error_classes.h"
#include "api/errors/error_codes.h"
#include "api/errors/error_log.h"
#include "tessera/io.h"

namespace tessera::api {
namespace {

// Codes that only files have; MPI_SUCCESS for others.
int file_error_class_of(Errc code) {
  constexpr std::pair<Errc, int> classes[] = {
      {io::kNoSuchFile, MPI_ERR_NO_SUCH_FILE},
      {io::kFileExists, MPI_ERR_FILE_EXISTS},
      {io::kBadFile, MPI_ERR_BAD_FILE},
      {io::kAccess, MPI_ERR_ACCESS},
      {io::kReadOnly, MPI_ERR_READ_ONLY},
      {io::kNoSpace, MPI_ERR_NO_SPACE},
      {io::kQuota, MPI_ERR_QUOTA},
      {io::kFileInUse, MPI_ERR_FILE_IN_USE},
      {io::kFileError, MPI_ERR_IO},
      {io::kMode, MPI_ERR_AMODE},
      {io::kNotSame, MPI_ERR_NOT_SAME},
      {io::kConversion, MPI_ERR_CONVERSION},
      {io::kRepresentation, MPI_ERR_UNSUPPORTED_DATAREP},
      {io::kDuplicateRepresentation, MPI_ERR_DUP_DATAREP},
      {io::kPending, MPI_ERR_REQUEST},
      {io::kBuffer, MPI_ERR_BUFFER},
      {io::kCount, MPI_ERR_COUNT},
  };
  for (const auto& [known, error_class] : classes)
    if (known == code) return error_class;
  return MPI_SUCCESS;
}

int error_class_of(Errc code) {
  if (const int of_file = file_error_class_of(code); of_file != MPI_SUCCESS) return of_file;
  switch (code) {
    case Errc::ok:
      return MPI_SUCCESS;
    case Errc::again:
      return MPI_ERR_PENDING;
    case Errc::unsupported:
      return MPI_ERR_UNSUPPORTED_OPERATION;
    case Errc::argument:
      return MPI_ERR_ARG;
    case Errc::no_memory:
      return MPI_ERR_NO_MEM;
    case Errc::truncated:
      return MPI_ERR_TRUNCATE;
    case Errc::type:
      return MPI_ERR_TYPE;
    case Errc::operation:
      return MPI_ERR_OP;
    case Errc::peer_failed:
      return MPI_ERR_PROC_ABORTED;
    case Errc::internal:
      return MPI_ERR_INTERN;
    case Errc::not_found:
    case Errc::no_space:
    case Errc::system:
    case Errc::refused:
    case Errc::cancelled:
      return MPI_ERR_OTHER;
  }
  return MPI_ERR_INTERN;
}

// MPI_Error_string has room for so many characters, and shows the beginning.
std::string fitted(std::string text) {
  if (text.size() >= MPI_MAX_ERROR_STRING) text.resize(MPI_MAX_ERROR_STRING - 1);
  return text;
}

// Looks for the Fortran library among the callers: only errors pay for it, no call.
bool called_from_fortran() noexcept {
  if (dlsym(RTLD_DEFAULT, "mpi_fortran_addresses_") == nullptr) return false;
  void* callers[16];
  const int depth = backtrace(callers, 16);
  for (int i = 0; i < depth; ++i) {
    Dl_info place;
    if (dladdr(callers[i], &place) != 0 && place.dli_fname != nullptr &&
        std::strstr(place.dli_fname, "libmpifort_abi") != nullptr) {
      return true;
    }
  }
  return false;
}

std::string report_line(const char* function, const ErrorContext& object, std::string_view text) {
  const char* caller = called_from_fortran() ? ", called from Fortran" : "";
  return object.where.empty() ? fmt::format("{}{}: {}", function, caller, text)
                              : fmt::format("{}{}: {} [{}]", function, caller, text, object.where);
}

std::string class_line(int error_class) {
  const ErrorClass* known = find_error_class(error_class);
  if (known == nullptr) return fmt::format("error class {}, added by the program", error_class);
  return fmt::format("{} (class {}): {}", known->name, error_class, known->meaning);
}

[[noreturn]] void end_job(std::string_view report, int error_class) {
  abort_job(error_class,
            fmt::format("{}\n  {}\n  The job ends here, as the error handler demands. With "
                        "MPI_ERRORS_RETURN the call would return an error code.\n",
                        report, class_line(error_class)));
}

int deliver(const ErrorContext& object, int error_class, int code, std::string_view report) {
  switch (object.action) {
    case ErrorContext::Action::return_code:
      return code;
    case ErrorContext::Action::call: {
      void* handle = object.handle;
      int passed = code;
      object.function(&handle, &passed);
      return code;
    }
    case ErrorContext::Action::fatal:
    case ErrorContext::Action::abort:
      break;
  }
  end_job(report, error_class);
}

}  // namespace

int raise(const char* function, const ErrorContext& object, int error_class,
          std::string_view text) noexcept {
  const std::string report = report_line(function, object, text);
  return deliver(object, error_class, ErrorLog::instance().store(error_class, fitted(report)),
                 report);
}

int raise(const char* function, MPI_Comm comm, int error_class, std::string_view text) noexcept {
  return raise(function, object_of(comm), error_class, text);
}

int raise(const char* function, int error_class, std::string_view text) noexcept {
  return raise(function, no_object(), error_class, text);
}

int raise(const char* function, const ErrorContext& object, Status failure) noexcept {
  return raise(function, object, error_class_of(failure.code()), failure.text());
}

int raise(const char* function, MPI_Comm comm, Status failure) noexcept {
  return raise(function, object_of(comm), failure);
}

int raise(const char* function, Status failure) noexcept {
  return raise(function, no_object(), failure);
}

int call_handler(const char* function, const ErrorContext& object, int code,
                 std::string_view cause) noexcept {
  const ErrorCodes& codes = ErrorCodes::instance();
  const std::string text =
      fmt::format("{}{}{}", cause, cause.empty() ? "" : ": ",
                  codes.describe(code).value_or(fmt::format("unknown error code {}", code)));
  return deliver(object, codes.class_of(code).value_or(MPI_ERR_UNKNOWN), code,
                 report_line(function, object, text));
}

std::string null_pointer(std::string_view argument) {
  return fmt::format(
      "argument `{}` is a null pointer; it must point to where the result is to be stored",
      argument);
}

}  // namespace tessera::api
