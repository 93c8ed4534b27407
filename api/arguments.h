// SPDX-License-Identifier: BSD-3-Clause
// Arguments of MPI calls: whether they are right, and the text when they are not.
#pragma once
//
// A call that is to be checked asks its questions in the order of its arguments; after the first
// wrong answer the rest is passed over, and raised() reports it: function, argument, value and what
// would be valid.
//
//     Arguments arguments("MPI_Send", comm);
//     if (!arguments.comm() || (arguments.checked() && !(arguments.count(count) && ...))) return
//     arguments.raised();
//
// With the parameter mpi_argument_check off, only what a handle must be to be used at all is looked
// at.
//
#include <string>

#include "api/comm/comm_handle.h"
#include "api/datatype/type_handle.h"
#include "api/errors/error.h"

namespace tessera::api {

class Arguments {
 public:
  Arguments(const char* function, MPI_Comm handle) noexcept
      : function_(function), handle_(handle), comm_(find_comm(handle)) {}

  Comm* comm() const noexcept { return comm_; }  // null: raised() reports it
  bool checked() const noexcept { return world.check_arguments; }

  bool count(Count count, const char* name = "count") noexcept {
    return count >= 0 || bad_count(count, name);
  }
  // A type that exists and is committed; the handle is for the message.
  bool type(const TypeObject* type, const char* name = "datatype",
            MPI_Datatype handle = nullptr) noexcept {
    return (type != nullptr && type->committed()) || bad_type(type, name, handle);
  }
  // So many elements, `times` over, have sizes that 64 bits can tell; asked after count and type.
  bool room(Count count, const TypeObject& type, const char* name = "count",
            int times = 1) noexcept {
    return count <= type.most() >> 31 || count <= type.most() / times ||
           bad_room(count, type, name);
  }
  // A null buffer is right only where no data is, or for MPI_BOTTOM with a type of absolute
  // addresses. MPI_IN_PLACE is no buffer: where it is allowed, this is not asked.
  bool buffer(const void* buffer, Count count, const Datatype& type,
              const char* name = "buf") noexcept {
    return (buffer != nullptr && buffer != MPI_IN_PLACE) || count == 0 || type.size() == 0 ||
           (buffer == nullptr && !type.contiguous()) || bad_buffer(buffer, name);
  }
  bool destination(int rank, const char* name = "dest") noexcept {
    return (rank >= 0 && rank < comm_->remote_size()) || rank == MPI_PROC_NULL ||
           bad_rank(rank, name, false);
  }
  bool source(int rank, const char* name = "source") noexcept {
    return (rank >= 0 && rank < comm_->remote_size()) || rank == MPI_PROC_NULL ||
           rank == MPI_ANY_SOURCE || bad_rank(rank, name, true);
  }
  bool send_tag(int tag, const char* name = "tag") noexcept {
    return tag >= 0 || bad_tag(tag, name, false);
  }
  bool receive_tag(int tag, const char* name = "tag") noexcept {
    return tag >= 0 || tag == MPI_ANY_TAG || bad_tag(tag, name, true);
  }
  // Where a result goes.
  bool pointer(const void* pointer, const char* name) noexcept {
    return pointer != nullptr || bad_pointer(name);
  }
  // Something that is read.
  bool input(const void* pointer, const char* name) noexcept {
    return pointer != nullptr || bad_input(name);
  }
  // An intracommunicator, or an intercommunicator, only.
  bool intra() noexcept { return !comm_->inter() || bad_kind(true); }
  bool inter() noexcept { return comm_->inter() || bad_kind(false); }
  // A rank of the (local) group, as root or leader.
  bool member(int rank, int size, int error_class, const char* name) noexcept {
    return (rank >= 0 && rank < size) || bad_member(rank, size, error_class, name);
  }
  bool that(bool right, int error_class, const char* text) noexcept {
    return right || fail(error_class, text);
  }

  const char* function() const noexcept { return function_; }
  MPI_Comm handle() const noexcept { return handle_; }

  // Keeps a failure for raised(); always false.
  [[gnu::cold]] bool fail(int error_class, std::string text) noexcept;
  // Reports the first failure, or that the communicator is none.
  [[gnu::cold]] int raised() const noexcept;
  // Reports what the core said.
  [[gnu::cold]] int raised(Status failure) const noexcept {
    return raise(function_, handle_, failure);
  }

 protected:
  [[gnu::cold]] bool bad_room(Count count, const TypeObject& type, const char* name) noexcept;

 private:
  [[gnu::cold]] bool bad_count(Count count, const char* name) noexcept;
  [[gnu::cold]] bool bad_type(const TypeObject* type, const char* name,
                              MPI_Datatype handle) noexcept;
  [[gnu::cold]] bool bad_buffer(const void* buffer, const char* name) noexcept;
  [[gnu::cold]] bool bad_rank(int rank, const char* name, bool any) noexcept;
  [[gnu::cold]] bool bad_tag(int tag, const char* name, bool any) noexcept;
  [[gnu::cold]] bool bad_kind(bool intra) noexcept;
  [[gnu::cold]] bool bad_member(int rank, int size, int error_class, const char* name) noexcept;
  [[gnu::cold]] bool bad_pointer(const char* name) noexcept;
  [[gnu::cold]] bool bad_input(const char* name) noexcept;

  const char* function_;
  MPI_Comm handle_;
  Comm* comm_;
  int error_class_ = MPI_SUCCESS;
  std::string text_;
};

}  // namespace tessera::api
