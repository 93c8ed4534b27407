// SPDX-License-Identifier: BSD-3-Clause
// A connection is made while the program works: a thread accepts or connects, behind a generalized
// request that the program tests and waits for as any other (docs/extensions.md).
#include "../mpi/together.h"

#include <functional>
#include <string>

namespace {

// What such a request stands for, and leaves.
struct Connection {
  std::thread thread;
  MPI_Comm comm = MPI_COMM_NULL;
  int code = MPI_SUCCESS;
};

int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return static_cast<Connection*>(state)->code;
}

int join_thread(void* state) {
  static_cast<Connection*>(state)->thread.join();
  return MPI_SUCCESS;
}

int leave(void* /*state*/, int /*complete*/) {
  return MPI_SUCCESS;
}

void start(Connection& connection, const std::function<int(MPI_Comm*)>& call,
           MPI_Request* request) {
  MPI_Grequest_start(query, join_thread, leave, &connection, request);
  connection.thread = std::thread([&connection, call, same = *request] {
    connection.code = call(&connection.comm);
    MPI_Grequest_complete(same);
  });
}

// Both ranks, until both connections are made: at least this often.
void work(Place place, MPI_Request* request) {
  constexpr int kAtLeast = 50;
  int both = 0;
  for (int round = 0; round < kAtLeast || both == 0; ++round) {
    int mine[2] = {1, place.rank + round}, sum[2] = {0, 0}, in = -1;
    if (*request != MPI_REQUEST_NULL) MPI_Test(request, &mine[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv(&round, 1, MPI_INT, 1 - place.rank, 5, &in, 1, MPI_INT, 1 - place.rank, 5,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(in == round, "a message beside a connection that is made");
    MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum[1] == 1 + 2 * round, "a sum beside a connection that is made");
    both = sum[0] == 2;
  }
}

void talk(MPI_Comm inter, Place place) {
  int size = 0, in = -1;
  MPI_Comm_remote_size(inter, &size);
  expect(size == 1, "there is one process on the other side");
  MPI_Sendrecv(&place.rank, 1, MPI_INT, 0, 6, &in, 1, MPI_INT, 0, 6, inter, MPI_STATUS_IGNORE);
  expect(in == 1 - place.rank, "what the other side sends");
}

// req errata 3.10
void one_connection(Place place) {
  char port[MPI_MAX_PORT_NAME] = "";
  Connection connection;
  MPI_Request request = MPI_REQUEST_NULL;
  int done = 1;
  if (place.rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    start(
        connection,
        [&port](MPI_Comm* made) {
          return MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, made);
        },
        &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    expect(done == 0, "nobody has connected yet");
  }
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (place.rank == 1) {
    start(
        connection,
        [&port](MPI_Comm* made) {
          return MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, made);
        },
        &request);
  }
  work(place, &request);
  expect(connection.comm != MPI_COMM_NULL, "the connection is made");
  talk(connection.comm, place);
  MPI_Comm_disconnect(&connection.comm);
  if (place.rank == 0) MPI_Close_port(port);
}

// The failure of the call is that of the request.
void no_connection() {
  Connection connection;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  start(
      connection,
      [](MPI_Comm* made) {
        return MPI_Comm_connect("no port", MPI_INFO_NULL, 0, MPI_COMM_SELF, made);
      },
      &request);
  int kind = MPI_SUCCESS;
  MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &kind);
  expect(kind == MPI_ERR_PORT, "a connection to no port fails");
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

}  // namespace

int main(int argc, char** argv) {
  const Place place = start_with_threads(argc, argv);
  for (int round = 0; round < 3; ++round) one_connection(place);
  no_connection();
  return finish_with_threads();
}
