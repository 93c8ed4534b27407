/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-top: shows what a running MPI program does, with nothing but MPI_T.
 *
 *     mpiexec -n 4 -x LD_PRELOAD=/path/libmpi-top.so ./program            a table on rank 0's
 * terminal mpiexec -n 4 -x LD_PRELOAD=... -x MPI_TOP_FILE=top ./program        lines in top.0,
 * top.1, ...
 *
 * MPI_TOP_FILE      each process writes to this file, with its rank behind a point
 * MPI_TOP_RANK      the rank that shows the table (0), where there is no file
 * MPI_TOP_INTERVAL  seconds between two looks (1)
 * MPI_TOP_MATCH     only variables whose names contain this
 *
 * It stands in front of MPI_Init, MPI_Init_thread and MPI_Finalize, and looks from a thread of its
 * own. A line has the seconds since the start, the variable, its value, and its growth per second;
 * variables that are and stay 0 are left out. Works with every MPI that has the tool interface. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kName = 128, kMost = 1024 };

struct row {
  char name[kName];
  MPI_Datatype type;
  MPI_T_pvar_handle handle;
  double value, before;
};

static struct {
  MPI_T_pvar_session session;
  struct row rows[kMost];
  int count;
  FILE* out;
  int table, stop;
  double interval, begin, looked;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t ended;
} top = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Of one element; what is no number is left out. */
static int is_number(MPI_Datatype type) {
  return type == MPI_UNSIGNED_LONG_LONG || type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED ||
         type == MPI_DOUBLE || type == MPI_INT;
}

static double number(MPI_Datatype type, const void* buffer) {
  if (type == MPI_UNSIGNED_LONG_LONG) return (double)*(const unsigned long long*)buffer;
  if (type == MPI_UNSIGNED_LONG) return (double)*(const unsigned long*)buffer;
  if (type == MPI_UNSIGNED) return (double)*(const unsigned*)buffer;
  return type == MPI_DOUBLE ? *(const double*)buffer : *(const int*)buffer;
}

static void add_variable(int index, const char* match) {
  struct row* row = &top.rows[top.count];
  int length = kName, binding = 0, continuous = 0, count = 0;
  if (MPI_T_pvar_get_info(index, row->name, &length, NULL, NULL, &row->type, NULL, NULL, NULL,
                          &binding, NULL, &continuous, NULL) != MPI_SUCCESS)
    return;
  if (binding != MPI_T_BIND_NO_OBJECT || !is_number(row->type)) return;
  if (match != NULL && strstr(row->name, match) == NULL) return;
  if (MPI_T_pvar_handle_alloc(top.session, index, NULL, &row->handle, &count) != MPI_SUCCESS)
    return;
  if (count != 1) {
    MPI_T_pvar_handle_free(top.session, &row->handle);
    return;
  }
  if (!continuous) MPI_T_pvar_start(top.session, row->handle);
  ++top.count;
}

static void look(void) {
  const double time = now(), passed = time - top.looked;
  top.looked = time;
  if (top.table) fprintf(top.out, "\033[H\033[2Jmpi-top  %.1f s\n", time - top.begin);
  for (int i = 0; i < top.count; ++i) {
    struct row* row = &top.rows[i];
    unsigned long long buffer[2] = {0, 0};
    if (MPI_T_pvar_read(top.session, row->handle, buffer) != MPI_SUCCESS) continue;
    row->before = row->value;
    row->value = number(row->type, buffer);
    if (row->value == 0 && row->before == 0) continue;
    const double rate = passed > 0 ? (row->value - row->before) / passed : 0;
    if (top.table)
      fprintf(top.out, "%-40s %20.6g %16.6g/s\n", row->name, row->value, rate);
    else
      fprintf(top.out, "%.3f\t%s\t%.17g\t%.6g\n", time - top.begin, row->name, row->value, rate);
  }
  fflush(top.out);
}

static void* watch(void* unused) {
  (void)unused;
  pthread_mutex_lock(&top.mutex);
  while (!top.stop) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double end = (double)until.tv_sec + 1e-9 * (double)until.tv_nsec + top.interval;
    until.tv_sec = (time_t)end;
    until.tv_nsec = (long)((end - (double)until.tv_sec) * 1e9);
    pthread_cond_timedwait(&top.ended, &top.mutex, &until);
    if (!top.stop) look();
  }
  pthread_mutex_unlock(&top.mutex);
  return NULL;
}

static const char* setting(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value != NULL && *value != '\0' ? value : otherwise;
}

/* Where to write: a file for each process, or the terminal for one of them. */
static int open_output(void) {
  const char* const file = setting("MPI_TOP_FILE", NULL);
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (file == NULL) {
    if (rank != atoi(setting("MPI_TOP_RANK", "0"))) return 0;
    top.out = stderr;
    top.table = isatty(fileno(stderr));
    return 1;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", file, rank);
  top.out = fopen(path, "we");
  if (top.out == NULL) fprintf(stderr, "mpi-top: cannot write %s\n", path);
  return top.out != NULL;
}

static void begin(void) {
  int provided = 0, variables = 0;
  if (!open_output()) return;
  if (MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS) {
    fprintf(stderr, "mpi-top: this MPI has no tool interface\n");
    top.out = NULL;
    return;
  }
  MPI_T_pvar_session_create(&top.session);
  MPI_T_pvar_get_num(&variables);
  const char* const match = setting("MPI_TOP_MATCH", NULL);
  for (int i = 0; i < variables && top.count < kMost; ++i) add_variable(i, match);
  top.interval = atof(setting("MPI_TOP_INTERVAL", "1"));
  if (top.interval <= 0) top.interval = 1;
  top.begin = top.looked = now();
  pthread_cond_init(&top.ended, NULL);
  if (pthread_create(&top.thread, NULL, watch, NULL) != 0) top.out = NULL;
}

/* A last look, so that short programs leave something too. */
static void end(void) {
  if (top.out == NULL) return;
  pthread_mutex_lock(&top.mutex);
  top.stop = 1;
  pthread_cond_signal(&top.ended);
  pthread_mutex_unlock(&top.mutex);
  pthread_join(top.thread, NULL);
  look();
  MPI_T_pvar_session_free(&top.session);
  MPI_T_finalize();
  if (top.out != stderr) fclose(top.out);
  top.out = NULL;
}

int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) begin();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) begin();
  return code;
}

int MPI_Finalize(void) {
  end();
  return PMPI_Finalize();
}
