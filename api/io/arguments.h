// SPDX-License-Identifier: BSD-3-Clause
// Arguments of functions on files: whether they are right, and the report when they are not.
#pragma once
//
// As Arguments (api/arguments.h), for files. In a collective function a wrong argument must be
// heard of by the other processes too: wrong() is then handed to the core instead of being raised
// at once.
//
#include <string>

#include "api/comm/comm_handle.h"
#include "api/datatype/type_handle.h"
#include "api/env/info_handle.h"
#include "api/errors/error.h"
#include "api/io/file_handle.h"
#include "tessera/io.h"

namespace tessera::api {

class FileArguments {
 public:
  FileArguments(const char* function, MPI_File handle) noexcept
      : function_(function), handle_(handle), file_(world.active() ? find_file(handle) : nullptr) {}

  io::File* file() const noexcept { return file_; }  // null: raised() reports it
  const char* function() const noexcept { return function_; }
  bool checked() const noexcept { return world.check_arguments; }

  bool pointer(const void* pointer, const char* name) noexcept {
    return pointer != nullptr || fail(Errc::argument, null_pointer(name));
  }
  bool count(Count count) noexcept;
  bool type(const TypeObject* type, const char* name = "datatype") noexcept;
  bool buffer(const void* buffer, Count count, const TypeObject& type) noexcept;
  bool not_negative(io::Offset value, const char* name) noexcept;
  bool info(MPI_Info info) noexcept;
  bool direction(bool writing) noexcept;  // the file was opened for it
  bool positioned() noexcept;             // not in MPI_MODE_SEQUENTIAL
  bool whence(int whence) noexcept;

  [[gnu::cold]] bool fail(Errc code, std::string text) noexcept;
  Status wrong() const noexcept { return wrong_; }
  [[gnu::cold]] int raised() const noexcept;
  [[gnu::cold]] int raised(Status failure) const noexcept;
  int result(Status status) const noexcept { return status.ok() ? MPI_SUCCESS : raised(status); }

 private:
  const char* function_;
  MPI_File handle_;
  io::File* file_;
  Status wrong_;
};

}  // namespace tessera::api
