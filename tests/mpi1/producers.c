/* SPDX-License-Identifier: BSD-3-Clause
   Producers and a consumer: all processes but the last produce, the last takes what comes, in the
   ways of the book. */
#include "messages.h"

enum { ITEMS = 30, PRODUCERS = 15, TAG = 5, GO = 6 };

/* What the consumer knows of each producer. */
typedef struct {
  MPI_Comm comm;
  int producers;
  int consumed[PRODUCERS];
  MPI_Request requests[PRODUCERS];
  unsigned char buffers[PRODUCERS][ITEMS + 1];
} Consumer;

static void produce(MPI_Comm comm, int consumer) {
  unsigned char data[ITEMS];
  for (int i = 0; i < ITEMS; ++i) {
    fill(data, i, rank_in(comm) + i);
    MPI_Send(data, i, MPI_BYTE, consumer, TAG, comm);
  }
}

static void post(Consumer* consumer, int i) {
  blank(consumer->buffers[i], ITEMS + 1);
  MPI_Irecv(consumer->buffers[i], ITEMS + 1, MPI_BYTE, i, TAG, consumer->comm,
            &consumer->requests[i]);
}

/* The messages of each producer come in order: the n-th has n bytes. Asks for the next one, if
 * there is to be one. */
static void consume(Consumer* consumer, int i, const MPI_Status* status) {
  const int bytes = count_of(status, MPI_BYTE);
  CHECK_STATUS(*status, i, TAG, consumer->consumed[i]);
  CHECK(intact(consumer->buffers[i], bytes, i + bytes) && consumer->buffers[i][bytes] == UNTOUCHED);
  if (++consumer->consumed[i] < ITEMS) post(consumer, i);
}

static int finished(const Consumer* consumer) {
  for (int i = 0; i < consumer->producers; ++i) {
    if (consumer->consumed[i] < ITEMS) return 0;
  }
  return 1;
}

static void run(MPI_Comm comm, void (*consume_all)(Consumer* consumer)) {
  static Consumer consumer;
  const int last = size_of(comm) - 1;
  if (last > PRODUCERS) return;
  if (rank_in(comm) < last) {
    produce(comm, last);
    return;
  }
  memset(&consumer, 0, sizeof consumer);
  consumer.comm = comm;
  consumer.producers = last;
  for (int i = 0; i < last; ++i) post(&consumer, i);
  consume_all(&consumer);
  CHECK(finished(&consumer));
  for (int i = 0; i < last; ++i) CHECK(consumer.requests[i] == MPI_REQUEST_NULL);
}

/* Waits for one after the other, in turn. */
static void in_turn(Consumer* consumer) {
  for (int i = 0; !finished(consumer); i = (i + 1) % consumer->producers) {
    MPI_Status status = odd_status();
    MPI_Wait(&consumer->requests[i], &status);
    consume(consumer, i, &status);
  }
}

/* Asks one after the other until one has something. */
static void by_asking_around(Consumer* consumer) {
  for (int i = 0; !finished(consumer); i = (i + 1) % consumer->producers) {
    MPI_Status status = odd_status();
    int flag = 0;
    if (consumer->requests[i] == MPI_REQUEST_NULL) continue;
    MPI_Test(&consumer->requests[i], &flag, &status);
    if (flag) consume(consumer, i, &status);
  }
}

static void whoever_comes_first(Consumer* consumer) {
  while (!finished(consumer)) {
    MPI_Status status = odd_status();
    int index = -1;
    MPI_Waitany(consumer->producers, consumer->requests, &index, &status);
    if (!CHECK(index >= 0 && index < consumer->producers)) return;
    consume(consumer, index, &status);
  }
}

static void all_who_are_there(Consumer* consumer) {
  while (!finished(consumer)) {
    MPI_Status statuses[PRODUCERS];
    int indices[PRODUCERS];
    int count = -1;
    MPI_Waitsome(consumer->producers, consumer->requests, &count, indices, statuses);
    if (!CHECK(count >= 1 && count <= consumer->producers)) return;
    for (int i = 0; i < count; ++i) consume(consumer, indices[i], &statuses[i]);
  }
}

static void take_turns(MPI_Comm comm) {
  run(comm, in_turn);
}
static void ask_around(MPI_Comm comm) {
  run(comm, by_asking_around);
}
static void wait_for_any(MPI_Comm comm) {
  run(comm, whoever_comes_first);
}
static void wait_for_some(MPI_Comm comm) {
  run(comm, all_who_are_there);
}

/* Nothing but null requests: a phase is over, and the next one begins with a message to every
 * producer. */
static void consume_phases(MPI_Comm comm, int producers, int phases) {
  MPI_Request requests[PRODUCERS];
  int values[PRODUCERS];
  int taken = 0;
  for (int i = 0; i < producers; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int phase = -1; phase < phases;) {
    MPI_Status status = odd_status();
    int index = -5;
    MPI_Waitany(producers, requests, &index, &status);
    if (index != MPI_UNDEFINED) {
      CHECK_STATUS(status, index, TAG, (int)sizeof(int));
      CHECK_EQUAL(values[index], 1000 * phase + index);
      ++taken;
      continue;
    }
    CHECK_EMPTY(status);
    CHECK_EQUAL(taken, phase < 0 ? 0 : producers);
    taken = 0;
    if (++phase == phases) return;
    for (int i = 0; i < producers; ++i) {
      MPI_Irecv(&values[i], 1, MPI_INT, i, TAG, comm, &requests[i]);
      MPI_Send(NULL, 0, MPI_BYTE, i, GO, comm);
    }
  }
}

static void in_phases(MPI_Comm comm) {
  enum { PHASES = 10 };
  const int last = size_of(comm) - 1;
  if (last > PRODUCERS) return;
  if (rank_in(comm) == last) {
    consume_phases(comm, last, PHASES);
    return;
  }
  for (int phase = 0; phase < PHASES; ++phase) {
    const int value = 1000 * phase + rank_in(comm);
    MPI_Recv(NULL, 0, MPI_BYTE, last, GO, comm, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, last, TAG, comm);
  }
}

static const Case cases[] = {
    {"ex 2.17", "a consumer that takes turns", ANY, take_turns},
    {"ex 2.18", "a consumer that asks around", ANY, ask_around},
    {"req 2.3.41, ex 2.25", "a consumer that takes whoever comes first", ANY, wait_for_any},
    {"req 2.3.46, req 2.3.47, ex 2.27", "a consumer that takes all who are there", ANY,
     wait_for_some},
    {"req 2.3.49, ex 2.32", "phases that end when all requests are null", ANY, in_phases},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
