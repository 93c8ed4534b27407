// SPDX-License-Identifier: BSD-3-Clause
// Blocking send and receive (MPI-5.0 §3.2, §3.4, §3.10, §3.11).
#include "api/p2p/point_to_point.h"
#include "core/impi/spanned.h"

#include <memory>

using namespace tessera;
using namespace tessera::api;

namespace {

// Inlined into each function that uses it, so that the arguments stay in registers: written to
// memory one by one and read back in pairs, they would have to wait for the writes.
[[gnu::always_inline]] inline int send(const SendCall& call, pml::Mode mode) noexcept {
  const Comm* known = find_comm(call.comm);
  const TypeObject* type = find_type(call.datatype);
  if (!right_at_a_glance(call, call.dest, known, type)) [[unlikely]] {
    if (const int wrong = examine(spelled_out(call)); wrong != MPI_SUCCESS) return wrong;
    if (call.dest == MPI_PROC_NULL) return MPI_SUCCESS;
  }
  const Comm& comm = *known;
  EngineGuard guard(world.engine->progress());
  const NotedSend sending{note_of(call, comm, *type), send_args(call, comm, *type, mode)};
  WaitScope scope(world.engine->progress(), sending.note);
  return result(call.function, call.comm, comm.pml().send(sending.args));
}

int buffered_send(const SendCall& call) noexcept {
  Arguments arguments(call.function, call.comm);
  const TypeObject* type = find_type(call.datatype);
  if (arguments.comm() == nullptr || !right(arguments, call, type)) return arguments.raised();
  if (call.dest == MPI_PROC_NULL) return MPI_SUCCESS;
  Comm& comm = *arguments.comm();
  EngineGuard guard(world.engine->progress());
  const pml::SendArgs args = send_args(call, comm, *type, pml::Mode::standard);
  const Status sent = comm.buffer().send(comm.pml(), args, impi::packed_form(comm, *args.peer));
  return sent.code() == Errc::no_space
             ? raise(call.function, call.comm, MPI_ERR_BUFFER, sent.text())
             : result(call.function, call.comm, sent);
}

[[gnu::always_inline]] inline int receive(const RecvCall& call, MPI_Status* status) noexcept {
  const Comm* known = find_comm(call.comm);
  const TypeObject* type = find_type(call.datatype);
  if (!right_at_a_glance(call, call.source, known, type)) [[unlikely]] {
    if (const int wrong = examine(spelled_out(call)); wrong != MPI_SUCCESS) return wrong;
    if (call.source == MPI_PROC_NULL) return set_proc_null(status), MPI_SUCCESS;
  }
  const Comm& comm = *known;
  EngineGuard guard(world.engine->progress());
  const NotedReceive receiving{note_of(call, comm, *type), recv_args(call, comm, *type)};
  WaitScope scope(world.engine->progress(), receiving.note);
  MessageStatus message;
  const Status received = comm.pml().recv(receiving.args, message);
  set_status(status, message);
  return result(call.function, call.comm, received);
}

// Both directions at once; either may be null. Where the send failed, the message to receive may
// never come: unless it has begun to arrive, it is not waited for.
Status transfer(Comm& comm, const pml::SendArgs* sending, const pml::RecvArgs* receiving,
                MessageStatus& message) noexcept {
  Request* receive_request = nullptr;
  if (receiving != nullptr) {
    auto posted = comm.pml().irecv(*receiving);
    if (!posted.ok()) return posted.status();
    receive_request = *posted;
  }
  const Status sent = sending != nullptr ? comm.pml().send(*sending) : Status{};
  if (receive_request == nullptr) return sent;
  if (!sent) receive_request->cancel();
  comm.progress().wait_until([&] { return receive_request->complete(); });
  message = receive_request->status();
  message.error = receive_request->error();
  receive_request->free();
  return sent ? message.error : sent;
}

int send_receive(const SendCall& out, const RecvCall& in, MPI_Status* status) noexcept {
  Arguments arguments(out.function, out.comm);
  const TypeObject* sendtype = find_type(out.datatype);
  const TypeObject* recvtype = find_type(in.datatype);
  if (arguments.comm() == nullptr ||
      !right(arguments, out, sendtype, {"sendbuf", "sendcount", "sendtype", "sendtag"}) ||
      !right(arguments, in, recvtype, {"recvbuf", "recvcount", "recvtype", "recvtag"})) {
    return arguments.raised();
  }
  Comm& comm = *arguments.comm();
  EngineGuard guard(world.engine->progress());
  const bool sends = out.dest != MPI_PROC_NULL;
  const bool receives = in.source != MPI_PROC_NULL;
  const NotedExchange both{
      {.to = out.dest,
       .send_tag = out.tag,
       .send_bytes = static_cast<std::uint64_t>(out.count * sendtype->size())},
      sends ? send_args(out, comm, *sendtype, pml::Mode::standard) : pml::SendArgs{},
      receives ? recv_args(in, comm, *recvtype) : pml::RecvArgs{}};
  const WaitNote note{out.function, in.source, in.tag, &comm, in.count, recvtype, &both.detail};
  WaitScope scope(world.engine->progress(), note);
  MessageStatus message{kProcNull, kAnyTag, 0, {}, false};
  const Status done = transfer(comm, sends ? &both.sending : nullptr,
                               receives ? &both.receiving : nullptr, message);
  set_status(status, message);
  return result(out.function, out.comm, done);
}

// The outgoing data is packed aside first: the buffer is free for what comes in.
int send_receive_replace(const SendCall& out, const RecvCall& in, MPI_Status* status) noexcept {
  Arguments arguments(out.function, out.comm);
  const TypeObject* type = find_type(out.datatype);
  if (arguments.comm() == nullptr ||
      !right(arguments, out, type, {"buf", "count", "datatype", "sendtag"}) ||
      !right(arguments, in, type, {"buf", "count", "datatype", "recvtag"})) {
    return arguments.raised();
  }
  if (out.dest == MPI_PROC_NULL) return receive(in, status);
  const PackedForm form = impi::packed_form(*arguments.comm(), arguments.comm()->peer(out.dest));
  const Count bytes = packed_size(*type, out.count, form).value();
  const std::unique_ptr<std::byte[]> copy(new (std::nothrow)
                                              std::byte[static_cast<std::size_t>(bytes) + 1]);
  if (copy == nullptr) return raise(out.function, out.comm, Status(Errc::no_memory));
  if (Status s = pack_data(*type, out.buffer, out.count, form, copy.get()); !s)
    return raise(out.function, out.comm, s);
  SendCall packed = out;
  packed.buffer = copy.get();
  packed.count = bytes;
  packed.datatype = MPI_BYTE;
  return send_receive(packed, in, status);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Send)
extern "C" int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                         MPI_Comm comm) {
  return send({"MPI_Send", buf, count, datatype, dest, tag, comm}, pml::Mode::standard);
}

TESSERA_WEAK_ALIAS(MPI_Send_c)
extern "C" int PMPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                           int tag, MPI_Comm comm) {
  return send({"MPI_Send_c", buf, count, datatype, dest, tag, comm}, pml::Mode::standard);
}

TESSERA_WEAK_ALIAS(MPI_Ssend)
extern "C" int PMPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                          MPI_Comm comm) {
  return send({"MPI_Ssend", buf, count, datatype, dest, tag, comm}, pml::Mode::synchronous);
}

TESSERA_WEAK_ALIAS(MPI_Ssend_c)
extern "C" int PMPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm) {
  return send({"MPI_Ssend_c", buf, count, datatype, dest, tag, comm}, pml::Mode::synchronous);
}

TESSERA_WEAK_ALIAS(MPI_Rsend)
extern "C" int PMPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                          MPI_Comm comm) {
  return send({"MPI_Rsend", buf, count, datatype, dest, tag, comm}, pml::Mode::ready);
}

TESSERA_WEAK_ALIAS(MPI_Rsend_c)
extern "C" int PMPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm) {
  return send({"MPI_Rsend_c", buf, count, datatype, dest, tag, comm}, pml::Mode::ready);
}

TESSERA_WEAK_ALIAS(MPI_Bsend)
extern "C" int PMPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                          MPI_Comm comm) {
  return buffered_send({"MPI_Bsend", buf, count, datatype, dest, tag, comm});
}

TESSERA_WEAK_ALIAS(MPI_Bsend_c)
extern "C" int PMPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm) {
  return buffered_send({"MPI_Bsend_c", buf, count, datatype, dest, tag, comm});
}

TESSERA_WEAK_ALIAS(MPI_Recv)
extern "C" int PMPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                         MPI_Comm comm, MPI_Status* status) {
  return receive({"MPI_Recv", buf, count, datatype, source, tag, comm}, status);
}

TESSERA_WEAK_ALIAS(MPI_Recv_c)
extern "C" int PMPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                           MPI_Comm comm, MPI_Status* status) {
  return receive({"MPI_Recv_c", buf, count, datatype, source, tag, comm}, status);
}

TESSERA_WEAK_ALIAS(MPI_Sendrecv)
extern "C" int PMPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                             int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                             int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return send_receive({"MPI_Sendrecv", sendbuf, sendcount, sendtype, dest, sendtag, comm},
                      {"MPI_Sendrecv", recvbuf, recvcount, recvtype, source, recvtag, comm},
                      status);
}

TESSERA_WEAK_ALIAS(MPI_Sendrecv_replace)
extern "C" int PMPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest,
                                     int sendtag, int source, int recvtag, MPI_Comm comm,
                                     MPI_Status* status) {
  return send_receive_replace({"MPI_Sendrecv_replace", buf, count, datatype, dest, sendtag, comm},
                              {"MPI_Sendrecv_replace", buf, count, datatype, source, recvtag, comm},
                              status);
}

TESSERA_WEAK_ALIAS(MPI_Sendrecv_c)
extern "C" int PMPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               int dest, int sendtag, void* recvbuf, MPI_Count recvcount,
                               MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                               MPI_Status* status) {
  return send_receive({"MPI_Sendrecv_c", sendbuf, sendcount, sendtype, dest, sendtag, comm},
                      {"MPI_Sendrecv_c", recvbuf, recvcount, recvtype, source, recvtag, comm},
                      status);
}

TESSERA_WEAK_ALIAS(MPI_Sendrecv_replace_c)
extern "C" int PMPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                       int sendtag, int source, int recvtag, MPI_Comm comm,
                                       MPI_Status* status) {
  return send_receive_replace(
      {"MPI_Sendrecv_replace_c", buf, count, datatype, dest, sendtag, comm},
      {"MPI_Sendrecv_replace_c", buf, count, datatype, source, recvtag, comm}, status);
}
