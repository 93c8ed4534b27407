/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls after MPI_Finalize, on what the program has left behind: after_finalize NAME. Each call
 * says what came of it: "MPI_X: no error", or the text of its error. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm comm, grid;
static MPI_Group group;
static MPI_Datatype type;
static MPI_Op op;
static MPI_Win win;
static MPI_File file;
static MPI_Request persistent, pending, partitioned;
static MPI_Message message;
static MPI_Info info;
static MPI_Errhandler handler;
static MPI_Status status, statuses[2];
static int keyval, number, flag, zero, data[4], other[4];
static MPI_Aint address;
static char text[MPI_MAX_LIBRARY_VERSION_STRING], packed[MPI_MAX_LIBRARY_VERSION_STRING];

static void tell(const char* call, int code) {
  int length;
  text[0] = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  printf("%.*s: %s\n", (int)strcspn(call, "("), call, code == MPI_SUCCESS ? "no error" : text);
}
#define TRY(call) tell(#call, call)

static void nothing(void* a, void* b, int* count, MPI_Datatype* what) {
  (void)a, (void)b, (void)count, (void)what;
}

static void on_error(MPI_Comm* where, int* code, ...) {
  (void)where, (void)code;
}

static void leave_all_behind(void) {
  const int one = 1;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Cart_create(MPI_COMM_SELF, 1, &one, &zero, 0, &grid);
  MPI_Comm_group(comm, &group);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(nothing, 1, &op);
  MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Recv_init(data, 1, MPI_INT, 0, 0, comm, &persistent);
  MPI_Irecv(data, 1, MPI_INT, 0, 3, comm, &pending);
  MPI_Send(data, 1, MPI_INT, 0, 3, comm);
  MPI_Psend_init(data, 1, 1, MPI_INT, 0, 4, comm, MPI_INFO_NULL, &partitioned);
  MPI_Request sent;
  MPI_Isend(data, 1, MPI_INT, 0, 5, comm, &sent);
  MPI_Mprobe(0, 5, comm, &message, MPI_STATUS_IGNORE);
  MPI_Request_free(&sent);
  MPI_Info_create(&info);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
}

/* What the program has made of MPI's objects. */
static void try_own(void) {
  MPI_Comm new_comm;
  MPI_Group new_group;
  MPI_Win new_win;
  MPI_Request request;
  TRY(MPI_Comm_rank(comm, &number));
  TRY(MPI_Comm_dup(comm, &new_comm));
  TRY(MPI_Comm_get_attr(comm, MPI_TAG_UB, &address, &flag));
  TRY(MPI_Comm_set_errhandler(comm, handler));
  TRY(MPI_Comm_set_name(comm, "name"));
  TRY(MPI_Cart_coords(grid, 0, 1, &number));
  TRY(MPI_Send(data, 1, MPI_INT, 0, 0, comm));
  TRY(MPI_Recv(data, 1, MPI_INT, 0, 3, comm, &status));
  TRY(MPI_Isend(data, 1, type, 0, 0, comm, &request));
  TRY(MPI_Iprobe(0, 0, comm, &flag, &status));
  TRY(MPI_Bsend(data, 1, MPI_INT, 0, 0, comm));
  TRY(MPI_Barrier(comm));
  TRY(MPI_Ibarrier(comm, &request));
  TRY(MPI_Allreduce(data, other, 1, MPI_INT, op, comm));
  TRY(MPI_Mrecv(data, 1, MPI_INT, &message, &status));
  TRY(MPI_Start(&persistent));
  TRY(MPI_Startall(1, &persistent));
  TRY(MPI_Pready(0, partitioned));
  TRY(MPI_Parrived(partitioned, 0, &flag));
  TRY(MPI_Grequest_complete(persistent));
  TRY(MPI_Request_get_status(pending, &flag, &status));
  TRY(MPI_Cancel(&pending));
  TRY(MPI_Wait(&persistent, &status));
  TRY(MPI_Wait(&pending, &status));
  TRY(MPI_Test(&pending, &flag, &status));
  TRY(MPI_Waitall(1, &pending, statuses));
  TRY(MPI_Waitany(1, &pending, &number, &status));
  TRY(MPI_Testsome(1, &pending, &number, other, statuses));
  TRY(MPI_Request_free(&persistent));
  TRY(MPI_Group_size(group, &number));
  TRY(MPI_Group_incl(group, 1, &zero, &new_group));
  TRY(MPI_Win_create(data, 4, 1, MPI_INFO_NULL, comm, &new_win));
  TRY(MPI_Win_fence(0, win));
  TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  TRY(MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
  TRY(MPI_Win_set_name(win, "name"));
  TRY(MPI_File_get_size(file, (MPI_Offset*)text));
  TRY(MPI_File_read(file, data, 1, MPI_INT, &status));
  TRY(MPI_File_write_all(file, data, 1, MPI_INT, &status));
  TRY(MPI_Type_size(type, &number));
  TRY(MPI_Type_get_extent(type, &address, &address));
  TRY(MPI_Type_get_name(type, text, &number));
  TRY(MPI_Type_commit(&type));
  TRY(MPI_Op_commutative(op, &number));
  TRY(MPI_Win_free(&win));
  TRY(MPI_File_close(&file));
  TRY(MPI_Type_free(&type));
  TRY(MPI_Op_free(&op));
  TRY(MPI_Group_free(&group));
  TRY(MPI_Comm_disconnect(&grid));
  TRY(MPI_Comm_free(&comm));
}

/* What is not the program's own, and what needs no object. */
static void try_predefined(void) {
  MPI_Comm new_comm;
  MPI_Group new_group;
  MPI_Datatype new_type;
  MPI_Op new_op;
  MPI_Errhandler new_handler;
  MPI_Request request;
  void* memory = NULL;
  TRY(MPI_Comm_size(MPI_COMM_WORLD, &number));
  TRY(MPI_Barrier(MPI_COMM_WORLD));
  TRY(MPI_Comm_split(MPI_COMM_SELF, 0, 0, &new_comm));
  TRY(MPI_Comm_get_parent(&new_comm));
  TRY(MPI_Group_size(MPI_GROUP_EMPTY, &number));
  TRY(MPI_Group_union(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &new_group));
  TRY(MPI_Type_contiguous(2, MPI_INT, &new_type));
  TRY(MPI_Type_dup(MPI_INT, &new_type));
  TRY(MPI_Type_size(MPI_INT, &number));
  TRY(MPI_Type_get_extent(MPI_INT, &address, &address));
  TRY(MPI_Type_get_name(MPI_INT, text, &number));
  TRY(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &new_type));
  TRY(MPI_Pack_external("external32", data, 1, MPI_INT, packed, 100, &address));
  TRY(MPI_Pack_external_size("external32", 1, MPI_INT, &address));
  TRY(MPI_Op_create(nothing, 1, &new_op));
  TRY(MPI_Op_commutative(MPI_SUM, &number));
  TRY(MPI_Reduce_local(data, other, 1, MPI_INT, MPI_SUM));
  TRY(MPI_Comm_create_errhandler(on_error, &new_handler));
  TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &number, NULL));
  TRY(MPI_Comm_free_keyval(&keyval));
  TRY(MPI_Grequest_start(NULL, NULL, NULL, NULL, &request));
  TRY(MPI_Buffer_attach(packed, 100));
  TRY(MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  TRY(MPI_File_delete("/no/such/file", MPI_INFO_NULL));
  TRY(MPI_Alloc_mem(8, MPI_INFO_NULL, &memory));
  TRY(MPI_Get_processor_name(text, &number));
  TRY(MPI_Open_port(MPI_INFO_NULL, text));
  TRY(MPI_Lookup_name("service", MPI_INFO_NULL, text));
  TRY(MPI_Query_thread(&number));
  TRY(MPI_Is_thread_main(&number));
  TRY(MPI_Finalize());
}

/* MPI-5.0, table 11.1. */
static void try_always(void) {
  MPI_Info copy;
  MPI_Errhandler new_handler;
  TRY(MPI_Initialized(&flag));
  TRY(MPI_Finalized(&flag));
  TRY(MPI_Get_version(&number, &flag));
  TRY(MPI_Get_library_version(packed, &number));
  TRY(MPI_Info_set(info, "key", "value"));
  TRY(MPI_Info_dup(info, &copy));
  TRY(MPI_Info_free(&copy));
  TRY(MPI_Info_free(&info));
  TRY(MPI_Session_create_errhandler((MPI_Session_errhandler_function*)on_error, &new_handler));
  TRY(MPI_Errhandler_free(&new_handler));
  TRY(MPI_Errhandler_free(&handler));
  TRY(MPI_Add_error_class(&number));
  TRY(MPI_Add_error_code(number, &number));
  TRY(MPI_Add_error_string(number, "text"));
}

/* A session that is open lets types, operations and groups be used, and ends without them. */
static void try_session(void) {
  MPI_Session session;
  MPI_Datatype new_type;
  MPI_Group set;
  TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  TRY(MPI_Type_size(MPI_INT, &number));
  TRY(MPI_Type_size(type, &number));
  TRY(MPI_Type_dup(type, &new_type));
  TRY(MPI_Type_free(&new_type));
  TRY(MPI_Op_commutative(op, &number));
  TRY(MPI_Group_from_session_pset(session, "mpi://SELF", &set));
  TRY(MPI_Group_size(set, &number));
  TRY(MPI_Group_free(&set));
  TRY(MPI_Session_finalize(&session));
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  leave_all_behind();
  MPI_Finalize();
  if (strcmp(what, "own") == 0) try_own();
  if (strcmp(what, "predefined") == 0) try_predefined();
  if (strcmp(what, "always") == 0) try_always();
  if (strcmp(what, "session") == 0) try_session();
  if (strcmp(what, "after_session") == 0) try_session(), puts("closed"), try_own();
  return 0;
}
