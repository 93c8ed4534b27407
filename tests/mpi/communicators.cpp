// SPDX-License-Identifier: BSD-3-Clause
// Groups, and communicators made from communicators, in all ways.
#include <cstring>
#include <string>
#include <vector>

#include "check.h"

namespace {

int me, n;

MPI_Group world_group() {
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  return group;
}

int group_size(MPI_Group group) {
  int size = -1;
  MPI_Group_size(group, &size);
  return size;
}

int compare(MPI_Group a, MPI_Group b) {
  int result = -1;
  MPI_Group_compare(a, b, &result);
  return result;
}

int compare(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  MPI_Comm_compare(a, b, &result);
  return result;
}

// A message around the ring shows that the communicator works and is kept apart from others.
bool works(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  int in = -1, sum = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &in, 1, MPI_INT, (rank + size - 1) % size,
               5, comm, MPI_STATUS_IGNORE);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  return in == (rank + size - 1) % size && sum == size * (size - 1) / 2;
}

void test_groups() {
  const MPI_Group all = world_group();
  int rank = -1;
  CHECK(MPI_Group_rank(all, &rank) == MPI_SUCCESS && rank == me);
  std::vector<int> reverse, even;
  for (int r = n - 1; r >= 0; --r) reverse.push_back(r);
  for (int r = 0; r < n; r += 2) even.push_back(r);
  MPI_Group backwards, evens, odds, both, none;
  MPI_Group_incl(all, n, reverse.data(), &backwards);
  MPI_Group_incl(all, static_cast<int>(even.size()), even.data(), &evens);
  MPI_Group_excl(all, static_cast<int>(even.size()), even.data(), &odds);
  CHECK(compare(all, backwards) == (n == 1 ? MPI_IDENT : MPI_SIMILAR));
  CHECK(compare(all, all) == MPI_IDENT);
  CHECK(group_size(evens) == (n + 1) / 2 && group_size(odds) == n / 2);
  if (n == 1) CHECK(odds == MPI_GROUP_EMPTY);
  MPI_Group_union(evens, odds, &both);
  CHECK(group_size(both) == n && compare(both, all) == (n <= 2 ? MPI_IDENT : MPI_SIMILAR));
  MPI_Group_intersection(evens, odds, &none);
  CHECK(none == MPI_GROUP_EMPTY && group_size(none) == 0);
  MPI_Group_free(&none);
  CHECK(none == MPI_GROUP_NULL);
  MPI_Group_difference(all, evens, &none);
  CHECK(compare(none, odds) == MPI_IDENT);
  MPI_Group_free(&none);

  int ranges[1][3] = {{n - 1, 0, -1}};
  MPI_Group ranged;
  CHECK(MPI_Group_range_incl(all, 1, ranges, &ranged) == MPI_SUCCESS);
  CHECK(compare(ranged, backwards) == MPI_IDENT);
  MPI_Group_free(&ranged);
  int every_other[1][3] = {{0, n - 1, 2}};
  MPI_Group_range_excl(all, 1, every_other, &ranged);
  CHECK(compare(ranged, odds) == MPI_IDENT);
  MPI_Group_free(&ranged);

  const int mine[] = {me, MPI_PROC_NULL};
  int there[2];
  MPI_Group_translate_ranks(all, 2, mine, backwards, there);
  CHECK(there[0] == n - 1 - me && there[1] == MPI_PROC_NULL);
  MPI_Group_translate_ranks(all, 1, mine, odds, there);
  CHECK(there[0] == (me % 2 == 1 ? me / 2 : MPI_UNDEFINED));
  CHECK(MPI_Group_rank(MPI_GROUP_EMPTY, &rank) == MPI_SUCCESS && rank == MPI_UNDEFINED);

  const int twice[] = {0, 0};
  const int outside[] = {n};
  int no_stride[1][3] = {{0, 0, 0}};
  CHECK(class_of(MPI_Group_incl(all, 2, twice, &ranged)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Group_excl(all, 1, outside, &ranged)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Group_range_incl(all, 1, no_stride, &ranged)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Group_size(MPI_GROUP_NULL, &rank)) == MPI_ERR_GROUP);
  for (MPI_Group group : {all, backwards, evens, odds, both}) MPI_Group_free(&group);
}

void test_dup() {
  MPI_Comm copy, other;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  CHECK(compare(copy, MPI_COMM_WORLD) == MPI_CONGRUENT && compare(copy, copy) == MPI_IDENT);
  CHECK(works(copy));
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(copy, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);  // as the parent's
  MPI_Request requests[2];
  MPI_Comm_idup(copy, &other, &requests[0]);
  MPI_Comm third;
  MPI_Comm_idup(MPI_COMM_WORLD, &third, &requests[1]);
  CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(works(other) && works(third) && compare(other, third) == MPI_CONGRUENT);
  int in = -1;
  MPI_Sendrecv(&me, 1, MPI_INT, me, 1, &in, 1, MPI_INT, me, 1, other, MPI_STATUS_IGNORE);
  CHECK(in == me);
  for (MPI_Comm* comm : {&copy, &other, &third}) {
    MPI_Comm_free(comm);
    CHECK(*comm == MPI_COMM_NULL);
  }
}

// An operation that is pending keeps a freed communicator.
void test_free_pending() {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  int in = -1;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, (me + 1) % n, 3, copy, &request);
  MPI_Comm kept = copy;
  MPI_Send(&me, 1, MPI_INT, (me + n - 1) % n, 3, kept);
  MPI_Comm_free(&copy);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == (me + 1) % n);
}

void test_split() {
  MPI_Comm part;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &part) == MPI_SUCCESS);
  const int size = me % 2 == 0 ? (n + 1) / 2 : n / 2;
  CHECK(size_of(part) == size && rank_in(part) == size - 1 - me / 2);
  CHECK(works(part));
  MPI_Comm_free(&part);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 7, 0, &part) == MPI_SUCCESS);
  CHECK((part == MPI_COMM_NULL) == (me == 0));
  if (part != MPI_COMM_NULL) {
    CHECK(size_of(part) == n - 1 && rank_in(part) == me - 1 && works(part));
    MPI_Comm_free(&part);
  }
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part) ==
        MPI_SUCCESS);
  CHECK(size_of(part) == n && works(part));
  MPI_Comm_free(&part);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &part) ==
        MPI_SUCCESS);
  CHECK(part == MPI_COMM_NULL);
  CHECK(class_of(MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &part)) == MPI_ERR_ARG);
}

void test_create() {
  const MPI_Group all = world_group();
  MPI_Group lower;
  int range[1][3] = {{(n - 1) / 2, 0, -1}};
  MPI_Group_range_incl(all, 1, range, &lower);
  const bool member = me <= (n - 1) / 2;
  MPI_Comm part;
  CHECK(MPI_Comm_create(MPI_COMM_WORLD, lower, &part) == MPI_SUCCESS);
  CHECK((part != MPI_COMM_NULL) == member);
  if (member) {
    CHECK(rank_in(part) == (n - 1) / 2 - me && works(part));
    MPI_Comm_free(&part);
    CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, lower, 9, &part) == MPI_SUCCESS);
    CHECK(works(part));
    MPI_Comm_free(&part);
  }
  CHECK(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &part) == MPI_SUCCESS &&
        part == MPI_COMM_NULL);
  CHECK(class_of(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &part)) == MPI_ERR_GROUP);
  MPI_Group self, copy = all;
  MPI_Comm_group(MPI_COMM_SELF, &self);
  if (n > 1) CHECK(class_of(MPI_Comm_create(MPI_COMM_SELF, copy, &part)) == MPI_ERR_GROUP);
  for (MPI_Group* group : {&lower, &self, &copy}) MPI_Group_free(group);
}

std::string memory_kinds(MPI_Comm comm) {
  char value[64] = "";
  int flag = 0, room = sizeof value;
  MPI_Info used;
  MPI_Comm_get_info(comm, &used);
  MPI_Info_get_string(used, "mpi_memory_alloc_kinds", &room, value, &flag);
  MPI_Info_free(&used);
  return value;
}

// req dynamic 10.14
void test_names_and_info() {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(std::string(name) == "MPI_COMM_WORLD" && length == 14);
  MPI_Comm copy;
  MPI_Info info, used;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
  MPI_Comm_get_name(copy, name, &length);
  CHECK(length == 0 && name[0] == '\0');
  MPI_Comm_set_name(copy, std::string(300, 'x').c_str());
  MPI_Comm_get_name(copy, name, &length);
  CHECK(length == MPI_MAX_OBJECT_NAME - 1 && name[length] == '\0');
  MPI_Comm_get_info(copy, &used);
  char value[16];
  int flag = 0, room = sizeof value;
  MPI_Info_get_string(used, "mpi_assert_no_any_tag", &room, value, &flag);
  CHECK(flag != 0 && std::strcmp(value, "true") == 0);
  MPI_Info_free(&used);
  CHECK(memory_kinds(copy) == "mpi,system");
  MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "gpu:device,system");
  MPI_Info_set(info, "mpi_memory_alloc_kinds", "gpu");  // is answered, never taken
  MPI_Comm_set_info(copy, info);
  CHECK(memory_kinds(copy) == "system" && memory_kinds(MPI_COMM_WORLD) == "mpi,system");
  MPI_Info_free(&info);
  MPI_Comm_free(&copy);
}

// Rank 0 comes early, with a buffered message still to be delivered; rank 1 takes that before it
// comes. Nobody leaves before the other has come (all processes of one machine have one clock).
void test_disconnect() {
  if (n < 2) return;
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, me < 2 ? 0 : MPI_UNDEFINED, me, &pair);
  if (pair == MPI_COMM_NULL) return;
  std::vector<char> data(1 << 20, static_cast<char>(me)), buffer(data.size() + MPI_BSEND_OVERHEAD);
  const int bytes = static_cast<int>(data.size());
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  if (me == 0) MPI_Bsend(data.data(), bytes, MPI_CHAR, 1, 0, pair);
  if (me == 1) MPI_Recv(data.data(), bytes, MPI_CHAR, 0, 0, pair, MPI_STATUS_IGNORE);
  const double came = MPI_Wtime();
  CHECK(MPI_Comm_disconnect(&pair) == MPI_SUCCESS && pair == MPI_COMM_NULL);
  const double left = MPI_Wtime();
  double other_came = 0;
  MPI_Sendrecv(&came, 1, MPI_DOUBLE, 1 - me, 6, &other_came, 1, MPI_DOUBLE, 1 - me, 6,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(left >= other_came);
  CHECK(data.back() == 0 || me == 0);
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
  MPI_Comm world = MPI_COMM_WORLD;
  CHECK(class_of(MPI_Comm_disconnect(&world)) == MPI_ERR_COMM && world == MPI_COMM_WORLD);
}

void test_inter() {
  if (n < 2) return;
  MPI_Comm half, inter, merged, copy;
  const int side = me % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, me, &half);
  CHECK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 4, &inter) == MPI_SUCCESS);
  int flag = 0, remote = -1;
  MPI_Comm_test_inter(inter, &flag);
  MPI_Comm_remote_size(inter, &remote);
  CHECK(flag == 1 && size_of(inter) == size_of(half) && remote == n - size_of(half));
  MPI_Group group, expected;
  MPI_Comm_remote_group(inter, &group);
  const MPI_Group all = world_group();
  int range[1][3] = {{1 - side, n - 1, 2}};
  MPI_Group_range_incl(all, 1, range, &expected);
  CHECK(compare(group, expected) == MPI_IDENT);
  CHECK(MPI_Intercomm_merge(inter, side == 0, &merged) == MPI_SUCCESS);  // the odd ones first
  CHECK(rank_in(merged) == (side == 1 ? me / 2 : n / 2 + me / 2) && works(merged));
  CHECK(MPI_Comm_dup(inter, &copy) == MPI_SUCCESS && compare(inter, copy) == MPI_CONGRUENT);
  CHECK(compare(inter, half) == MPI_UNEQUAL);
  MPI_Comm later, part;
  MPI_Request request;
  MPI_Comm_idup(inter, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int partner = rank_in(inter);
  int in = -1;
  if (partner < remote) {
    MPI_Sendrecv(&me, 1, MPI_INT, partner, 2, &in, 1, MPI_INT, partner, 2, later,
                 MPI_STATUS_IGNORE);
    CHECK(in == (side == 0 ? me + 1 : me - 1));
  }
  CHECK(MPI_Comm_split(inter, rank_in(inter) == 0 ? 0 : MPI_UNDEFINED, 0, &part) == MPI_SUCCESS);
  CHECK((part != MPI_COMM_NULL) == (rank_in(inter) == 0));
  if (part != MPI_COMM_NULL) MPI_Comm_disconnect(&part);
  CHECK(class_of(MPI_Intercomm_merge(half, 0, &part)) == MPI_ERR_COMM);
  MPI_Group left = all;
  for (MPI_Group* g : {&group, &expected, &left}) MPI_Group_free(g);
  for (MPI_Comm* c : {&half, &inter, &merged, &copy, &later}) MPI_Comm_free(c);
}

void test_errors() {
  MPI_Comm world = MPI_COMM_WORLD, null = MPI_COMM_NULL, made;
  int size;
  CHECK(class_of(MPI_Comm_free(&world)) == MPI_ERR_COMM && world == MPI_COMM_WORLD);
  CHECK(class_of(MPI_Comm_free(&null)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Comm_dup(MPI_COMM_NULL, &made)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Comm_size(MPI_COMM_NULL, &size)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Comm_remote_size(MPI_COMM_WORLD, &size)) == MPI_ERR_COMM);
  CHECK(class_of(MPI_Comm_dup(MPI_COMM_WORLD, nullptr)) == MPI_ERR_ARG);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  me = rank_in(MPI_COMM_WORLD);
  n = size_of(MPI_COMM_WORLD);
  test_groups();
  test_dup();
  test_free_pending();
  test_split();
  test_create();
  test_names_and_info();
  test_inter();
  test_disconnect();
  test_errors();
  return finish();
}
