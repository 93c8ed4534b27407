// SPDX-License-Identifier: BSD-3-Clause
// Counts whose bytes 64 bits cannot tell: an error that names the argument, from every kind of
// call.
#include <string>
#include <vector>

#include "check.h"

namespace {

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

bool refuses(int code, const char* argument) {
  return class_of(code) == MPI_ERR_COUNT &&
         text_of(code).find("`" + std::string(argument)) != std::string::npos;
}

constexpr MPI_Count kHuge[] = {MPI_Count{1} << 62, MPI_Count{1} << 61, MPI_Count{1} << 60};
double data[8], other[8];

void test_point_to_point(MPI_Count count) {
  const int me = rank_in(MPI_COMM_WORLD);
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  CHECK(refuses(MPI_Send_c(data, count, MPI_DOUBLE, me, 0, comm), "count"));
  CHECK(refuses(MPI_Ssend_c(data, count, MPI_DOUBLE, me, 0, comm), "count"));
  CHECK(refuses(MPI_Bsend_c(data, count, MPI_DOUBLE, me, 0, comm), "count"));
  CHECK(refuses(MPI_Isend_c(data, count, MPI_DOUBLE, me, 0, comm, &request), "count"));
  CHECK(refuses(MPI_Send_init_c(data, count, MPI_DOUBLE, me, 0, comm, &request), "count"));
  CHECK(refuses(MPI_Recv_c(data, count, MPI_DOUBLE, me, 0, comm, &status), "count"));
  CHECK(refuses(MPI_Irecv_c(data, count, MPI_DOUBLE, me, 0, comm, &request), "count"));
  CHECK(refuses(MPI_Recv_init_c(data, count, MPI_DOUBLE, me, 0, comm, &request), "count"));
  CHECK(refuses(
      MPI_Sendrecv_c(data, count, MPI_DOUBLE, me, 0, other, 1, MPI_DOUBLE, me, 0, comm, &status),
      "sendcount"));
  CHECK(refuses(MPI_Sendrecv_replace_c(data, count, MPI_DOUBLE, me, 0, me, 0, comm, &status),
                "count"));
  CHECK(refuses(MPI_Psend_init_c(data, 4, count, MPI_DOUBLE, me, 0, comm, MPI_INFO_NULL, &request),
                "count"));
  CHECK(refuses(MPI_Precv_init_c(data, 4, count, MPI_DOUBLE, me, 0, comm, MPI_INFO_NULL, &request),
                "count"));
  CHECK(request == MPI_REQUEST_NULL);
}

void test_matched(MPI_Count count) {
  const int me = rank_in(MPI_COMM_WORLD);
  MPI_Request sent, request = MPI_REQUEST_NULL;
  MPI_Message message;
  MPI_Isend(data, 1, MPI_DOUBLE, me, 1, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(me, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  CHECK(refuses(MPI_Mrecv_c(other, count, MPI_DOUBLE, &message, MPI_STATUS_IGNORE), "count"));
  CHECK(refuses(MPI_Imrecv_c(other, count, MPI_DOUBLE, &message, &request), "count"));
  CHECK(request == MPI_REQUEST_NULL);
  CHECK(MPI_Mrecv_c(other, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

void test_collectives(MPI_Count count) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto n = static_cast<std::size_t>(size_of(comm));
  std::vector<MPI_Count> counts(n, count);
  std::vector<MPI_Aint> places(n, 0);
  std::vector<MPI_Datatype> types(n, MPI_DOUBLE);
  CHECK(refuses(MPI_Bcast_c(data, count, MPI_DOUBLE, 0, comm), "count"));
  CHECK(refuses(MPI_Allreduce_c(data, other, count, MPI_DOUBLE, MPI_SUM, comm), "count"));
  CHECK(refuses(MPI_Reduce_c(data, other, count, MPI_DOUBLE, MPI_SUM, 0, comm), "count"));
  CHECK(refuses(MPI_Scan_c(data, other, count, MPI_DOUBLE, MPI_SUM, comm), "count"));
  CHECK(refuses(MPI_Allgather_c(data, count, MPI_DOUBLE, other, count, MPI_DOUBLE, comm),
                "sendcount"));
  CHECK(refuses(MPI_Alltoall_c(data, count, MPI_DOUBLE, other, count, MPI_DOUBLE, comm),
                "sendcount"));
  CHECK(refuses(MPI_Gather_c(data, count, MPI_DOUBLE, other, count, MPI_DOUBLE, 0, comm),
                "sendcount"));
  CHECK(refuses(
      MPI_Allgatherv_c(data, 1, MPI_DOUBLE, other, counts.data(), places.data(), MPI_DOUBLE, comm),
      "recvcounts"));
  CHECK(refuses(MPI_Alltoallv_c(data, counts.data(), places.data(), MPI_DOUBLE, other,
                                counts.data(), places.data(), MPI_DOUBLE, comm),
                "sendcounts"));
  CHECK(refuses(MPI_Alltoallw_c(data, counts.data(), places.data(), types.data(), other,
                                counts.data(), places.data(), types.data(), comm),
                "sendcounts"));
  CHECK(refuses(MPI_Reduce_scatter_c(data, other, counts.data(), MPI_DOUBLE, MPI_SUM, comm),
                "recvcounts"));
  CHECK(
      refuses(MPI_Reduce_scatter_block_c(data, other, count, MPI_DOUBLE, MPI_SUM, comm), "count"));
  CHECK(refuses(MPI_Reduce_local_c(data, other, count, MPI_DOUBLE, MPI_SUM), "count"));
}

void test_datatypes(MPI_Count count) {
  MPI_Count position = 0, size = 0;
  char packed[64];
  CHECK(
      refuses(MPI_Pack_c(data, count, MPI_DOUBLE, packed, 64, &position, MPI_COMM_WORLD),
              "incount") ||
      refuses(MPI_Pack_c(data, count, MPI_DOUBLE, packed, 64, &position, MPI_COMM_WORLD), "count"));
  CHECK(MPI_Pack_size_c(count, MPI_DOUBLE, MPI_COMM_WORLD, &size) != MPI_SUCCESS);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK(MPI_Type_contiguous_c(count, MPI_DOUBLE, &type) != MPI_SUCCESS ||
        refuses(MPI_Send_c(data, 2, type, 0, 0, MPI_COMM_WORLD), "count") ||
        MPI_Type_free(&type) == MPI_SUCCESS);
}

// A derived type that is large itself, sent by int counts.
void test_large_types() {
  MPI_Datatype type;
  CHECK(MPI_Type_contiguous_c(MPI_Count{1} << 55, MPI_DOUBLE, &type) == MPI_SUCCESS);
  MPI_Type_commit(&type);
  CHECK(refuses(MPI_Send(data, 1 << 20, type, 0, 0, MPI_COMM_WORLD), "count"));
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (const MPI_Count count : kHuge) {
    test_point_to_point(count);
    test_matched(count);
    test_collectives(count);
    test_datatypes(count);
  }
  test_large_types();
  return finish();
}
