// SPDX-License-Identifier: BSD-3-Clause
// One data access call, in the forms in which it can be made (MPI-5.0 §14.4).
#pragma once

#include "api/io/arguments.h"
#include "api/p2p/status.h"

namespace tessera::api {

// Where the data lie: at an offset of the call, or at a pointer.
enum class Where : std::uint8_t { explicit_offset, individual, shared };

struct FileAccess {
  const char* function;
  MPI_File fh;
  bool writing;
  Where where;
  MPI_Offset offset;  // explicit_offset only
  const void* buffer;
  Count count;
  MPI_Datatype type;
};

// The data at an offset, at the individual pointer, and at the shared one. `buf` is written by
// reads only.
constexpr FileAccess read_at(const char* function, MPI_File fh, MPI_Offset offset, void* buf,
                             Count count, MPI_Datatype type) noexcept {
  return {function, fh, false, Where::explicit_offset, offset, buf, count, type};
}
constexpr FileAccess write_at(const char* function, MPI_File fh, MPI_Offset offset, const void* buf,
                              Count count, MPI_Datatype type) noexcept {
  return {function, fh, true, Where::explicit_offset, offset, buf, count, type};
}
constexpr FileAccess read_next(const char* function, MPI_File fh, void* buf, Count count,
                               MPI_Datatype type) noexcept {
  return {function, fh, false, Where::individual, 0, buf, count, type};
}
constexpr FileAccess write_next(const char* function, MPI_File fh, const void* buf, Count count,
                                MPI_Datatype type) noexcept {
  return {function, fh, true, Where::individual, 0, buf, count, type};
}
constexpr FileAccess read_shared(const char* function, MPI_File fh, void* buf, Count count,
                                 MPI_Datatype type) noexcept {
  return {function, fh, false, Where::shared, 0, buf, count, type};
}
constexpr FileAccess write_shared(const char* function, MPI_File fh, const void* buf, Count count,
                                  MPI_Datatype type) noexcept {
  return {function, fh, true, Where::shared, 0, buf, count, type};
}

// By this process alone.
int access_alone(const FileAccess& access, MPI_Status* status) noexcept;
int start_alone(const FileAccess& access, MPI_Request* request) noexcept;
// By all processes together; with the shared pointer: ordered.
int access_together(const FileAccess& access, MPI_Status* status) noexcept;
int start_together(const FileAccess& access, MPI_Request* request) noexcept;
// Split collective operations. `kind` is the name without MPI_File_ and _begin or _end: ends fit
// their own kind of begin only.
int begin_together(const FileAccess& access, const char* kind) noexcept;
int end_together(const char* function, MPI_File fh, const char* kind, const void* buffer,
                 MPI_Status* status) noexcept;

}  // namespace tessera::api
