/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives under mpiexec --check in programs that are right, or wrong where nobody can see it:
 * patient NAME. */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "early.h"

static void lengths(void) { /* shorter messages, and each place in a page */
  static const int counts[] = {0, 1, 1000, 1024, 1025, 5000, ints};
  MPI_Request request;
  MPI_Status status;
  int count;
  for (int i = 0; i < (int)(sizeof counts / sizeof *counts); ++i) {
    int* buffer = new_buffer();
    fill(i);
    MPI_Irecv(buffer + i, ints, MPI_INT, previous, i, MPI_COMM_WORLD, &request);
    send_all(counts[i], i);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == counts[i] && status.MPI_TAG == i);
    EXPECT(is_old(buffer, 0, i) && has(buffer + i, count, i) && is_old(buffer, i + count, ints));
    free_buffer(buffer);
    buffer = new_buffer();
    MPI_Irecv(buffer, counts[i], MPI_INT, previous, i, MPI_COMM_WORLD, &request);
    send_all(counts[i], i);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(has(buffer, counts[i], i) && is_old(buffer, counts[i], ints));
    free_buffer(buffer);
  }
}

enum { many = 40, part = ints / many };
static void start_many(int* buffer, MPI_Request* requests) { /* side by side */
  for (int i = 0; i < many; ++i)
    MPI_Irecv(buffer + i * part, part, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]);
}
static void send_many(void) {
  for (int i = many - 1; i >= 0; --i)
    MPI_Send(more + i * part, part, MPI_INT, next, i, MPI_COMM_WORLD);
}

static void completions(void) {
  MPI_Request requests[many];
  MPI_Status statuses[many];
  int indices[many], count, index, flag, done;
  int* buffer = new_buffer();
  for (int way = 0; way < 12; ++way) {
    fill(way);
    start_many(buffer, requests);
    send_many();
    MPI_Status* const one = way % 2 ? &statuses[0] : MPI_STATUS_IGNORE;
    MPI_Status* const each = way % 2 ? statuses : MPI_STATUSES_IGNORE;
    switch (way / 2) {
      case 0:
        MPI_Waitall(many, requests, each);
        break;
      case 1:
        for (done = 0; done < many; done += count)
          MPI_Waitsome(many, requests, &count, indices, each);
        break;
      case 2:
        for (done = 0; done < many; done += count)
          MPI_Testsome(many, requests, &count, indices, each);
        break;
      case 3:
        for (done = 0; done < many; ++done) {
          MPI_Waitany(many, requests, &index, one);
          EXPECT(has(buffer + index * part, part, way + index * part));
        }
        break;
      case 4:
        for (done = 0; done < many; done += flag) MPI_Testany(many, requests, &index, &flag, one);
        break;
      default:
        do MPI_Testall(many, requests, &flag, each);
        while (!flag);
    }
    EXPECT(has(buffer, many * part, way));
  }
  free_buffer(buffer);
}

static void told_of_completions(void) { /* MPI_Request_get_status and its sisters */
  MPI_Request requests[many];
  int indices[many], count, index, flag, done;
  int* buffer = new_buffer();
  for (int way = 0; way < 4; ++way) {
    fill(way);
    start_many(buffer, requests);
    send_many();
    for (done = 0; !done;) {
      switch (way) {
        case 0:
          for (int i = 0; i < many; ++i) do
              MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
            while (!flag);
          done = 1;
          break;
        case 1:
          MPI_Request_get_status_all(many, requests, &done, MPI_STATUSES_IGNORE);
          break;
        case 2:
          MPI_Request_get_status_any(many, requests, &index, &flag, MPI_STATUS_IGNORE);
          if (flag) EXPECT(has(buffer + index * part, part, way + index * part));
          done = flag;
          break;
        default:
          MPI_Request_get_status_some(many, requests, &count, indices, MPI_STATUSES_IGNORE);
          for (int i = 0; i < count; ++i)
            EXPECT(has(buffer + indices[i] * part, part, way + indices[i] * part));
          done = count == many;
      }
    }
    if (way % 2 == 1 || way == 0) {
      EXPECT(has(buffer, many * part, way));
      buffer[0] = -1; /* the program's again, and it stays */
    }
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    EXPECT(way == 2 || buffer[0] == -1);
  }
  free_buffer(buffer);
}

static void persistent(void) {
  MPI_Request requests[2];
  int* buffers[2] = {new_buffer(), new_buffer()};
  for (int i = 0; i < 2; ++i)
    MPI_Recv_init(buffers[i], ints, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]);
  for (int round = 0; round < 4; ++round) {
    const int count = round == 3 ? 1500 : ints;
    fill(round);
    MPI_Startall(2, requests);
    for (int i = 0; i < 2; ++i) send_all(count, i);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i) {
      EXPECT(has(buffers[i], count, round) &&
             (count == ints || has(buffers[i] + count, ints - count, 2 + count)));
      buffers[i][round] = buffers[i][ints / 2]; /* between rounds it is the program's */
    }
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Request_free(&requests[i]);
    free_buffer(buffers[i]);
  }
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int flag;
  int* buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(flag && is_old(buffer, 0, ints));
  free_buffer(buffer);
}

static void matched(void) {
  MPI_Request request, send;
  MPI_Message message;
  int* buffer = new_buffer();
  fill(9);
  MPI_Isend(more, ints, MPI_INT, next, 0, MPI_COMM_WORLD, &send);
  MPI_Mprobe(previous, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(buffer, ints, MPI_INT, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  EXPECT(has(buffer, ints, 9));
  memset(buffer, 7, bytes);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(buffer, ints, MPI_INT, &message, &request);
  EXPECT(is_old(buffer, 0, ints));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(is_old(buffer, 0, ints));
  MPI_Isendrecv(more, ints, MPI_INT, next, 1, buffer, ints, MPI_INT, previous, 1, MPI_COMM_WORLD,
                &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(has(buffer, ints, 9));
  MPI_Irecv_c(buffer + 1, ints, MPI_INT, previous, 2, MPI_COMM_WORLD, &request);
  send_all(ints, 2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(has(buffer + 1, ints, 9));
  free_buffer(buffer);
}

static void failed(void) { /* messages that are too long */
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int error, index;
  int* buffer = new_buffer();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  fill(4);
  MPI_Irecv(buffer, 3000, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
  send_all(4000, 0);
  MPI_Error_class(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), &error);
  EXPECT(error == MPI_ERR_TRUNCATE && has(buffer, 3000, 4) && is_old(buffer, 3000, ints));
  for (int way = 0; way < 2; ++way) {
    fill(5 + way);
    MPI_Irecv(buffer, 3000, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(buffer + 3000, 3000, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[1]);
    send_all(3000, 0);
    send_all(4000, 1);
    const int code = MPI_Waitall(2, requests, way ? statuses : MPI_STATUSES_IGNORE);
    if (way) EXPECT(code == MPI_ERR_IN_STATUS && statuses[0].MPI_ERROR == MPI_SUCCESS);
    MPI_Error_class(way ? statuses[1].MPI_ERROR : code, &error);
    EXPECT(error == MPI_ERR_TRUNCATE);
    EXPECT(has(buffer, 3000, 5 + way) && has(buffer + 3000, 3000, 5 + way));
  }
  MPI_Recv_init(buffer, 3000, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
  for (int round = 0; round < 3; ++round) {
    fill(round);
    MPI_Start(&requests[0]);
    send_all(round == 1 ? 4000 : 3000, 0);
    EXPECT((MPI_Wait(&requests[0], MPI_STATUS_IGNORE) != MPI_SUCCESS) == (round == 1));
    EXPECT(has(buffer, 3000, round));
  }
  /* Of two that are complete the failed one is told first; the other one waits. */
  MPI_Recv_init(buffer + 3000, 3000, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[1]);
  memset(buffer, 7, bytes);
  fill(4);
  MPI_Startall(2, requests);
  send_all(1000, 1);
  send_all(4000, 0);
  for (int told = 0; told < 2; ++told) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  EXPECT(has(buffer, 3000, 4) && has(buffer + 3000, 1000, 4) && is_old(buffer, 4000, ints));
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  free_buffer(buffer);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void freed_requests(void) {
  MPI_Request request;
  int none = 0;
  int* buffer = new_buffer();
  fill(6);
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  EXPECT(request == MPI_REQUEST_NULL);
  MPI_Ssend(more, ints, MPI_INT, next, 0, MPI_COMM_WORLD); /* its receiver has begun */
  while (!has(buffer, ints, 6))
    MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &none, MPI_STATUS_IGNORE);
  free_buffer(buffer);
  buffer = new_buffer();
  MPI_Irecv(buffer, ints, MPI_INT, previous, 4711, MPI_COMM_WORLD, &request); /* never sent */
  MPI_Request_free(&request);
}

static void types(void) {
  MPI_Datatype pair, turned, column;
  MPI_Request request;
  const int lengths_of[2] = {1, 1}, places[2] = {1, 0};
  int* buffer = new_buffer();
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_indexed(2, lengths_of, places, MPI_INT, &turned);
  MPI_Type_commit(&turned);
  fill(0);
  MPI_Irecv(buffer, ints / 2, pair, previous, 0, MPI_COMM_WORLD, &request);
  send_all(2001, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(has(buffer, 2001, 0) && is_old(buffer, 2001, ints));
  memset(buffer, 7, bytes);
  MPI_Irecv(buffer, ints / 2, turned, previous, 0, MPI_COMM_WORLD, &request);
  MPI_Type_free(&turned);
  send_all(2001, 0); /* the last one comes to the second half of its element */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2000; ++i) EXPECT(buffer[i] == (i ^ 1));
  EXPECT(buffer[2001] == 2000 && buffer[2000] == 0x07070707 && is_old(buffer, 2002, ints));
  /* The gaps of a type are the program's. */
  MPI_Type_vector(ints / 2048, 1024, 2048, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(buffer, 1, column, previous, 0, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 1024; ++i) buffer[1024 + i] = i;
  send_all(ints / 2, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(has(buffer, 1024, 0) && has(buffer + 1024, 1024, 0) && has(buffer + 2048, 1024, 1024));
  MPI_Type_free(&column);
  MPI_Type_free(&pair);
  free_buffer(buffer);
}

static void memories(void) { /* that are not like other memory */
  MPI_Request request;
  fill(2);
  int on_stack[ints / 8];
  MPI_Irecv(on_stack, ints / 8, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  send_all(ints / 8, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(has(on_stack, ints / 8, 2));
  int* buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  touch(buffer + ints / 2); /* wrong, but shared memory is left alone */
  send_all(ints, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(has(buffer, ints, 2));
  munmap(buffer, bytes);
  buffer =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (buffer == MAP_FAILED) return; /* a system may forbid it */
  buffer[0] = 1;
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &request);
  touch(buffer + ints / 2); /* so is code */
  send_all(ints, 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(has(buffer, ints, 2));
  munmap(buffer, bytes);
}

/* More receives than are guarded, and more memory than is set aside. */
static void countless(void) {
  enum { receives = 3000 };
  static MPI_Request requests[receives];
  char* buffer = mmap(NULL, (size_t)receives * 2 * page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < receives; ++i)
    MPI_Irecv(buffer + (size_t)i * 2 * page, 2 * page, MPI_BYTE, previous, i, MPI_COMM_WORLD,
              &requests[i]);
  for (int i = 0; i < receives; ++i) {
    more[0] = i;
    send_all(1, i);
  }
  MPI_Waitall(receives, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < receives; ++i) EXPECT(*(int*)(buffer + (size_t)i * 2 * page) == i);
  munmap(buffer, (size_t)receives * 2 * page);
  const size_t large = (size_t)sysconf(_SC_PHYS_PAGES) * page;
  buffer =
      mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (buffer == MAP_FAILED) return;
  MPI_Irecv_c(buffer, (MPI_Count)large, MPI_BYTE, previous, 0, MPI_COMM_WORLD, &requests[0]);
  touch(buffer + large / 2); /* wrong, but too large to look at */
  send_all(1, 0);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  munmap(buffer, large);
}

static void* receives_in_thread(void* number) {
  const int tag = *(int*)number;
  int* buffer = new_buffer();
  int* mine = malloc(bytes);
  MPI_Request requests[2];
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < ints; ++i) mine[i] = tag + round + i;
    MPI_Irecv(buffer, ints, MPI_INT, previous, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(mine, ints, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[1]);
    if (round % 2)
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    else
      for (int i = 0; i < 2; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    EXPECT(has(buffer, ints, tag + round));
  }
  free(mine);
  free_buffer(buffer);
  return NULL;
}
static void threads(void) {
  enum { count = 4 };
  pthread_t all[count];
  int numbers[count];
  for (int i = 0; i < count; ++i) {
    numbers[i] = 100 * i;
    pthread_create(&all[i], NULL, receives_in_thread, &numbers[i]);
  }
  for (int i = 0; i < count; ++i) pthread_join(all[i], NULL);
}

static void other_names(void) { /* those that tools call */
  MPI_Request requests[2];
  int flag = 0;
  int* buffer = new_buffer();
  fill(8);
  MPI_Irecv(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
  send_all(ints, 0);
  PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  EXPECT(has(buffer, ints, 8));
  fill(9);
  MPI_Recv_init(buffer, ints, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
  PMPI_Start(&requests[0]);
  send_all(ints, 0);
  while (!flag) PMPI_Testall(1, requests, &flag, MPI_STATUSES_IGNORE);
  EXPECT(has(buffer, ints, 9));
  PMPI_Request_free(&requests[0]);
  free_buffer(buffer);
}

static const struct one_case all[] = {
    CASE(lengths),    CASE(completions),    CASE(told_of_completions),
    CASE(persistent), CASE(cancelled),      CASE(matched),
    CASE(failed),     CASE(freed_requests), CASE(types),
    CASE(memories),   CASE(countless),      CASE(threads),
    CASE(other_names)};

int main(int argc, char** argv) {
  return run_cases(argc, argv, all, sizeof all / sizeof *all);
}
