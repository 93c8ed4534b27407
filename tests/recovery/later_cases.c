/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators, communicators of groups, windows, ports, and sends that receive as well. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>

#include "survive.h"

static MPI_Win window = MPI_WIN_NULL;
static MPI_Comm half, inter; /* even and odd ranks, where the case begins with inter_ */

static int made(int code, MPI_Comm* comm) {
  if (code == MPI_SUCCESS && *comm != MPI_COMM_NULL) MPI_Comm_free(comm);
  return code;
}
static int inter_dup(void) {
  MPI_Comm copy;
  return made(MPI_Comm_dup(inter, &copy), &copy);
}
static int inter_idup(void) {
  MPI_Comm copy;
  MPI_Request request;
  int code = MPI_Comm_idup(inter, &copy, &request);
  if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  return made(code, &copy);
}
static int inter_split(void) {
  MPI_Comm part;
  return made(MPI_Comm_split(inter, 0, rank, &part), &part);
}
static int inter_create(void) {
  MPI_Comm part;
  MPI_Group group;
  MPI_Comm_group(inter, &group);
  int code = made(MPI_Comm_create(inter, group, &part), &part);
  MPI_Group_free(&group);
  return code;
}
static int inter_merge(void) {
  MPI_Comm merged;
  return made(MPI_Intercomm_merge(inter, rank % 2, &merged), &merged);
}
static int inter_connect(void) {
  MPI_Comm other;
  return made(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &other), &other);
}
static int inter_barrier(void) {
  return MPI_Barrier(inter);
}
static int inter_allreduce(void) {
  return MPI_Allreduce(out, in, bytes / 8, MPI_INT64_T, MPI_SUM, inter);
}
/* After the death: a send to the victim, and a receive of what a survivor never sends. */
static int other_survivor(void) {
  int next = (rank + 1) % size;
  return next == victim ? (next + 1) % size : next;
}
static int isendrecv(void) {
  static int rounds;
  MPI_Request request;
  if (rounds++ < kRounds) return send_recv();
  MPI_Isendrecv(out, bytes, MPI_BYTE, victim, 1, in, bytes, MPI_BYTE, other_survivor(), 6,
                MPI_COMM_WORLD, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static int isendrecv_replace(void) {
  static int rounds;
  MPI_Request request;
  if (rounds++ < kRounds) return send_recv();
  MPI_Isendrecv_replace(out, bytes, MPI_BYTE, victim, 1, other_survivor(), 6, MPI_COMM_WORLD,
                        &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static int expose(int (*end)(void)) {
  int ranks[64], n = 0, code;
  MPI_Group all, others;
  for (int i = 0; i < size; ++i)
    if ((rank == victim) != (i == victim)) ranks[n++] = i;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, n, ranks, &others);
  if (rank == victim) {
    code = MPI_Win_start(others, 0, window);
    if (code == MPI_SUCCESS) code = MPI_Win_complete(window);
  } else {
    code = MPI_Win_post(others, 0, window);
    if (code == MPI_SUCCESS) code = end();
  }
  MPI_Group_free(&all);
  MPI_Group_free(&others);
  return code;
}
static int end_by_wait(void) {
  return MPI_Win_wait(window);
}
static int end_by_test(void) {
  int flag = 0, code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && !flag) code = MPI_Win_test(window, &flag);
  return code;
}
static int win_wait(void) {
  return expose(end_by_wait);
}
static int win_test(void) {
  return expose(end_by_test);
}
/* After the death: no client ever calls. */
static int accept_one(void) {
  static int rounds;
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm client;
  if (rounds++ < kRounds) return barrier();
  if (rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  return made(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client), &client);
}
static int from_group(void) {
  MPI_Comm comm;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int code = MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&all);
  return made(code, &comm);
}
/* The first attempt, of the root before the death and of the others after it, leaves the root's
 * messages behind; go_on() tries again with the same tag. */
static int create_group(void) {
  static int rounds;
  MPI_Comm comm;
  MPI_Group all;
  const int round = rounds++;
  if (round < kRounds - 1 || (round == kRounds - 1 && rank != 0)) return barrier();
  int code = MPI_SUCCESS;
  if (round == kRounds)
    code = MPI_Recv(NULL, 0, MPI_BYTE, victim, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (round == kRounds && rank == 0) return code;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  code = MPI_Comm_create_group(MPI_COMM_WORLD, all, kTag, &comm);
  MPI_Group_free(&all);
  if (rank != 0 || code != MPI_SUCCESS) return code;
  MPI_Comm_free(&comm);
  return barrier();
}
static int inter_from_groups(void) {
  MPI_Comm comm;
  MPI_Group ours, theirs;
  MPI_Comm_group(inter, &ours);
  MPI_Comm_remote_group(inter, &theirs);
  int code = MPI_Intercomm_create_from_groups(ours, 0, theirs, 0, "both", MPI_INFO_NULL,
                                              MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&ours);
  MPI_Group_free(&theirs);
  return made(code, &comm);
}

const struct Case later_cases[] = {
    {"isendrecv", isendrecv},         {"isendrecv_replace", isendrecv_replace},
    {"win_wait", win_wait},           {"win_test", win_test},
    {"accept", accept_one},           {"from_group", from_group},
    {"create_group", create_group},   {"inter_from_groups", inter_from_groups},
    {"inter_dup", inter_dup},         {"inter_idup", inter_idup},
    {"inter_split", inter_split},     {"inter_create", inter_create},
    {"inter_merge", inter_merge},     {"inter_connect", inter_connect},
    {"inter_barrier", inter_barrier}, {"inter_allreduce", inter_allreduce},
};
const size_t later_case_count = sizeof later_cases / sizeof later_cases[0];

static void prepare_halves(void) {
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
  MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
}

void prepare_for(const char* name) {
  if (strncmp(name, "inter_", 6) == 0) prepare_halves();
  if (strncmp(name, "win_", 4) == 0) {
    void* base;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  }
}
