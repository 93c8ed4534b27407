// SPDX-License-Identifier: BSD-3-Clause
// Probing, and receiving what was matched by a probe (MPI-5.0 §3.8).
#include "api/p2p/blocking_call.h"
#include "api/p2p/point_to_point.h"
#include "api/p2p/requests.h"
#include "core/object/freed_objects.h"

using namespace tessera;
using namespace tessera::api;

namespace {

struct ProbeCall {
  const char* function;
  int source;
  int tag;
  MPI_Comm comm;
};

bool right(Arguments& arguments, const ProbeCall& call) {
  return arguments.comm() != nullptr && (!arguments.checked() || (arguments.source(call.source) &&
                                                                  arguments.receive_tag(call.tag)));
}

pml::ProbeArgs probe_args(const ProbeCall& call, const Comm& comm) noexcept {
  return {call.source == MPI_ANY_SOURCE ? nullptr : &comm.peer(call.source), call.source, call.tag,
          comm.context()};
}

// `found` also ends the wait when the probe failed; the failure is in `status`.
template <class Found>
void wait_until_found(const ProbeCall& call, const Comm& comm, Found found) noexcept {
  const WaitNote note{call.function, call.source, call.tag, &comm, 0, nullptr};
  WaitScope scope(world.engine->progress(), note);
  world.engine->progress().wait_trying(found);
}

int probe(const ProbeCall& call, bool wait, int* flag, MPI_Status* status) noexcept {
  Arguments arguments(call.function, call.comm);
  if (!right(arguments, call)) return arguments.raised();
  if (call.source == MPI_PROC_NULL) return *flag = 1, set_proc_null(status), MPI_SUCCESS;
  const Comm& comm = *arguments.comm();
  const pml::ProbeArgs args = probe_args(call, comm);
  EngineGuard guard(world.engine->progress());
  MessageStatus message;
  Status failure;
  const auto look = [&] {
    auto found = comm.pml().iprobe(args, message);
    if (!found.ok()) failure = found.status();
    *flag = found.ok() && *found ? 1 : 0;
    return *flag != 0 || !failure;
  };
  if (!look() && wait) wait_until_found(call, comm, look);
  if (!failure) return arguments.raised(failure);
  if (*flag == 0) return world.engine->progress().not_yet(), MPI_SUCCESS;
  set_status(status, message);
  return MPI_SUCCESS;
}

// A message with the communicator it was matched on, which hears of the errors of its receive, and
// whose handle may be freed before.
class MatchedMessage final : public Object {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::message); }
  MatchedMessage(Message& message, Comm& comm) noexcept
      : Object(ObjectKind::message), message_(&message), comm_(Ref<Comm>::share(&comm)) {}
  Message& message() const noexcept { return *message_; }
  Comm& comm() const noexcept { return *comm_; }

 private:
  Message* message_;
  Ref<Comm> comm_;
};

MatchedMessage* find_message(const MPI_Message* handle) noexcept {
  return handle != nullptr ? find_object<MatchedMessage, ObjectKind::message>(*handle) : nullptr;
}

int matched_probe(const ProbeCall& call, bool wait, int* flag, MPI_Message* handle,
                  MPI_Status* status) noexcept {
  Arguments arguments(call.function, call.comm);
  if (!right(arguments, call) || !arguments.pointer(handle, "message")) return arguments.raised();
  if (call.source == MPI_PROC_NULL)
    return *flag = 1, *handle = MPI_MESSAGE_NO_PROC, set_proc_null(status), MPI_SUCCESS;
  Comm& comm = *arguments.comm();
  const pml::ProbeArgs args = probe_args(call, comm);
  EngineGuard guard(world.engine->progress());
  Message* message = nullptr;
  Status failure;
  const auto look = [&] {
    if (message != nullptr)
      return true;  // the wait may ask once more; a second message is not ours to take
    auto found = comm.pml().improbe(args);
    if (!found.ok()) failure = found.status();
    message = found.ok() ? *found : nullptr;
    return message != nullptr || !failure;
  };
  if (!look() && wait) wait_until_found(call, comm, look);
  if (!failure) return arguments.raised(failure);
  *flag = message != nullptr ? 1 : 0;
  if (message == nullptr) return *handle = MPI_MESSAGE_NULL, not_yet();
  *handle = handle_of<MPI_Message>(new MatchedMessage(*message, comm));
  set_status(status, message->status());
  return MPI_SUCCESS;
}

int bad_message(const char* function, const MPI_Message* message) noexcept {
  if (message == nullptr) return raise(function, MPI_ERR_REQUEST, null_pointer("message"));
  if (!world.active()) return raise_not_active(function);
  return raise(
      function, MPI_ERR_REQUEST,
      "argument `message` is no matched message: " + why_none(*message, ObjectKind::message) +
          "; MPI_Mprobe and MPI_Improbe give messages, each for one receive");
}

struct MatchedCall {
  const char* function;
  void* buffer;
  Count count;
  MPI_Datatype datatype;
  MPI_Message* handle;

  MatchedMessage* matched() const noexcept { return find_message(handle); }
  bool from_nobody() const noexcept { return handle != nullptr && *handle == MPI_MESSAGE_NO_PROC; }
  // Who hears of errors.
  MPI_Comm comm() const noexcept {
    return matched() != nullptr ? handle_of(matched()->comm()) : no_comm();
  }
};

bool right(Arguments& arguments, const MatchedCall& call) {
  const TypeObject* type = find_type(call.datatype);
  return arguments.comm() != nullptr && arguments.count(call.count) && arguments.type(type) &&
         arguments.room(call.count, *type) && arguments.buffer(call.buffer, call.count, *type);
}

// Consumes the message.
Result<Request*> begin(const MatchedCall& call) noexcept {
  MatchedMessage* matched = call.matched();
  auto request = matched->comm().pml().imrecv(matched->message(), call.buffer, call.count,
                                              *find_type(call.datatype));
  if (!request.ok()) return request;
  matched->release();
  *call.handle = MPI_MESSAGE_NULL;
  return request;
}

int matched_receive(const MatchedCall& call, MPI_Status* status) noexcept {
  Arguments arguments(call.function, call.comm());
  if (!right(arguments, call)) return arguments.raised();
  if (call.from_nobody())
    return *call.handle = MPI_MESSAGE_NULL, set_proc_null(status), MPI_SUCCESS;
  if (call.matched() == nullptr) return bad_message(call.function, call.handle);
  const Ref<Comm> comm = Ref<Comm>::share(&call.matched()->comm());
  BlockingCall blocking(call.function, *comm);
  auto request = begin(call);
  if (!request.ok()) return arguments.raised(request.status());
  world.engine->progress().wait_until([&] { return (*request)->complete(); });
  const MessageStatus message = (*request)->status();
  const Status failure = (*request)->error();
  (*request)->free();
  set_status(status, message);
  return result(call.function, handle_of(*comm), failure);
}

int begin_matched_receive(const MatchedCall& call, MPI_Request* request) noexcept {
  Arguments arguments(call.function, call.comm());
  if (!right(arguments, call) || !arguments.pointer(request, "request")) return arguments.raised();
  if (call.from_nobody()) {
    *call.handle = MPI_MESSAGE_NULL;
    return PMPI_Irecv(call.buffer, 0, MPI_BYTE, MPI_PROC_NULL, 0, no_comm(), request);
  }
  if (call.matched() == nullptr) return bad_message(call.function, call.handle);
  const Ref<Comm> comm = Ref<Comm>::share(&call.matched()->comm());
  EngineGuard guard(world.engine->progress());
  auto made = begin(call);
  if (!made.ok()) return arguments.raised(made.status());
  *request = hand_over(*made, *comm);
  return MPI_SUCCESS;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Probe)
extern "C" int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  int flag = 0;
  return probe({"MPI_Probe", source, tag, comm}, true, &flag, status);
}

TESSERA_WEAK_ALIAS(MPI_Iprobe)
extern "C" int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (flag == nullptr) return raise("MPI_Iprobe", comm, MPI_ERR_ARG, null_pointer("flag"));
  return probe({"MPI_Iprobe", source, tag, comm}, false, flag, status);
}

TESSERA_WEAK_ALIAS(MPI_Mprobe)
extern "C" int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message,
                           MPI_Status* status) {
  int flag = 0;
  return matched_probe({"MPI_Mprobe", source, tag, comm}, true, &flag, message, status);
}

TESSERA_WEAK_ALIAS(MPI_Improbe)
extern "C" int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                            MPI_Status* status) {
  if (flag == nullptr) return raise("MPI_Improbe", comm, MPI_ERR_ARG, null_pointer("flag"));
  return matched_probe({"MPI_Improbe", source, tag, comm}, false, flag, message, status);
}

TESSERA_WEAK_ALIAS(MPI_Mrecv)
extern "C" int PMPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                          MPI_Status* status) {
  return matched_receive({"MPI_Mrecv", buf, count, datatype, message}, status);
}

TESSERA_WEAK_ALIAS(MPI_Mrecv_c)
extern "C" int PMPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                            MPI_Status* status) {
  return matched_receive({"MPI_Mrecv_c", buf, count, datatype, message}, status);
}

TESSERA_WEAK_ALIAS(MPI_Imrecv)
extern "C" int PMPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                           MPI_Request* request) {
  return begin_matched_receive({"MPI_Imrecv", buf, count, datatype, message}, request);
}

TESSERA_WEAK_ALIAS(MPI_Imrecv_c)
extern "C" int PMPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype,
                             MPI_Message* message, MPI_Request* request) {
  return begin_matched_receive({"MPI_Imrecv_c", buf, count, datatype, message}, request);
}
