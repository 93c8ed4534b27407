// SPDX-License-Identifier: BSD-3-Clause
// What belongs to a session: process sets, hints, error handlers, buffers; and wrong arguments.
#include "sessions.h"

static char value_of_key[64];

static const char* value_of(MPI_Info info, const char* key) {
  int length = sizeof value_of_key, flag = 0;
  MPI_Info_get_string(info, key, &length, value_of_key, &flag);
  return flag ? value_of_key : "";
}

// req dynamic 10.8
static void questions(void) {
  MPI_Info wish, info;
  MPI_Info_create(&wish);
  MPI_Info_set(wish, "thread_level", "MPI_THREAD_SINGLE");
  MPI_Session session;
  CHECK(MPI_Session_init(wish, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  CHECK(MPI_Session_get_info(session, &info) == MPI_SUCCESS);
  CHECK(strcmp(value_of(info, "thread_level"), "MPI_THREAD_SINGLE") == 0);
  CHECK(strcmp(value_of(info, "mpi_thread_support_level"), "MPI_THREAD_SINGLE") == 0);
  MPI_Info_free(&info);
  int sets = 0, world = 0, self = 0;
  CHECK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets) == MPI_SUCCESS && sets >= 2);
  for (int n = 0; n < sets; ++n) {
    char name[MPI_MAX_PSET_NAME_LEN], cut[4] = "zzz";
    int length = 0, short_length = sizeof cut;
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, NULL) == MPI_SUCCESS);
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &short_length, cut) == MPI_SUCCESS);
    CHECK(short_length == length && strcmp(cut, "mpi") == 0);
    const int needed = length;
    CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name) == MPI_SUCCESS);
    CHECK(length == needed && (int)strlen(name) + 1 == length);
    CHECK(MPI_Session_get_pset_info(session, name, &info) == MPI_SUCCESS);
    MPI_Group group = group_of(session, name);
    int size = -1;
    MPI_Group_size(group, &size);
    CHECK(atoi(value_of(info, "mpi_size")) == size);
    world |= strcmp(name, "mpi://WORLD") == 0;
    self |= strcmp(name, "mpi://SELF") == 0 && size == 1;
    MPI_Group_free(&group);
    MPI_Info_free(&info);
  }
  CHECK(world && self);
  MPI_Session_finalize(&session);
  MPI_Info_set(wish, "thread_level", "MANY");
  CHECK(class_of(MPI_Session_init(wish, MPI_ERRORS_RETURN, &session)) == MPI_ERR_INFO_VALUE);
  MPI_Info_free(&wish);
}

static int handled = 0, handled_class = 0;
static MPI_Session handled_session;

static void session_handler(MPI_Session* session, int* code, ...) {
  ++handled;
  handled_class = class_of(*code);
  handled_session = *session;
}

static void comm_handler(MPI_Comm* comm, int* code, ...) {
  ++handled;
  handled_class = *comm == MPI_COMM_NULL ? class_of(*code) : -1;
}

// req dynamic 10.6
static void handlers(void) {
  MPI_Errhandler handler, got, of_comms;
  MPI_Session session;
  CHECK(MPI_Session_create_errhandler(session_handler, &handler) == MPI_SUCCESS);
  CHECK(MPI_Session_init(MPI_INFO_NULL, handler, &session) == MPI_SUCCESS);
  MPI_Group group = MPI_GROUP_NULL;
  handled = 0;
  CHECK(class_of(MPI_Group_from_session_pset(session, "mpi://nowhere", &group)) == MPI_ERR_ARG);
  CHECK(handled == 1 && handled_class == MPI_ERR_ARG && handled_session == session);
  CHECK(group == MPI_GROUP_NULL);
  CHECK(MPI_Session_call_errhandler(session, MPI_ERR_TAG) == MPI_SUCCESS);
  CHECK(handled == 2 && handled_class == MPI_ERR_TAG);
  CHECK(MPI_Session_get_errhandler(session, &got) == MPI_SUCCESS && got == handler);
  MPI_Errhandler_free(&got);
  CHECK(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  int length = 0;
  MPI_Info info;
  CHECK(class_of(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 99, &length, NULL)) ==
        MPI_ERR_ARG);
  CHECK(class_of(MPI_Session_get_pset_info(session, NULL, &info)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Session_get_info(session, NULL)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Session_set_errhandler(session, MPI_ERRHANDLER_NULL)) == MPI_ERR_ERRHANDLER);
  MPI_Comm_create_errhandler(comm_handler, &of_comms);
  CHECK(class_of(MPI_Session_set_errhandler(session, of_comms)) == MPI_ERR_ERRHANDLER);
  CHECK(handled == 2);
  // The handler that a new communicator is to have hears why there is none.
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK(class_of(MPI_Comm_create_from_group(MPI_GROUP_NULL, "x", MPI_INFO_NULL, of_comms, &comm)) ==
        MPI_ERR_GROUP);
  CHECK(handled == 3 && handled_class == MPI_ERR_GROUP);
  group = group_of(session, "mpi://SELF");
  CHECK(class_of(MPI_Comm_create_from_group(group, NULL, MPI_INFO_NULL, of_comms, &comm)) ==
        MPI_ERR_ARG);
  char* tag = malloc(2 * MPI_MAX_STRINGTAG_LEN);
  memset(tag, 'x', 2 * MPI_MAX_STRINGTAG_LEN);
  tag[2 * MPI_MAX_STRINGTAG_LEN - 1] = '\0';
  CHECK(class_of(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, of_comms, &comm)) ==
        MPI_ERR_ARG);
  tag[MPI_MAX_STRINGTAG_LEN - 1] = '\0';
  CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, of_comms, &comm) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_errhandler(comm, &got) == MPI_SUCCESS && got == of_comms);
  MPI_Errhandler_free(&got);
  free(tag);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Errhandler_free(&of_comms);
  MPI_Errhandler_free(&handler);
  MPI_Session_finalize(&session);
}

// The buffer of the session serves its communicators, unless they have their own.
static void buffers(void) {
  MPI_Session session = open_session(), other = open_session();
  MPI_Comm comm = comm_of(session, "mpi://SELF", "buffered"), half;
  MPI_Comm stranger = comm_of(other, "mpi://SELF", "stranger");
  MPI_Comm_split(comm, 0, 0, &half);
  int out = 5, in = 0, size = -1;
  static char memory[MPI_BSEND_OVERHEAD + 64];
  void* back = NULL;
  CHECK(class_of(MPI_Bsend(&out, 1, MPI_INT, 0, 0, comm)) != MPI_SUCCESS);
  CHECK(MPI_Session_attach_buffer(session, memory, sizeof memory) == MPI_SUCCESS);
  CHECK(class_of(MPI_Session_attach_buffer(session, memory, sizeof memory)) == MPI_ERR_BUFFER);
  CHECK(MPI_Bsend(&out, 1, MPI_INT, 0, 0, half) == MPI_SUCCESS);
  CHECK(MPI_Recv(&in, 1, MPI_INT, 0, 0, half, MPI_STATUS_IGNORE) == MPI_SUCCESS && in == 5);
  CHECK(class_of(MPI_Bsend(&out, 1, MPI_INT, 0, 0, stranger)) != MPI_SUCCESS);
  CHECK(MPI_Session_flush_buffer(session) == MPI_SUCCESS);
  MPI_Request request;
  CHECK(MPI_Session_iflush_buffer(session, &request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Session_detach_buffer(session, &back, &size) == MPI_SUCCESS);
  CHECK(back == memory && size == (int)sizeof memory);
  MPI_Count large = -1;
  CHECK(MPI_Session_attach_buffer_c(session, MPI_BUFFER_AUTOMATIC, 0) == MPI_SUCCESS);
  CHECK(MPI_Bsend(&out, 1, MPI_INT, 0, 1, comm) == MPI_SUCCESS);
  CHECK(MPI_Recv(&in, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Session_detach_buffer_c(session, &back, &large) == MPI_SUCCESS &&
        back == MPI_BUFFER_AUTOMATIC);
  MPI_Session_attach_buffer(session, memory, sizeof memory);  // stays until the end
  MPI_Comm_free(&half);
  MPI_Comm_free(&stranger);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&other);
  MPI_Session_finalize(&session);
}

// The other order of the ends is in sessions.c.
static void world_ends_last(void) {
  CHECK(MPI_Init(NULL, NULL) == MPI_SUCCESS);
  MPI_Session session = open_session();
  MPI_Comm comm = comm_of(session, "mpi://WORLD", "inside");
  use(comm);
  use(MPI_COMM_WORLD);
  MPI_Comm_free(&comm);
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
  use(MPI_COMM_WORLD);
  CHECK(MPI_Finalize() == MPI_SUCCESS);
}

int main(void) {
  questions();
  handlers();
  buffers();
  world_ends_last();
  return failures == 0 ? 0 : 1;
}
