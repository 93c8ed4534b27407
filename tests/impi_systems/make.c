/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators made of communicators that span systems: members, order, traffic, attributes.
 * req impi 21.1, req impi 21.5, req impi 22.1 */
#include "check.h"

/* Sums the world ranks over the communicator and passes a token around it. */
static void use(MPI_Comm comm, int expected_sum) {
  int rank = 0, n = 0, sum = 0, token = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &n);
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == expected_sum);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % n, 3, &token, 1, MPI_INT, (rank + n - 1) % n, 3,
               comm, MPI_STATUS_IGNORE);
  CHECK(token == (rank + n - 1) % n);
}

static int sum_of_world(void) {
  return size * (size - 1) / 2;
}

static int attribute(MPI_Comm comm, int keyval) {
  int flag = 0;
  int* value = NULL;
  MPI_Comm_get_attr(comm, keyval, &value, &flag);
  CHECK(flag);
  return *value;
}

/* In our systems each process is a host; req impi 22.1. */
static void attributes(void) {
  MPI_Comm inner, half, inter;
  int rank = 0, n = 0;
  CHECK(attribute(MPI_COMM_WORLD, IMPI_HOST_SIZE) == (systems > 1 ? size : 1));
  CHECK(attribute(MPI_COMM_WORLD, IMPI_HOST_COLOR) == (systems > 1 ? me : 0));
  CHECK(attribute(MPI_COMM_SELF, IMPI_CLIENT_SIZE) == 1);
  CHECK(attribute(MPI_COMM_SELF, IMPI_CLIENT_COLOR) == 0);
  CHECK(attribute(MPI_COMM_SELF, IMPI_HOST_SIZE) == 1);
  CHECK(attribute(MPI_COMM_SELF, IMPI_HOST_COLOR) == 0);
  if (systems == 1) return;
  for (int k = 0; k < 3; ++k) { /* within a system, one after the other */
    MPI_Comm_split(MPI_COMM_WORLD, k < 2 ? color : me, -me, &inner);
    MPI_Comm_size(inner, &n);
    MPI_Comm_rank(inner, &rank);
    CHECK(attribute(inner, IMPI_CLIENT_SIZE) == 1 && attribute(inner, IMPI_CLIENT_COLOR) == 0);
    CHECK(attribute(inner, IMPI_HOST_SIZE) == n);
    CHECK(attribute(inner, IMPI_HOST_COLOR) == n - 1 - rank); /* as in MPI_COMM_WORLD */
    MPI_Comm_free(&inner);
  }
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 18, &inter);
  CHECK(attribute(inter, IMPI_CLIENT_SIZE) == systems && attribute(inter, IMPI_HOST_SIZE) == size);
  CHECK(attribute(inter, IMPI_CLIENT_COLOR) == color && attribute(inter, IMPI_HOST_COLOR) == me);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* req impi 21.6 */
static void duplicates(void) {
  MPI_Comm first, second;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(first, &second);
  if (me == 0) { /* the same tag under three contexts */
    int value[3] = {0};
    MPI_Recv(&value[2], 1, MPI_INT, size - 1, 1, second, MPI_STATUS_IGNORE);
    MPI_Recv(&value[1], 1, MPI_INT, size - 1, 1, first, MPI_STATUS_IGNORE);
    MPI_Recv(&value[0], 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value[0] == 10 && value[1] == 11 && value[2] == 12);
  } else if (me == size - 1) {
    int value[3] = {10, 11, 12};
    MPI_Send(&value[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(&value[1], 1, MPI_INT, 0, 1, first);
    MPI_Send(&value[2], 1, MPI_INT, 0, 1, second);
  }
  use(first, sum_of_world());
  use(second, sum_of_world());
  CHECK(attribute(second, IMPI_CLIENT_SIZE) == systems);
  MPI_Comm_free(&second);
  MPI_Comm_free(&first);
}

/* req impi 21.2 */
static void splits(void) {
  MPI_Comm system, reversed, some, none;
  int rank = 0, n = 0, sum = 0;
  MPI_Comm_split(MPI_COMM_WORLD, color, me, &system); /* within each system */
  MPI_Comm_size(system, &n);
  CHECK(attribute(system, IMPI_CLIENT_SIZE) == 1 && attribute(system, IMPI_CLIENT_COLOR) == 0);
  MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, system);
  CHECK(sum == n * n);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
  MPI_Comm_rank(reversed, &rank);
  CHECK(rank == size - 1 - me);
  use(reversed, sum_of_world());
  MPI_Comm_split(reversed, me == 0 ? MPI_UNDEFINED : 1, me, &some);
  if (me == 0)
    CHECK(some == MPI_COMM_NULL);
  else
    use(some, sum_of_world());
  MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &none);
  CHECK(none == MPI_COMM_NULL);
  if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&system);
}

static void groups(void) {
  MPI_Group world, ends;
  MPI_Comm comm;
  const int ranks[2] = {size - 1, 0};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, ranks, &ends);
  MPI_Comm_create(MPI_COMM_WORLD, ends, &comm);
  if (me == 0 || me == size - 1) {
    int rank = -1;
    MPI_Comm_rank(comm, &rank);
    CHECK(rank == (me == 0 ? 1 : 0));
    use(comm, size - 1);
    MPI_Comm_free(&comm);
  } else {
    CHECK(comm == MPI_COMM_NULL);
  }
  MPI_Group_free(&ends);
  MPI_Group_free(&world);
}

/* The first system on one side and the others on the other; then each half mixed: req impi 21.3,
 * req impi 21.4 */
static void intercommunicators(int side, int leaders[2]) {
  MPI_Comm local, inter, copy, merged;
  int rank = 0, mine = 0, remote = 0, n = 0, value = -1, sum = 0;
  MPI_Comm_split(MPI_COMM_WORLD, side, me, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, leaders[1 - side], 17, &inter);
  MPI_Comm_rank(inter, &rank);
  mine = rank;
  MPI_Comm_size(inter, &n);
  MPI_Comm_remote_size(inter, &remote);
  CHECK(n + remote == size);
  MPI_Comm_dup(inter, &copy);
  for (int i = 0; i < remote; ++i) MPI_Send(&me, 1, MPI_INT, i, 4, i % 2 == 0 ? inter : copy);
  for (int i = 0; i < remote; ++i) {
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, i, MPI_ANY_TAG, rank % 2 == 0 ? inter : copy, &status);
    CHECK(status.MPI_SOURCE == i);
    sum += value;
  }
  MPI_Allreduce(&me, &value, 1, MPI_INT, MPI_SUM, local);
  CHECK(sum + value == sum_of_world());
  MPI_Intercomm_merge(copy, side, &merged);
  MPI_Comm_rank(merged, &rank);
  CHECK(rank == (side == 0 ? mine : remote + mine));
  use(merged, sum_of_world());
  MPI_Comm_free(&merged);
  MPI_Intercomm_merge(inter, 1, &merged); /* equal wishes: the lower leader's group comes first */
  MPI_Comm_rank(merged, &rank);
  CHECK(rank == (leaders[side] < leaders[1 - side] ? mine : remote + mine));
  use(merged, sum_of_world());
  MPI_Comm_free(&merged);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  attributes();
  duplicates();
  splits();
  groups();
  if (systems > 1) {
    int first = 0, of_first = color == 0;
    MPI_Allreduce(&of_first, &first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    intercommunicators(color == 0 ? 0 : 1, (int[2]){0, first});
    intercommunicators(me % 2, (int[2]){0, 1});
    intercommunicators(1 - me % 2, (int[2]){1, 0});
  }
  end("make");
  return 0;
}
