/* SPDX-License-Identifier: BSD-3-Clause
   Addresses as displacements from MPI_BOTTOM, in every call that takes a buffer. */
#include "type_map.h"

enum { LONG_COUNT = 70000 };

static MPI_Aint address_of(void* location) {
  MPI_Aint address = 0;
  MPI_Address(location, &address);
  return address;
}

/* A type that means `count` ints at `first` and one double at `second`, wherever they are. */
static MPI_Datatype absolute(int* first, int count, double* second) {
  int lengths[2] = {count, 1};
  MPI_Aint places[2] = {address_of(first), address_of(second)};
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_struct(2, lengths, places, types, &type);
  return committed(type);
}

static void in_a_matrix(MPI_Comm comm) {
  static float a[100][100]; /* stored by columns: a[j][i] */
  (void)comm;
  CHECK_EQUAL(address_of(&a[9][9]) - address_of(&a[0][0]), 909 * (int)sizeof(float));
  CHECK_EQUAL(address_of(&a[0][0]) - address_of(&a[9][9]), -909 * (int)sizeof(float));
}

/* Differences of addresses are distances in bytes: in an array, in a structure, across zero bytes.
 */
static void differences(MPI_Comm comm) {
  struct {
    char c;
    double d;
    short s[5];
  } one;
  char bytes[3];
  MPI_Aint later = 0;
  (void)comm;
  CHECK_EQUAL(address_of(&one.d) - address_of(&one), (MPI_Aint)((char*)&one.d - (char*)&one));
  CHECK_EQUAL(address_of(&one.s[4]) - address_of(&one.s[1]), 3 * (int)sizeof(short));
  CHECK_EQUAL(address_of(&bytes[2]) - address_of(&bytes[0]), 2);
  CHECK_EQUAL(address_of(bytes), address_of(bytes));
  MPI_Get_address(bytes, &later);
  CHECK_EQUAL(address_of(bytes), later);
}

/* Sent from one set of variables and received into another by absolute addresses, in this order of
 * lengths. */
static void bottom_both_ways(MPI_Comm comm, int count) {
  int* data = calloc((size_t)count + 2, sizeof(int));
  double weight = 0;
  const int me = rank_in(comm);
  int wrong = 0;
  MPI_Datatype type = absolute(data + 1, count, &weight);
  for (int i = 0; i < count && me == 0; i++) data[i + 1] = i + 1;
  if (me == 0) weight = 0.75;
  if (me == 0) MPI_Send(MPI_BOTTOM, 1, type, 1, 6, comm);
  if (me == 1) MPI_Recv(MPI_BOTTOM, 1, type, 0, 6, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < count; i++) wrong += data[i + 1] != i + 1;
  CHECK_EQUAL(wrong, 0);
  CHECK(weight == 0.75 && data[0] == 0 && data[count + 1] == 0);
  MPI_Type_free(&type);
  free(data);
}

static void bottom_short(MPI_Comm comm) {
  bottom_both_ways(comm, 3);
}
static void bottom_long(MPI_Comm comm) {
  bottom_both_ways(comm, LONG_COUNT);
}

typedef struct {
  int numbers[4];
  double weight;
  MPI_Datatype type;
} Value;

static void set(Value* value, int seed) {
  for (int i = 0; i < 4; i++) value->numbers[i] = seed + i;
  value->weight = seed + 0.5;
}

static void make(Value* value, int seed) {
  set(value, seed);
  value->type = absolute(value->numbers, 4, &value->weight);
}

static int holds(const Value* value, int seed) {
  for (int i = 0; i < 4; i++) {
    if (value->numbers[i] != seed + i) return 0;
  }
  return value->weight == seed + 0.5;
}

static void bottom_nonblocking(MPI_Comm comm) {
  MPI_Request requests[2];
  Value out, in;
  make(&out, 100);
  make(&in, 0);
  MPI_Irecv(MPI_BOTTOM, 1, in.type, 0, 1, comm, &requests[0]);
  MPI_Isend(MPI_BOTTOM, 1, out.type, 0, 1, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(holds(&in, 100) && holds(&out, 100));
  set(&out, 200);
  MPI_Recv_init(MPI_BOTTOM, 1, in.type, 0, 1, comm, &requests[0]);
  MPI_Ssend_init(MPI_BOTTOM, 1, out.type, 0, 1, comm, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(holds(&in, 200) && holds(&out, 200));
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Type_free(&in.type);
  MPI_Type_free(&out.type);
}

static void bottom_send_receive(MPI_Comm comm) {
  Value out, in;
  make(&out, 100);
  make(&in, 0);
  MPI_Sendrecv(MPI_BOTTOM, 1, out.type, 0, 1, MPI_BOTTOM, 1, in.type, 0, 1, comm,
               MPI_STATUS_IGNORE);
  CHECK(holds(&in, 100));
  set(&in, 300);
  MPI_Sendrecv_replace(MPI_BOTTOM, 1, in.type, 0, 1, 0, 1, comm, MPI_STATUS_IGNORE);
  CHECK(holds(&in, 300));
  MPI_Type_free(&in.type);
  MPI_Type_free(&out.type);
}

static void bottom_packed(MPI_Comm comm) {
  char unit[128];
  int position = 0;
  int taken = 0;
  Value out, in;
  make(&out, 100);
  make(&in, 0);
  MPI_Pack(MPI_BOTTOM, 1, out.type, unit, sizeof unit, &position, comm);
  MPI_Unpack(unit, position, &taken, MPI_BOTTOM, 1, in.type, comm);
  CHECK_EQUAL(taken, position);
  CHECK(holds(&in, 100));
  MPI_Type_free(&in.type);
  MPI_Type_free(&out.type);
}

static void bottom_collective(MPI_Comm comm) {
  const int me = rank_in(comm);
  const int last = size_of(comm) - 1;
  Value value, got;
  make(&value, me == last ? 500 : 0);
  MPI_Bcast(MPI_BOTTOM, 1, value.type, last, comm);
  CHECK(holds(&value, 500));
  make(&got, 0);
  set(&value, 100 * me);
  if (size_of(comm) == 1) MPI_Gather(MPI_BOTTOM, 1, value.type, MPI_BOTTOM, 1, got.type, 0, comm);
  if (size_of(comm) == 1) CHECK(holds(&got, 0));
  Value* all = calloc((size_t)last + 1, sizeof *all);
  for (int i = 0; i <= last; i++) make(&all[i], -1);
  MPI_Aint stride = (MPI_Aint)sizeof(Value);
  MPI_Datatype strided;
  MPI_Type_create_resized(all[0].type, 0, stride, &strided);
  MPI_Type_commit(&strided);
  MPI_Allgather(MPI_BOTTOM, 1, value.type, MPI_BOTTOM, 1, strided, comm);
  for (int i = 0; i <= last; i++) CHECK(holds(&all[i], 100 * i));
  for (int i = 0; i <= last; i++) MPI_Type_free(&all[i].type);
  MPI_Type_free(&strided);
  MPI_Type_free(&value.type);
  MPI_Type_free(&got.type);
  free(all);
}

/* A buffer that is reached from the middle of another object of the same array. */
static void from_the_middle(MPI_Comm comm) {
  int data[20];
  int got[3] = {0, 0, 0};
  int lengths[3] = {1, 1, 1};
  int places[3] = {-10, 9, 0};
  MPI_Datatype type;
  for (int i = 0; i < 20; i++) data[i] = i;
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(&data[10], 1, type, 0, 1, got, 3, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  CHECK(got[0] == 0 && got[1] == 19 && got[2] == 10);
  MPI_Type_free(&type);
}

/* Absolute addresses in separate objects: on the stack, on the heap, static. */
static void separate_objects(MPI_Comm comm) {
  static int fixed = 7;
  int local = 8;
  int* heap = malloc(sizeof *heap);
  int got[3] = {0, 0, 0};
  int lengths[3] = {1, 1, 1};
  MPI_Aint places[3] = {address_of(heap), address_of(&fixed), address_of(&local)};
  MPI_Datatype type;
  *heap = 6;
  MPI_Type_hindexed(3, lengths, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 1, got, 3, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  CHECK(got[0] == 6 && got[1] == 7 && got[2] == 8);
  MPI_Type_free(&type);
  free(heap);
}

static const Case cases[] = {
    {"ex 3.20, req 3.3.24", "elements of a matrix are as far apart as their addresses", 1,
     in_a_matrix},
    {"req 3.3.24", "differences of addresses are distances in bytes", 1, differences},
    {"req 3.3.24, req 3.3.25", "short messages by absolute addresses on both sides", 2,
     bottom_short},
    {"req 3.3.24, req 3.3.25", "long messages by absolute addresses on both sides", 2, bottom_long},
    {"req 3.3.25", "nonblocking and persistent calls take MPI_BOTTOM", 1, bottom_nonblocking},
    {"req 3.3.25", "send-receive takes MPI_BOTTOM for each buffer", 1, bottom_send_receive},
    {"req 3.3.25, req 3.3.28", "packing and unpacking take MPI_BOTTOM", 1, bottom_packed},
    {"req 3.3.25", "collective calls take MPI_BOTTOM", ANY, bottom_collective},
    {"req 3.3.26", "displacements may reach both ways within an array", 1, from_the_middle},
    {"req 3.3.26, req 3.3.24", "one type may name objects of separate storage", 1,
     separate_objects},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
