// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests: operations the program itself performs (MPI-5.0 §13.2).
#pragma once
//
// The error codes of the program's callbacks are those of the MPI calls that ran them. A completion
// call runs two, query and free, and returns the code of the last one that failed.
//

#include "api/api.h"
#include "core/object/freed_objects.h"
#include "tessera/comm.h"

namespace tessera::api {

class GeneralizedRequest final : public Request {
 public:
  static void operator delete(void* memory) noexcept { keep_freed(memory, ObjectKind::request); }
  GeneralizedRequest(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free_function,
                     MPI_Grequest_cancel_function* cancel_function, void* extra) noexcept;
  // The callbacks' error codes. That of free comes with the later of MPI_Grequest_complete and the
  // call that gives the handle up; after it the object is gone.
  int query(MPI_Status* status) noexcept { return query_(extra_, status); }
  int ask_to_cancel() noexcept;
  int complete_now() noexcept;
  int drop() noexcept;

  void cancel() noexcept override { ask_to_cancel(); }
  void free() noexcept override { drop(); }

 private:
  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* extra_;
  bool dropped_ = false;
};

bool is_generalized(const Request& request) noexcept;
// On generalized requests. The code that the program's callback returned, reported to the error
// handler of `function`'s other errors unless it is MPI_SUCCESS.
int query(const char* function, Request& request, MPI_Status* status) noexcept;
int drop(Request& request, MPI_Request* handle) noexcept;  // MPI_Request_free
int cancel(Request& request) noexcept;                     // MPI_Cancel

}  // namespace tessera::api
