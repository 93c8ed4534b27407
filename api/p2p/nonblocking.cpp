// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent send and receive (MPI-5.0 §3.7, §3.9).
#include <memory>
#include <new>

#include "api/p2p/point_to_point.h"
#include "core/impi/spanned.h"
#include "core/request/requests.h"

using namespace tessera;
using namespace tessera::api;

namespace {

constexpr MessageStatus proc_null{kProcNull, kAnyTag, 0, {}, false};

// How a communication is begun: at once, or as a persistent request.
enum class Form { immediate, persistent };

int hand_over_or_raise(const char* function, MPI_Comm handle, Comm& comm, Result<Request*> made,
                       MPI_Request* request) noexcept {
  if (!made.ok()) return raise(function, handle, made.status());
  *request = hand_over(*made, comm);
  return MPI_SUCCESS;
}

Result<Request*> complete(const MessageStatus& status, Form form) noexcept {
  Request* request = new (std::nothrow) CompleteRequest(status, form == Form::persistent);
  if (request == nullptr) return Errc::no_memory;
  return request;
}

Result<Request*> make_send(Comm& comm, const pml::SendArgs& args, Form form) noexcept {
  return form == Form::immediate ? comm.pml().isend(args) : comm.pml().send_init(args);
}

Result<Request*> make_receive(Comm& comm, const pml::RecvArgs& args, Form form) noexcept {
  return form == Form::immediate ? comm.pml().irecv(args) : comm.pml().recv_init(args);
}

template <class Call>
int examine(const Call& call, const MPI_Request* request) {
  if (const int wrong = tessera::api::examine(call); wrong != MPI_SUCCESS) return wrong;
  return request != nullptr ? MPI_SUCCESS
                            : raise(call.function, call.comm, MPI_ERR_ARG, null_pointer("request"));
}

// To or from MPI_PROC_NULL.
template <class Call>
int begin_nothing(const Call& call, const MessageStatus& status, Form form,
                  MPI_Request* request) noexcept {
  EngineGuard guard(world.engine->progress());
  return hand_over_or_raise(call.function, call.comm, *find_comm(call.comm), complete(status, form),
                            request);
}

// Whatever the arguments, and with several threads.
[[gnu::noinline]] int begin_send_carefully(const SendCall& call, pml::Mode mode, Form form,
                                           MPI_Request* request) noexcept {
  Comm* comm = find_comm(call.comm);
  const TypeObject* type = find_type(call.datatype);
  if (!right_at_a_glance(call, call.dest, comm, type) || request == nullptr) {
    if (const int wrong = examine(call, request); wrong != MPI_SUCCESS) return wrong;
    if (call.dest == MPI_PROC_NULL) return begin_nothing(call, MessageStatus{}, form, request);
  }
  EngineGuard guard(world.engine->progress());
  return hand_over_or_raise(call.function, call.comm, *comm,
                            make_send(*comm, send_args(call, *comm, *type, mode), form), request);
}

[[gnu::always_inline]] inline int begin_send(const SendCall& call, pml::Mode mode, Form form,
                                             MPI_Request* request) noexcept {
  Comm* comm = find_comm(call.comm);
  const TypeObject* type = find_type(call.datatype);
  if (!right_at_a_glance(call, call.dest, comm, type) || request == nullptr ||
      world.engine->progress().locking()) [[unlikely]] {
    return begin_send_carefully(spelled_out(call), mode, form, request);
  }
  return hand_over_or_raise(call.function, call.comm, *comm,
                            make_send(*comm, send_args(call, *comm, *type, mode), form), request);
}

Result<Request*> make_buffered(const SendCall& call, Comm& comm, const TypeObject& type,
                               Form form) noexcept {
  const pml::SendArgs args = send_args(call, comm, type, pml::Mode::standard);
  if (form == Form::persistent) {
    Request* made = new (std::nothrow)
        BufferedSendRequest(comm.buffer(), comm.pml(), args, impi::packed_form(comm, *args.peer));
    if (made == nullptr) return Errc::no_memory;
    return made;
  }
  if (Status sent = comm.buffer().send(comm.pml(), args, impi::packed_form(comm, *args.peer));
      !sent)
    return sent;
  return complete(MessageStatus{}, form);
}

int begin_buffered(const SendCall& call, Form form, MPI_Request* request) noexcept {
  Arguments arguments(call.function, call.comm);
  const TypeObject* type = find_type(call.datatype);
  if (arguments.comm() == nullptr || !right(arguments, call, type) ||
      !arguments.pointer(request, "request")) {
    return arguments.raised();
  }
  Comm& comm = *arguments.comm();
  EngineGuard guard(world.engine->progress());
  auto made = call.dest == MPI_PROC_NULL ? complete(MessageStatus{}, form)
                                         : make_buffered(call, comm, *type, form);
  if (made.status().code() == Errc::no_space)
    return raise(call.function, call.comm, MPI_ERR_BUFFER, made.status().text());
  return hand_over_or_raise(call.function, call.comm, comm, std::move(made), request);
}

[[gnu::noinline]] int begin_receive_carefully(const RecvCall& call, Form form,
                                              MPI_Request* request) noexcept {
  Comm* comm = find_comm(call.comm);
  const TypeObject* type = find_type(call.datatype);
  if (!right_at_a_glance(call, call.source, comm, type) || request == nullptr) {
    if (const int wrong = examine(call, request); wrong != MPI_SUCCESS) return wrong;
    if (call.source == MPI_PROC_NULL) return begin_nothing(call, proc_null, form, request);
  }
  EngineGuard guard(world.engine->progress());
  return hand_over_or_raise(call.function, call.comm, *comm,
                            make_receive(*comm, recv_args(call, *comm, *type), form), request);
}

[[gnu::always_inline]] inline int begin_receive(const RecvCall& call, Form form,
                                                MPI_Request* request) noexcept {
  Comm* comm = find_comm(call.comm);
  const TypeObject* type = find_type(call.datatype);
  if (!right_at_a_glance(call, call.source, comm, type) || request == nullptr ||
      world.engine->progress().locking()) [[unlikely]] {
    return begin_receive_carefully(spelled_out(call), form, request);
  }
  return hand_over_or_raise(call.function, call.comm, *comm,
                            make_receive(*comm, recv_args(call, *comm, *type), form), request);
}

// The receive is posted first: the send may be to this very process.
Result<Request*> make_send_receive(const SendCall& out, const TypeObject& sendtype,
                                   const RecvCall& in, const TypeObject& recvtype, Comm& comm,
                                   std::unique_ptr<std::byte[]> copy) noexcept {
  Request* receiving = nullptr;
  Request* sending = nullptr;
  if (in.source != MPI_PROC_NULL) {
    auto posted = comm.pml().irecv(recv_args(in, comm, recvtype));
    if (!posted.ok()) return posted.status();
    receiving = *posted;
  }
  if (out.dest != MPI_PROC_NULL) {
    auto sent = comm.pml().isend(send_args(out, comm, sendtype, pml::Mode::standard));
    if (!sent.ok()) {
      if (receiving != nullptr) receiving->cancel(), receiving->free();
      return sent.status();
    }
    sending = *sent;
  }
  Request* both =
      new (std::nothrow) SendRecvRequest(sending, receiving, proc_null, std::move(copy));
  if (both == nullptr) return Errc::no_memory;
  return both;
}

int begin_send_receive(const SendCall& out, const RecvCall& in, MPI_Request* request) noexcept {
  Arguments arguments(out.function, out.comm);
  const TypeObject* sendtype = find_type(out.datatype);
  const TypeObject* recvtype = find_type(in.datatype);
  if (arguments.comm() == nullptr ||
      !right(arguments, out, sendtype, {"sendbuf", "sendcount", "sendtype", "sendtag"}) ||
      !right(arguments, in, recvtype, {"recvbuf", "recvcount", "recvtype", "recvtag"}) ||
      !arguments.pointer(request, "request")) {
    return arguments.raised();
  }
  Comm& comm = *arguments.comm();
  EngineGuard guard(world.engine->progress());
  return hand_over_or_raise(out.function, out.comm, comm,
                            make_send_receive(out, *sendtype, in, *recvtype, comm, nullptr),
                            request);
}

int begin_replace(SendCall out, const RecvCall& in, MPI_Request* request) noexcept {
  Arguments arguments(out.function, out.comm);
  const TypeObject* type = find_type(out.datatype);
  if (arguments.comm() == nullptr ||
      !right(arguments, out, type, {"buf", "count", "datatype", "sendtag"}) ||
      !right(arguments, in, type, {"buf", "count", "datatype", "recvtag"}) ||
      !arguments.pointer(request, "request")) {
    return arguments.raised();
  }
  Comm& comm = *arguments.comm();
  const PackedForm form =
      out.dest == MPI_PROC_NULL ? PackedForm::native : impi::packed_form(comm, comm.peer(out.dest));
  const Count bytes = packed_size(*type, out.count, form).value();
  std::unique_ptr<std::byte[]> copy(new (std::nothrow)
                                        std::byte[static_cast<std::size_t>(bytes) + 1]);
  if (copy == nullptr) return raise(out.function, out.comm, Status(Errc::no_memory));
  if (Status s = pack_data(*type, out.buffer, out.count, form, copy.get()); !s)
    return raise(out.function, out.comm, s);
  out.count = bytes;
  out.buffer = copy.get();
  EngineGuard guard(world.engine->progress());
  return hand_over_or_raise(out.function, out.comm, comm,
                            make_send_receive(out, *predefined_type(number_of(MPI_BYTE)), in, *type,
                                              comm, std::move(copy)),
                            request);
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Isend)
extern "C" int PMPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                          MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Isend", buf, count, datatype, dest, tag, comm}, pml::Mode::standard,
                    Form::immediate, request);
}

TESSERA_WEAK_ALIAS(MPI_Isend_c)
extern "C" int PMPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Isend_c", buf, count, datatype, dest, tag, comm}, pml::Mode::standard,
                    Form::immediate, request);
}

TESSERA_WEAK_ALIAS(MPI_Issend)
extern "C" int PMPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                           MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Issend", buf, count, datatype, dest, tag, comm}, pml::Mode::synchronous,
                    Form::immediate, request);
}

TESSERA_WEAK_ALIAS(MPI_Issend_c)
extern "C" int PMPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                             int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Issend_c", buf, count, datatype, dest, tag, comm}, pml::Mode::synchronous,
                    Form::immediate, request);
}

TESSERA_WEAK_ALIAS(MPI_Irsend)
extern "C" int PMPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                           MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Irsend", buf, count, datatype, dest, tag, comm}, pml::Mode::ready,
                    Form::immediate, request);
}

TESSERA_WEAK_ALIAS(MPI_Irsend_c)
extern "C" int PMPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                             int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Irsend_c", buf, count, datatype, dest, tag, comm}, pml::Mode::ready,
                    Form::immediate, request);
}

TESSERA_WEAK_ALIAS(MPI_Ibsend)
extern "C" int PMPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                           MPI_Comm comm, MPI_Request* request) {
  return begin_buffered({"MPI_Ibsend", buf, count, datatype, dest, tag, comm}, Form::immediate,
                        request);
}

TESSERA_WEAK_ALIAS(MPI_Ibsend_c)
extern "C" int PMPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                             int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_buffered({"MPI_Ibsend_c", buf, count, datatype, dest, tag, comm}, Form::immediate,
                        request);
}

TESSERA_WEAK_ALIAS(MPI_Send_init)
extern "C" int PMPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Send_init", buf, count, datatype, dest, tag, comm}, pml::Mode::standard,
                    Form::persistent, request);
}

TESSERA_WEAK_ALIAS(MPI_Send_init_c)
extern "C" int PMPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Send_init_c", buf, count, datatype, dest, tag, comm}, pml::Mode::standard,
                    Form::persistent, request);
}

TESSERA_WEAK_ALIAS(MPI_Ssend_init)
extern "C" int PMPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Ssend_init", buf, count, datatype, dest, tag, comm},
                    pml::Mode::synchronous, Form::persistent, request);
}

TESSERA_WEAK_ALIAS(MPI_Ssend_init_c)
extern "C" int PMPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Ssend_init_c", buf, count, datatype, dest, tag, comm},
                    pml::Mode::synchronous, Form::persistent, request);
}

TESSERA_WEAK_ALIAS(MPI_Rsend_init)
extern "C" int PMPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Rsend_init", buf, count, datatype, dest, tag, comm}, pml::Mode::ready,
                    Form::persistent, request);
}

TESSERA_WEAK_ALIAS(MPI_Rsend_init_c)
extern "C" int PMPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_send({"MPI_Rsend_init_c", buf, count, datatype, dest, tag, comm}, pml::Mode::ready,
                    Form::persistent, request);
}

TESSERA_WEAK_ALIAS(MPI_Bsend_init)
extern "C" int PMPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  return begin_buffered({"MPI_Bsend_init", buf, count, datatype, dest, tag, comm}, Form::persistent,
                        request);
}

TESSERA_WEAK_ALIAS(MPI_Bsend_init_c)
extern "C" int PMPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_buffered({"MPI_Bsend_init_c", buf, count, datatype, dest, tag, comm},
                        Form::persistent, request);
}

TESSERA_WEAK_ALIAS(MPI_Irecv)
extern "C" int PMPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                          MPI_Comm comm, MPI_Request* request) {
  return begin_receive({"MPI_Irecv", buf, count, datatype, source, tag, comm}, Form::immediate,
                       request);
}

TESSERA_WEAK_ALIAS(MPI_Irecv_c)
extern "C" int PMPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                            MPI_Comm comm, MPI_Request* request) {
  return begin_receive({"MPI_Irecv_c", buf, count, datatype, source, tag, comm}, Form::immediate,
                       request);
}

TESSERA_WEAK_ALIAS(MPI_Recv_init)
extern "C" int PMPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  return begin_receive({"MPI_Recv_init", buf, count, datatype, source, tag, comm}, Form::persistent,
                       request);
}

TESSERA_WEAK_ALIAS(MPI_Recv_init_c)
extern "C" int PMPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                                int tag, MPI_Comm comm, MPI_Request* request) {
  return begin_receive({"MPI_Recv_init_c", buf, count, datatype, source, tag, comm},
                       Form::persistent, request);
}

TESSERA_WEAK_ALIAS(MPI_Isendrecv)
extern "C" int PMPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                              int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                              int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return begin_send_receive({"MPI_Isendrecv", sendbuf, sendcount, sendtype, dest, sendtag, comm},
                            {"MPI_Isendrecv", recvbuf, recvcount, recvtype, source, recvtag, comm},
                            request);
}

TESSERA_WEAK_ALIAS(MPI_Isendrecv_replace)
extern "C" int PMPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest,
                                      int sendtag, int source, int recvtag, MPI_Comm comm,
                                      MPI_Request* request) {
  return begin_replace({"MPI_Isendrecv_replace", buf, count, datatype, dest, sendtag, comm},
                       {"MPI_Isendrecv_replace", buf, count, datatype, source, recvtag, comm},
                       request);
}

TESSERA_WEAK_ALIAS(MPI_Isendrecv_c)
extern "C" int PMPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                int dest, int sendtag, void* recvbuf, MPI_Count recvcount,
                                MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                                MPI_Request* request) {
  return begin_send_receive(
      {"MPI_Isendrecv_c", sendbuf, sendcount, sendtype, dest, sendtag, comm},
      {"MPI_Isendrecv_c", recvbuf, recvcount, recvtype, source, recvtag, comm}, request);
}

TESSERA_WEAK_ALIAS(MPI_Isendrecv_replace_c)
extern "C" int PMPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                        int sendtag, int source, int recvtag, MPI_Comm comm,
                                        MPI_Request* request) {
  return begin_replace({"MPI_Isendrecv_replace_c", buf, count, datatype, dest, sendtag, comm},
                       {"MPI_Isendrecv_replace_c", buf, count, datatype, source, recvtag, comm},
                       request);
}
