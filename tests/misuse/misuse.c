/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that misuse MPI so that a process crashes: misuse NAME. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, size;
static int* volatile nowhere = (int*)8;

static void own_handler(int number) {
  (void)number;
  static const char text[] = "handler of the program\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(1);
  _exit(7);
}

static void send_in_place(void) {
  MPI_Send(MPI_IN_PLACE, 1000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
}

static void send_from_nowhere(void) {
  MPI_Send(nowhere, 1000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
}

static void reduce_from_nowhere(void) {
  int data[1000];
  MPI_Allreduce(nowhere, data, 1000, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

static void gather_into_nowhere(void) {
  int data[1000] = {0};
  MPI_Allgather(data, 500, MPI_INT, (void*)nowhere, 500, MPI_INT, MPI_COMM_SELF);
}

static void exchange_of_types(const void* from, void* into) {
  const int counts[1] = {1000}, places[1] = {8};
  const MPI_Datatype types[1] = {MPI_INT};
  MPI_Alltoallw(from, counts, places, types, into, counts, places, types, MPI_COMM_SELF);
}

static void exchange_types_into_nowhere(void) {
  int data[1002] = {0};
  exchange_of_types(data, (void*)nowhere);
}

static void exchange_types_from_nowhere(void) {
  int data[1002];
  exchange_of_types(nowhere, data);
}

static void exchange_into_constant(void) {
  static const int constant[16] = {1};
  int data[16] = {0};
  MPI_Sendrecv(data, 16, MPI_INT, rank, 0, (void*)constant, 16, MPI_INT, rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void receive_into_constant(void) {
  static const int constant[16] = {1};
  int data[16] = {0};
  MPI_Request request;
  MPI_Isend(data, 16, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
  MPI_Recv((void*)constant, 16, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void garbage_communicator(void) {
  MPI_Barrier((MPI_Comm)0x123456789a0);
}

static void communicator_beyond_memory(void) {
  MPI_Barrier((MPI_Comm)0xdeadbeef0000dea8);
}

/* x86-64 has no such addresses. */
static void send_from_beyond_memory(void) {
  MPI_Send((void*)0xdeadbeef0000dea8, 1000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
}

/* Each call needs more of the stack than the step to the next one. */
static int calls_too_deep(int depth) {
  MPI_Sendrecv_replace(&size, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return calls_too_deep(depth + 1) + depth;
}

static void no_stack_left(void) {
  calls_too_deep(0);
}

static void operand_beyond_file(void) {
  FILE* file = tmpfile();
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (file == NULL || ftruncate(fileno(file), (off_t)page) != 0) exit(1);
  int* mapped = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  if (mapped == MAP_FAILED || ftruncate(fileno(file), 0) != 0) exit(1);
  int* data = calloc(page, 1);
  MPI_Reduce_local(data, mapped, (int)(page / sizeof(int)), MPI_INT, MPI_SUM);
}

static void status_nowhere(void) {
  int data = 0;
  MPI_Sendrecv(&data, 1, MPI_INT, rank, 0, &size, 1, MPI_INT, rank, 0, MPI_COMM_WORLD,
               (MPI_Status*)nowhere);
}

static void free_after_finalize(void) {
  MPI_Comm comm = (MPI_Comm)0x123456789a0;
  MPI_Finalize();
  MPI_Comm_free(&comm);
}

static void wrong_rank_on_self(void) {
  if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 7, 0, MPI_COMM_SELF);
}

static void outside(void) {
  *nowhere = 1;
}

static void crashes(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
  *nowhere = 1;
}

static void in_callback(void) {
  MPI_Op op;
  int sum = 0;
  MPI_Op_create(crashes, 1, &op);
  MPI_Reduce_local(&rank, &sum, 1, MPI_INT, op);
}

static void handler_before(void) {
  send_from_nowhere();
}

static void handler_after(void) {
  signal(SIGSEGV, own_handler);
  send_from_nowhere();
}

static char own_stack[1 << 16];

/* MPI_Init has left it where it is. */
static void stack_before(void) {
  stack_t now;
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == own_stack) puts("stack of the program");
}

static void sent_from_outside(void) {
  raise(SIGSEGV);
}

static const struct {
  const char* name;
  void (*run)(void);
} all[] = {
#define CASE(name) \
  { #name, name }
    CASE(send_in_place),
    CASE(send_from_nowhere),
    CASE(reduce_from_nowhere),
    CASE(gather_into_nowhere),
    CASE(exchange_types_into_nowhere),
    CASE(exchange_types_from_nowhere),
    CASE(exchange_into_constant),
    CASE(receive_into_constant),
    CASE(garbage_communicator),
    CASE(status_nowhere),
    CASE(free_after_finalize),
    CASE(wrong_rank_on_self),
    CASE(outside),
    CASE(in_callback),
    CASE(handler_before),
    CASE(handler_after),
    CASE(sent_from_outside),
    CASE(send_from_beyond_memory),
    CASE(communicator_beyond_memory),
    CASE(no_stack_left),
    CASE(operand_beyond_file),
    CASE(stack_before)};

/* All others are for rank 0 alone. */
static int anywhere(void (*run)(void)) {
  return run == free_after_finalize || run == wrong_rank_on_self;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "handler_before") == 0) signal(SIGSEGV, own_handler);
  if (argc > 1 && strcmp(argv[1], "stack_before") == 0)
    sigaltstack(&(stack_t){.ss_sp = own_stack, .ss_size = sizeof own_stack}, NULL);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i)
    if (strcmp(all[i].name, argv[1]) == 0 && (rank == 0 || anywhere(all[i].run))) all[i].run();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
