// SPDX-License-Identifier: BSD-3-Clause
// Buffers for buffered sends on the communicators of a session (MPI-5.0 §3.6).
#include <fmt/format.h>

#include "api/env/session_handle.h"
#include "api/p2p/point_to_point.h"

using namespace tessera;
using namespace tessera::api;

namespace {

int wrong(const char* function, MPI_Session session, int error_class,
          std::string_view text) noexcept {
  return raise(function, object_of(session), error_class, text);
}

int attach(const char* function, MPI_Session session, void* buffer, Count size) noexcept {
  Session* object = find_session(session);
  if (object == nullptr) return raise_not_session(function, session);
  if (buffer == nullptr) {
    return wrong(function, session, MPI_ERR_ARG,
                 "argument `buffer` is a null pointer; it must be a buffer");
  }
  if (size < 0) {
    return wrong(function, session, MPI_ERR_COUNT,
                 fmt::format("argument `size` is {}; it must not be negative", size));
  }
  EngineGuard guard(world.engine->progress());
  const Status attached = buffer == MPI_BUFFER_AUTOMATIC
                              ? object->buffer().attach_automatic()
                              : object->buffer().attach(buffer, static_cast<std::size_t>(size));
  return attached.ok() ? MPI_SUCCESS : wrong(function, session, MPI_ERR_BUFFER, attached.text());
}

template <class Size>
int detach(const char* function, MPI_Session session, void* buffer_addr, Size* size) noexcept {
  Session* object = find_session(session);
  if (object == nullptr) return raise_not_session(function, session);
  if (buffer_addr == nullptr)
    return wrong(function, session, MPI_ERR_ARG, null_pointer("buffer_addr"));
  if (size == nullptr) return wrong(function, session, MPI_ERR_ARG, null_pointer("size"));
  EngineGuard guard(world.engine->progress());
  const bool automatic = object->buffer().automatic();
  const auto [buffer, bytes] = object->buffer().detach();
  *static_cast<void**>(buffer_addr) = automatic ? MPI_BUFFER_AUTOMATIC : buffer;
  *size = static_cast<Size>(bytes);
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Session_attach_buffer)
extern "C" int PMPI_Session_attach_buffer(MPI_Session session, void* buffer, int size) {
  return attach("MPI_Session_attach_buffer", session, buffer, size);
}

TESSERA_WEAK_ALIAS(MPI_Session_attach_buffer_c)
extern "C" int PMPI_Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) {
  return attach("MPI_Session_attach_buffer_c", session, buffer, size);
}

TESSERA_WEAK_ALIAS(MPI_Session_detach_buffer)
extern "C" int PMPI_Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) {
  return detach("MPI_Session_detach_buffer", session, buffer_addr, size);
}

TESSERA_WEAK_ALIAS(MPI_Session_detach_buffer_c)
extern "C" int PMPI_Session_detach_buffer_c(MPI_Session session, void* buffer_addr,
                                            MPI_Count* size) {
  return detach("MPI_Session_detach_buffer_c", session, buffer_addr, size);
}

TESSERA_WEAK_ALIAS(MPI_Session_flush_buffer)
extern "C" int PMPI_Session_flush_buffer(MPI_Session session) {
  Session* object = find_session(session);
  if (object == nullptr) return raise_not_session("MPI_Session_flush_buffer", session);
  EngineGuard guard(world.engine->progress());
  object->buffer().flush();
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Session_iflush_buffer)
extern "C" int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  constexpr const char* function = "MPI_Session_iflush_buffer";
  Session* object = find_session(session);
  if (object == nullptr) return raise_not_session(function, session);
  if (request == nullptr) return wrong(function, session, MPI_ERR_ARG, null_pointer("request"));
  EngineGuard guard(world.engine->progress());
  auto begun = object->buffer().begin_flush();
  if (!begun.ok()) return raise(function, object_of(session), begun.status());
  *request = hand_over(*begun, *world.own);
  return MPI_SUCCESS;
}
