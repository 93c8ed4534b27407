/* SPDX-License-Identifier: BSD-3-Clause
   Groups: making them out of groups, comparing and translating, and what does not make one. */
#include "case.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static MPI_Group group_of(MPI_Comm comm) {
  MPI_Group group;
  MPI_Comm_group(comm, &group);
  return group;
}

/* The group of the first `n` of a communicator; the letters of the book are their ranks. */
static MPI_Group first(MPI_Comm comm, int n) {
  MPI_Group all = group_of(comm), some;
  int range[1][3] = {{0, n - 1, 1}};
  MPI_Group_range_incl(all, 1, range, &some);
  MPI_Group_free(&all);
  return some;
}

static MPI_Group chosen(MPI_Comm comm, int n, const int ranks[]) {
  MPI_Group all = group_of(comm), some;
  MPI_Group_incl(all, n, ranks, &some);
  MPI_Group_free(&all);
  return some;
}

static int size_of_group(MPI_Group group) {
  int size = -1;
  MPI_Group_size(group, &size);
  return size;
}

static int comparison(MPI_Group one, MPI_Group other) {
  int result = -1;
  MPI_Group_compare(one, other, &result);
  return result;
}

/* The members are those ranks of `comm`, in that order; the group is freed. */
static void expect_members(MPI_Group group, MPI_Comm comm, int n, const int ranks[]) {
  MPI_Group all = group_of(comm);
  CHECK_EQUAL(size_of_group(group), n);
  for (int i = 0; i < n && i < size_of_group(group); i++) {
    int there = -1;
    MPI_Group_translate_ranks(group, 1, &i, all, &there);
    CHECK_EQUAL(there, ranks[i]);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&group);
}

static void local_calls(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm);
  int received = -1, own = -2, sum = 0;
  for (int r = 0; r < size;
       r++) { /* each has another group, one without itself, made while the others wait */
    const int others[1] = {(rank + 1) % size};
    if (r == rank && size > 1) {
      MPI_Group one = chosen(comm, 1, others);
      MPI_Group_rank(one, &own);
      CHECK_EQUAL(own, MPI_UNDEFINED);
      expect_members(one, comm, 1, others);
    }
    received = r;
    MPI_Bcast(&received, 1, MPI_INT, r, comm);
    sum += received;
  }
  CHECK_EQUAL(sum, size * (size - 1) / 2);
  MPI_Group all = group_of(comm);
  MPI_Group_rank(all, &own);
  CHECK_EQUAL(own, rank);
  CHECK_EQUAL(size_of_group(all), size);
  MPI_Group_free(&all);
}

static void root_of_all(MPI_Comm comm) {
  MPI_Group world = group_of(MPI_COMM_WORLD), part = group_of(comm), self = group_of(MPI_COMM_SELF),
            common;
  MPI_Group_intersection(part, world, &common);
  CHECK_EQUAL(comparison(common, part), MPI_IDENT);
  MPI_Group_free(&common);
  MPI_Group_intersection(self, world, &common);
  CHECK_EQUAL(comparison(common, self), MPI_IDENT);
  MPI_Group_free(&common);
  MPI_Group_free(&world);
  MPI_Group_free(&part);
  MPI_Group_free(&self);
}

static void empty_and_null(MPI_Comm comm) {
  MPI_Group all = group_of(comm), made = all;
  int result = -7, rank = -7;
  CHECK_EQUAL(size_of_group(MPI_GROUP_EMPTY), 0);
  MPI_Group_rank(MPI_GROUP_EMPTY, &rank);
  CHECK_EQUAL(rank, MPI_UNDEFINED);
  CHECK(MPI_GROUP_EMPTY != MPI_GROUP_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_Group_size(MPI_GROUP_NULL, &result), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_rank(MPI_GROUP_NULL, &result), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_compare(all, MPI_GROUP_NULL, &result), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_union(MPI_GROUP_NULL, all, &made), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_intersection(all, MPI_GROUP_NULL, &made), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_difference(all, MPI_GROUP_NULL, &made), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_incl(MPI_GROUP_NULL, 0, NULL, &made), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Group_excl(MPI_GROUP_NULL, 0, NULL, &made), MPI_ERR_GROUP);
  CHECK(result == -7 && made == all);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Group_free(&all);
}

static void translate(MPI_Comm comm) {
  const int second[4] = {3, 4, 0, 2}, ranks1[4] = {0, 5, 0, 2},
            expected[4] = {2, MPI_UNDEFINED, 2, 3};
  MPI_Group six = first(comm, 6), four = chosen(comm, 4, second);
  int ranks2[5] = {-9, -9, -9, -9, -9};
  MPI_Group_translate_ranks(six, 4, ranks1, four, ranks2);
  for (int i = 0; i < 4; i++) CHECK_EQUAL(ranks2[i], expected[i]);
  CHECK_EQUAL(ranks2[4], -9);
  ranks2[0] = -9;
  MPI_Group_translate_ranks(six, 0, ranks1, four, ranks2);
  CHECK_EQUAL(ranks2[0], -9);
  MPI_Group_translate_ranks(six, 0, NULL, four, NULL);
  const int none[1] = {MPI_PROC_NULL};
  MPI_Group_translate_ranks(six, 1, none, four, ranks2);
  CHECK_EQUAL(ranks2[0], MPI_PROC_NULL);
  MPI_Group_free(&six);
  MPI_Group_free(&four);
}

static void compare(MPI_Comm comm) {
  const int straight[3] = {0, 1, 2}, turned[3] = {2, 0, 1};
  MPI_Group one = chosen(comm, 3, straight), same = first(comm, 3), other = chosen(comm, 3, turned);
  MPI_Group fewer = first(comm, 2);
  CHECK_EQUAL(comparison(one, one), MPI_IDENT);
  CHECK_EQUAL(comparison(one, same), MPI_IDENT);
  CHECK_EQUAL(comparison(one, other), MPI_SIMILAR);
  CHECK_EQUAL(comparison(one, fewer), MPI_UNEQUAL);
  CHECK_EQUAL(comparison(fewer, one), MPI_UNEQUAL);
  CHECK_EQUAL(comparison(MPI_GROUP_EMPTY, one), MPI_UNEQUAL);
  CHECK_EQUAL(comparison(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY), MPI_IDENT);
  MPI_Group_free(&one);
  MPI_Group_free(&same);
  MPI_Group_free(&other);
  MPI_Group_free(&fewer);
}

static void set_operations(MPI_Comm comm) {
  const int right[3] = {3, 0, 4};
  const int all[5] = {0, 1, 2, 3, 4}, turned[5] = {3, 0, 4, 1, 2}, both[2] = {0, 3},
            both_turned[2] = {3, 0};
  const int only_one[2] = {1, 2}, only_other[1] = {4};
  MPI_Group one = first(comm, 4), other = chosen(comm, 3, right), made;
  MPI_Group_union(one, other, &made);
  expect_members(made, comm, 5, all);
  MPI_Group_union(other, one, &made);
  expect_members(made, comm, 5, turned);
  MPI_Group_intersection(one, other, &made);
  expect_members(made, comm, 2, both);
  MPI_Group_intersection(other, one, &made);
  expect_members(made, comm, 2, both_turned);
  MPI_Group_difference(one, other, &made);
  expect_members(made, comm, 2, only_one);
  MPI_Group_difference(other, one, &made);
  expect_members(made, comm, 1, only_other);
  MPI_Group_free(&one);
  MPI_Group_free(&other);
}

/* The result of (a op b) op c and of a op (b op c); frees neither. */
static int associative(int (*op)(MPI_Group, MPI_Group, MPI_Group*), MPI_Group a, MPI_Group b,
                       MPI_Group c) {
  MPI_Group ab, ab_c, bc, a_bc;
  op(a, b, &ab);
  op(ab, c, &ab_c);
  op(b, c, &bc);
  op(a, bc, &a_bc);
  const int same = comparison(ab_c, a_bc) == MPI_IDENT;
  MPI_Group_free(&ab);
  MPI_Group_free(&ab_c);
  MPI_Group_free(&bc);
  MPI_Group_free(&a_bc);
  return same;
}

static void associativity(MPI_Comm comm) {
  const int left[3] = {2, 0, 4}, middle[3] = {4, 3, 0}, right[3] = {1, 4, 0};
  MPI_Group a = chosen(comm, 3, left), b = chosen(comm, 3, middle), c = chosen(comm, 3, right);
  CHECK(associative(MPI_Group_union, a, b, c));
  CHECK(associative(MPI_Group_intersection, a, b, c));
  MPI_Group_free(&a);
  MPI_Group_free(&b);
  MPI_Group_free(&c);
}

static void empty_results(MPI_Comm comm) {
  MPI_Group all = group_of(comm), made;
  const int nobody[1] = {0};
  MPI_Group_difference(all, all, &made);
  CHECK_EQUAL(comparison(made, MPI_GROUP_EMPTY), MPI_IDENT);
  MPI_Group_free(&made);
  CHECK(made == MPI_GROUP_NULL);
  MPI_Group_intersection(all, MPI_GROUP_EMPTY, &made);
  CHECK_EQUAL(comparison(made, MPI_GROUP_EMPTY), MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_incl(all, 0, nobody, &made);
  CHECK_EQUAL(comparison(made, MPI_GROUP_EMPTY), MPI_IDENT);
  MPI_Group_free(&made);
  CHECK_EQUAL(size_of_group(MPI_GROUP_EMPTY), 0); /* freeing those harmed nothing */
  MPI_Group_union(MPI_GROUP_EMPTY, all, &made);
  CHECK_EQUAL(comparison(made, all), MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_free(&all);
}

static void include(MPI_Comm comm) {
  const int ranks[3] = {3, 1, 2};
  MPI_Group six = first(comm, 6), made;
  int back[3] = {-1, -1, -1};
  MPI_Group_incl(six, 3, ranks, &made);
  MPI_Group_translate_ranks(six, 3, ranks, made, back);
  for (int i = 0; i < 3; i++) CHECK_EQUAL(back[i], i);
  MPI_Group_free(&six);
  expect_members(made, comm, 3, ranks);
}

static void exclude(MPI_Comm comm) {
  const int ranks[3] = {3, 1, 2}, rest[3] = {0, 4, 5};
  MPI_Group six = first(comm, 6), in, out, made;
  MPI_Group_incl(six, 3, ranks, &in);
  MPI_Group_excl(six, 3, ranks, &out);
  MPI_Group_union(in, out, &made);
  CHECK_EQUAL(comparison(made, six), MPI_SIMILAR);
  MPI_Group_free(&made);
  MPI_Group_intersection(in, out, &made);
  CHECK_EQUAL(comparison(made, MPI_GROUP_EMPTY), MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_excl(six, 0, NULL, &made);
  CHECK_EQUAL(comparison(made, six), MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_free(&in);
  MPI_Group_free(&six);
  expect_members(out, comm, 3, rest);
}

static void wrong_ranks(MPI_Comm comm) {
  const int twice[3] = {1, 0, 1}, above[2] = {0, size_of(comm)}, below[1] = {-1};
  MPI_Group all = group_of(comm), made = MPI_GROUP_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_Group_incl(all, 3, twice, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_incl(all, 2, above, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_incl(all, 1, below, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_excl(all, 3, twice, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_excl(all, 2, above, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_excl(all, 1, below, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_incl(all, -1, twice, &made), MPI_ERR_ARG);
  CHECK(made == MPI_GROUP_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Group_free(&all);
}

static void range_include(MPI_Comm comm) {
  int ranges[3][3] = {{6, 7, 1}, {1, 6, 2}, {0, 9, 4}};
  const int expected[8] = {6, 7, 1, 3, 5, 0, 4, 8};
  MPI_Group ten = first(comm, 10), made;
  MPI_Group_range_incl(ten, 3, ranges, &made);
  MPI_Group_free(&ten);
  expect_members(made, comm, LENGTH(expected), expected);
}

static void range_exclude(MPI_Comm comm) {
  int ranges[3][3] = {{6, 7, 1}, {1, 6, 2}, {0, 9, 4}};
  const int expected[2] = {2, 9};
  MPI_Group ten = first(comm, 10), made;
  MPI_Group_range_excl(ten, 3, ranges, &made);
  MPI_Group_free(&ten);
  expect_members(made, comm, LENGTH(expected), expected);
}

static void range_forms(MPI_Comm comm) {
  int downwards[2][3] = {{9, 1, -3}, {0, 0, 5}};
  int upwards_from_above[2][3] = {{5, 2, 1}, {7, 7, -1}};
  const int down[4] = {9, 6, 3, 0}, single[1] = {7}, left[6] = {1, 2, 4, 5, 7, 8};
  MPI_Group ten = first(comm, 10), made;
  MPI_Group_range_incl(ten, 2, downwards, &made);
  expect_members(made, comm, 4, down);
  MPI_Group_range_excl(ten, 2, downwards, &made);
  expect_members(made, comm, 6, left);
  MPI_Group_range_incl(ten, 2, upwards_from_above, &made); /* the first triplet has no elements */
  expect_members(made, comm, 1, single);
  MPI_Group_range_incl(ten, 0, NULL, &made);
  CHECK_EQUAL(comparison(made, MPI_GROUP_EMPTY), MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_range_excl(ten, 0, NULL, &made);
  CHECK_EQUAL(comparison(made, ten), MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_free(&ten);
}

static void wrong_ranges(MPI_Comm comm) {
  int no_stride[1][3] = {{0, 5, 0}}, outside[1][3] = {{0, 1000000, 1}},
      overlapping[2][3] = {{0, 4, 2}, {5, 4, -1}};
  MPI_Group ten = first(comm, 10), made = MPI_GROUP_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_Group_range_incl(ten, 1, no_stride, &made), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Group_range_excl(ten, 1, no_stride, &made), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Group_range_incl(ten, 1, outside, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_range_excl(ten, 1, outside, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_range_incl(ten, 2, overlapping, &made), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Group_range_excl(ten, 2, overlapping, &made), MPI_ERR_RANK);
  CHECK(made == MPI_GROUP_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Group_free(&ten);
}

static void free_group(MPI_Comm comm) {
  MPI_Group all = group_of(comm), kept;
  MPI_Comm made;
  int sum = 0;
  const int one = 1;
  MPI_Group_union(all, MPI_GROUP_EMPTY, &kept);
  MPI_Comm_create(comm, all, &made);
  MPI_Group_free(&all);
  CHECK(all == MPI_GROUP_NULL);
  CHECK_EQUAL(size_of_group(kept), size_of(comm));
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
  CHECK_EQUAL(sum, size_of(comm));
  all = group_of(made);
  CHECK_EQUAL(comparison(all, kept), MPI_IDENT);
  MPI_Group_free(&all);
  MPI_Group_free(&kept);
  MPI_Comm_free(&made);
}

static const Case cases[] = {
    {"req 5.3.1", "calls on groups are local, and a process may build a group without itself", ANY,
     local_calls},
    {"req 5.3.2", "every group comes from that of MPI_COMM_WORLD", ANY, root_of_all},
    {"req 5.3.3, req 1.2.3",
     "MPI_GROUP_EMPTY has no members; MPI_GROUP_NULL is an error in every call", ANY,
     empty_and_null},
    {"req 5.3.4, ex 5.1", "translated ranks: repeats, absent processes, none at all", 6, translate},
    {"req 5.3.5", "groups are identical, similar or unequal", 3, compare},
    {"req 5.3.6, ex 5.2", "union, intersection and difference keep the order of the first group", 5,
     set_operations},
    {"req 5.3.6", "union and intersection are associative", 5, associativity},
    {"req 5.3.7", "an empty result equals MPI_GROUP_EMPTY and may be freed", ANY, empty_results},
    {"req 5.3.8, ex 5.3", "MPI_Group_incl orders as its ranks do", 6, include},
    {"req 5.3.8, ex 5.4", "MPI_Group_excl keeps the order and complements MPI_Group_incl", 6,
     exclude},
    {"req 5.3.8", "ranks that are outside or stand twice are errors", 2, wrong_ranks},
    {"req 5.3.9, ex 5.5", "ranges are expanded one after the other", 10, range_include},
    {"req 5.3.9, ex 5.6", "the complement of the same ranges", 10, range_exclude},
    {"req 5.3.9", "ranges that go down, have one element or none", 10, range_forms},
    {"req 5.3.9", "ranges without stride, outside the group or overlapping are errors", 10,
     wrong_ranges},
    {"req 5.3.11", "a freed group lives on in what was made of it", ANY, free_group},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
