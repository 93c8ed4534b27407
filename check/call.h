// SPDX-License-Identifier: BSD-3-Clause
// What a checked MPI function says about its call: Call.
#pragma once
//
// Contract. The checking library (mpiexec --check) lies between the program and MPI, as any tool of
// the profiling interface may: each of its functions makes a Call, calls the next function of its
// name, and says what the call made, freed, used and started. Nothing of it is in a process that
// was not started with --check. What is wrong is said once per place in the program, on standard
// error; no call fails because of it. Any thread may call.
//
#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>
#include <initializer_list>

namespace tessera::check {

// What a program makes and has to free.
enum class Kind : std::uint8_t {
  communicator,
  group,
  datatype,
  window,
  file,
  info,
  op,
  errhandler,
  session,
  message,
  request,
  comm_key,
  type_key,
  window_key,
  attached_buffer,
};

enum class Role : std::uint8_t { send, receive };

struct Buffer {
  const void* address;
  MPI_Count count;
  MPI_Datatype type;
  Role role;
};

class Shadow;  // check/shadow.h

// A call of MPI: its function, and the address it returns to.
struct Site {
  const char* function;
  const void* caller;
};

// The function that the program would have called without this library.
template <class Function>
Function next_function(const char* name) noexcept {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

template <class Handle>
std::uintptr_t value_of(Handle* const* handle) noexcept {
  return handle != nullptr ? reinterpret_cast<std::uintptr_t>(*handle) : 0;
}
inline std::uintptr_t value_of(const int* key) noexcept {
  return key != nullptr ? static_cast<std::uintptr_t>(*key) : 0;
}

class Call {
 public:
  // `communicates`: it may not be called by a reduction operation.
  Call(const char* function, const void* caller, bool communicates) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Site& site() const noexcept { return site_; }

  // A new handle or key; nothing is noted of a null pointer and of predefined handles.
  template <class Handle>
  void made(int code, Kind kind, const Handle* handle) noexcept {
    if (code == MPI_SUCCESS) note_made(kind, value_of(handle));
  }
  void freed(int code, Kind kind, std::uintptr_t value) noexcept {
    if (code == MPI_SUCCESS) note_freed(kind, value);
  }
  // A message that the call sends.
  void sends(int dest, int tag, MPI_Comm comm) noexcept;
  // Buffers of a call that starts an operation, before it begins.
  void prepares(std::initializer_list<Buffer> buffers) noexcept;
  // Buffers of a blocking call, before it begins.
  void uses(std::initializer_list<Buffer> buffers) noexcept;
  // An operation with a request, and the buffers that are its own from now on; what it receives
  // comes into the shadow, if there is one.
  void started(int code, const MPI_Request* request, bool persistent,
               std::initializer_list<Buffer> buffers) noexcept;
  void started(int code, const MPI_Request* request, bool persistent,
               std::initializer_list<Buffer> buffers, Shadow& shadow) noexcept;

 private:
  void note_made(Kind kind, std::uintptr_t value) noexcept;
  void note_freed(Kind kind, std::uintptr_t value) noexcept;
  Site site_;
  bool entered_;
};

}  // namespace tessera::check
