// SPDX-License-Identifier: BSD-3-Clause
// Buffers for buffered sends, of the process and of communicators (MPI-5.0 §3.6). A communicator
// without one uses that of the process.
#include "api/p2p/point_to_point.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The process's buffer, or the communicator's own.
enum class Whose { process, communicator };

BufferedSends& buffer_of(Comm& comm, Whose whose) {
  return whose == Whose::process ? world.engine->buffered() : comm.own_buffer();
}

int attach(const char* function, MPI_Comm comm, Whose whose, void* buffer, Count size) noexcept {
  Arguments arguments(function, comm);
  if (arguments.comm() == nullptr || !arguments.pointer(buffer, "buffer") ||
      !arguments.count(size, "size")) {
    return arguments.raised();
  }
  EngineGuard guard(world.engine->progress());
  BufferedSends& sends = buffer_of(*arguments.comm(), whose);
  const Status attached = buffer == MPI_BUFFER_AUTOMATIC
                              ? sends.attach_automatic()
                              : sends.attach(buffer, static_cast<std::size_t>(size));
  return attached.ok() ? MPI_SUCCESS : raise(function, comm, MPI_ERR_BUFFER, attached.text());
}

template <class Size>
int detach(const char* function, MPI_Comm comm, Whose whose, void* buffer_addr,
           Size* size) noexcept {
  Arguments arguments(function, comm);
  if (arguments.comm() == nullptr || !arguments.pointer(buffer_addr, "buffer_addr") ||
      !arguments.pointer(size, "size")) {
    return arguments.raised();
  }
  EngineGuard guard(world.engine->progress());
  BufferedSends& sends = buffer_of(*arguments.comm(), whose);
  const bool automatic = sends.automatic();
  const auto [buffer, bytes] = sends.detach();
  *static_cast<void**>(buffer_addr) = automatic ? MPI_BUFFER_AUTOMATIC : buffer;
  *size = static_cast<Size>(bytes);
  return MPI_SUCCESS;
}

int flush(const char* function, MPI_Comm comm, Whose whose) noexcept {
  Arguments arguments(function, comm);
  if (arguments.comm() == nullptr) return arguments.raised();
  EngineGuard guard(world.engine->progress());
  buffer_of(*arguments.comm(), whose).flush();
  return MPI_SUCCESS;
}

int begin_flush(const char* function, MPI_Comm comm, Whose whose, MPI_Request* request) noexcept {
  Arguments arguments(function, comm);
  if (arguments.comm() == nullptr || !arguments.pointer(request, "request"))
    return arguments.raised();
  EngineGuard guard(world.engine->progress());
  auto begun = buffer_of(*arguments.comm(), whose).begin_flush();
  if (!begun.ok()) return arguments.raised(begun.status());
  *request = hand_over(*begun, *arguments.comm());
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Buffer_attach)
extern "C" int PMPI_Buffer_attach(void* buffer, int size) {
  return attach("MPI_Buffer_attach", no_comm(), Whose::process, buffer, size);
}

TESSERA_WEAK_ALIAS(MPI_Buffer_attach_c)
extern "C" int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  return attach("MPI_Buffer_attach_c", no_comm(), Whose::process, buffer, size);
}

TESSERA_WEAK_ALIAS(MPI_Buffer_detach)
extern "C" int PMPI_Buffer_detach(void* buffer_addr, int* size) {
  return detach("MPI_Buffer_detach", no_comm(), Whose::process, buffer_addr, size);
}

TESSERA_WEAK_ALIAS(MPI_Buffer_detach_c)
extern "C" int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return detach("MPI_Buffer_detach_c", no_comm(), Whose::process, buffer_addr, size);
}

TESSERA_WEAK_ALIAS(MPI_Buffer_flush)
extern "C" int PMPI_Buffer_flush() {
  return flush("MPI_Buffer_flush", no_comm(), Whose::process);
}

TESSERA_WEAK_ALIAS(MPI_Buffer_iflush)
extern "C" int PMPI_Buffer_iflush(MPI_Request* request) {
  return begin_flush("MPI_Buffer_iflush", no_comm(), Whose::process, request);
}

TESSERA_WEAK_ALIAS(MPI_Comm_attach_buffer)
extern "C" int PMPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) {
  return attach("MPI_Comm_attach_buffer", comm, Whose::communicator, buffer, size);
}

TESSERA_WEAK_ALIAS(MPI_Comm_attach_buffer_c)
extern "C" int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  return attach("MPI_Comm_attach_buffer_c", comm, Whose::communicator, buffer, size);
}

TESSERA_WEAK_ALIAS(MPI_Comm_detach_buffer)
extern "C" int PMPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  return detach("MPI_Comm_detach_buffer", comm, Whose::communicator, buffer_addr, size);
}

TESSERA_WEAK_ALIAS(MPI_Comm_detach_buffer_c)
extern "C" int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return detach("MPI_Comm_detach_buffer_c", comm, Whose::communicator, buffer_addr, size);
}

TESSERA_WEAK_ALIAS(MPI_Comm_flush_buffer)
extern "C" int PMPI_Comm_flush_buffer(MPI_Comm comm) {
  return flush("MPI_Comm_flush_buffer", comm, Whose::communicator);
}

TESSERA_WEAK_ALIAS(MPI_Comm_iflush_buffer)
extern "C" int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return begin_flush("MPI_Comm_iflush_buffer", comm, Whose::communicator, request);
}
