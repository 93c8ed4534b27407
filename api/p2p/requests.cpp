// SPDX-License-Identifier: BSD-3-Clause
// One request: wait, test, free, cancel, start, look at (MPI-5.0 §3.7.3, §3.8.4, §3.9).
#include "api/p2p/requests.h"

#include <fmt/format.h>

#include "api/arguments.h"
#include "api/comm/comm_handle.h"
#include "api/env/abort.h"
#include "api/p2p/generalized.h"
#include "api/rma/window_handle.h"
#include "core/io/operation.h"
#include "core/request/partitioned.h"
#include "core/request/staged_request.h"
#include "core/rma/window_request.h"

using namespace tessera;
using namespace tessera::api;

namespace tessera::api {
namespace {

const WindowRequest* of_window(const Request& request) noexcept {
  return dynamic_cast<const WindowRequest*>(&request);
}

// Who hears of a failure: the communicator, or the window.
ErrorContext owner_of(const Request& request) {
  if (const WindowRequest* one = of_window(request); one != nullptr)
    return object_of(one->window());
  Communicator* owner = request.owner();
  return object_of(owner != nullptr ? handle_of(*static_cast<Comm*>(owner)) : no_comm());
}

// An access to a file fails at the file, not at its communicator. Null for other requests.
Ref<io::File> file_of(Request& request) noexcept {
  if (const auto* staged = dynamic_cast<const StagedRequest*>(&request); staged != nullptr)
    return file_of(staged->operation());
  const auto* access = dynamic_cast<const io::FileRequest*>(&request);
  return access != nullptr ? Ref<io::File>::share(&access->file()) : Ref<io::File>();
}

}  // namespace

void await(const char* function, const Request& operation) noexcept {
  AdaptiveProgress& progress = world.engine->progress();
  const Communicator* owner = operation.owner();
  const WaitDetail detail{
      .request = [](const void* one, Count) noexcept { return static_cast<const Request*>(one); },
      .list = &operation};
  const WaitNote note{function, -1, -1, owner, 0, nullptr, &detail};
  WaitScope scope(progress, note);
  progress.wait_until([&] { return operation.complete(); });
}

int conclude_failed(const char* function, Request& request, MPI_Request* handle) noexcept {
  const Status failure = request.error();
  if (const Ref<io::File> file = file_of(request)) {
    retire(request, handle);
    return raise(function, object_of(handle_of<MPI_File>(file.get())), failure);
  }
  // The report names the communicator, after the request may be gone.
  const Ref<Comm> owner = Ref<Comm>::share(static_cast<Comm*>(request.owner()));
  const ErrorContext object = owner_of(request);
  retire(request, handle);
  return raise(function, object, failure);
}

int look_at(const char* function, Request& request, MPI_Status* status) noexcept {
  set_status(status, request.status());
  if (is_generalized(request)) return query(function, request, status);
  const Status failure = request.error();
  if (failure.ok()) return MPI_SUCCESS;
  if (const Ref<io::File> file = file_of(request))
    return raise(function, object_of(handle_of<MPI_File>(file.get())), failure);
  return raise(function, owner_of(request), failure);
}

}  // namespace tessera::api

namespace {

int raise_of_window(const char* function) noexcept {
  return raise(function, MPI_ERR_REQUEST,
               "argument `request` belongs to an operation on a window, which can only be "
               "completed: by MPI_Wait, MPI_Test or a sister of them");
}

int bad_request(const char* function, const MPI_Request* request) noexcept {
  if (request == nullptr) return raise(function, MPI_ERR_REQUEST, null_pointer("request"));
  if (!world.active()) return raise_not_active(function);
  return raise(function, MPI_ERR_REQUEST,
               "argument `request` is no request: " + why_none(*request, ObjectKind::request));
}

int active_partitioned(const char* function, const Request& request) noexcept {
  return raise(function, owner_of(request), MPI_ERR_REQUEST,
               "argument `request` is an active partitioned operation, which can be neither freed "
               "nor cancelled (MPI-5.0 §4.2); complete it first");
}

// No call is left that could return the error of an operation whose request was freed (MPI-5.0
// §3.7.3).
void fail_unheard(Request& request, void*) noexcept {
  const Status failure = request.error();
  if (failure.ok()) return;
  abort_job(1, fmt::format("MPI_Request_free: an operation failed after its request was freed: "
                           "{}\n  No call is left that could return the error: the job ends here. "
                           "Complete the request instead of freeing it.\n",
                           failure.text()));
}

// Only a buffered send can lack room: that in the attached buffer.
int start_failed(const char* function, Request& request, Status failure) noexcept {
  return failure.code() == Errc::no_space
             ? raise(function, owner_of(request), MPI_ERR_BUFFER, failure.text())
             : raise(function, owner_of(request), failure);
}

// Null pointer or foreign handle; MPI_REQUEST_NULL is right.
bool wrong(const MPI_Request* handle) noexcept {
  return handle == nullptr || (*handle != MPI_REQUEST_NULL && find_request(*handle) == nullptr);
}

}  // namespace

// Whatever the request, and with several threads.
[[gnu::noinline]] static int wait_carefully(MPI_Request* request, MPI_Status* status) noexcept {
  if (world.check_arguments && wrong(request)) [[unlikely]]
    return bad_request("MPI_Wait", request);
  Request* operation = find_request(*request);
  if (!pending(operation)) return set_empty(status), MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  if (!operation->complete()) await("MPI_Wait", *operation);
  return conclude("MPI_Wait", *operation, request, status);
}

TESSERA_WEAK_ALIAS(MPI_Wait)
extern "C" int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  Request* operation = request != nullptr ? find_request(*request) : nullptr;
  if (operation == nullptr || world.engine->progress().locking() || !pending(operation) ||
      !operation->complete()) [[unlikely]]
    return wait_carefully(request, status);
  return conclude("MPI_Wait", *operation, request, status);
}

TESSERA_WEAK_ALIAS(MPI_Test)
extern "C" int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (world.check_arguments && wrong(request)) return bad_request("MPI_Test", request);
  if (flag == nullptr) return raise("MPI_Test", MPI_ERR_ARG, null_pointer("flag"));
  Request* operation = find_request(*request);
  if (!pending(operation)) return *flag = 1, set_empty(status), MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  if (!operation->complete()) world.engine->progress().poll();
  *flag = operation->complete() ? 1 : 0;
  if (*flag == 0) return not_yet();
  return conclude("MPI_Test", *operation, request, status);
}

TESSERA_WEAK_ALIAS(MPI_Request_free)
extern "C" int PMPI_Request_free(MPI_Request* request) {
  if (request == nullptr || find_request(*request) == nullptr)
    return bad_request("MPI_Request_free", request);
  if (of_window(*find_request(*request)) != nullptr) return raise_of_window("MPI_Request_free");
  EngineGuard guard(world.engine->progress());
  Request& operation = *find_request(*request);
  if (is_generalized(operation)) return drop(operation, request);
  if (operation.active() && dynamic_cast<PartitionedRequest*>(&operation) != nullptr)
    return active_partitioned("MPI_Request_free", operation);
  if (!operation.complete()) operation.then(fail_unheard, nullptr);
  give_up(operation, request);
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Cancel)
extern "C" int PMPI_Cancel(MPI_Request* request) {
  if (request == nullptr || find_request(*request) == nullptr)
    return bad_request("MPI_Cancel", request);
  if (of_window(*find_request(*request)) != nullptr) return raise_of_window("MPI_Cancel");
  EngineGuard guard(world.engine->progress());
  Request* operation = find_request(*request);
  if (is_generalized(*operation)) return cancel(*operation);
  if (operation->active() && dynamic_cast<PartitionedRequest*>(operation) != nullptr)
    return active_partitioned("MPI_Cancel", *operation);
  if (operation->active()) operation->cancel();  // a send that has left may still be taken back
  return MPI_SUCCESS;
}

// `index`: where in MPI_Startall's list, or negative.
static int start(const char* function, MPI_Request handle, int index) noexcept {
  Request* const operation = find_request(handle);
  const auto wrong_request = [&](std::string_view what) {
    const std::string name = index < 0 ? "request" : fmt::format("array_of_requests[{}]", index);
    return raise(function, MPI_ERR_REQUEST, fmt::format("argument `{}` is {}", name, what));
  };
  if (operation == nullptr && !world.active()) return raise_not_active(function);
  if (operation == nullptr)
    return wrong_request("no request: " + why_none(handle, ObjectKind::request));
  if (!operation->persistent())
    return wrong_request("not persistent; only requests of MPI_*_init can be started");
  if (operation->active())
    return wrong_request("active already; complete it before it is started again");
  EngineGuard guard(world.engine->progress());
  const Status started = operation->start();
  return started.ok() ? MPI_SUCCESS : start_failed(function, *operation, started);
}

TESSERA_WEAK_ALIAS(MPI_Start)
extern "C" int PMPI_Start(MPI_Request* request) {
  if (request == nullptr) return bad_request("MPI_Start", request);
  return start("MPI_Start", *request, -1);
}

TESSERA_WEAK_ALIAS(MPI_Startall)
extern "C" int PMPI_Startall(int count, MPI_Request array_of_requests[]) {
  if (count < 0) return raise("MPI_Startall", MPI_ERR_COUNT, "argument `count` is negative");
  if (count > 0 && array_of_requests == nullptr)
    return raise("MPI_Startall", MPI_ERR_ARG, null_pointer("array_of_requests"));
  for (int i = 0; i < count; ++i) {
    const int code = start("MPI_Startall", array_of_requests[i], i);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Request_get_status)
extern "C" int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (wrong(&request)) return bad_request("MPI_Request_get_status", &request);
  if (flag == nullptr) return raise("MPI_Request_get_status", MPI_ERR_ARG, null_pointer("flag"));
  Request* operation = find_request(request);
  if (!pending(operation)) return *flag = 1, set_empty(status), MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  if (!operation->complete()) world.engine->progress().poll();
  *flag = operation->complete() ? 1 : 0;
  if (*flag == 0) return not_yet();
  return look_at("MPI_Request_get_status", *operation, status);
}

TESSERA_WEAK_ALIAS(MPI_Test_cancelled)
extern "C" int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  if (status == MPI_STATUS_IGNORE)
    return raise("MPI_Test_cancelled", MPI_ERR_ARG, "argument `status` is MPI_STATUS_IGNORE");
  if (flag == nullptr) return raise("MPI_Test_cancelled", MPI_ERR_ARG, null_pointer("flag"));
  *flag = is_cancelled(*status) ? 1 : 0;
  return MPI_SUCCESS;
}

TESSERA_WEAK_ALIAS(MPI_Status_set_cancelled)
extern "C" int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
  if (status == MPI_STATUS_IGNORE) {
    return raise("MPI_Status_set_cancelled", MPI_ERR_ARG, "argument `status` is MPI_STATUS_IGNORE");
  }
  set_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}
