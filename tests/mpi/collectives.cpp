// SPDX-License-Identifier: BSD-3-Clause
// Collectives on an intracommunicator against what they are defined to give, in all forms, with and
// without MPI_IN_PLACE, at every root.
#include <algorithm>
#include <vector>

#include "forms.h"

namespace {

using Ints = std::vector<int>;

int me, n;
MPI_Comm comm;

// Element i of what process `rank` contributes.
int value(int rank, int i) {
  return 1000 * (rank + 1) + i;
}
int total(int first, int end, int i) {
  int sum = 0;
  for (int rank = first; rank < end; ++rank) sum += value(rank, i);
  return sum;
}
Ints contribution(int rank, int count) {
  Ints data(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) data[static_cast<std::size_t>(i)] = value(rank, i);
  return data;
}

// Whether data[first + i] is expected(i) for all i < count.
template <class Expected>
bool holds(const Ints& data, int first, int count, Expected expected) {
  for (int i = 0; i < count; ++i) {
    if (data[static_cast<std::size_t>(first + i)] != expected(i)) return false;
  }
  return true;
}

// Memory of a call, filled in place.
struct Buffers {
  Ints in, out;
  explicit Buffers(int size) : in(static_cast<std::size_t>(size) + 1), out(in.size()) {}
  void fill(const Ints& data, int at_out = -1) {
    std::fill(out.begin(), out.end(), -1);
    std::copy(data.begin(), data.end(), in.begin());
    if (at_out >= 0) std::copy(data.begin(), data.end(), out.begin() + at_out);
  }
};

void test_bcast(Form form, int count, int root) {
  Buffers b(count);
  run(
      form, [&] { b.fill(contribution(root, count), me == root ? 0 : -1); },
      [&] { CHECK(holds(b.out, 0, count, [&](int i) { return value(root, i); })); }, MPI_Bcast,
      MPI_Ibcast, MPI_Bcast_init, b.out.data(), count, MPI_INT, root, comm);
}

void test_gather(Form form, int count, int root, bool in_place) {
  Buffers b(n * count);
  const bool here = in_place && me == root;
  const void* in = here ? MPI_IN_PLACE : b.in.data();
  run(
      form, [&] { b.fill(contribution(me, count), here ? me * count : -1); },
      [&] {
        for (int r = 0; me == root && r < n; ++r) {
          CHECK(holds(b.out, r * count, count, [&](int i) { return value(r, i); }));
        }
      },
      MPI_Gather, MPI_Igather, MPI_Gather_init, in, count, MPI_INT, b.out.data(), count, MPI_INT,
      root, comm);
}

// Process r gives r + count elements, which go to places with a gap of one between them.
struct Uneven {
  Ints counts, places;
  int end = 0;
  Uneven(int processes, int count) {
    for (int r = 0; r < processes; ++r) {
      counts.push_back(r + count);
      places.push_back(end);
      end += r + count + 1;
    }
  }
  int count(int r) const { return counts[static_cast<std::size_t>(r)]; }
  int place(int r) const { return places[static_cast<std::size_t>(r)]; }
};

void test_gatherv(Form form, int count, int root, bool in_place) {
  const Uneven u(n, count);
  Buffers b(u.end);
  const bool here = in_place && me == root;
  const void* in = here ? MPI_IN_PLACE : b.in.data();
  run(
      form, [&] { b.fill(contribution(me, u.count(me)), here ? u.place(me) : -1); },
      [&] {
        for (int r = 0; me == root && r < n; ++r) {
          CHECK(holds(b.out, u.place(r), u.count(r), [&](int i) { return value(r, i); }));
          CHECK(b.out[static_cast<std::size_t>(u.place(r) + u.count(r))] == -1);
        }
      },
      MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, in, u.count(me), MPI_INT, b.out.data(),
      u.counts.data(), u.places.data(), MPI_INT, root, comm);
}

void test_scatter(Form form, int count, int root, bool in_place) {
  Buffers b(n * count);
  void* out = in_place && me == root ? MPI_IN_PLACE : b.out.data();
  run(
      form, [&] { b.fill(contribution(root, n * count)); },
      [&] {
        if (out != MPI_IN_PLACE) {
          CHECK(holds(b.out, 0, count, [&](int i) { return value(root, me * count + i); }));
        }
      },
      MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, b.in.data(), count, MPI_INT, out, count, MPI_INT,
      root, comm);
}

void test_scatterv(Form form, int count, int root, bool in_place) {
  const Uneven u(n, count);
  Buffers b(u.end);
  void* out = in_place && me == root ? MPI_IN_PLACE : b.out.data();
  run(
      form, [&] { b.fill(contribution(root, u.end)); },
      [&] {
        if (out != MPI_IN_PLACE) {
          CHECK(holds(b.out, 0, u.count(me), [&](int i) { return value(root, u.place(me) + i); }));
        }
      },
      MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, b.in.data(), u.counts.data(), u.places.data(),
      MPI_INT, out, u.count(me), MPI_INT, root, comm);
}

void test_allgather(Form form, int count, bool in_place) {
  Buffers b(n * count);
  const void* in = in_place ? MPI_IN_PLACE : b.in.data();
  run(
      form, [&] { b.fill(contribution(me, count), in_place ? me * count : -1); },
      [&] {
        for (int r = 0; r < n; ++r) {
          CHECK(holds(b.out, r * count, count, [&](int i) { return value(r, i); }));
        }
      },
      MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, in, count, MPI_INT, b.out.data(), count,
      MPI_INT, comm);
}

void test_allgatherv(Form form, int count, bool in_place) {
  const Uneven u(n, count);
  Buffers b(u.end);
  const void* in = in_place ? MPI_IN_PLACE : b.in.data();
  run(
      form, [&] { b.fill(contribution(me, u.count(me)), in_place ? u.place(me) : -1); },
      [&] {
        for (int r = 0; r < n; ++r) {
          CHECK(holds(b.out, u.place(r), u.count(r), [&](int i) { return value(r, i); }));
        }
      },
      MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, in, u.count(me), MPI_INT, b.out.data(),
      u.counts.data(), u.places.data(), MPI_INT, comm);
}

void test_alltoall(Form form, int count, bool in_place) {
  Buffers b(n * count);
  const void* in = in_place ? MPI_IN_PLACE : b.in.data();
  run(
      form, [&] { b.fill(contribution(me, n * count), in_place ? 0 : -1); },
      [&] {
        for (int r = 0; r < n; ++r) {
          CHECK(holds(b.out, r * count, count, [&](int i) { return value(r, me * count + i); }));
        }
      },
      MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, in, count, MPI_INT, b.out.data(), count,
      MPI_INT, comm);
}

// Process r sends count + min(r, s) elements to process s: symmetric, as in-place calls need it.
void test_alltoallv(Form form, int count, bool in_place, bool typed) {
  Ints counts, places, bytes;
  std::vector<MPI_Datatype> types(static_cast<std::size_t>(n), MPI_INT);
  int end = 0;
  for (int r = 0; r < n; ++r) {
    counts.push_back(count + std::min(r, me));
    places.push_back(end);
    bytes.push_back(end * static_cast<int>(sizeof(int)));
    end += counts.back() + 1;
  }
  Buffers b(end);
  const void* in = in_place ? MPI_IN_PLACE : b.in.data();
  const auto before = [&] { b.fill(contribution(me, end), in_place ? 0 : -1); };
  const auto after = [&] {
    for (int r = 0; r < n; ++r) {
      int place_there = 0;
      for (int s = 0; s < me; ++s) place_there += count + std::min(r, s) + 1;
      CHECK(holds(b.out, places[static_cast<std::size_t>(r)], counts[static_cast<std::size_t>(r)],
                  [&](int i) { return value(r, place_there + i); }));
    }
  };
  if (typed) {
    run(form, before, after, MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, in, counts.data(),
        bytes.data(), types.data(), b.out.data(), counts.data(), bytes.data(), types.data(), comm);
  } else {
    run(form, before, after, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, in, counts.data(),
        places.data(), MPI_INT, b.out.data(), counts.data(), places.data(), MPI_INT, comm);
  }
}

void test_reduce(Form form, int count, int root, bool in_place) {
  Buffers b(count);
  const bool here = in_place && me == root;
  const void* in = here ? MPI_IN_PLACE : b.in.data();
  run(
      form, [&] { b.fill(contribution(me, count), here ? 0 : -1); },
      [&] {
        if (me == root) CHECK(holds(b.out, 0, count, [&](int i) { return total(0, n, i); }));
      },
      MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, in, me == root ? b.out.data() : nullptr, count,
      MPI_INT, MPI_SUM, root, comm);
}

// The reductions without root, which differ in what a process gets: elements of the sum over
// processes 0 .. end - 1.
template <class Blocking, class Nonblocking, class Persistent>
void test_running(Form form, int count, bool in_place, int end, Blocking blocking,
                  Nonblocking nonblocking, Persistent persistent) {
  Buffers b(count);
  const void* in = in_place ? MPI_IN_PLACE : b.in.data();
  run(
      form, [&] { b.fill(contribution(me, count), in_place ? 0 : -1); },
      [&] {
        if (end > 0) CHECK(holds(b.out, 0, count, [&](int i) { return total(0, end, i); }));
      },
      blocking, nonblocking, persistent, in, end > 0 || in_place ? b.out.data() : nullptr, count,
      MPI_INT, MPI_SUM, comm);
}

void test_reduce_scatter(Form form, int count, bool in_place) {
  Buffers b(n * count);
  const void* in = in_place ? MPI_IN_PLACE : b.in.data();
  run(
      form, [&] { b.fill(contribution(me, n * count), in_place ? 0 : -1); },
      [&] { CHECK(holds(b.out, 0, count, [&](int i) { return total(0, n, me * count + i); })); },
      MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, in,
      b.out.data(), count, MPI_INT, MPI_SUM, comm);
  Uneven u(n, count);
  Buffers v(u.end);
  const void* vin = in_place ? MPI_IN_PLACE : v.in.data();
  run(
      form, [&] { v.fill(contribution(me, u.end), in_place ? 0 : -1); },
      [&] {
        const int first = u.place(me) - me;  // without gaps
        CHECK(holds(v.out, 0, u.count(me), [&](int i) { return total(0, n, first + i); }));
      },
      MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, vin, v.out.data(),
      u.counts.data(), MPI_INT, MPI_SUM, comm);
}

void test_rooted(Form form, int count) {
  for (int root = 0; root < n; ++root) {
    test_bcast(form, count, root);
    for (const bool in_place : {false, true}) {
      test_gather(form, count, root, in_place);
      test_gatherv(form, count, root, in_place);
      test_scatter(form, count, root, in_place);
      test_scatterv(form, count, root, in_place);
      test_reduce(form, count, root, in_place);
    }
  }
}

void test_rootless(Form form, int count) {
  run(
      form, [] {}, [] {}, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, comm);
  for (const bool in_place : {false, true}) {
    test_allgather(form, count, in_place);
    test_allgatherv(form, count, in_place);
    test_alltoall(form, count, in_place);
    test_alltoallv(form, count, in_place, false);
    test_alltoallv(form, count, in_place, true);
    test_running(form, count, in_place, n, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init);
    test_running(form, count, in_place, me + 1, MPI_Scan, MPI_Iscan, MPI_Scan_init);
    test_running(form, count, in_place, me, MPI_Exscan, MPI_Iexscan, MPI_Exscan_init);
    test_reduce_scatter(form, count, in_place);
  }
}

// The interfaces with MPI_Count differ in their arrays only.
void test_wide() {
  const std::vector<MPI_Count> counts(static_cast<std::size_t>(n), 1);
  std::vector<MPI_Aint> places;
  for (int r = 0; r < n; ++r) places.push_back(n - 1 - r);
  Ints out(static_cast<std::size_t>(n));
  CHECK(MPI_Allgatherv_c(&me, 1, MPI_INT, out.data(), counts.data(), places.data(), MPI_INT,
                         comm) == MPI_SUCCESS);
  for (int r = 0; r < n; ++r) CHECK(out[static_cast<std::size_t>(n - 1 - r)] == r);
  int mine = -1;
  CHECK(MPI_Reduce_scatter_c(out.data(), &mine, counts.data(), MPI_INT, MPI_SUM, comm) ==
        MPI_SUCCESS);
  CHECK(mine == n * (n - 1 - me));
}

// Operations that overlap are kept apart.
void test_overlap() {
  constexpr int k = 4;
  int sums[k], broadcast[k];
  MPI_Request requests[2 * k];
  for (int i = 0; i < k; ++i) {
    sums[i] = -1;
    broadcast[i] = me == i % n ? 100 + i : -1;
    const int mine = me + i;
    static int kept[k];
    kept[i] = mine;
    MPI_Iallreduce(&kept[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[2 * i]);
    MPI_Ibcast(&broadcast[i], 1, MPI_INT, i % n, comm, &requests[2 * i + 1]);
  }
  CHECK(MPI_Waitall(2 * k, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  for (int i = 0; i < k; ++i) CHECK(sums[i] == n * (n - 1) / 2 + n * i && broadcast[i] == 100 + i);
}

void test_errors() {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int a = 0, b = 0;
  int counts[64] = {};
  CHECK(class_of(MPI_Bcast(&a, 1, MPI_INT, n, comm)) == MPI_ERR_ROOT);
  CHECK(class_of(MPI_Bcast(&a, -1, MPI_INT, 0, comm)) == MPI_ERR_COUNT);
  CHECK(class_of(MPI_Bcast(&a, 1, MPI_DATATYPE_NULL, 0, comm)) == MPI_ERR_TYPE);
  CHECK(class_of(MPI_Bcast(nullptr, 1, MPI_INT, 0, comm)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_OP_NULL, comm)) == MPI_ERR_OP);
  CHECK(class_of(MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_NO_OP, comm)) == MPI_ERR_OP);
  CHECK(class_of(MPI_Allreduce(&a, &a, 1, MPI_INT, MPI_SUM, comm)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Allreduce(MPI_IN_PLACE, &a, 1, MPI_BYTE, MPI_SUM, comm)) == MPI_ERR_OP);
  CHECK(class_of(MPI_Allreduce(&a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm)) == MPI_ERR_BUFFER);
  counts[0] = -1;
  CHECK(class_of(MPI_Allgatherv(&a, 1, MPI_INT, &b, counts, counts, MPI_INT, comm)) ==
        MPI_ERR_COUNT);
  CHECK(class_of(MPI_Ibarrier(comm, nullptr)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Neighbor_allgather(&a, 1, MPI_INT, &b, 1, MPI_INT, comm)) == MPI_ERR_TOPOLOGY);
}

}  // namespace

int main() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  me = rank_in(comm);
  n = size_of(comm);
  for (const Form form : kForms) {
    for (const int count : {0, 1, 3, 700}) {
      test_rooted(form, count);
      test_rootless(form, count);
    }
  }
  test_rootless(Form::blocking, 100'000);
  test_wide();
  test_overlap();
  test_errors();
  MPI_Comm_free(&comm);
  return finish();
}
