// SPDX-License-Identifier: BSD-3-Clause
// Several requests: wait and test for any, all, some (MPI-5.0 §3.7.5).
#include <string>
#include <vector>

#include "api/arguments.h"
#include "api/p2p/requests.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// The user's arrays of one call.
struct List {
  const char* function;
  int count;
  MPI_Request* requests;
  MPI_Status* statuses;  // or MPI_STATUSES_IGNORE

  MPI_Status* status(int i) const noexcept {
    return statuses != MPI_STATUSES_IGNORE ? &statuses[i] : MPI_STATUS_IGNORE;
  }
  Request* request(int i) const noexcept { return find_request(requests[i]); }
};

[[gnu::cold]] int bad_array(const List& list) noexcept {
  if (list.count < 0)
    return raise(
        list.function, MPI_ERR_COUNT,
        "the number of requests is " + std::to_string(list.count) + "; it must not be negative");
  return raise(list.function, MPI_ERR_ARG, null_pointer("array_of_requests"));
}

[[gnu::cold]] int bad_element(const List& list, int i) noexcept {
  if (!world.active()) return raise_not_active(list.function);
  return raise(list.function, MPI_ERR_REQUEST,
               "array_of_requests[" + std::to_string(i) +
                   "] is no request: " + why_none(list.requests[i], ObjectKind::request));
}

inline int bad_list(const List& list) noexcept {
  if (list.count < 0 || (list.count > 0 && list.requests == nullptr)) return bad_array(list);
  for (int i = 0; i < list.count; ++i) {
    if (list.requests[i] != MPI_REQUEST_NULL && list.request(i) == nullptr)
      return bad_element(list, i);
  }
  return MPI_SUCCESS;
}

bool none_pending(const List& list) noexcept {
  for (int i = 0; i < list.count; ++i) {
    if (pending(list.request(i))) return false;
  }
  return true;
}

bool all_complete(const List& list) noexcept {
  for (int i = 0; i < list.count; ++i) {
    const Request* request = list.request(i);
    if (pending(request) && !request->complete()) return false;
  }
  return true;
}

// The first pending request that is complete, or MPI_UNDEFINED.
int first_complete(const List& list) noexcept {
  for (int i = 0; i < list.count; ++i) {
    const Request* request = list.request(i);
    if (pending(request) && request->complete()) return i;
  }
  return MPI_UNDEFINED;
}

const Request* pending_in(const void* list, Count i) noexcept {
  const Request* request = static_cast<const List*>(list)->request(static_cast<int>(i));
  return pending(request) ? request : nullptr;
}

template <class Done>
void wait_for(const List& list, Done done, bool any = false) noexcept {
  AdaptiveProgress& progress = world.engine->progress();
  const WaitDetail detail{.request = &pending_in, .list = &list, .any = any};
  const WaitNote note{list.function, -1, -1, nullptr, list.count, nullptr, &detail};
  WaitScope scope(progress, note);
  progress.wait_until(done);
}

// Keeps the error of the operation whose status is the i-th of the list. MPI_ERROR is written only
// when the call will return MPI_ERR_IN_STATUS (MPI-5.0 §3.2.5): from the first failure on, and then
// in the statuses before it too.
void note_error(const List& list, int i, int error, int& first) noexcept {
  const bool is_first = first == MPI_SUCCESS && error != MPI_SUCCESS;
  if (is_first) first = error;
  if (list.statuses == MPI_STATUSES_IGNORE || first == MPI_SUCCESS) return;
  for (int before = 0; is_first && before < i; ++before)
    list.statuses[before].MPI_ERROR = MPI_SUCCESS;
  list.statuses[i].MPI_ERROR = error;
}

// Reports operation i of a list into its `place`-th status; `first` gets the error code of the
// first failure. The communicator of a failure is told.
void conclude_in_list(const List& list, Request& request, int i, int place, int& first) noexcept {
  note_error(list, place, conclude(list.function, request, &list.requests[i], list.status(place)),
             first);
}

// With statuses the user finds the errors there (MPI_ERR_IN_STATUS); without, the call returns the
// first one.
int list_result(const List& list, int code) noexcept {
  return code == MPI_SUCCESS || list.statuses == MPI_STATUSES_IGNORE ? code : MPI_ERR_IN_STATUS;
}

// Those that are not complete are waited for; all are before an error is reported.
int conclude_all(const List& list) noexcept {
  int code = MPI_SUCCESS;
  for (int i = 0; i < list.count; ++i) {
    Request* request = list.request(i);
    if (!pending(request)) [[unlikely]] {
      set_empty(list.status(i));
      note_error(list, i, MPI_SUCCESS, code);
      continue;
    }
    if (!request->complete()) wait_for(list, [&] { return request->complete(); });
    if (!request->status().error.ok()) [[unlikely]]
      wait_for(list, [&] { return all_complete(list); });
    conclude_in_list(list, *request, i, i, code);
  }
  return list_result(list, code);
}

int conclude_one(const List& list, int i, MPI_Status* status) noexcept {
  return conclude(list.function, *list.request(i), &list.requests[i], status);
}

// All that are complete, in the order of the list.
int conclude_some(const List& list, int* outcount, int* indices) noexcept {
  int code = MPI_SUCCESS;
  *outcount = 0;
  for (int i = 0; i < list.count; ++i) {
    Request* request = list.request(i);
    if (!pending(request) || !request->complete()) continue;
    conclude_in_list(list, *request, i, *outcount, code);
    indices[(*outcount)++] = i;
  }
  return list_result(list, code);
}

int wait_some(const List& list, int* outcount, int* indices, bool wait) noexcept {
  if (const int code = bad_list(list); code != MPI_SUCCESS) return code;
  if (outcount == nullptr) return raise(list.function, MPI_ERR_ARG, null_pointer("outcount"));
  if (indices == nullptr && list.count > 0)
    return raise(list.function, MPI_ERR_ARG, null_pointer("array_of_indices"));
  if (none_pending(list)) return *outcount = MPI_UNDEFINED, MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  // Also when something is complete already: a request that is offered again and again must not
  // starve.
  if (!all_complete(list)) world.engine->progress().poll();
  if (wait)
    wait_for(
        list, [&] { return first_complete(list) != MPI_UNDEFINED; }, true);
  const int code = conclude_some(list, outcount, indices);
  return *outcount == 0 ? not_yet() : code;
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_Waitall)
extern "C" int PMPI_Waitall(int count, MPI_Request array_of_requests[],
                            MPI_Status array_of_statuses[]) {
  const List list{"MPI_Waitall", count, array_of_requests, array_of_statuses};
  if (const int code = bad_list(list); code != MPI_SUCCESS) return code;
  EngineGuard guard(world.engine->progress());
  return conclude_all(list);
}

TESSERA_WEAK_ALIAS(MPI_Testall)
extern "C" int PMPI_Testall(int count, MPI_Request array_of_requests[], int* flag,
                            MPI_Status array_of_statuses[]) {
  const List list{"MPI_Testall", count, array_of_requests, array_of_statuses};
  if (const int code = bad_list(list); code != MPI_SUCCESS) return code;
  if (flag == nullptr) return raise("MPI_Testall", MPI_ERR_ARG, null_pointer("flag"));
  EngineGuard guard(world.engine->progress());
  if (!all_complete(list)) world.engine->progress().poll();
  *flag = all_complete(list) ? 1 : 0;
  return *flag != 0 ? conclude_all(list) : not_yet();
}

TESSERA_WEAK_ALIAS(MPI_Waitany)
extern "C" int PMPI_Waitany(int count, MPI_Request array_of_requests[], int* index,
                            MPI_Status* status) {
  const List list{"MPI_Waitany", count, array_of_requests, MPI_STATUSES_IGNORE};
  if (const int code = bad_list(list); code != MPI_SUCCESS) return code;
  if (index == nullptr) return raise("MPI_Waitany", MPI_ERR_ARG, null_pointer("index"));
  if (none_pending(list)) return *index = MPI_UNDEFINED, set_empty(status), MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  wait_for(
      list, [&] { return (*index = first_complete(list)) != MPI_UNDEFINED; }, true);
  return conclude_one(list, *index, status);
}

TESSERA_WEAK_ALIAS(MPI_Testany)
extern "C" int PMPI_Testany(int count, MPI_Request array_of_requests[], int* index, int* flag,
                            MPI_Status* status) {
  const List list{"MPI_Testany", count, array_of_requests, MPI_STATUSES_IGNORE};
  if (const int code = bad_list(list); code != MPI_SUCCESS) return code;
  if (index == nullptr) return raise("MPI_Testany", MPI_ERR_ARG, null_pointer("index"));
  if (flag == nullptr) return raise("MPI_Testany", MPI_ERR_ARG, null_pointer("flag"));
  if (none_pending(list)) return *flag = 1, *index = MPI_UNDEFINED, set_empty(status), MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  *index = first_complete(list);
  if (*index == MPI_UNDEFINED) {
    world.engine->progress().poll();
    *index = first_complete(list);
  }
  *flag = *index != MPI_UNDEFINED ? 1 : 0;
  return *flag != 0 ? conclude_one(list, *index, status) : not_yet();
}

TESSERA_WEAK_ALIAS(MPI_Waitsome)
extern "C" int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount,
                             int array_of_indices[], MPI_Status array_of_statuses[]) {
  return wait_some({"MPI_Waitsome", incount, array_of_requests, array_of_statuses}, outcount,
                   array_of_indices, true);
}

TESSERA_WEAK_ALIAS(MPI_Testsome)
extern "C" int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount,
                             int array_of_indices[], MPI_Status array_of_statuses[]) {
  return wait_some({"MPI_Testsome", incount, array_of_requests, array_of_statuses}, outcount,
                   array_of_indices, false);
}

TESSERA_WEAK_ALIAS(MPI_Request_get_status_all)
extern "C" int PMPI_Request_get_status_all(int count, const MPI_Request array_of_requests[],
                                           int* flag, MPI_Status array_of_statuses[]) {
  const List list{"MPI_Request_get_status_all", count, const_cast<MPI_Request*>(array_of_requests),
                  array_of_statuses};
  if (const int code = bad_list(list); code != MPI_SUCCESS) return code;
  if (flag == nullptr) return raise(list.function, MPI_ERR_ARG, null_pointer("flag"));
  EngineGuard guard(world.engine->progress());
  if (!all_complete(list)) world.engine->progress().poll();
  *flag = all_complete(list) ? 1 : 0;
  if (*flag == 0) return not_yet();
  int first = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    int code = MPI_SUCCESS;
    if (!pending(list.request(i)))
      set_empty(list.status(i));
    else
      code = look_at(list.function, *list.request(i), list.status(i));
    note_error(list, i, code, first);
  }
  return list_result(list, first);
}

TESSERA_WEAK_ALIAS(MPI_Request_get_status_any)
extern "C" int PMPI_Request_get_status_any(int count, const MPI_Request array_of_requests[],
                                           int* index, int* flag, MPI_Status* status) {
  const List list{"MPI_Request_get_status_any", count, const_cast<MPI_Request*>(array_of_requests),
                  MPI_STATUSES_IGNORE};
  if (const int code = bad_list(list); code != MPI_SUCCESS) return code;
  if (index == nullptr) return raise(list.function, MPI_ERR_ARG, null_pointer("index"));
  if (flag == nullptr) return raise(list.function, MPI_ERR_ARG, null_pointer("flag"));
  if (none_pending(list)) return *flag = 1, *index = MPI_UNDEFINED, set_empty(status), MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  if (first_complete(list) == MPI_UNDEFINED) world.engine->progress().poll();
  *index = first_complete(list);
  *flag = *index != MPI_UNDEFINED ? 1 : 0;
  return *flag != 0 ? look_at(list.function, *list.request(*index), status) : not_yet();
}

TESSERA_WEAK_ALIAS(MPI_Request_get_status_some)
extern "C" int PMPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[],
                                            int* outcount, int array_of_indices[],
                                            MPI_Status array_of_statuses[]) {
  const List list{"MPI_Request_get_status_some", incount,
                  const_cast<MPI_Request*>(array_of_requests), array_of_statuses};
  if (const int code = bad_list(list); code != MPI_SUCCESS) return code;
  if (outcount == nullptr) return raise(list.function, MPI_ERR_ARG, null_pointer("outcount"));
  if (none_pending(list)) return *outcount = MPI_UNDEFINED, MPI_SUCCESS;
  EngineGuard guard(world.engine->progress());
  if (!all_complete(list)) world.engine->progress().poll();
  int first = MPI_SUCCESS;
  *outcount = 0;
  for (int i = 0; i < incount; ++i) {
    if (!pending(list.request(i)) || !list.request(i)->complete()) continue;
    note_error(list, *outcount, look_at(list.function, *list.request(i), list.status(*outcount)),
               first);
    array_of_indices[(*outcount)++] = i;
  }
  return *outcount == 0 ? not_yet() : list_result(list, first);
}
