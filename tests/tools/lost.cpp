// SPDX-License-Identifier: BSD-3-Clause
// A process dies: the survivor's tool is called, once, and counts it. Run with --enable-recovery.
#include <csignal>

#include "tool.h"

namespace {

struct Loss {
  int calls = 0;
  MPI_Count process = -1;
};

void note(MPI_T_event_instance event, MPI_T_event_registration, MPI_T_cb_safety, void* data) {
  Loss& loss = *static_cast<Loss*>(data);
  ++loss.calls;
  CHECK(MPI_T_event_read(event, 0, &loss.process) == MPI_SUCCESS);
}

}  // namespace

// req dynamic 8.15
int main(int argc, char** argv) {
  CHECK(start_tools() == MPI_SUCCESS);
  Loss loss;
  int index = -1;
  MPI_T_event_registration handle{};
  CHECK(MPI_T_event_get_index("core_peer_lost", &index) == MPI_SUCCESS);
  CHECK(MPI_T_event_handle_alloc(index, nullptr, MPI_INFO_NULL, &handle) == MPI_SUCCESS);
  CHECK(MPI_T_event_register_callback(handle, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, &loss,
                                      note) == MPI_SUCCESS);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Counter lost("core_peers_lost", MPI_T_PVAR_CLASS_COUNTER);
  if (rank_in(MPI_COMM_WORLD) == 1) raise(SIGKILL);
  int word = 0;
  for (int i = 0; i < 2; ++i)
    CHECK(class_of(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) !=
          MPI_SUCCESS);
  CHECK(loss.calls == 1 && loss.process == 1);
  CHECK(lost.value() == 1);
  const int code = finish();
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
  return code != 0 || failures != 0 ? 1 : 0;
}
