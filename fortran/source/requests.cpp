// SPDX-License-Identifier: BSD-3-Clause
// Requests: lists of handles, and indices that count from 1.
#include "fortran/source/convert.h"
#include "fortran/source/names.h"

using namespace tessera::fortran;

namespace {

// The requests of one call. Fortran's numbers change only where MPI changed the handle.
class Requests {
 public:
  Requests(Fint* numbers, int count) : numbers_(numbers), handles_(numbers, count) {}
  MPI_Request* data() noexcept { return handles_.data(); }

  void store() {
    for (std::size_t i = 0; i < handles_.size(); ++i) numbers_[i] = number(handles_[i]);
  }

 private:
  Fint* numbers_;
  Handles<MPI_Request> handles_;
};

Fint fortran_index(int index) noexcept {
  return index < 0 ? index : index + 1;
}

void fortran_indices(Fint* indices, int count) noexcept {
  for (int i = 0; i < count; ++i) ++indices[i];  // a count of MPI_UNDEFINED is negative
}

}  // namespace

extern "C" void F(wait)(Fint* request, Fint* status, Fint* ierror) {
  Requests one(request, 1);
  const int code = MPI_Wait(one.data(), status_at(status));
  one.store();
  finish(ierror, code);
}
F08(wait)

extern "C" void F(test)(Fint* request, Fint* flag, Fint* status, Fint* ierror) {
  Requests one(request, 1);
  int flag_ = 0;
  const int code = MPI_Test(one.data(), &flag_, status_at(status));
  if (code == MPI_SUCCESS) *flag = logical(flag_);
  one.store();
  finish(ierror, code);
}
F08(test)

extern "C" void F(waitall)(const Fint* count, Fint* requests, Fint* statuses, Fint* ierror) {
  Requests all(requests, *count);
  const int code = MPI_Waitall(*count, all.data(), status_at(statuses));
  all.store();
  finish(ierror, code);
}
F08(waitall)

extern "C" void F(testall)(const Fint* count, Fint* requests, Fint* flag, Fint* statuses,
                           Fint* ierror) {
  Requests all(requests, *count);
  int flag_ = 0;
  const int code = MPI_Testall(*count, all.data(), &flag_, status_at(statuses));
  if (code == MPI_SUCCESS) *flag = logical(flag_);
  all.store();
  finish(ierror, code);
}
F08(testall)

extern "C" void F(waitany)(const Fint* count, Fint* requests, Fint* index, Fint* status,
                           Fint* ierror) {
  Requests all(requests, *count);
  int index_ = MPI_UNDEFINED;
  const int code = MPI_Waitany(*count, all.data(), &index_, status_at(status));
  if (code == MPI_SUCCESS) *index = fortran_index(index_);
  all.store();
  finish(ierror, code);
}
F08(waitany)

extern "C" void F(testany)(const Fint* count, Fint* requests, Fint* index, Fint* flag, Fint* status,
                           Fint* ierror) {
  Requests all(requests, *count);
  int index_ = MPI_UNDEFINED;
  int flag_ = 0;
  const int code = MPI_Testany(*count, all.data(), &index_, &flag_, status_at(status));
  if (code == MPI_SUCCESS) {
    *index = fortran_index(index_);
    *flag = logical(flag_);
  }
  all.store();
  finish(ierror, code);
}
F08(testany)

extern "C" void F(waitsome)(const Fint* incount, Fint* requests, Fint* outcount, Fint* indices,
                            Fint* statuses, Fint* ierror) {
  Requests all(requests, *incount);
  const int code = MPI_Waitsome(*incount, all.data(), outcount, indices, status_at(statuses));
  if (code == MPI_SUCCESS) fortran_indices(indices, *outcount);
  all.store();
  finish(ierror, code);
}
F08(waitsome)

extern "C" void F(testsome)(const Fint* incount, Fint* requests, Fint* outcount, Fint* indices,
                            Fint* statuses, Fint* ierror) {
  Requests all(requests, *incount);
  const int code = MPI_Testsome(*incount, all.data(), outcount, indices, status_at(statuses));
  if (code == MPI_SUCCESS) fortran_indices(indices, *outcount);
  all.store();
  finish(ierror, code);
}
F08(testsome)

extern "C" void F(start)(Fint* request, Fint* ierror) {
  Requests one(request, 1);
  const int code = MPI_Start(one.data());
  one.store();
  finish(ierror, code);
}
F08(start)

extern "C" void F(startall)(const Fint* count, Fint* requests, Fint* ierror) {
  Requests all(requests, *count);
  const int code = MPI_Startall(*count, all.data());
  all.store();
  finish(ierror, code);
}
F08(startall)

extern "C" void F(request_free)(Fint* request, Fint* ierror) {
  InOut<MPI_Request> request_(request);
  const int code = MPI_Request_free(request_);
  request_.store();
  finish(ierror, code);
}
F08(request_free)

extern "C" void F(cancel)(const Fint* request, Fint* ierror) {
  auto request_ = handle<MPI_Request>(request);
  finish(ierror, MPI_Cancel(&request_));
}
F08(cancel)

extern "C" void F(request_get_status)(const Fint* request, Fint* flag, Fint* status, Fint* ierror) {
  int flag_ = 0;
  const int code = MPI_Request_get_status(handle<MPI_Request>(request), &flag_, status_at(status));
  if (code == MPI_SUCCESS) *flag = logical(flag_);
  finish(ierror, code);
}
F08(request_get_status)

extern "C" void F(request_get_status_all)(const Fint* count, const Fint* requests, Fint* flag,
                                          Fint* statuses, Fint* ierror) {
  Handles<MPI_Request> all(requests, *count);
  int flag_ = 0;
  const int code = MPI_Request_get_status_all(*count, all.data(), &flag_, status_at(statuses));
  if (code == MPI_SUCCESS) *flag = logical(flag_);
  finish(ierror, code);
}
F08(request_get_status_all)

extern "C" void F(request_get_status_any)(const Fint* count, const Fint* requests, Fint* index,
                                          Fint* flag, Fint* status, Fint* ierror) {
  Handles<MPI_Request> all(requests, *count);
  int index_ = MPI_UNDEFINED;
  int flag_ = 0;
  const int code =
      MPI_Request_get_status_any(*count, all.data(), &index_, &flag_, status_at(status));
  if (code == MPI_SUCCESS) {
    *index = fortran_index(index_);
    *flag = logical(flag_);
  }
  finish(ierror, code);
}
F08(request_get_status_any)

extern "C" void F(request_get_status_some)(const Fint* incount, const Fint* requests,
                                           Fint* outcount, Fint* indices, Fint* statuses,
                                           Fint* ierror) {
  Handles<MPI_Request> all(requests, *incount);
  const int code =
      MPI_Request_get_status_some(*incount, all.data(), outcount, indices, status_at(statuses));
  if (code == MPI_SUCCESS) fortran_indices(indices, *outcount);
  finish(ierror, code);
}
F08(request_get_status_some)
