// SPDX-License-Identifier: BSD-3-Clause
// How an MPI function reports an error: raise().
#pragma once
//
// A function that finds an argument wrong, or gets a failed Status from the core, ends with
//
//     return raise("MPI_Send", comm, MPI_ERR_TAG, fmt::format("argument `tag` is {}; valid tags are
//     0..{}", tag, limit));
//
// The text says what was wrong and what would be right. raise() puts the name of the function
// before it and the object behind it, keeps the result for MPI_Error_string, and calls the error
// handler of the object. It returns, with the error code to hand to the caller, unless the handler
// ends the job.
//
#include <string>
#include <string_view>

#include "api/api.h"
#include "core/object/errhandler.h"
#include "tessera/status.h"

namespace tessera::api {

// The error handler of an object and what is needed to call it.
struct ErrorContext {
  enum class Action { fatal, abort, return_code, call };
  using UserFunction = void (*)(void* handle, int* code, ...);

  Action action = Action::fatal;
  UserFunction function = nullptr;  // for `call`
  void* handle = nullptr;           // the object, as the user's function gets it
  std::string where;  // "communicator MPI_COMM_WORLD, rank 3"; empty if there is nothing to say
};

// The object that stands in where a call has none: MPI_COMM_SELF (MPI 5.0, section 9.3), and before
// MPI_Init and after MPI_Finalize the initial error handler.
ErrorContext no_object();
// A communicator; a handle that is none gives no_object().
ErrorContext object_of(MPI_Comm comm);
// Whatever has this handler; `handle` is what a user's function gets.
ErrorContext handled_by(const Errhandler& handler, void* handle, std::string where);
// A file; MPI_FILE_NULL stands for calls that have no open file yet. The default is to return
// (section 14.7).
ErrorContext object_of(MPI_File file);

[[gnu::cold]] int raise(const char* function, const ErrorContext& object, int error_class,
                        std::string_view text) noexcept;
[[gnu::cold]] int raise(const char* function, MPI_Comm comm, int error_class,
                        std::string_view text) noexcept;
[[gnu::cold]] int raise(const char* function, int error_class, std::string_view text) noexcept;

// The same for a failure that the core reports: its text, and the class that its code stands for.
[[gnu::cold]] int raise(const char* function, const ErrorContext& object, Status failure) noexcept;
[[gnu::cold]] int raise(const char* function, MPI_Comm comm, Status failure) noexcept;
[[gnu::cold]] int raise(const char* function, Status failure) noexcept;

// While MPI is not active: says that the call comes before MPI_Init, or after MPI_Finalize. Objects
// are looked up first, and none is found then (handle.h), so that no call asks for the time.
[[gnu::cold]] int raise_not_active(const char* function) noexcept;
[[gnu::cold]] int raise_not_active(const char* function, const ErrorContext& object) noexcept;

// Calls the handler of the object with a code that exists already (MPI_Comm_call_errhandler and its
// sisters, and what callbacks of the program returned). The report begins with `cause`, if there is
// one. Returns the code.
[[gnu::cold]] int call_handler(const char* function, const ErrorContext& object, int code,
                               std::string_view cause = {}) noexcept;

// The text of the most frequent mistake, for raise(): "argument `flag` is a null pointer; ...".
std::string null_pointer(std::string_view argument);

}  // namespace tessera::api
