// SPDX-License-Identifier: BSD-3-Clause
// The functions that complete, start and free requests.
#include <algorithm>
#include <span>
#include <vector>

#include "check/checker.h"

using namespace tessera::check;

namespace {

// The requests of a call as they were before it.
class Requests {
 public:
  Requests(const Call& call, MPI_Request* requests, int count)
      : call_(call),
        now_(requests, requests != nullptr ? static_cast<std::size_t>(std::max(count, 0)) : 0),
        before_(now_.begin(), now_.end()) {}

  void complete(int index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= now_.size()) return;
    const MPI_Request before = before_[static_cast<std::size_t>(index)];
    if (before == MPI_REQUEST_NULL) return;
    const std::uintptr_t value = value_of(&before);
    const bool gone = now_[static_cast<std::size_t>(index)] == MPI_REQUEST_NULL;
    Checker& checker = Checker::instance();
    checker.pending.complete(value, call_.site(), gone);
    if (gone) checker.ledger.freed(Kind::request, value);
  }
  void complete_all() const {
    for (std::size_t i = 0; i < now_.size(); ++i) complete(static_cast<int>(i));
  }
  // After a failure some are complete, and some are not.
  void complete_gone() const {
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (now_[i] == MPI_REQUEST_NULL) complete(static_cast<int>(i));
  }
  int conclude(int code, bool all) const {
    if (code == MPI_SUCCESS && all)
      complete_all();
    else if (code != MPI_SUCCESS)
      complete_gone();
    return code;
  }

 private:
  const Call& call_;
  std::span<MPI_Request> now_;
  std::vector<MPI_Request> before_;
};

}  // namespace

extern "C" int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  static const auto next = next_function<decltype(&MPI_Wait)>("MPI_Wait");
  const Call call("MPI_Wait", __builtin_return_address(0), true);
  const Requests requests(call, request, 1);
  return requests.conclude(next(request, status), true);
}

extern "C" int MPI_Waitall(int count, MPI_Request array_of_requests[],
                           MPI_Status array_of_statuses[]) {
  static const auto next = next_function<decltype(&MPI_Waitall)>("MPI_Waitall");
  const Call call("MPI_Waitall", __builtin_return_address(0), true);
  const Requests requests(call, array_of_requests, count);
  return requests.conclude(next(count, array_of_requests, array_of_statuses), true);
}

extern "C" int MPI_Waitany(int count, MPI_Request array_of_requests[], int* index,
                           MPI_Status* status) {
  static const auto next = next_function<decltype(&MPI_Waitany)>("MPI_Waitany");
  const Call call("MPI_Waitany", __builtin_return_address(0), true);
  const Requests requests(call, array_of_requests, count);
  const int code = next(count, array_of_requests, index, status);
  if (code == MPI_SUCCESS) requests.complete(*index);
  return requests.conclude(code, false);
}

extern "C" int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount,
                            int array_of_indices[], MPI_Status array_of_statuses[]) {
  static const auto next = next_function<decltype(&MPI_Waitsome)>("MPI_Waitsome");
  const Call call("MPI_Waitsome", __builtin_return_address(0), true);
  const Requests requests(call, array_of_requests, incount);
  const int code = next(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
  for (int i = 0; code == MPI_SUCCESS && *outcount != MPI_UNDEFINED && i < *outcount; ++i)
    requests.complete(array_of_indices[i]);
  return requests.conclude(code, false);
}

extern "C" int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  static const auto next = next_function<decltype(&MPI_Test)>("MPI_Test");
  const Call call("MPI_Test", __builtin_return_address(0), true);
  const Requests requests(call, request, 1);
  const int code = next(request, flag, status);
  return requests.conclude(code, code == MPI_SUCCESS && *flag != 0);
}

extern "C" int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag,
                           MPI_Status array_of_statuses[]) {
  static const auto next = next_function<decltype(&MPI_Testall)>("MPI_Testall");
  const Call call("MPI_Testall", __builtin_return_address(0), true);
  const Requests requests(call, array_of_requests, count);
  const int code = next(count, array_of_requests, flag, array_of_statuses);
  return requests.conclude(code, code == MPI_SUCCESS && *flag != 0);
}

extern "C" int MPI_Testany(int count, MPI_Request array_of_requests[], int* index, int* flag,
                           MPI_Status* status) {
  static const auto next = next_function<decltype(&MPI_Testany)>("MPI_Testany");
  const Call call("MPI_Testany", __builtin_return_address(0), true);
  const Requests requests(call, array_of_requests, count);
  const int code = next(count, array_of_requests, index, flag, status);
  if (code == MPI_SUCCESS && *flag != 0) requests.complete(*index);
  return requests.conclude(code, false);
}

extern "C" int MPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount,
                            int array_of_indices[], MPI_Status array_of_statuses[]) {
  static const auto next = next_function<decltype(&MPI_Testsome)>("MPI_Testsome");
  const Call call("MPI_Testsome", __builtin_return_address(0), true);
  const Requests requests(call, array_of_requests, incount);
  const int code = next(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
  for (int i = 0; code == MPI_SUCCESS && *outcount != MPI_UNDEFINED && i < *outcount; ++i)
    requests.complete(array_of_indices[i]);
  return requests.conclude(code, false);
}

extern "C" int MPI_Request_free(MPI_Request* request) {
  static const auto next = next_function<decltype(&MPI_Request_free)>("MPI_Request_free");
  Call call("MPI_Request_free", __builtin_return_address(0), false);
  const std::uintptr_t before = value_of(request);
  const int code = next(request);
  call.freed(code, Kind::request, before);
  if (code == MPI_SUCCESS) Checker::instance().pending.forget(before);
  return code;
}

extern "C" int MPI_Start(MPI_Request* request) {
  static const auto next = next_function<decltype(&MPI_Start)>("MPI_Start");
  const Call call("MPI_Start", __builtin_return_address(0), true);
  const int code = next(request);
  if (code == MPI_SUCCESS) Checker::instance().pending.start_again(value_of(request), call.site());
  return code;
}

extern "C" int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  static const auto next = next_function<decltype(&MPI_Startall)>("MPI_Startall");
  const Call call("MPI_Startall", __builtin_return_address(0), true);
  const int code = next(count, array_of_requests);
  for (int i = 0; code == MPI_SUCCESS && i < count; ++i)
    Checker::instance().pending.start_again(value_of(&array_of_requests[i]), call.site());
  return code;
}
