/* SPDX-License-Identifier: BSD-3-Clause */
/* A communicator within one system has everything, children too; on one that spans systems, what
 * neither the protocol nor we carry is refused, by all of its processes. */
#include "check.h"

static MPI_Comm own; /* of the processes of this system */

static void expect_refusal(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  CHECK(class == MPI_ERR_UNSUPPORTED_OPERATION);
}

/* req impi 20.8 */
static void refusals(char* program) {
  int value = 0;
  char port[MPI_MAX_PORT_NAME] = "nowhere";
  MPI_Comm comm;
  MPI_Group group;
  MPI_Win window;
  MPI_File file;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  expect_refusal(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  expect_refusal(
      MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  expect_refusal(MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm));
  expect_refusal(MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  expect_refusal(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm,
                                MPI_ERRCODES_IGNORE));
  expect_refusal(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm));
  expect_refusal(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm));
  MPI_Group_free(&group);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* req impi 23.3 */
static void windows(void) {
  int room = -1, rank = 0, n = 0;
  MPI_Win window;
  MPI_Comm_rank(own, &rank);
  MPI_Comm_size(own, &n);
  MPI_Win_create(&room, sizeof room, sizeof room, MPI_INFO_NULL, own, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(room == (rank + n - 1) % n);
  MPI_Win_free(&window);
}

static void files(void) {
  const char* const folder = getenv("TMPDIR");
  char name[4096];
  int rank = 0, n = 0, seen = -1;
  MPI_File file;
  MPI_Comm_rank(own, &rank);
  MPI_Comm_size(own, &n);
  snprintf(name, sizeof name, "%s/system%d", folder != NULL ? folder : "/tmp", color);
  MPI_File_open(own, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof me, &me, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(own);
  MPI_File_read_at_all(file, (rank + 1) % n * (MPI_Offset)sizeof me, &seen, 1, MPI_INT,
                       MPI_STATUS_IGNORE);
  CHECK(seen == me - rank + (rank + 1) % n);
  MPI_File_close(&file);
}

/* The children are no part of the job of several systems, but of this system. */
static void children(char* program) {
  MPI_Comm family, all, again;
  int value = 0, sum = 0, n = 0, flag = 0;
  int* attribute = NULL;
  MPI_Comm_size(own, &n);
  MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, own, &family, MPI_ERRCODES_IGNORE);
  if (me == 0) {
    MPI_Recv(&value, 1, MPI_INT, 1, 3, family, MPI_STATUS_IGNORE);
    CHECK(value == 2);
  }
  MPI_Comm_get_attr(family, IMPI_CLIENT_SIZE, &attribute, &flag);
  CHECK(flag && *attribute == 1);
  MPI_Intercomm_merge(family, 0, &all);
  value = 1;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == n + 2);
  MPI_Comm_dup(all, &again);
  MPI_Comm_get_attr(again, IMPI_HOST_SIZE, &attribute, &flag);
  CHECK(flag && *attribute == sum);
  MPI_Comm_free(&again);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&family);
}

static void be_a_child(MPI_Comm family) {
  MPI_Comm all, again;
  int n = 0, rank = 0, value = 1, sum = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    const char* const first = getenv("TESSERA_MCA_impi_rank");
    if (first != NULL && atoi(first) == 0) MPI_Send(&n, 1, MPI_INT, 0, 3, family);
  }
  MPI_Intercomm_merge(family, 1, &all);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_dup(all, &again);
  MPI_Comm_free(&again);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&family);
  MPI_Finalize();
}

int main(int argc, char** argv) {
  MPI_Comm family;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&family);
  if (family != MPI_COMM_NULL) return be_a_child(family), 0;
  look_around();
  MPI_Comm_split(MPI_COMM_WORLD, color, me, &own);
  refusals(argv[0]);
  windows();
  files();
  children(argv[0]);
  MPI_Comm_free(&own);
  end("within");
  return 0;
}
