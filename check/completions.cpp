// SPDX-License-Identifier: BSD-3-Clause
// The functions that complete, start and free requests.
#include "check/completions.h"

#include <algorithm>
#include <span>
#include <vector>

#include "check/checker.h"

namespace tessera::check {
namespace {

// The requests of a call as they were before it, and what they stood for.
class Requests {
 public:
  Requests(const Call& call, const MPI_Request* requests, int count)
      : call_(call),
        now_(requests, requests != nullptr ? static_cast<std::size_t>(std::max(count, 0)) : 0),
        before_(now_.begin(), now_.end()),
        started_(Checker::instance().pending.find(now_)),
        shadowed_(std::any_of(started_.begin(), started_.end(),
                              [](const auto& one) { return one != nullptr && one->shadow; })) {}

  // What MPI gets in place of the statuses of the program: how much has been received must be known
  // also where the program ignores it, and after a call that wrote none.
  MPI_Status* known(MPI_Status* statuses, std::size_t count) {
    if (!shadowed_) return statuses;
    ignored_ = statuses == MPI_STATUSES_IGNORE;
    if (ignored_) own_.resize(count);
    statuses_ = ignored_ ? own_.data() : statuses;
    for (std::size_t i = 0; i < count; ++i) say_nothing_received(statuses_[i]);
    return statuses_;
  }
  MPI_Status* known_of_each(MPI_Status* statuses) { return known(statuses, now_.size()); }
  MPI_Status* known_of_one(MPI_Status* status) { return known(status, 1); }

  // The status of a request is the `place`-th.
  void complete(int index, int place) const {
    if (index < 0 || static_cast<std::size_t>(index) >= now_.size()) return;
    const auto i = static_cast<std::size_t>(index);
    if (before_[i] == MPI_REQUEST_NULL) return;
    const std::uintptr_t value = value_of(&before_[i]);
    const bool gone = now_[i] == MPI_REQUEST_NULL;
    Checker& checker = Checker::instance();
    const MPI_Status* const status = statuses_ != nullptr ? statuses_ + place : nullptr;
    checker.pending.complete(value, started_[i], call_.site(), gone, status);
    if (gone) checker.ledger.freed(Kind::request, value);
  }
  void complete_all() const {
    for (std::size_t i = 0; i < now_.size(); ++i)
      complete(static_cast<int>(i), static_cast<int>(i));
  }
  void complete_some(int count, const int* indices) const {
    for (int i = 0; count != MPI_UNDEFINED && i < count; ++i) complete(indices[i], i);
  }

  // Ends a call that completes all or nothing, or with one status for all.
  int conclude(int code, bool all, bool of_each) const {
    if (code == MPI_SUCCESS && all)
      complete_all();
    else if (code != MPI_SUCCESS)
      complete_ended(of_each);
    return code_for_program(code);
  }
  int conclude_some(int code, const int* count, const int* indices) const {
    if (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS)
      complete_some(*count, indices);
    else
      complete_ended(true);
    return code_for_program(code);
  }

 private:
  // After a failure some are complete, and some are not. A persistent request stays; if this call
  // has completed it, it has the empty status now.
  bool has_ended(std::size_t i) const {
    static const auto get_status =
        next_function<decltype(&MPI_Request_get_status)>("PMPI_Request_get_status");
    if (now_[i] == MPI_REQUEST_NULL) return true;
    int flag = 0;
    MPI_Status status{};
    return started_[i] != nullptr && started_[i]->shadow &&
           get_status(now_[i], &flag, &status) == MPI_SUCCESS && flag != 0 &&
           status.MPI_SOURCE == MPI_ANY_SOURCE;
  }
  void complete_ended(bool of_each) const {
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (has_ended(i)) complete(static_cast<int>(i), of_each ? static_cast<int>(i) : 0);
  }
  // Without statuses the call itself returns the first failure.
  int code_for_program(int code) const {
    if (code != MPI_ERR_IN_STATUS || !ignored_) return code;
    const auto failed = std::find_if(own_.begin(), own_.end(), [](const MPI_Status& one) {
      return one.MPI_ERROR != MPI_SUCCESS && one.MPI_ERROR != MPI_ERR_PENDING;
    });
    return failed != own_.end() ? failed->MPI_ERROR : code;
  }

  const Call& call_;
  std::span<const MPI_Request> now_;
  std::vector<MPI_Request> before_;
  std::vector<Pending::Started> started_;
  bool shadowed_;
  bool ignored_ = false;
  std::vector<MPI_Status> own_;
  MPI_Status* statuses_ = nullptr;  // where one of the requests has a shadow
};

template <class Next>
int start_with(const Call& call, int count, const MPI_Request* requests, Next next) {
  Pending& pending = Checker::instance().pending;
  const int known = requests != nullptr ? count : 0;
  for (int i = 0; i < known; ++i) pending.prepare(value_of(&requests[i]));
  const int code = next();
  for (int i = 0; i < known; ++i)
    pending.start_again(value_of(&requests[i]), call.site(), code != MPI_SUCCESS);
  return code;
}

}  // namespace

int wait(const Call& call, decltype(&MPI_Wait) next, MPI_Request* request, MPI_Status* status) {
  Requests requests(call, request, 1);
  return requests.conclude(next(request, requests.known_of_one(status)), true, false);
}

int waitall(const Call& call, decltype(&MPI_Waitall) next, int count, MPI_Request* requests,
            MPI_Status* statuses) {
  Requests all(call, requests, count);
  return all.conclude(next(count, requests, all.known_of_each(statuses)), true, true);
}

int waitany(const Call& call, decltype(&MPI_Waitany) next, int count, MPI_Request* requests,
            int* index, MPI_Status* status) {
  Requests all(call, requests, count);
  const int code = next(count, requests, index, all.known_of_one(status));
  if (code == MPI_SUCCESS) all.complete(*index, 0);
  return all.conclude(code, false, false);
}

int waitsome(const Call& call, decltype(&MPI_Waitsome) next, int count, MPI_Request* requests,
             int* outcount, int* indices, MPI_Status* statuses) {
  Requests all(call, requests, count);
  const int code = next(count, requests, outcount, indices, all.known_of_each(statuses));
  return all.conclude_some(code, outcount, indices);
}

int test(const Call& call, decltype(&MPI_Test) next, MPI_Request* request, int* flag,
         MPI_Status* status) {
  Requests requests(call, request, 1);
  const int code = next(request, flag, requests.known_of_one(status));
  return requests.conclude(code, code == MPI_SUCCESS && *flag != 0, false);
}

int testall(const Call& call, decltype(&MPI_Testall) next, int count, MPI_Request* requests,
            int* flag, MPI_Status* statuses) {
  Requests all(call, requests, count);
  const int code = next(count, requests, flag, all.known_of_each(statuses));
  return all.conclude(code, code == MPI_SUCCESS && *flag != 0, true);
}

int testany(const Call& call, decltype(&MPI_Testany) next, int count, MPI_Request* requests,
            int* index, int* flag, MPI_Status* status) {
  Requests all(call, requests, count);
  const int code = next(count, requests, index, flag, all.known_of_one(status));
  if (code == MPI_SUCCESS && *flag != 0) all.complete(*index, 0);
  return all.conclude(code, false, false);
}

int testsome(const Call& call, decltype(&MPI_Testsome) next, int count, MPI_Request* requests,
             int* outcount, int* indices, MPI_Status* statuses) {
  Requests all(call, requests, count);
  const int code = next(count, requests, outcount, indices, all.known_of_each(statuses));
  return all.conclude_some(code, outcount, indices);
}

int request_get_status(const Call& call, decltype(&MPI_Request_get_status) next,
                       MPI_Request request, int* flag, MPI_Status* status) {
  Requests requests(call, &request, 1);
  const int code = next(request, flag, requests.known_of_one(status));
  return requests.conclude(code, code == MPI_SUCCESS && *flag != 0, false);
}

int request_get_status_all(const Call& call, decltype(&MPI_Request_get_status_all) next, int count,
                           const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  Requests all(call, requests, count);
  const int code = next(count, requests, flag, all.known_of_each(statuses));
  return all.conclude(code, code == MPI_SUCCESS && *flag != 0, true);
}

int request_get_status_any(const Call& call, decltype(&MPI_Request_get_status_any) next, int count,
                           const MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  Requests all(call, requests, count);
  const int code = next(count, requests, index, flag, all.known_of_one(status));
  if (code == MPI_SUCCESS && *flag != 0) all.complete(*index, 0);
  return all.conclude(code, false, false);
}

int request_get_status_some(const Call& call, decltype(&MPI_Request_get_status_some) next,
                            int count, const MPI_Request* requests, int* outcount, int* indices,
                            MPI_Status* statuses) {
  Requests all(call, requests, count);
  const int code = next(count, requests, outcount, indices, all.known_of_each(statuses));
  return all.conclude_some(code, outcount, indices);
}

int request_free(Call& call, decltype(&MPI_Request_free) next, MPI_Request* request) {
  const std::uintptr_t before = value_of(request);
  const bool kept = before != 0 && Checker::instance().pending.forget(*request);
  const int code = kept ? MPI_SUCCESS : next(request);
  if (kept) *request = MPI_REQUEST_NULL;
  call.freed(code, Kind::request, before);
  return code;
}

int start(const Call& call, decltype(&MPI_Start) next, MPI_Request* request) {
  return start_with(call, 1, request, [&] { return next(request); });
}

int startall(const Call& call, decltype(&MPI_Startall) next, int count, MPI_Request* requests) {
  return start_with(call, count, requests, [&] { return next(count, requests); });
}

}  // namespace tessera::check
