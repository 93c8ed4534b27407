/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs whose calls are wrong in a way that one process, or one argument, does not show:
 * wrong_calls NAME. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMany = 1000000 };
static int rank, size;
static int in[kMany], out[kMany];

/* After each of these, the handle that was kept must stand for nothing: `code` is an error. */
static void expect_error(const char* what, int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  printf("%s %s\n", what, class == MPI_SUCCESS ? "answers" : "is refused");
}

static void stale_handles(void) {
  MPI_Comm comm, kept_comm, next_comm;
  MPI_Group group, kept_group, next_group, world_group;
  MPI_Datatype type, kept_type, next_type;
  MPI_Info info, kept_info, next_info;
  MPI_Errhandler handler, kept_handler, next_handler;
  MPI_Session session, kept_session, next_session;
  int number;
  const int first = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  kept_comm = comm;
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_SELF, &next_comm);
  expect_error("communicator", MPI_Comm_rank(kept_comm, &number));

  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  MPI_Group_incl(world_group, 1, &first, &group);
  kept_group = group;
  MPI_Group_free(&group);
  MPI_Group_incl(world_group, 1, &first, &next_group);
  expect_error("group", MPI_Group_size(kept_group, &number));

  MPI_Type_contiguous(3, MPI_INT, &type);
  kept_type = type;
  MPI_Type_free(&type);
  MPI_Type_contiguous(5, MPI_INT, &next_type);
  expect_error("datatype", MPI_Type_size(kept_type, &number));

  MPI_Info_create(&info);
  kept_info = info;
  MPI_Info_free(&info);
  MPI_Info_create(&next_info);
  expect_error("info", MPI_Info_get_nkeys(kept_info, &number));

  MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)abort, &handler);
  kept_handler = handler;
  MPI_Errhandler_free(&handler);
  MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)abort, &next_handler);
  expect_error("errhandler", MPI_Comm_set_errhandler(next_comm, kept_handler));

  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  kept_session = session;
  MPI_Session_finalize(&session);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &next_session);
  expect_error("session", MPI_Session_get_num_psets(kept_session, MPI_INFO_NULL, &number));
  MPI_Session_finalize(&next_session);

  MPI_Errhandler_free(&next_handler);
  MPI_Info_free(&next_info);
  MPI_Type_free(&next_type);
  MPI_Group_free(&next_group);
  MPI_Group_free(&world_group);
  MPI_Comm_free(&next_comm);
}

static void nothing(void* a, void* b, int* count, MPI_Datatype* type) {
  (void)a, (void)b, (void)count, (void)type;
}

static void stale_op(void) {
  MPI_Op op, kept, next;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Op_create(nothing, 1, &op);
  kept = op;
  MPI_Op_free(&op);
  MPI_Op_create(nothing, 0, &next);
  expect_error("op", MPI_Reduce_local(in, out, 1, MPI_INT, kept));
  MPI_Op_free(&next);
}

static void stale_window(void) {
  MPI_Win window, kept, next;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  kept = window;
  MPI_Win_free(&window);
  MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_SELF, &next);
  expect_error("window", MPI_Win_fence(0, kept));
  MPI_Win_free(&next);
}

static void stale_file(void) {
  MPI_File file, kept, next;
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_File_open(MPI_COMM_SELF, "/dev/zero", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  kept = file;
  MPI_File_close(&file);
  MPI_File_open(MPI_COMM_SELF, "/dev/zero", MPI_MODE_RDONLY, MPI_INFO_NULL, &next);
  int atomic;
  expect_error("file", MPI_File_get_atomicity(kept, &atomic));
  MPI_File_close(&next);
}

/* The request of one message serves the next one as well, and the one after that. */
static void stale_request(void) {
  MPI_Request request, kept, others[4];
  MPI_Status status;
  int flag, data[5];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Irecv(data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  kept = request;
  MPI_Send(in, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i) MPI_Irecv(data + i, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &others[i]);
  request = kept;
  expect_error("request", MPI_Test(&request, &flag, &status));
  request = kept;
  expect_error("request", MPI_Wait(&request, &status));
  request = kept;
  expect_error("request", MPI_Cancel(&request));
  request = kept;
  expect_error("request", MPI_Waitall(1, &request, MPI_STATUSES_IGNORE));
  for (int i = 0; i < 4; ++i) MPI_Send(in, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Waitall(4, others, MPI_STATUSES_IGNORE);
  MPI_Ibarrier(MPI_COMM_SELF, &request);
  kept = request;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(MPI_COMM_SELF, &request);
  expect_error("request", MPI_Wait(&kept, &status));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Handles of another kind, and what was never a handle. */
static void other_kind(void) {
  MPI_Group group;
  MPI_Datatype type;
  int number;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Type_contiguous(3, MPI_INT, &type);
  expect_error("group as communicator", MPI_Comm_size((MPI_Comm)group, &number));
  expect_error("type as group", MPI_Group_size((MPI_Group)type, &number));
  expect_error("group as type", MPI_Type_size((MPI_Datatype)group, &number));
  expect_error("address as communicator", MPI_Barrier((MPI_Comm)in));
  expect_error("group as request", MPI_Wait((MPI_Request*)&group, MPI_STATUS_IGNORE));
  MPI_Type_free(&type);
  MPI_Group_free(&group);
}

static void other_operation(void) {
  if (rank == 0)
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  else
    MPI_Barrier(MPI_COMM_WORLD);
}

static void other_root(void) {
  MPI_Bcast(in, 1, MPI_INT, rank == 0 ? 0 : 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void twice_the_data(void) {
  MPI_Gather(in, rank == 0 ? 1 : 2, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void other_allreduce(void) {
  MPI_Allreduce(in, out, rank == 0 ? kMany : kMany / 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void other_bcast(void) {
  MPI_Bcast(in, rank == 0 ? kMany : kMany / 2, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void other_reduce(void) {
  MPI_Reduce(in, out, rank == 0 ? kMany : kMany / 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Equal bytes in other words, and every operation in turn: nothing is wrong here. */
static void all_match(void) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < 600; ++i) {
    const int root = i % size;
    MPI_Bcast(in, rank == 0 ? 4 : 2, rank == 0 ? MPI_INT : pair, root, MPI_COMM_WORLD);
    MPI_Gather(in, rank == 0 ? 2 : 1, rank == 0 ? MPI_INT : pair, out, 2, MPI_INT, root,
               MPI_COMM_WORLD);
    MPI_Scatter(out, 1, pair, in, 2, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scan(in, out, 1 + i % 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(in, out, i, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    if (i % 50 == 0) {
      MPI_Allreduce(in, out, 100 * i, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Type_free(&pair);
}

/* Rank 1 dies while rank 0 waits for its message, which nobody sends. */
static void killed(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) kill(getpid(), SIGKILL);
  MPI_Recv(in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {
#define CASE(name) \
  { #name, name }
    CASE(stale_handles),  CASE(stale_op),        CASE(stale_window),    CASE(stale_file),
    CASE(stale_request),  CASE(other_kind),      CASE(other_operation), CASE(other_root),
    CASE(twice_the_data), CASE(other_allreduce), CASE(other_bcast),     CASE(other_reduce),
    CASE(all_match),      CASE(killed)};

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "cleared") == 0) clearenv();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, argv[1]) == 0) all[i].run();
  MPI_Finalize();
  return 0;
}
