// SPDX-License-Identifier: BSD-3-Clause
// A loop over a call that answers "not yet" gives way to other processes (core_yields).
#include "tool.h"

namespace {

constexpr int kTag = 6;
constexpr int kCalls = 20'000;

template <class Ask>
void expect_yields(Ask ask) {
  const Counter yields("core_yields", MPI_T_PVAR_CLASS_COUNTER);
  int flag = 0;
  for (int i = 0; i < kCalls; ++i) ask(&flag);
  CHECK(flag == 0);
  CHECK(yields.value() >= 10);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int provided = 0, in = 0, out = 1;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Request sent, received, parts;
  const int me = rank_in(MPI_COMM_WORLD);
  MPI_Precv_init(&in, 1, 1, MPI_INT, me, kTag, MPI_COMM_WORLD, MPI_INFO_NULL, &parts);
  MPI_Start(&parts);
  MPI_Irecv(&in, 1, MPI_INT, me, kTag, MPI_COMM_WORLD, &received);
  expect_yields([&](int* flag) { MPI_Test(&received, flag, MPI_STATUS_IGNORE); });
  expect_yields([&](int* flag) { MPI_Parrived(parts, 0, flag); });
  MPI_Send(&out, 1, MPI_INT, me, kTag, MPI_COMM_WORLD);
  MPI_Wait(&received, MPI_STATUS_IGNORE);
  MPI_Psend_init(&out, 1, 1, MPI_INT, me, kTag, MPI_COMM_WORLD, MPI_INFO_NULL, &sent);
  MPI_Start(&sent);
  MPI_Pready(0, sent);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Wait(&parts, MPI_STATUS_IGNORE);
  MPI_Request_free(&sent);
  MPI_Request_free(&parts);
  MPI_T_finalize();
  return finish();
}
