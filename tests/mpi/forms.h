// SPDX-License-Identifier: BSD-3-Clause
// One collective operation in its blocking, nonblocking and persistent form.
#pragma once

#include "check.h"

enum class Form { blocking, nonblocking, persistent };
inline constexpr Form kForms[] = {Form::blocking, Form::nonblocking, Form::persistent};

// Runs the operation in one form, the persistent one twice; before() prepares the buffers, after()
// looks at them.
template <class Before, class After, class Blocking, class Nonblocking, class Persistent,
          class... A>
void run(Form form, Before before, After after, Blocking blocking, Nonblocking nonblocking,
         Persistent persistent, A... arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (form == Form::blocking) {
    before();
    CHECK(blocking(arguments...) == MPI_SUCCESS);
    after();
    return;
  }
  if (form == Form::nonblocking) {
    before();
    CHECK(nonblocking(arguments..., &request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    after();
    CHECK(request == MPI_REQUEST_NULL);
    return;
  }
  CHECK(persistent(arguments..., MPI_INFO_NULL, &request) == MPI_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    before();
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    after();
  }
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
}
