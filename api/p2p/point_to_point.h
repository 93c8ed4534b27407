// SPDX-License-Identifier: BSD-3-Clause
// What the blocking, nonblocking and persistent forms of point-to-point calls share.
#pragma once

#include "api/arguments.h"
#include "api/p2p/request_handle.h"
#include "api/p2p/status.h"
#include "core/request/buffered_sends.h"
#include "tessera/pml.h"

namespace tessera::api {

// The arguments of a send as the user gave them.
struct SendCall {
  const char* function;
  const void* buffer;
  Count count;
  MPI_Datatype datatype;
  int dest;
  int tag;
  MPI_Comm comm;
};

struct RecvCall {
  const char* function;
  void* buffer;
  Count count;
  MPI_Datatype datatype;
  int source;
  int tag;
  MPI_Comm comm;
};

// Both halves of MPI_Sendrecv name their arguments apart.
struct ArgumentNames {
  const char* buffer = "buf";
  const char* count = "count";
  const char* datatype = "datatype";
  const char* tag = "tag";
};

inline bool right(Arguments& arguments, const SendCall& call, const TypeObject* type,
                  const ArgumentNames& names = {}) {
  return !arguments.checked() ||
         (arguments.count(call.count, names.count) &&
          arguments.type(type, names.datatype, call.datatype) &&
          arguments.room(call.count, *type, names.count) &&
          arguments.buffer(call.buffer, call.count, *type, names.buffer) &&
          arguments.destination(call.dest) && arguments.send_tag(call.tag, names.tag));
}

inline bool right(Arguments& arguments, const RecvCall& call, const TypeObject* type,
                  const ArgumentNames& names = {}) {
  return !arguments.checked() ||
         (arguments.count(call.count, names.count) &&
          arguments.type(type, names.datatype, call.datatype) &&
          arguments.room(call.count, *type, names.count) &&
          arguments.buffer(call.buffer, call.count, *type, names.buffer) &&
          arguments.source(call.source) && arguments.receive_tag(call.tag, names.tag));
}

// Whether one look shows that the arguments are right, as in nearly all calls: there is data, and
// `rank` is one of the group. Those of all other calls are examined.
template <class Call>
bool right_at_a_glance(const Call& call, int rank, const Comm* comm,
                       const TypeObject* type) noexcept {
  return comm != nullptr && type != nullptr && call.buffer != nullptr &&
         static_cast<std::uint64_t>(call.count) < type->usable_counts() && call.tag >= 0 &&
         static_cast<unsigned>(rank) < static_cast<unsigned>(comm->remote_size());
}

// Asks all questions, and reports the first wrong answer: MPI_SUCCESS or the error code.
int examine(const SendCall& call);
int examine(const RecvCall& call);

// A copy for a function that is not inlined, made where that one is called: until then the
// arguments stay in registers.
template <class Call>
[[gnu::always_inline]] inline Call spelled_out(const Call& call) noexcept {
  const auto& [function, buffer, count, datatype, rank, tag, comm] = call;
  return {function, buffer, count, datatype, rank, tag, comm};
}

inline pml::SendArgs send_args(const SendCall& call, const Comm& comm, const TypeObject& type,
                               pml::Mode mode) noexcept {
  return {call.buffer, call.count, &type,          &comm.peer(call.dest),
          comm.rank(), call.tag,   comm.context(), mode};
}

inline pml::RecvArgs recv_args(const RecvCall& call, const Comm& comm,
                               const TypeObject& type) noexcept {
  Peer* peer = call.source == MPI_ANY_SOURCE ? nullptr : &comm.peer(call.source);
  return {call.buffer, call.count, &type, peer, call.source, call.tag, comm.context()};
}

inline WaitNote note_of(const SendCall& call, const Comm& comm, const TypeObject& type) noexcept {
  return {call.function, call.dest, call.tag, &comm, call.count, &type};
}
inline WaitNote note_of(const RecvCall& call, const Comm& comm, const TypeObject& type) noexcept {
  return {call.function, call.source, call.tag, &comm, call.count, &type};
}

// The note of a blocking call stands in front of what its module gets: whoever explains a fault
// finds the buffer from the note (api/env/fault_buffers.h), and no call writes down where it is.
struct NotedSend {
  WaitNote note;
  pml::SendArgs args;
};
struct NotedReceive {
  WaitNote note;
  pml::RecvArgs args;
};
struct NotedExchange {
  WaitDetail detail;
  pml::SendArgs sending;
  pml::RecvArgs receiving;
};

// A new request becomes the user's: it knows which communicator hears of its failure, and keeps it.
inline MPI_Request hand_over(Request* request, Comm& comm) noexcept {
  request->set_owner(&comm);
  if (&comm != world.comm_world) comm.retain();
  return handle_of(*request);
}

// Errors of an operation at its communicator, an error code.
inline int result(const char* function, MPI_Comm comm, Status status) noexcept {
  return status.ok() ? MPI_SUCCESS : raise(function, comm, status);
}

}  // namespace tessera::api
