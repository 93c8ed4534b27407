// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/functions.txt; do not edit.
#ifndef MPICXX_REQUESTS_H
#define MPICXX_REQUESTS_H

#include "window_classes.h"

namespace MPI {

inline int Status::Get_count(const Datatype& datatype) const {
  int result = 0;
  detail::check(MPI_Get_count(&handle_, datatype, &result));
  return result;
}

inline int Status::Get_elements(const Datatype& datatype) const {
  int result = 0;
  detail::check(MPI_Get_elements(&handle_, datatype, &result));
  return result;
}

inline bool Status::Is_cancelled() const {
  int result = 0;
  detail::check(MPI_Test_cancelled(&handle_, &result));
  return result != 0;
}

inline int Status::Get_source() const {
  int result = 0;
  detail::check(MPI_Status_get_source(&handle_, &result));
  return result;
}

inline int Status::Get_tag() const {
  int result = 0;
  detail::check(MPI_Status_get_tag(&handle_, &result));
  return result;
}

inline int Status::Get_error() const {
  int result = 0;
  detail::check(MPI_Status_get_error(&handle_, &result));
  return result;
}

inline void Status::Set_source(int source) {
  detail::check(MPI_Status_set_source(&handle_, source));
}

inline void Status::Set_tag(int tag) {
  detail::check(MPI_Status_set_tag(&handle_, tag));
}

inline void Status::Set_error(int error) {
  detail::check(MPI_Status_set_error(&handle_, error));
}

inline void Status::Set_cancelled(bool flag) {
  detail::check(MPI_Status_set_cancelled(&handle_, flag));
}

inline void Status::Set_elements(const Datatype& datatype, int count) {
  detail::check(MPI_Status_set_elements(&handle_, datatype, count));
}

inline void Request::Free() {
  detail::check(MPI_Request_free(&handle_));
}

inline bool Request::Get_status(Status& status) const {
  int result = 0;
  detail::check(MPI_Request_get_status(handle_, &result, detail::address(status)));
  return result != 0;
}

inline bool Request::Get_status() const {
  int result = 0;
  detail::check(MPI_Request_get_status(handle_, &result, MPI_STATUS_IGNORE));
  return result != 0;
}

inline bool Request::Test(Status& status) {
  int result = 0;
  detail::check(MPI_Test(&handle_, &result, detail::address(status)));
  return result != 0;
}

inline bool Request::Test() {
  int result = 0;
  detail::check(MPI_Test(&handle_, &result, MPI_STATUS_IGNORE));
  return result != 0;
}

inline void Request::Wait(Status& status) {
  detail::check(MPI_Wait(&handle_, detail::address(status)));
}

inline void Request::Wait() {
  detail::check(MPI_Wait(&handle_, MPI_STATUS_IGNORE));
}

inline bool Request::Testall(int count, Request array_of_requests[], Status array_of_statuses[]) {
  int result = 0;
  detail::check(MPI_Testall(count, detail::address(array_of_requests), &result,
                            detail::address(array_of_statuses)));
  return result != 0;
}

inline bool Request::Testall(int count, Request array_of_requests[]) {
  int result = 0;
  detail::check(
      MPI_Testall(count, detail::address(array_of_requests), &result, MPI_STATUSES_IGNORE));
  return result != 0;
}

inline bool Request::Testany(int count, Request array_of_requests[], int& indx, Status& status) {
  int result = 0;
  detail::check(MPI_Testany(count, detail::address(array_of_requests), &indx, &result,
                            detail::address(status)));
  return result != 0;
}

inline bool Request::Testany(int count, Request array_of_requests[], int& indx) {
  int result = 0;
  detail::check(
      MPI_Testany(count, detail::address(array_of_requests), &indx, &result, MPI_STATUS_IGNORE));
  return result != 0;
}

inline int Request::Testsome(int incount, Request array_of_requests[], int array_of_indices[],
                             Status array_of_statuses[]) {
  int result = 0;
  detail::check(MPI_Testsome(incount, detail::address(array_of_requests), &result, array_of_indices,
                             detail::address(array_of_statuses)));
  return result;
}

inline int Request::Testsome(int incount, Request array_of_requests[], int array_of_indices[]) {
  int result = 0;
  detail::check(MPI_Testsome(incount, detail::address(array_of_requests), &result, array_of_indices,
                             MPI_STATUSES_IGNORE));
  return result;
}

inline void Request::Waitall(int count, Request array_of_requests[], Status array_of_statuses[]) {
  detail::check(
      MPI_Waitall(count, detail::address(array_of_requests), detail::address(array_of_statuses)));
}

inline void Request::Waitall(int count, Request array_of_requests[]) {
  detail::check(MPI_Waitall(count, detail::address(array_of_requests), MPI_STATUSES_IGNORE));
}

inline int Request::Waitany(int count, Request array_of_requests[], Status& status) {
  int result = 0;
  detail::check(
      MPI_Waitany(count, detail::address(array_of_requests), &result, detail::address(status)));
  return result;
}

inline int Request::Waitany(int count, Request array_of_requests[]) {
  int result = 0;
  detail::check(MPI_Waitany(count, detail::address(array_of_requests), &result, MPI_STATUS_IGNORE));
  return result;
}

inline int Request::Waitsome(int incount, Request array_of_requests[], int array_of_indices[],
                             Status array_of_statuses[]) {
  int result = 0;
  detail::check(MPI_Waitsome(incount, detail::address(array_of_requests), &result, array_of_indices,
                             detail::address(array_of_statuses)));
  return result;
}

inline int Request::Waitsome(int incount, Request array_of_requests[], int array_of_indices[]) {
  int result = 0;
  detail::check(MPI_Waitsome(incount, detail::address(array_of_requests), &result, array_of_indices,
                             MPI_STATUSES_IGNORE));
  return result;
}

inline void Prequest::Start() {
  detail::check(MPI_Start(&handle_));
}

inline void Prequest::Startall(int count, Prequest array_of_requests[]) {
  detail::check(MPI_Startall(count, detail::address(array_of_requests)));
}

inline void Grequest::Complete() {
  detail::check(MPI_Grequest_complete(handle_));
}

}  // namespace MPI

#endif
