// SPDX-License-Identifier: BSD-3-Clause
// Buffered sends: buffers of the process and of a communicator, automatic ones, and flushing.
#include <vector>

#include "check.h"

namespace {

int me, n;

// A buffered message around the ring, received only after it was sent everywhere.
bool passes(MPI_Comm comm, int tag) {
  int in = -1;
  const bool sent = MPI_Bsend(&me, 1, MPI_INT, (me + 1) % n, tag, comm) == MPI_SUCCESS;
  MPI_Recv(&in, 1, MPI_INT, (me + n - 1) % n, tag, comm, MPI_STATUS_IGNORE);
  return sent && in == (me + n - 1) % n;
}

void test_process(std::vector<char>& memory) {
  void* address = nullptr;
  int size = -1;
  CHECK(MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size())) == MPI_SUCCESS);
  CHECK(class_of(MPI_Buffer_attach(memory.data(), 10)) == MPI_ERR_BUFFER);
  CHECK(passes(MPI_COMM_WORLD, 1));
  CHECK(MPI_Buffer_flush() == MPI_SUCCESS);
  MPI_Request request;
  CHECK(MPI_Buffer_iflush(&request) == MPI_SUCCESS &&
        MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Buffer_detach(&address, &size) == MPI_SUCCESS);
  CHECK(address == memory.data() && size == static_cast<int>(memory.size()));
  CHECK(class_of(MPI_Bsend(&me, 1, MPI_INT, me, 1, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
}

void test_communicator(std::vector<char>& memory) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(MPI_Comm_attach_buffer(comm, memory.data(), static_cast<int>(memory.size())) ==
        MPI_SUCCESS);
  CHECK(passes(comm, 2));
  CHECK(class_of(MPI_Bsend(&me, 1, MPI_INT, me, 1, MPI_COMM_WORLD)) == MPI_ERR_BUFFER);
  MPI_Request request;
  CHECK(MPI_Comm_iflush_buffer(comm, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        MPI_Comm_flush_buffer(comm) == MPI_SUCCESS);
  void* address = nullptr;
  MPI_Count size = -1;
  CHECK(MPI_Comm_detach_buffer_c(comm, &address, &size) == MPI_SUCCESS && address == memory.data());
  CHECK(class_of(MPI_Bsend(&me, 1, MPI_INT, me, 1, comm)) == MPI_ERR_BUFFER);
  MPI_Comm_free(&comm);
}

void test_automatic() {
  void* address = nullptr;
  int size = -1;
  CHECK(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS);
  for (int i = 0; i < 100; ++i) CHECK(passes(MPI_COMM_WORLD, i));
  CHECK(MPI_Buffer_detach(&address, &size) == MPI_SUCCESS && address == MPI_BUFFER_AUTOMATIC);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  std::vector<char> memory(4 * MPI_BSEND_OVERHEAD);
  test_process(memory);
  test_communicator(memory);
  test_automatic();
  return finish();
}
