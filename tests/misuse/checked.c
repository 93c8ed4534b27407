/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs for mpiexec --check: checked NAME. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static int data[64], more[64];

static int same(MPI_Comm comm, int key, void* state, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)state, (void)in, (void)out;
  return *flag = 0, MPI_SUCCESS;
}
static int gone(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)state;
  return MPI_Info_free((MPI_Info*)value);
}
static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}
static void asks(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_SELF);
  add(in, inout, count, type);
}

static void leaked_communicators(void) {
  MPI_Comm comm;
  for (int i = 0; i < 3; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_free(&comm);
}

static void leaked_objects(void) {
  MPI_Group group;
  MPI_Datatype type;
  MPI_Info info;
  MPI_Op op;
  MPI_Errhandler handler;
  MPI_Win window;
  MPI_File file;
  MPI_Request request;
  int key;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Info_create(&info);
  MPI_Op_create(add, 1, &op);
  MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)abort, &handler);
  MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  MPI_File_open(MPI_COMM_SELF, "/dev/zero", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_Recv_init(data, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Comm_create_keyval(same, gone, &key, NULL);
  MPI_Buffer_attach(malloc(4096), 4096);
}

static void leaked_operation(void) {
  MPI_Request request;
  MPI_Irecv(data, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
  MPI_Send(more, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
}

static void leaked_many(void) { /* in twelve places */
  MPI_Info info;
  MPI_Info_create(&info), MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
  MPI_Info_create(&info);
}

static void changed_send(void) {
  MPI_Request request;
  MPI_Issend(data, 64, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
  data[63] = 1;
  MPI_Recv(more, 64, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void changed_column(void) {
  MPI_Datatype column;
  MPI_Request request;
  MPI_Type_vector(8, 1, 8, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Issend(data, 1, column, rank, 0, MPI_COMM_WORLD, &request);
  MPI_Type_free(&column);
  data[8] = 1;
  MPI_Recv(more, 8, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

static void changed_persistent(void) {
  MPI_Request request;
  MPI_Ssend_init(data, 64, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request);
    data[0] = i; /* wrong the second time only: then it changes */
    MPI_Recv(more, 64, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

static void overlapping_receives(void) {
  MPI_Request requests[2];
  MPI_Irecv(data, 8, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(data + 7, 8, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 2; ++i) MPI_Send(more, 8, MPI_INT, rank, i, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void send_of_a_receive_buffer(void) {
  MPI_Request request;
  MPI_Irecv(data, 8, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
  MPI_Send(data, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void overlapping_sendrecv(void) {
  MPI_Sendrecv(data, 8, MPI_INT, rank, 0, data + 4, 8, MPI_INT, rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void* asks_for_rank(void* unused) {
  int number;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return unused;
}
static void wrong_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, asks_for_rank, NULL);
  pthread_join(thread, NULL);
}

static void call_in_operation(void) {
  MPI_Op op;
  MPI_Op_create(asks, 1, &op);
  for (int i = 0; i < 3; ++i) MPI_Reduce_local(data, more, 1, MPI_INT, op);
  MPI_Op_free(&op);
}

/* As many bytes, in another type at each rank. */
static void other_types(void) {
  double number = 0;
  if (rank == 0)
    MPI_Bcast(data, 2, MPI_INT, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void put_twice(void) {
  MPI_Win window;
  MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < 2; ++i) MPI_Put(more, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

/* Nothing here is wrong. */
static void right(void) {
  MPI_Comm comm;
  MPI_Group group, part;
  MPI_Datatype column;
  MPI_Errhandler handler;
  MPI_Info info, copy;
  MPI_Op op;
  MPI_Request requests[4];
  int flag, count, index, indices[4], key;
  static MPI_Info of_attribute;
  const int first = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_group(comm, &group);
  MPI_Group_incl(group, 1, &first, &part);
  MPI_Comm_get_errhandler(comm, &handler);
  MPI_Errhandler_free(&handler);
  MPI_Info_create(&info);
  MPI_Info_dup(info, &copy);
  MPI_Type_vector(8, 1, 8, MPI_INT, &column); /* columns of a matrix that is received */
  MPI_Type_commit(&column);
  for (int i = 0; i < 4; ++i) MPI_Irecv(data + i, 1, column, rank, i, comm, &requests[i]);
  for (int i = 0; i < 4; ++i) MPI_Send(more, 8, MPI_INT, rank, i, comm);
  MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
  MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Send_init(more, 8, MPI_INT, rank, 0, comm, &requests[0]);
  MPI_Recv_init(data, 8, MPI_INT, rank, 0, comm, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    more[0] = i;
    MPI_Startall(2, requests);
    do MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    while (!flag);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  MPI_Isend(more, 8, MPI_INT, rank, 0, comm, &requests[0]); /* one buffer may be sent twice */
  MPI_Isend(more, 8, MPI_INT, rank, 1, comm, &requests[1]);
  MPI_Request_free(&requests[1]);
  for (int i = 0; i < 2; ++i) MPI_Recv(data, 8, MPI_INT, rank, i, comm, MPI_STATUS_IGNORE);
  do MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  while (!flag);
  MPI_Op_create(add, 1, &op);
  MPI_Iallreduce(data, more, 8, MPI_INT, op, comm, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Op_free(&op);
  MPI_Buffer_attach(malloc(4096), 4096);
  void* buffer;
  MPI_Buffer_detach(&buffer, &count);
  free(buffer);
  MPI_Info_create(&of_attribute); /* freed inside MPI_Finalize */
  MPI_Comm_create_keyval(same, gone, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &of_attribute);
  MPI_Comm_free_keyval(&key);
  MPI_Type_free(&column);
  MPI_Info_free(&copy);
  MPI_Info_free(&info);
  MPI_Group_free(&part);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
}

static void right_cancel(void) {
  MPI_Request request;
  MPI_Irecv(data, 8, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {
#define CASE(name) \
  { #name, name }
    CASE(leaked_communicators),
    CASE(leaked_objects),
    CASE(leaked_operation),
    CASE(leaked_many),
    CASE(changed_send),
    CASE(changed_column),
    CASE(changed_persistent),
    CASE(overlapping_receives),
    CASE(send_of_a_receive_buffer),
    CASE(overlapping_sendrecv),
    CASE(wrong_thread),
    CASE(call_in_operation),
    CASE(other_types),
    CASE(put_twice),
    CASE(right),
    CASE(right_cancel)};

int main(int argc, char** argv) {
  int provided;
  if (argc > 2)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, argv[1]) == 0) all[i].run();
  MPI_Finalize();
  return 0;
}
