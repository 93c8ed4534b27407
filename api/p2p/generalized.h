// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests: operations the program itself performs (MPI-5.0 §13.2).
#pragma once

#include "api/api.h"
#include "tessera/comm.h"

namespace tessera::api {

class GeneralizedRequest final : public Request {
 public:
  GeneralizedRequest(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free_function,
                     MPI_Grequest_cancel_function* cancel_function, void* extra) noexcept;
  void complete_now() noexcept;  // MPI_Grequest_complete
  int query(MPI_Status* status) noexcept { return query_(extra_, status); }
  void cancel() noexcept override;
  void free() noexcept override;
  // Error of the user's free or cancel function, to be reported by the call that caused it.
  int last_error() const noexcept { return last_error_; }

 private:
  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* extra_;
  int last_error_ = MPI_SUCCESS;
};

bool is_generalized(const Request& request) noexcept;
// Lets the program fill in the status; its error code as a failure.
Status query(Request& request, MPI_Status* status) noexcept;

}  // namespace tessera::api
