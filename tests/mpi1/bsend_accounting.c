/* SPDX-License-Identifier: BSD-3-Clause
   The buffer of buffered sends: who owns it, what fits into it, and when its room is free again. */
#include "messages.h"

static Bytes out, in;

enum { OVERHEAD = MPI_BSEND_OVERHEAD }; /* a constant of the compiler */
_Static_assert(OVERHEAD > 0, "MPI_BSEND_OVERHEAD is a positive constant");

/* The attached memory begins at an odd address, and nothing around it may be written. */
static char memory[MARGIN + 5 * (LONG + OVERHEAD) + MARGIN];

static char* attach(int bytes) {
  char* start = memory + MARGIN - 1;
  memset(memory, UNTOUCHED, sizeof memory);
  MPI_Buffer_attach(start, bytes);
  return start;
}

static void detach(const char* expected, int bytes) {
  void* address = NULL;
  int size = -1;
  MPI_Buffer_detach(&address, &size);
  CHECK(address == expected);
  CHECK_EQUAL(size, bytes);
  CHECK(untouched(memory, MARGIN - 1));
  CHECK(untouched(expected + bytes, (int)(memory + sizeof memory - (expected + bytes))));
}

static void one_buffer_per_process(MPI_Comm comm) {
  (void)comm;
  MPI_Errhandler self, world;
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &self);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &world);
  returning(MPI_COMM_SELF);
  returning(MPI_COMM_WORLD);
  static char second[1000];
  char* first = attach(10000);
  CHECK_CLASS(MPI_Buffer_attach(second, 1000), MPI_ERR_BUFFER);
  detach(first, 10000);
  void* address = second;
  int size = -1;
  if (MPI_Buffer_detach(&address, &size) == MPI_SUCCESS) CHECK(address == NULL && size == 0);
  CHECK_CLASS(MPI_Buffer_attach(second, -1), MPI_ERR_COUNT);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, self);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
  MPI_Errhandler_free(&self);
  MPI_Errhandler_free(&world);
}

/* Messages of the other modes leave it alone. */
static void for_buffered_sends_only(MPI_Comm comm) {
  const int me = rank_in(comm);
  char* start = attach(5000);
  for (int s = 0; s < 2; ++s) {
    MPI_Request requests[2];
    MPI_Isend(out, both_sizes[s], MPI_BYTE, me, 5, comm, &requests[0]);
    MPI_Issend(out, both_sizes[s], MPI_BYTE, me, 5, comm, &requests[1]);
    for (int i = 0; i < 2; ++i) MPI_Recv(in, LONG, MPI_BYTE, me, 5, comm, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  CHECK(untouched(start, 5000));
  detach(start, 5000);
}

static void attached_twice(MPI_Comm comm) {
  static char buffer[10000];
  void* address = NULL;
  int size = 0;
  (void)comm;
  MPI_Buffer_attach(buffer, 10000);
  MPI_Buffer_detach(&address, &size);
  CHECK(address == buffer);
  CHECK_EQUAL(size, 10000);
  MPI_Buffer_attach(address, size);
  address = NULL;
  MPI_Buffer_detach(&address, &size);
  CHECK(address == buffer);
  CHECK_EQUAL(size, 10000);
}

/* When it is detached all messages have left: it may be overwritten. Other messages come through
 * meanwhile. */
static void detaching_waits(MPI_Comm comm) {
  enum { MESSAGES = 4, BYTES = MESSAGES * (LONG + OVERHEAD) };
  MPI_Request request;
  if (rank_in(comm) == 0) {
    static Bytes other;
    char* start = attach(BYTES);
    fill(other, LONG, 9);
    MPI_Issend(other, LONG, MPI_BYTE, 1, 9, comm, &request);
    for (int i = 0; i < MESSAGES; ++i) {
      fill(out, both_sizes[i % 2], i);
      MPI_Bsend(out, both_sizes[i % 2], MPI_BYTE, 1, i, comm);
    }
    detach(start, BYTES);
    blank(start, BYTES);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Recv(in, LONG, MPI_BYTE, 0, 9, comm, MPI_STATUS_IGNORE);
  CHECK(intact(in, LONG, 9));
  for (int i = MESSAGES - 1; i >= 0; --i) {
    MPI_Recv(in, LONG, MPI_BYTE, 0, i, comm, MPI_STATUS_IGNORE);
    CHECK(intact(in, both_sizes[i % 2], i));
  }
}

/* ---- the model: messages lie one behind the other in a circle, and leave in the order in which
 * they came ---- */

enum { KEPT = 64 };

typedef struct {
  int size, tail, first, count;
  int offset[KEPT], bytes[KEPT], tag[KEPT], gone[KEPT];
} Model;

static int at(const Model* model, int i) {
  return (model->first + i) % KEPT;
}

/* Where the model would put so many bytes, or -1. */
static int place(Model* model, int bytes) {
  while (model->count > 0 && model->gone[model->first]) {
    model->first = at(model, 1);
    --model->count;
  }
  const int head = model->offset[model->first];
  if (model->count == 0)
    return model->size - model->tail >= bytes ? model->tail : model->size >= bytes ? 0 : -1;
  if (model->tail <= head) return head - model->tail >= bytes ? model->tail : -1;
  if (model->size - model->tail >= bytes) return model->tail;
  return head >= bytes ? 0 : -1;
}

/* 1 if the model has room, so that the library must have it too. */
static int fits(Model* model, int data, int tag, MPI_Comm comm) {
  int bytes = 0;
  MPI_Pack_size(data, MPI_BYTE, comm, &bytes);
  bytes += OVERHEAD;
  const int offset = model->count == KEPT ? -1 : place(model, bytes);
  if (offset < 0) return 0;
  const int i = at(model, model->count++);
  model->offset[i] = offset;
  model->bytes[i] = bytes;
  model->tag[i] = tag;
  model->gone[i] = 0;
  model->tail = offset + bytes;
  return 1;
}

/* Receives the i-th message that is still there. */
static void take(Model* model, int which, MPI_Comm comm) {
  const int i = at(model, which);
  if (model->gone[i]) return;
  MPI_Status status = odd_status();
  MPI_Recv(in, LONG, MPI_BYTE, rank_in(comm), model->tag[i], comm, &status);
  CHECK(intact(in, count_of(&status, MPI_BYTE), model->tag[i]));
  CHECK_EQUAL(count_of(&status, MPI_BYTE) + OVERHEAD, model->bytes[i]);
  model->gone[i] = 1;
}

/* Sends if the model has room; then the library must have it. */
static int put(Model* model, int data, int tag, MPI_Comm comm) {
  if (!fits(model, data, tag, comm)) return 0;
  fill(out, data, tag);
  CHECK_CLASS(MPI_Bsend(out, data, MPI_BYTE, rank_in(comm), tag, comm), MPI_SUCCESS);
  return 1;
}

/* Two large messages, the first of which leaves; a small one behind the second keeps the room of
 * the first whole. */
static void room_in_the_order_of_the_model(MPI_Comm comm) {
  enum { LARGE = 100000, SMALL = 40000, BYTES = 2 * LARGE + SMALL + 3 * OVERHEAD };
  Model model = {.size = BYTES};
  returning(comm);
  char* start = attach(BYTES);
  CHECK(put(&model, LARGE, 1, comm) && put(&model, LARGE, 2, comm));
  take(&model, 0, comm);
  CHECK(put(&model, SMALL, 3, comm) && put(&model, LARGE, 4, comm));
  for (int i = 0; i < model.count; ++i) take(&model, i, comm);
  detach(start, BYTES);
}

/* Thousands of decisions, sizes and orders of receiving: never may the library have less room than
 * the model. */
static void never_less_room_than_the_model(MPI_Comm comm) {
  enum { BYTES = 200000, STEPS = 400 };
  Model model = {.size = BYTES};
  unsigned random = 12345;
  int sent = 0;
  returning(comm);
  char* start = attach(BYTES);
  for (int step = 0; step < STEPS; ++step) {
    random = random * 1103515245U + 12345U;
    const int data =
        (int)((random >> 8) % 10 == 0 ? (random >> 12) % 90000 : (random >> 12) % 20000);
    const int full = !put(&model, data, step, comm);
    sent += !full;
    if (model.count > 0 && (full || random >> 31))
      take(&model, (int)((random >> 4) % (unsigned)model.count), comm);
    if (full && model.count > 0) take(&model, 0, comm);
  }
  CHECK(sent > STEPS / 4);
  for (int i = 0; i < model.count; ++i) take(&model, i, comm);
  detach(start, BYTES);
}

/* Exactly what MPI_Pack_size and MPI_BSEND_OVERHEAD ask for is enough, whatever the sizes and the
 * address. */
static void exactly_enough(MPI_Comm comm) {
  enum { MESSAGES = 9 };
  static const int sizes[MESSAGES] = {1, 0, 7, 13, LONG, 3, 8, 70001, 5};
  int total = 0;
  returning(comm);
  for (int i = 0; i < MESSAGES; ++i) {
    int bytes;
    MPI_Pack_size(sizes[i], MPI_BYTE, comm, &bytes);
    total += bytes + OVERHEAD;
  }
  char* start = attach(total);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < MESSAGES; ++i) {
      fill(out, sizes[i], i);
      CHECK_CLASS(MPI_Bsend(out, sizes[i], MPI_BYTE, rank_in(comm), i, comm), MPI_SUCCESS);
    }
    for (int i = MESSAGES - 1; i >= 0; --i) {
      MPI_Recv(in, LONG, MPI_BYTE, rank_in(comm), i, comm, MPI_STATUS_IGNORE);
      CHECK(intact(in, sizes[i], i));
    }
  }
  detach(start, total);
}

/* The message is packed when MPI_Bsend returns: type and data may go. */
static void type_freed_at_once(MPI_Comm comm) {
  enum { BLOCKS = LONG / 2 - 2 };
  const int me = rank_in(comm);
  int bytes = 0;
  int right = 1;
  MPI_Datatype every_second;
  MPI_Type_vector(BLOCKS, 1, 2, MPI_BYTE, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Pack_size(1, every_second, comm, &bytes);
  char* start = attach(bytes + OVERHEAD);
  fill(out, LONG, 1);
  MPI_Bsend(out, 1, every_second, me, 5, comm);
  MPI_Type_free(&every_second);
  blank(out, LONG);
  MPI_Recv(in, LONG, MPI_BYTE, me, 5, comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < BLOCKS; ++i) right = right && in[i] == pattern(1, 2 * i);
  CHECK(right);
  detach(start, bytes + OVERHEAD);
}

static const Case cases[] = {
    {"req 2.3.70", "a process has one buffer", 1, one_buffer_per_process},
    {"req 2.3.70", "only buffered sends use it", 1, for_buffered_sends_only},
    {"req 2.3.71, ex 2.34", "detaching gives back address and size", 1, attached_twice},
    {"req 2.3.71", "detaching waits until every message has left", 2, detaching_waits},
    {"req 2.3.72", "room is where the model of a circle has it", 1, room_in_the_order_of_the_model},
    {"req 2.3.72", "there is never less room than in the model", ANY,
     never_less_room_than_the_model},
    {"req 2.3.73, req 2.3.74", "the sum of the packed sizes and the overheads is enough", ANY,
     exactly_enough},
    {"req 2.3.75", "the datatype may be freed after MPI_Bsend", ANY, type_freed_at_once},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
