/* SPDX-License-Identifier: BSD-3-Clause
   Error handlers: whom they hear of, what they are given, who inherits them; error codes, classes
   and strings. */
#include "case.h"

#include <string.h>

/* What the handlers were called with. */
static struct {
  int calls, code;
  MPI_Comm comm;
} heard;

static void listen(MPI_Comm* comm, int* code, ...) {
  heard.calls++;
  heard.comm = *comm;
  heard.code = *code;
}

static void other_listener(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  heard.calls += 100;
}

static MPI_Errhandler listener(void) {
  MPI_Errhandler handler;
  MPI_Errhandler_create(listen, &handler);
  memset(&heard, 0, sizeof heard);
  return handler;
}

/* A wrong call on `comm`; what it returned. */
static int go_wrong(MPI_Comm comm) {
  int number = 0;
  return MPI_Send(&number, 1, MPI_INT, 0x7ffffff, 0, comm);
}

static void handler_is_called(MPI_Comm comm) {
  MPI_Errhandler handler = listener();
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  MPI_Errhandler_set(comm, handler);
  MPI_Errhandler_set(twin, MPI_ERRORS_RETURN);
  const int code = go_wrong(comm);
  CHECK_CLASS(code, MPI_ERR_RANK);
  CHECK_EQUAL(heard.calls, 1);
  CHECK(heard.comm == comm);
  CHECK_EQUAL(heard.code, code);
  CHECK_CLASS(go_wrong(twin), MPI_ERR_RANK); /* another communicator, another handler */
  CHECK_EQUAL(heard.calls, 1);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  CHECK_CLASS(go_wrong(comm), MPI_ERR_RANK); /* the communicator keeps it */
  CHECK_EQUAL(heard.calls, 2);
  MPI_Comm_free(&twin);
}

/* Two requests of one call fail: the codes are in the statuses. */
static void several_failures(MPI_Comm comm) {
  MPI_Errhandler handler = listener();
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int out[2] = {1, 2}, in[3] = {0, 0, 0}, self = rank_in(comm);
  MPI_Errhandler_set(comm, handler);
  MPI_Irecv(&in[0], 1, MPI_INT, self, 0, comm, &requests[0]);
  MPI_Irecv(&in[1], 1, MPI_INT, self, 1, comm, &requests[1]);
  MPI_Irecv(&in[2], 1, MPI_INT, self, 2, comm, &requests[2]);
  for (int tag = 0; tag < 3; tag++) {
    MPI_Request send;
    MPI_Isend(out, tag == 1 ? 1 : 2, MPI_INT, self, tag, comm, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  CHECK_EQUAL(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
  CHECK_CLASS(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
  CHECK_EQUAL(statuses[1].MPI_ERROR, MPI_SUCCESS);
  CHECK_CLASS(statuses[2].MPI_ERROR, MPI_ERR_TRUNCATE);
  CHECK_EQUAL(heard.calls, 2); /* once for each, with its code */
  CHECK(heard.comm == comm && heard.code == statuses[2].MPI_ERROR);
  MPI_Errhandler_free(&handler);
}

/* A failed call leaves the library working. */
static void goes_on(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  int got = -1, sum = 0, two[2] = {rank, rank}, one = 0;
  MPI_Request request;
  returning(comm);
  CHECK_CLASS(go_wrong(comm), MPI_ERR_RANK);
  MPI_Isend(two, 2, MPI_INT, (rank + 1) % size, 0, comm, &request);
  CHECK_CLASS(MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE),
              MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm,
               MPI_STATUS_IGNORE);
  CHECK_EQUAL(got, (rank + size - 1) % size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQUAL(sum, size * (size - 1) / 2);
}

/* The usual mistakes, each with its class. */
static void handled_errors(MPI_Comm comm) {
  int number = 0, *nowhere = NULL;
  MPI_Status status;
  returning(comm);
  CHECK_CLASS(MPI_Send(nowhere, 1, MPI_INT, 0, 0, comm), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Send(&number, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Send(&number, 1, MPI_DATATYPE_NULL, 0, 0, comm), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Send(&number, 1, MPI_INT, 0, -5, comm), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Send(&number, 1, MPI_INT, size_of(comm), 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Recv(&number, 1, MPI_INT, -77, 0, comm, &status), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Bcast(&number, 1, MPI_INT, size_of(comm), comm), MPI_ERR_ROOT);
  CHECK_CLASS(MPI_Allreduce(&number, &status, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP);
  CHECK_CLASS(MPI_Attr_get(comm, MPI_TAG_UB, NULL, &number), MPI_ERR_ARG);
}

static void without_communicator(MPI_Comm comm) {
  MPI_Errhandler handler = listener();
  int size = 0;
  (void)comm;
  MPI_Errhandler_set(MPI_COMM_SELF, handler);
  CHECK_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
  CHECK_EQUAL(heard.calls, 1);
  CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &size), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Comm_size(MPI_COMM_NULL, &size), MPI_ERR_COMM);
  CHECK_EQUAL(heard.calls, 3);
  MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

/* A request reports to the communicator that it was started on. */
static void of_requests(MPI_Comm comm) {
  MPI_Errhandler handler = listener();
  MPI_Request request, send;
  int out[2] = {1, 2}, in = 0;
  MPI_Errhandler_set(comm, handler);
  MPI_Irecv(&in, 1, MPI_INT, rank_in(comm), 0, comm, &request);
  MPI_Isend(out, 2, MPI_INT, rank_in(comm), 0, comm, &send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK_CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  CHECK(heard.calls == 1 && heard.comm == comm);
  MPI_Errhandler_free(&handler);
}

/* The new communicator has the listener; frees it. */
static void expect_heir(MPI_Comm* made, const char* how) {
  if (*made == MPI_COMM_NULL) return;
  heard.calls = 0;
  CHECK_CLASS(go_wrong(*made), MPI_ERR_RANK);
  check_at(heard.calls == 1 && heard.comm == *made, how, __FILE__, __LINE__);
  MPI_Comm_free(made);
}

static void inheritance(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), none = 0;
  int index[16], edges[16];
  MPI_Errhandler handler = listener();
  MPI_Comm made, line, half, inter, fresh;
  MPI_Group all;
  MPI_Comm_dup(comm, &fresh);
  for (int i = 0; i < size; i++) index[i] = i + 1, edges[i] = i;
  MPI_Comm_group(comm, &all);
  MPI_Errhandler_set(comm, handler);
  MPI_Comm_dup(comm, &made), expect_heir(&made, "MPI_Comm_dup");
  MPI_Comm_create(comm, all, &made), expect_heir(&made, "MPI_Comm_create");
  MPI_Comm_split(comm, 0, 0, &made), expect_heir(&made, "MPI_Comm_split");
  MPI_Graph_create(comm, size, index, edges, 0, &made), expect_heir(&made, "MPI_Graph_create");
  MPI_Cart_create(comm, 1, &size, &none, 0, &line);
  MPI_Cart_sub(line, &none, &made), expect_heir(&made, "MPI_Cart_sub");
  expect_heir(&line, "MPI_Cart_create");
  MPI_Comm_split(comm, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, fresh, 1 - rank % 2, 1,
                       &inter); /* from the local communicator, not the bridge */
  MPI_Intercomm_merge(inter, rank % 2, &made), expect_heir(&made, "MPI_Intercomm_merge");
  expect_heir(&inter, "MPI_Intercomm_create");
  MPI_Comm_free(&half);
  MPI_Errhandler_set(fresh, MPI_ERRORS_RETURN);
  heard.calls = 0;
  MPI_Errhandler_set(comm, MPI_ERRORS_RETURN); /* what the children had was theirs */
  CHECK_CLASS(go_wrong(comm), MPI_ERR_RANK);
  CHECK_EQUAL(heard.calls, 0);
  MPI_Comm_free(&fresh);
  MPI_Group_free(&all);
  MPI_Errhandler_free(&handler);
}

/* A library sets its own handler and puts the caller's back. */
static void save_and_restore(MPI_Comm comm) {
  MPI_Errhandler handler = listener(), saved = MPI_ERRHANDLER_NULL, own;
  MPI_Errhandler_set(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_get(comm, &saved);
  MPI_Errhandler_create(other_listener, &own);
  MPI_Errhandler_set(comm, own);
  CHECK_CLASS(go_wrong(comm), MPI_ERR_RANK);
  CHECK_EQUAL(heard.calls, 100);
  MPI_Errhandler_set(comm, saved);
  MPI_Errhandler_free(&saved);
  MPI_Errhandler_free(&own);
  CHECK_CLASS(go_wrong(comm), MPI_ERR_RANK);
  CHECK_EQUAL(heard.calls, 101);
}

static void predefined_handlers(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler_get(MPI_COMM_WORLD, &handler);
  CHECK(handler == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_get(MPI_COMM_SELF, &handler);
  CHECK(handler == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_get(comm, &handler);
  CHECK(handler == MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  returning(comm);
  CHECK(MPI_Errhandler_set(comm, MPI_ERRHANDLER_NULL) != MPI_SUCCESS);
  CHECK_CLASS(go_wrong(comm), MPI_ERR_RANK);
}

static const int classes[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT,     MPI_ERR_TYPE,     MPI_ERR_TAG,
                              MPI_ERR_COMM,   MPI_ERR_RANK,      MPI_ERR_REQUEST,  MPI_ERR_ROOT,
                              MPI_ERR_GROUP,  MPI_ERR_OP,        MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,
                              MPI_ERR_ARG,    MPI_ERR_UNKNOWN,   MPI_ERR_TRUNCATE, MPI_ERR_OTHER,
                              MPI_ERR_INTERN, MPI_ERR_IN_STATUS, MPI_ERR_PENDING};
enum { CLASSES = sizeof classes / sizeof classes[0] };

static void codes_and_classes(MPI_Comm comm) {
  int class = -1;
  (void)comm;
  CHECK_EQUAL(MPI_SUCCESS, 0);
  for (int i = 0; i < CLASSES; i++) {
    CHECK(classes[i] > MPI_SUCCESS && classes[i] <= MPI_ERR_LASTCODE);
    MPI_Error_class(classes[i], &class);
    CHECK_EQUAL(class, classes[i]);
    for (int j = 0; j < i; j++) CHECK(classes[j] != classes[i]);
  }
  MPI_Error_class(MPI_SUCCESS, &class);
  CHECK_EQUAL(class, MPI_SUCCESS);
}

/* Guarded on both sides; the length is that of the string. */
static void string_of(int code, char text[MPI_MAX_ERROR_STRING]) {
  char room[MPI_MAX_ERROR_STRING + 2];
  int length = -1;
  memset(room, '#', sizeof room);
  CHECK_EQUAL(MPI_Error_string(code, room + 1, &length), MPI_SUCCESS);
  CHECK(room[0] == '#' && room[MPI_MAX_ERROR_STRING + 1] == '#');
  CHECK(length > 0 && length < MPI_MAX_ERROR_STRING && room[1 + length] == '\0');
  CHECK_EQUAL(strlen(room + 1), length);
  memcpy(text, room + 1, (size_t)length + 1);
}

static void strings(MPI_Comm comm) {
  char texts[CLASSES][MPI_MAX_ERROR_STRING], text[MPI_MAX_ERROR_STRING],
      plain[MPI_MAX_ERROR_STRING];
  for (int i = 0; i < CLASSES; i++) {
    string_of(classes[i], texts[i]);
    for (int j = 0; j < i; j++) CHECK(strcmp(texts[i], texts[j]) != 0);
  }
  string_of(MPI_SUCCESS, text);
  returning(comm);
  string_of(go_wrong(comm), text); /* a code says more than its class: here the wrong value */
  string_of(MPI_ERR_RANK, plain);
  CHECK(strstr(text, "134217727") != NULL && strcmp(text, plain) != 0);
}

static const Case cases[] = {
    {"req 7.3.16, req 7.3.18, req 7.3.22, req 7.3.21",
     "the handler of the communicator is called once, then the call returns", ANY,
     handler_is_called},
    {"req 7.3.16, req errata 2.51",
     "requests of one call that fail have their codes in the statuses", ANY, several_failures},
    {"req 7.3.17", "after an error the library goes on", ANY, goes_on},
    {"req 7.3.15", "the usual mistakes have their classes", ANY, handled_errors},
    {"req 7.3.18", "calls without communicator go to MPI_COMM_SELF", ANY, without_communicator},
    {"req 7.3.18", "requests go to the communicator they were started on", ANY, of_requests},
    {"req 7.3.20, req 5.3.20", "every constructor hands the handler on", 2, inheritance},
    {"req 7.3.21, ex 7.4.1", "a library saves and restores the handler of its caller", ANY,
     save_and_restore},
    {"req 7.3.19, req 7.3.21", "a communicator always has a handler, at first MPI_ERRORS_ARE_FATAL",
     ANY, predefined_handlers},
    {"req 7.3.23, req 7.3.24",
     "error classes are their own class, distinct, and not above MPI_ERR_LASTCODE", ANY,
     codes_and_classes},
    {"req 7.3.25", "every class and code has its own string", ANY, strings},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
