/* SPDX-License-Identifier: BSD-3-Clause
   What holds for all of MPI: handles and objects, constants, arguments that do not count, blocking
   and local calls. */
#include "case.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Constants as initialisers of objects that exist before MPI_Init. */
static const MPI_Comm world = MPI_COMM_WORLD;
static const MPI_Datatype types[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
static const MPI_Op ops[2] = {MPI_SUM, MPI_MAX};
static MPI_Request idle[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static int keyval = MPI_KEYVAL_INVALID;
static const int wildcards[2] = {MPI_ANY_SOURCE, MPI_ANY_TAG};
static char name[MPI_MAX_PROCESSOR_NAME];

static void adds(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; i++) ((int*)inout)[i] += ((int*)in)[i];
}

static int heard;
static void listen(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  heard++;
}

static void null_after_free(MPI_Comm comm) {
  int number = 0, key;
  MPI_Comm twin;
  MPI_Group group;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Errhandler handler;
  MPI_Request request;
  MPI_Comm_dup(comm, &twin), MPI_Comm_free(&twin);
  MPI_Comm_group(comm, &group), MPI_Group_free(&group);
  MPI_Type_contiguous(2, MPI_INT, &type), MPI_Type_free(&type);
  MPI_Op_create(adds, 1, &op), MPI_Op_free(&op);
  MPI_Errhandler_create(listen, &handler), MPI_Errhandler_free(&handler);
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, NULL), MPI_Keyval_free(&key);
  MPI_Send_init(&number, 1, MPI_INT, 0, 0, comm, &request), MPI_Request_free(&request);
  CHECK(twin == MPI_COMM_NULL);
  CHECK(group == MPI_GROUP_NULL);
  CHECK(type == MPI_DATATYPE_NULL);
  CHECK(op == MPI_OP_NULL);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  CHECK_EQUAL(key, MPI_KEYVAL_INVALID);
  CHECK(request == MPI_REQUEST_NULL);
  MPI_Isend(&number, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request),
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(request == MPI_REQUEST_NULL);
}

static void null_arguments(MPI_Comm comm) {
  int number = 0, flag = 0;
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  returning(comm);
  returning(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Comm_rank(MPI_COMM_NULL, &number), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Bcast(&number, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
  CHECK_CLASS(MPI_Start(&none), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Cancel(&none), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Request_free(&none), MPI_ERR_REQUEST);
  CHECK(MPI_Errhandler_set(comm, MPI_ERRHANDLER_NULL) != MPI_SUCCESS);
  CHECK_EQUAL(MPI_Wait(&none, MPI_STATUS_IGNORE),
              MPI_SUCCESS); /* the exceptions: calls that complete */
  CHECK_EQUAL(MPI_Test(&none, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQUAL(flag, 1);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/* What a handle held before does not count when it is an output. */
static void overwritten(MPI_Comm comm) {
  MPI_Comm made = comm;
  MPI_Group group = MPI_GROUP_EMPTY;
  memset(&group, 0x5a, sizeof group);
  MPI_Comm_dup(comm, &made);
  CHECK(made != comm && size_of(comm) == size_of(made));
  MPI_Comm_group(comm, &group);
  MPI_Group_free(&group);
  MPI_Comm_free(&made);
}

static void handles_stay(MPI_Comm comm) {
  const int self = rank_in(comm);
  int out = 3, in = 0;
  MPI_Request send, receive;
  MPI_Send_init(&out, 1, MPI_INT, self, 0, comm, &send);
  MPI_Recv_init(&in, 1, MPI_INT, self, 0, comm, &receive);
  const MPI_Request send_was = send, receive_was = receive;
  for (int i = 0; i < 2; i++) {
    MPI_Start(&receive);
    MPI_Start(&send);
    CHECK(send == send_was && receive == receive_was);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    CHECK(send == send_was && receive == receive_was);
  }
  CHECK_EQUAL(in, 3);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  MPI_Irecv(&in, 1, MPI_INT, self, 1, comm, &receive);
  const MPI_Request pending = receive;
  MPI_Cancel(&receive);
  CHECK(receive == pending && receive != MPI_REQUEST_NULL);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

/* All objects of a pending operation are freed; it ends as if they were not. */
static void freed_while_pending(MPI_Comm comm, int count) {
  const int rank = rank_in(comm), size = size_of(comm), from = (rank + size - 1) % size;
  int *out = malloc(sizeof(int) * 2 * (size_t)count), *in = malloc(sizeof(int) * 2 * (size_t)count),
      wrong = 0;
  for (int i = 0; i < 2 * count; i++) out[i] = rank + i, in[i] = -1;
  MPI_Datatype odd;
  MPI_Comm twin;
  MPI_Request requests[2];
  MPI_Type_vector(count, 1, 2, MPI_INT, &odd);
  MPI_Type_commit(&odd);
  MPI_Comm_dup(comm, &twin);
  MPI_Irecv(in, 1, odd, from, 0, twin, &requests[0]);
  MPI_Isend(out, 1, odd, (rank + 1) % size, 0, twin, &requests[1]);
  MPI_Type_free(&odd);
  MPI_Comm_free(&twin);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2 * count; i++) wrong += in[i] != (i % 2 == 0 ? from + i : -1);
  CHECK_EQUAL(wrong, 0);
  free(out);
  free(in);
}

static void freed_objects(MPI_Comm comm) {
  freed_while_pending(comm, 5);
  freed_while_pending(comm, 100000);
  MPI_Op op;
  MPI_Request request;
  int one = 1, sum = 0;
  MPI_Op_create(adds, 1, &op);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, comm, &request);
  MPI_Op_free(&op);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQUAL(sum, size_of(comm));
  MPI_Errhandler handler;
  MPI_Errhandler_create(listen, &handler);
  MPI_Errhandler_set(comm, handler);
  MPI_Errhandler_free(&handler);
  heard = 0;
  CHECK_CLASS(MPI_Send(&one, 1, MPI_INT, -99, 0, comm), MPI_ERR_RANK);
  CHECK_EQUAL(heard, 1);
}

/* What an object was made of may go, and what is made of it does not change it. */
static void as_if_copied(MPI_Comm comm) {
  int size = 0;
  MPI_Datatype pair, pairs;
  MPI_Comm twin;
  MPI_Group group;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_contiguous(3, pair, &pairs);
  MPI_Type_free(&pair);
  MPI_Type_size(pairs, &size);
  CHECK_EQUAL(size, 6 * (int)sizeof(int));
  MPI_Type_free(&pairs);
  MPI_Comm_dup(comm, &twin);
  MPI_Comm_group(twin, &group);
  MPI_Comm_free(&twin);
  MPI_Group_size(group, &size);
  CHECK_EQUAL(size, size_of(comm));
  MPI_Group_free(&group);
}

static void predefined_stay(MPI_Comm comm) {
  MPI_Datatype type = MPI_INT;
  MPI_Op op = MPI_SUM;
  int one = 1, sum = 0;
  returning(comm);
  returning(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
  CHECK(type == MPI_INT && op == MPI_SUM);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Allreduce(&one, &sum, 1, type, op, comm);
  CHECK_EQUAL(sum, size_of(comm));
}

static void constants(MPI_Comm comm) {
  int number = 5, result = -1, sum = 0, length = 0;
  char letter = 'x';
  double real = 2.5, in_real = 0;
  CHECK(world == MPI_COMM_WORLD && types[0] == MPI_INT && ops[1] == MPI_MAX &&
        keyval == MPI_KEYVAL_INVALID);
  MPI_Comm_compare(world, MPI_COMM_WORLD, &result);
  CHECK_EQUAL(result, MPI_IDENT);
  MPI_Waitall(2, idle, MPI_STATUSES_IGNORE);
  const void* const out[3] = {&number, &letter, &real}; /* any pointer is a buffer */
  void* in[3] = {&result, name, &in_real};
  for (int i = 0; i < 3; i++)
    MPI_Sendrecv(out[i], 1, types[i], rank_in(comm), i, in[i], 1, types[i], wildcards[0],
                 wildcards[1], comm, MPI_STATUS_IGNORE);
  CHECK(result == 5 && name[0] == 'x' && in_real > 2.4 && in_real < 2.6);
  MPI_Allreduce(&number, &sum, 1, types[0], ops[0], comm);
  CHECK_EQUAL(sum, 5 * size_of(comm));
  MPI_Get_processor_name(name, &length);
  CHECK(length > 0);
}

static void special_values(MPI_Comm comm) {
  const int values[5] = {MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_UNDEFINED, MPI_ANY_TAG,
                         MPI_KEYVAL_INVALID};
  for (int i = 0; i < 4; i++) CHECK(values[i] < 0); /* no rank, no tag, no colour */
  CHECK(values[0] != values[1] && values[0] != values[2] && values[1] != values[2]);
  CHECK(MPI_COMM_NULL != MPI_COMM_WORLD && MPI_COMM_NULL != MPI_COMM_SELF &&
        MPI_GROUP_NULL != MPI_GROUP_EMPTY);
  returning(comm);
  int number = 0;
  CHECK_CLASS(MPI_Send(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Send(&number, 1, MPI_INT, 0, MPI_ANY_TAG, comm), MPI_ERR_TAG);
}

/* Pointers, counts and types of those who are not root point nowhere. */
static void not_significant(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), root = size - 1, is_root = rank == root;
  void* const garbage = (void*)(intptr_t)16;
  int *all = calloc((size_t)size, sizeof(int)), mine = rank, sum = -1;
  MPI_Reduce(&mine, is_root ? (void*)&sum : garbage, 1, MPI_INT, MPI_SUM, root, comm);
  if (is_root) CHECK_EQUAL(sum, size * (size - 1) / 2);
  MPI_Gather(&mine, 1, MPI_INT, is_root ? all : garbage, is_root ? 1 : -8,
             is_root ? MPI_INT : MPI_DATATYPE_NULL, root, comm);
  for (int r = 0; is_root && r < size; r++) CHECK_EQUAL(all[r], r);
  mine = -1;
  MPI_Scatter(is_root ? all : garbage, is_root ? 1 : -8, is_root ? MPI_INT : MPI_DATATYPE_NULL,
              &mine, 1, MPI_INT, root, comm);
  CHECK_EQUAL(mine, rank);
  int *counts = calloc((size_t)size, sizeof(int)), *places = calloc((size_t)size, sizeof(int));
  for (int r = 0; r < size; r++) counts[r] = 1, places[r] = size - 1 - r, all[r] = -1;
  if (is_root) MPI_Gatherv(&mine, 1, MPI_INT, all, counts, places, MPI_INT, root, comm);
  if (!is_root) MPI_Gatherv(&mine, 1, MPI_INT, garbage, NULL, NULL, MPI_DATATYPE_NULL, root, comm);
  for (int r = 0; is_root && r < size; r++) CHECK_EQUAL(all[r], size - 1 - r);
  free(counts);
  free(places);
  free(all);
}

/* After a send the buffer is the program's again; after a receive the message is there. */
static void blocking_of(MPI_Comm comm, int count) {
  const int rank = rank_in(comm);
  int *buffer = malloc(sizeof(int) * (size_t)count), wrong = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < count; i++) buffer[i] = rank == 0 ? round + i : -1;
    if (rank == 0) MPI_Send(buffer, count, MPI_INT, 1, 0, comm);
    for (int i = 0; i < count && rank == 0; i++) buffer[i] = -1;
    if (rank == 1) MPI_Recv(buffer, count, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < count && rank == 1; i++) wrong += buffer[i] != round + i;
  }
  CHECK_EQUAL(wrong, 0);
  free(buffer);
}

static void blocking(MPI_Comm comm) {
  blocking_of(comm, 1);
  blocking_of(comm, 2000);
  blocking_of(comm, 200000);
}

/* One process makes and asks objects of all kinds while the others wait for its message. */
static void local_calls(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  int go = 0, number = 0, place[1] = {0}, flag = 0, *bound;
  MPI_Comm line;
  const int none = 0;
  MPI_Cart_create(comm, 1, &size, &none, 0, &line);
  if (rank == size - 1) {
    MPI_Status status;
    MPI_Request request;
    null_after_free(MPI_COMM_SELF);
    MPI_Comm_compare(comm, line, &number);
    MPI_Cart_coords(line, 0, 1, place);
    MPI_Cart_shift(line, 0, 1, &number, &flag);
    MPI_Attr_get(comm, MPI_TAG_UB, &bound, &flag);
    MPI_Iprobe(MPI_ANY_SOURCE, 77, comm, &flag, &status);
    MPI_Recv_init(&number, 1, MPI_INT, 0, 0, comm, &request);
    MPI_Request_free(&request);
    for (int r = 0; r < size - 1; r++) MPI_Send(&size, 1, MPI_INT, r, 0, comm);
  } else {
    MPI_Recv(&go, 1, MPI_INT, size - 1, 0, comm, MPI_STATUS_IGNORE);
    CHECK_EQUAL(go, size);
  }
  MPI_Comm_free(&line);
}

static void ranks_are(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  int *seen = calloc((size_t)size, sizeof(int)), one = 1;
  MPI_Gather(&rank, 1, MPI_INT, seen, 1, MPI_INT, 0, comm);
  for (int r = 0; rank == 0 && r < size; r++) CHECK_EQUAL(seen[r], r);
  returning(comm);
  CHECK_CLASS(MPI_Send(&one, 1, MPI_INT, size, 0, comm), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Send(&one, 1, MPI_INT, -9, 0, comm), MPI_ERR_RANK);
  free(seen);
}

/* Arrays begin at 0: what the calls on several requests report are C indices. */
static void indices(MPI_Comm comm) {
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int in = 0, number = 1, index = -1, count = -1, flag = 0, list[3] = {-1, -1, -1};
  for (int place = 0; place < 3; place++) {
    MPI_Irecv(&in, 1, MPI_INT, rank_in(comm), 0, comm, &requests[place]);
    MPI_Sendrecv(&number, 1, MPI_INT, rank_in(comm), 1, &in, 1, MPI_INT, rank_in(comm), 1, comm,
                 MPI_STATUS_IGNORE);
    MPI_Request send;
    MPI_Isend(&number, 1, MPI_INT, rank_in(comm), 0, comm, &send);
    if (place == 0) MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    if (place == 1) MPI_Waitsome(3, requests, &count, list, MPI_STATUSES_IGNORE), index = list[0];
    while (place == 2 && !flag) MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
    CHECK_EQUAL(index, place);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  CHECK_EQUAL(count, 1);
}

/* One function sends reals, then integers: a buffer is of any type. */
static void any_buffer(MPI_Comm comm) {
  double real[2] = {1.5, 2.5}, real_in[2] = {0, 0};
  int number[2] = {7, 8}, number_in[2] = {0, 0};
  const int rank = rank_in(comm);
  if (rank == 0)
    MPI_Send(real, 2, MPI_DOUBLE, 1, 0, comm), MPI_Send(number, 2, MPI_INT, 1, 0, comm);
  if (rank != 1) return;
  MPI_Recv(real_in, 2, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Recv(number_in, 2, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
  CHECK(memcmp(real, real_in, sizeof real) == 0 && memcmp(number, number_in, sizeof number) == 0);
}

static const Case cases[] = {
    {"req 1.2.2", "a call that frees an object sets its handle to the null handle", ANY,
     null_after_free},
    {"req 1.2.3", "null handles are errors, except where requests are completed", ANY,
     null_arguments},
    {"req 1.2.3", "a call that makes an object overwrites whatever the handle held", ANY,
     overwritten},
    {"req 1.2.4", "starting, completing and cancelling leave the handle as it is", ANY,
     handles_stay},
    {"req 1.2.5", "objects freed while in use serve until the operation has ended", ANY,
     freed_objects},
    {"req 1.2.6", "an object does not depend on what it was made of", ANY, as_if_copied},
    {"req 1.2.7", "predefined types and operations cannot be freed", ANY, predefined_stay},
    {"req 1.2.8, req 1.2.9, req 1.2.24",
     "constants initialise static objects and mean the same at run time", ANY, constants},
    {"req 1.2.11", "special values lie outside the range of their argument", ANY, special_values},
    {"req 1.2.13", "arguments that do not count at a process are not looked at", ANY,
     not_significant},
    {"req 1.2.15", "what a blocking call does to memory is done when it returns", 2, blocking},
    {"req 1.2.16", "making and asking objects needs no other process", ANY, local_calls},
    {"req 1.2.18", "the ranks of a group are 0 to size - 1", ANY, ranks_are},
    {"req 1.2.22", "indices count from 0", ANY, indices},
    {"req 1.2.24, ex fig-1.1", "buffers of several types in one function", 2, any_buffer},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
